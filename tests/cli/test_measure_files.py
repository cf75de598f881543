"""`sata-recorder measure` writes where it may, and takes its data from wherever they come."""

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import threading

import pytest
from integration.benches import MEASURED

from sata_recorder.lab.measurement import Job, JobError, execute
from sata_recorder.simulation import File, Pattern

SMALL = "--sectors", 8, "--operation", "record"
COMMAND = [sys.executable, "-c", "from sata_recorder.cli.main import main; main()"]


def refused(result, *words):
    assert result.exit_code == 2, result.output
    assert result.stdout == "" and result.stderr.count("\n") == 1
    assert all(word in result.stderr for word in words), result.stderr


@pytest.mark.parametrize("option", ["--image", "--trace", "--vcd", "--json", "--report"])
def test_a_file_of_somebody_else_stays(run, tmp_path, option):
    photo = tmp_path / ("photo.html" if option == "--report" else "photo.jpg")
    photo.write_bytes(b"\xff\xd8\xff photo")
    refused(run("measure", *SMALL, option, photo.name), f"{option} {photo.name}",
            "sata-recorder has not made it", "--overwrite")
    assert photo.read_bytes() == b"\xff\xd8\xff photo"
    assert [path.name for path in tmp_path.iterdir()] == [photo.name]


def test_a_picture_of_somebody_else_stays(run, tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "record-ledger.png").write_bytes(b"photo")
    refused(run("measure", *SMALL, "--plots", "pictures"), "--plots pictures/record-ledger.png",
            "--overwrite")
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["record-ledger.png"]


def test_overwrite_does_so(run, tmp_path):
    for name in "disk.img", "a.json":
        (tmp_path / name).write_bytes(b"photo")
    files = "--image", "disk.img", "--json", "a.json"
    assert run("measure", *SMALL, *files, "--overwrite").exit_code == 0
    assert json.loads((tmp_path / "a.json").read_text())["good"]
    assert run("measure", *SMALL, *files).exit_code == 0


@pytest.mark.parametrize("option", ["--image", "--trace", "--vcd", "--json", "--report"])
@pytest.mark.parametrize("path, kind", [("/dev/null", "character device"), ("pipe", "pipe"),
                                        ("link", "character device"), (".", "directory")])
def test_what_is_no_file_is_refused(run, tmp_path, option, path, kind):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    refused(run("measure", *SMALL, option, path, "--overwrite"), f"{option} {path}", kind)


@pytest.mark.skipif(not os.path.exists("/dev/loop0"), reason="there is no block device")
@pytest.mark.parametrize("operation", ["record", "play", "both"])
def test_a_block_device_is_refused(run, operation):
    refused(run("measure", "--operation", operation, "--image", "/dev/loop0", "--overwrite"),
            "--image /dev/loop0", "block device")


@pytest.mark.parametrize("option", ["--image", "--trace", "--vcd", "--report", "--plots"])
def test_only_json_goes_to_standard_output(run, tmp_path, option):
    refused(run("measure", *SMALL, option, "-"), f"{option} -", "standard output")
    assert not list(tmp_path.iterdir())


@pytest.mark.wide
def test_all_files_are_known_again(run, tmp_path):
    """By what is in them, even after the marks are lost, as with a copy; raw ones by their mark."""
    arguments = ("measure", "--sectors", 16, "--json", "a.json", "--report",
                 "a.html", "--plots", "pictures", "--vcd", "a.vcd", "--image", "disk.img",
                 "--trace", "trace.bin")
    assert run(*arguments).exit_code == 0
    raw = "disk.img", "trace.bin"
    for path in tmp_path.rglob("*"):
        if path.name not in raw and path.is_file():
            path.write_bytes(path.read_bytes())
            with contextlib.suppress(OSError):
                os.removexattr(path, "user.sata_recorder")
    assert run(*arguments).exit_code == 0
    arguments = "measure", "--sectors", 16, "--image", "disk.img", "--trace", "trace.bin"
    for name in raw:
        os.utime(tmp_path / name, ns=(0, 7))
        refused(run(*arguments), name, "was changed since", "--overwrite")
        assert run(*arguments, "--overwrite").exit_code == 0


def test_an_image_may_be_moved(run, tmp_path):
    assert run("measure", *SMALL, "--image", "disk.img").exit_code == 0
    (tmp_path / "folder").mkdir()
    for path in tmp_path.glob("disk.img*"):
        path.rename(tmp_path / "folder" / path.name)
    assert run("measure", *SMALL, "--image", "folder/disk.img").exit_code == 0


def test_a_truncated_image_is_told(run, tmp_path):
    assert run("measure", *SMALL, "--image", "disk.img").exit_code == 0
    os.truncate(tmp_path / "disk.img", 1000)
    refused(run("measure", *SMALL, "--image", "disk.img"), "has 1000 bytes", "--overwrite")
    assert run("measure", "--operation", "play", "--sectors", 1, "--image", "disk.img"
               ).exit_code == 0


@pytest.mark.parametrize("theirs, ours, fits", [
    (fcntl.LOCK_EX, "record", False), (fcntl.LOCK_EX, "play", False),
    (fcntl.LOCK_SH, "record", False), (fcntl.LOCK_SH, "play", True)])
def test_an_image_in_use(run, tmp_path, theirs, ours, fits):
    assert run("measure", *SMALL, "--image", "disk.img").exit_code == 0
    before = held(tmp_path, 4096)
    program = ("import fcntl, sys; file = open('disk.img', 'r+b'); "
               f"fcntl.flock(file, {int(theirs)}); print('locked', flush=True); sys.stdin.read()")
    with subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        result = run("measure", "--operation", ours, "--sectors", 8, "--seed", 1, "--image",
                     "disk.img")
        other.stdin.close()
    if fits:
        assert result.exit_code == 0
        return
    refused(result, "--image disk.img", "is in use by process", str(other.pid))
    assert held(tmp_path, 4096) == before
    assert run("measure", *SMALL, "--image", "disk.img").exit_code == 0


def test_a_new_image_is_not_removed_by_the_one_that_comes_too_late(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fields = {"configuration": MEASURED, "operation": "record", "lba": 0, "sectors": 8, "image": "disk.img",
                  "data": Pattern("random", 0, 1024)}
    first, second = Job(**fields), Job(**fields)
    told = []

    def progress(phase, done, total):
        if phase == "record" and not told:
            with pytest.raises(JobError) as caught:
                execute(second)
            told.append(str(caught.value))

    assert execute(first, progress=progress).problems == []
    assert told == ["image = disk.img: is in use by another measurement of this process"]
    assert (tmp_path / "disk.img").stat().st_size == 512 * first.capacity


def test_what_appears_between_the_check_and_the_run_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    job = Job(configuration=MEASURED, operation="record", lba=0, sectors=8,
              image="disk.img", data=Pattern("random", 0, 1024))
    (tmp_path / "disk.img").write_bytes(b"photo")
    with pytest.raises(JobError, match="sata-recorder has not made it; overwrite permits"):
        execute(job)
    assert (tmp_path / "disk.img").read_bytes() == b"photo"


def test_the_python_interface_refuses_a_pipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(JobError, match="^data = pipe: is no regular file, but a pipe$"):
        Job(configuration=MEASURED, operation="record", lba=0, sectors=8,
            data=File("pipe", 1024))


def measure(tmp_path, *arguments, **options):
    return subprocess.run([*COMMAND, "measure", "--operation", "record", "--image", "disk.img",
                           "--capacity", "100", *arguments], cwd=tmp_path, capture_output=True,
                          **options)


def held(tmp_path, size):
    with open(tmp_path / "disk.img", "rb") as file:
        return file.read(size)


@pytest.mark.wide
def test_standard_input(tmp_path):
    data = os.urandom(1300)
    result = measure(tmp_path, "--input", "-", input=data)
    assert result.returncode == 0 and b"record  3 sectors" in result.stdout, result
    assert held(tmp_path, 1536) == data + bytes(236)
    assert [path.name for path in tmp_path.iterdir()] == ["disk.img"]


@pytest.mark.wide
def test_a_named_pipe(tmp_path):
    data = os.urandom(2000)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,))
    writer.start()
    result = measure(tmp_path, "--input", "pipe")
    writer.join()
    assert result.returncode == 0, result
    assert held(tmp_path, 2000) == data


@pytest.mark.wide
def test_a_pipe_of_the_shell(tmp_path):
    read, write = os.pipe()
    os.write(write, b"x" * 600)
    os.close(write)
    result = measure(tmp_path, "--input", f"/dev/fd/{read}", pass_fds=[read])
    os.close(read)
    assert result.returncode == 0, result
    assert held(tmp_path, 600) == b"x" * 600


@pytest.mark.wide
def test_so_much_of_a_device_as_is_asked_for(tmp_path):
    result = measure(tmp_path, "--input", "/dev/zero", "--sectors", "3")
    assert result.returncode == 0 and b"record  3 sectors" in result.stdout, result


@pytest.mark.wide
@pytest.mark.sample(6)
@pytest.mark.parametrize("arguments, data, words", [
    (["--input", "-"], b"", [b"--input -", b"is empty"]),
    (["--input", "-", "--sectors", "1"], bytes(513), [b"--sectors 1", b"--input -", b"512"]),
    (["--input", "/dev/zero"], b"", [b"--input /dev/zero", b"--sectors"]),
    (["--input", "-", "--input-rate", "1MB/s"], b"x", [b"--input-rate", b"--input -"]),
])
def test_refused_streams(tmp_path, arguments, data, words):
    result = measure(tmp_path, *arguments, input=data)
    assert result.returncode == 2 and result.stderr.count(b"\n") == 1
    assert all(word in result.stderr for word in words), result.stderr
    assert not list(tmp_path.iterdir())
