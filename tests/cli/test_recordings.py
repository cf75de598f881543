"""`sata-recorder prepare`, `recordings`, `extract`, `verify`, `finalise`."""

import hashlib
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from sata_recorder import outputs
from sata_recorder.cli import output_file
from sata_recorder.core.drive_port import Error
from sata_recorder.pc.volume import Drive, LogEntry

ROOM = "--size", "8MiB", "--recordings", 3, "--align", "64KiB"


@pytest.fixture
def image(run, tmp_path):
    """`disk.img` with three slots; its path."""
    assert run("prepare", "disk.img", *ROOM).exit_code == 0
    return tmp_path / "disk.img"


@pytest.fixture
def recorded(run, image):
    """`recorded(number, size)`: a recording in the image; its data."""
    def recorded(number, size):
        data = random.Random(number).randbytes(size)
        slots = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"]
        with open(image, "r+b") as file:
            file.seek(512 * slots[number - 1]["lba"])
            file.write(data)
        outputs.mark(image)
        result = run("finalise", "disk.img", "--slot", number, "--bytes", size)
        assert result.exit_code == 0, result.output
        return data

    return recorded


def refused(result, *words):
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr


def test_extract_to_a_disk_that_fills_up(run, recorded, monkeypatch, tmp_path):
    """The file is named, not the drive; nothing is left of it."""
    class Full(io.FileIO):
        def write(self, content):
            raise OSError(28, "No space left on device")

    recorded(1, 5000)
    monkeypatch.setattr(output_file, "open", lambda path, mode: Full(path, mode), raising=False)
    refused(run("extract", "disk.img", "-o", "out"), "-o out: ", "No space left on device")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk.img"]


def test_from_the_core_to_a_file(run, tmp_path):
    """The core records into a slot; the file has the length that the stream had."""
    assert run("prepare", "disk.img", *ROOM).exit_code == 0
    [lba, *_] = [slot["lba"] for slot in json.loads(
        run("recordings", "disk.img", "--json").stdout)["slots"]]
    data = random.Random(1).randbytes(12_345)
    Path("in").write_bytes(data)
    assert run("measure", "--operation", "record", "--input", "in", "--image", "disk.img", "--lba",
               lba, "--json", "m.json").exit_code == 0
    result = run("finalise", "disk.img", "--measurement", "m.json", "--bytes", len(data), "--name",
                 "flight.dat", "--started", "2026-11-22T12:00:00+01:00")
    assert result.exit_code == 0 and "slot 1: 12,345 bytes" in result.stdout
    assert "RECORDINGS/flight.dat: 12,345 bytes, 2026-11-22 12:00:00 +0100" in \
        run("recordings", "disk.img").stdout
    assert run("extract", "disk.img", "-o", "out").exit_code == 0
    assert Path("out").read_bytes() == data
    beside = json.loads(Path("out.json").read_text())
    assert beside["sha256"] == hashlib.sha256(data).hexdigest() and beside["crc32_matches"]
    assert beside["drive"]["serial"] == "SN0001" and beside["clock_hz"] == 75_000_000
    result = run("verify", "disk.img")
    assert result.exit_code == 0 and "same     flight.dat" in result.stdout


@pytest.mark.parametrize("name, meta", [("a.sigmf-meta", "a.sigmf-meta"), ("a", "a.sigmf-meta")])
def test_a_copy_is_not_replaced_by_its_sidecar(run, recorded, name, meta):
    """One name for both, or a link from the one to the other."""
    recorded(1, 4000)
    if name != meta:
        Path(meta).symlink_to(name)
    before = sorted(os.listdir())
    refused(run("extract", "disk.img", "-o", name, "--datatype", "ci16_le", "--sample-rate", "1e6"),
            f"the sidecar {meta}: the same file as -o {name}")
    assert sorted(os.listdir()) == before and not Path(name).exists()


def test_list(run, image, recorded):
    assert "free      3 of at most" in run("recordings", "disk.img").stdout
    recorded(2, 100_000)
    told = run("recordings", "disk.img").stdout
    assert "slot 2    RECORDINGS/REC00002.dat: 100,000 bytes" in told
    assert "free      2 of at most" in told and "next: slot 1" in told
    listed = json.loads(run("recordings", "disk.img", "--json").stdout)
    assert listed["problems"] == [] and [one["slot"] for one in listed["recordings"]] == [2]
    assert [slot["state"] for slot in listed["slots"]] == ["free", "recorded", "free"]


@pytest.mark.parametrize("name", ["REC00003.dat", "3"])
def test_extract_one_of_several(run, recorded, name):
    recorded(1, 10)
    data = recorded(3, 70_000)
    assert run("extract", "disk.img", name, "-o", "out").exit_code == 0
    assert Path("out").read_bytes() == data
    refused(run("extract", "disk.img", "-o", "more"), "NAME", "REC00001.dat, REC00003.dat")
    refused(run("extract", "disk.img", "x", "-o", "more"), "x: there is no such recording")
    assert not Path("more").exists()


def test_extract_to_standard_output(run, recorded):
    data = recorded(1, 5000)
    result = run("extract", "disk.img", "-o", "-")
    assert result.stdout_bytes == data and sorted(os.listdir()) == ["disk.img"]


def test_sigmf(run, recorded):
    recorded(1, 4000)
    result = run("extract", "disk.img", "-o", "a.sigmf-data", "--datatype", "ci16_le",
                 "--sample-rate", "1e6")
    assert result.exit_code == 0, result.output
    meta = json.loads(Path("a.sigmf-meta").read_text())
    assert meta["global"]["core:sample_rate"] == 1e6 and not Path("a.sigmf-data.json").exists()


def test_raw_sectors(run, image):
    content = image.read_bytes()
    assert run("extract", "disk.img", "--lba", 1024, "--sectors", "1KiB", "-o", "x").exit_code == 0
    assert Path("x").read_bytes() == content[1024 * 512:1026 * 512]
    assert not Path("x.json").exists()
    result = run("extract", "x", "--lba", 1, "--sectors", 1, "-o", "-")
    assert result.stdout_bytes == content[1025 * 512:1026 * 512]


def test_damage_is_told(run, image, recorded):
    """A drive whose end is missing: the rest is copied, and the exit status shows that it is not
    all."""
    data = recorded(3, 1_000_000)
    listed = json.loads(run("recordings", "disk.img", "--json").stdout)["recordings"]
    os.truncate(image, 512 * listed[0]["extents"][0]["lba"] + 600_000)
    result = run("extract", "disk.img", "-o", "out")
    assert result.exit_code == 1, result.output
    assert "damaged  bytes 599,552 to 999,999 could not be read and are zeros" in result.stdout
    assert "its CRC-32 is" in result.stdout
    assert Path("out").read_bytes() == data[:599_552] + bytes(400_448)
    assert json.loads(Path("out.json").read_text())["damaged"] == [
        {"offset": 599_552, "bytes": 400_448}]
    result = run("verify", "disk.img")
    assert result.exit_code == 1 and "WRONG    REC00003.dat: bytes 599552 to" in result.stdout


def test_wrong_data(run, image, recorded):
    recorded(1, 1000)
    lba = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"][0]["lba"]
    with open(image, "r+b") as file:
        file.seek(512 * lba)
        file.write(b"x")
    result = run("verify", "disk.img")
    assert result.exit_code == 1 and "WRONG    REC00001.dat: its CRC-32 is" in result.stdout
    assert run("extract", "disk.img", "-o", "out").exit_code == 1


@pytest.mark.parametrize("arguments, words", [
    (["new.img", "--size", "8MiB"], ["--recordings or --recording-size"]),
    (["new.img", "--recordings", 3], ["new.img: no such file; --size makes an image"]),
    (["new.img", "--size", "8", "--recordings", 3], ["--size 8:", "too small"]),
    (["new.img", "--size", "x", "--recordings", 3], ["--size x:"]),
    (["new.img", "--size", "8MiB", "--recordings", 0], ["--recordings 0", "1 to 4096"]),
    (["new.img", "--size", "8MiB", "--recordings", 3, "--align", "3MiB"], ["--align", "a power"]),
    (["new.img", *ROOM, "--recording-size", "1GB"], ["--recording-size", "room for 0"]),
    (["new.img", *ROOM, "--serial", "S"], ["--serial S", "no block device"]),
    (["new.img", *ROOM, "--file", "a"], ["--size: not together with --file"]),
    (["note.txt", *ROOM], ["note.txt", "has not made it", "--overwrite permits"]),
    (["/dev/null", *ROOM], ["/dev/null", "a character device"]),
    (["/dev/none", *ROOM], ["/dev/none", "there is no such device"]),
    ([".", *ROOM], ["a directory"]),
    (["none/new.img", *ROOM], ["none/new.img", "No such file"]),
    (["note.txt", "--file", "a"], ["note.txt"]),
])
def test_prepare_refuses(run, tmp_path, arguments, words):
    note = tmp_path / "note.txt"
    note.write_text("mine\n")
    refused(run("prepare", *arguments), *words)
    assert sorted(os.listdir(tmp_path)) == ["note.txt"] and note.read_text() == "mine\n"


@pytest.mark.sample(7)
@pytest.mark.parametrize("arguments, words", [
    (["extract", "disk.img"], ["-o is missing"]),
    (["extract", "none.img", "-o", "x"], ["none.img: cannot be read: No such file"]),
    (["extract", "disk.img", "1", "--lba", 0, "--sectors", 1, "-o", "x"], ["--lba 0", "NAME (1)"]),
    (["extract", "disk.img", "--lba", 0, "-o", "x"], ["--lba and --sectors"]),
    (["extract", "disk.img", "--sectors", 1, "-o", "x"], ["--lba and --sectors"]),
    (["extract", "disk.img", "--lba", 16383, "--sectors", 2, "-o", "x"], ["--sectors 2", "has 1"]),
    (["extract", "disk.img", "--lba", 0, "--sectors", "0", "-o", "x"], ["--sectors", "above 0"]),
    (["extract", "disk.img", "--datatype", "cu8", "-o", "x"], ["--datatype and --sample-rate"]),
    (["extract", "disk.img", "--datatype", "int", "--sample-rate", 1, "-o", "x"], ["'int'"]),
    (["extract", "disk.img", "--datatype", "cu8", "--sample-rate", 0, "-o", "x"], ["above 0"]),
    (["extract", "disk.img", "1", "-o", "note.txt"], ["-o note.txt", "has not made it"]),
    (["extract", "disk.img", "1", "-o", "none/x"], ["-o none/x", "No such file"]),
    (["recordings", "note.txt"], ["note.txt: has no recording table", "prepare"]),
    (["recordings", "."], ["a directory"]),
    (["verify", "note.txt"], ["has no recording table"]),
    (["finalise", "disk.img"], ["--slot and --bytes"]),
    (["finalise", "disk.img", "--slot", 1], ["--slot and --bytes"]),
    (["finalise", "disk.img", "--slot", 1, "--bytes", 1], ["slot 1: is not free"]),
    (["finalise", "disk.img", "--slot", 4, "--bytes", 1], ["slot 4: disk.img has slots 1 to 3"]),
    (["finalise", "disk.img", "--slot", 2, "--bytes", 0], ["0 bytes: slot 2 takes 1 to"]),
    (["finalise", "disk.img", "--slot", 2, "--bytes", 1 << 40], ["slot 2 takes 1 to"]),
    (["finalise", "disk.img", "--slot", 2, "--bytes", 1, "--name", "a/b"], ["'/'"]),
    (["finalise", "disk.img", "--slot", 2, "--bytes", 1, "--name", "rec00001.DAT"], ["such a"]),
    (["finalise", "disk.img", "--slot", 2, "--bytes", 1, "--started", "noon"], ["--started noon"]),
    (["finalise", "disk.img", "--slot", 2, "--bytes", 1, "--started", "1970-01-01"], ["1970"]),
    (["finalise", "disk.img", "--slot", 2, "--bytes", 1, "--serial", "S"], ["no block device"]),
    (["finalise", "disk.img", "--measurement", "none.json"], ["--measurement none.json"]),
    (["finalise", "disk.img", "--measurement", "note.txt"], ["is no recording that"]),
    (["finalise", "note.txt", "--slot", 2, "--bytes", 1], ["note.txt", "recording table"]),
    (["finalise", "none.img", "--slot", 2, "--bytes", 1], ["none.img", "No such file"]),
])
def test_refusals(run, image, recorded, arguments, words):
    recorded(1, 100)
    Path("note.txt").write_text("mine\n")
    before = image.read_bytes()
    refused(run(*arguments), *words)
    assert sorted(os.listdir()) == ["disk.img", "note.txt"]
    assert image.read_bytes() == before and Path("note.txt").read_text() == "mine\n"


@pytest.mark.parametrize("change, words", [
    ({"lba": 1}, "where no slot of disk.img begins"), ({"operation": "play"}, "is no recording")])
def test_measurement_of_another_place(run, image, change, words):
    lba = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"][1]["lba"]
    transfer = {"operation": "record", "lba": lba, "bytes": 512, "clock_hz": 1e8, "sensor": {
        "lost": 3, "gaps": [[9, 3]]}}
    found = {"transfers": [transfer | change], "drive": {"model": "M", "serial": "S"}}
    Path("m.json").write_text(json.dumps(found))
    refused(run("finalise", "disk.img", "--measurement", "m.json"), words)
    found["transfers"] = [transfer]
    Path("m.json").write_text(json.dumps(found))
    refused(run("finalise", "disk.img", "--measurement", "m.json", "--slot", 1),
            "recorded into slot 2")
    assert run("finalise", "disk.img", "--measurement", "m.json").exit_code == 0
    assert "; 3 words lost, 1 gaps listed" in run("recordings", "disk.img").stdout


@pytest.mark.parametrize("change", [
    {"clock_hz": 1e12}, {"clock_hz": -1}, {"clock_hz": "75e6"}, {"clock_hz": float("inf")}, {"clock_hz": float("nan")},
    {"clock_hz": None}, {"clock_hz": True}, {"bytes": "512"}, {"bytes": 512.5}, {"bytes": -512}, {"lba": []},
    {"high_water": 1 << 40}, {"high_water": "full"}, {"high_water": -1}, {"error": []}, {"error": "NO SUCH"},
    {"sensor": [5]}, {"sensor": "none"}, {"sensor": {"lost": 3}}, {"sensor": {"lost": -3, "gaps": []}},
    {"sensor": {"lost": 1e300, "gaps": []}}, {"sensor": {"lost": 3, "gaps": [[1e300, 3]]}},
    {"sensor": {"lost": 3, "gaps": [[-1, 3]]}}, {"sensor": {"lost": 3, "gaps": [[9]]}},
    {"drive": {"model": 5, "serial": "S"}}, {"drive": {"model": "M"}}, {"drive": []}, {"recording": ["ring"]},
    {"transfers": "record"}, {"transfers": [5]}, {"transfers": []}])
def test_a_measurement_that_was_edited_is_refused_in_a_line(run, image, change):
    """Of a file for people to read, each number may have been changed: nothing of that reaches the drive."""
    lba = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"][0]["lba"]
    transfer = {"operation": "record", "lba": lba, "bytes": 512, "clock_hz": 1e8}
    found = {"transfers": [transfer], "drive": {"model": "M", "serial": "S"}}
    (found if change.keys() <= {"drive", "recording", "transfers"} else transfer).update(change)
    Path("m.json").write_text(json.dumps(found))
    before = image.read_bytes()
    refused(run("finalise", "disk.img", "--measurement", "m.json"), "--measurement m.json: is no recording that")
    assert image.read_bytes() == before


def test_no_file_is_longer_than_what_was_measured(run, image):
    """After it is what was on the drive before, and the log would vouch for it with a CRC-32."""
    lba = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"][0]["lba"]
    transfer = {"operation": "record", "lba": lba, "bytes": 1024, "clock_hz": 1e8}
    Path("m.json").write_text(json.dumps({"transfers": [transfer], "drive": {"model": "M", "serial": "S"}}))
    refused(run("finalise", "disk.img", "--measurement", "m.json", "--bytes", 1025),
            "--bytes 1025: --measurement m.json recorded 1024")
    assert run("finalise", "disk.img", "--measurement", "m.json", "--bytes", 1023).exit_code == 0


@pytest.mark.parametrize("mode", ["ring", "trigger"])
def test_no_file_of_a_measurement_whose_order_is_in_no_log(run, image, mode):
    lba = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"][0]["lba"]
    options = ["--trigger", 5000, "--words", 100] if mode == "trigger" else ["--stop-after", 20000]
    assert run("measure", "--operation", "record", "--image", "disk.img", "--lba", lba, "--sectors", 256,
               "--mode", mode, *options, "--json", "m.json").exit_code == 0
    before = image.read_bytes()
    refused(run("finalise", "disk.img", "--measurement", "m.json"), f"--mode {mode}", "the order of its sectors")
    assert image.read_bytes() == before


def test_a_measurement_that_failed_and_lost_parts_of_words(run, image):
    """The log states the error, and no less than was lost."""
    lba = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"][0]["lba"]
    transfer = {"operation": "record", "lba": lba, "bytes": 512, "clock_hz": 1e8, "error": "DRIVE_ERROR",
                "sensor": {"lost": 2.25, "gaps": [[9.5, 2.25]]}}
    Path("m.json").write_text(json.dumps({"transfers": [transfer], "drive": {"model": "M", "serial": "S"}}))
    assert run("finalise", "disk.img", "--measurement", "m.json").exit_code == 0
    with Drive(image) as drive:
        log = drive.recordings[0].log
    assert (log.error, log.lost_words, log.journal) == (Error.DRIVE_ERROR, 3, (LogEntry(1, 0, 9, 3),))


def test_compared_with_sidecars(run, image, recorded):
    recorded(1, 1000)
    recorded(3, 2000)
    run("extract", "disk.img", 1, "-o", "one")
    run("extract", "disk.img", 3, "-o", "three.sigmf-data", "--datatype", "cu8", "--sample-rate", 1)
    order = "verify", "disk.img", "--sidecar", "one.json", "--sidecar", "three.sigmf-meta"
    result = run(*order)
    assert result.exit_code == 0, result.output
    assert "same     REC00001.dat: its sha256 is that of the sidecar" in result.stdout
    assert "same     REC00003.dat: its sha512 is that of the sidecar" in result.stdout
    found = json.loads(Path("one.json").read_text())
    for name, value in ("sha256", "0" * 64), ("bytes", 999):
        Path("one.json").write_text(json.dumps(found | {name: value}))
        result = run(*order)
        assert result.exit_code == 1 and "WRONG    REC00001.dat: is not what its" in result.stdout
    Path("one.json").write_text(json.dumps(found | {"slot": 2}))
    refused(run(*order), "2: there is no such recording")
    for segment in 5, {"bytes": 1}, {"number": "x"}:
        Path("one.json").write_text(json.dumps(found | {"mode": "TRIGGERED", "segment": segment}))
        refused(run(*order), "--sidecar one.json", "is no sidecar")
    for text, words in (b"{}", "is no sidecar"), (b"\xff", "is no text"), (b"[1]", "is no sidecar"):
        Path("one.json").write_bytes(text)
        refused(run(*order), "--sidecar one.json", words)
    refused(run("verify", "disk.img", "--sidecar", "none"), "--sidecar none: cannot be read")


def test_measure_spares_recordings(run, image, recorded):
    """Without --overwrite it records on a prepared image only into a free slot."""
    recorded(1, 600)
    slots = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"]
    before = image.read_bytes()
    order = "measure", "--operation", "record", "--sectors", 8, "--image", "disk.img"
    for lba, words in ((0, "none of its slots has the 8 sectors"),
                       (slots[1]["lba"] - 1, "none of its slots"),
                       (slots[0]["lba"], "slot 1 of disk.img is not free")):
        refused(run(*order, "--lba", lba), f"--lba {lba}", words, "--overwrite permits")
    assert image.read_bytes() == before
    assert run(*order, "--lba", slots[1]["lba"] + 8).exit_code == 0
    assert run(*order, "--overwrite").exit_code == 0


def test_existing_file(run, image, recorded):
    recorded(2, 600)
    found = json.loads(run("prepare", "disk.img", "--file", "RECORDINGS/REC00002.dat").stdout)
    slot = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"][1]
    assert (found["bytes"], found["lba"], found["sectors"]) == (600, slot["lba"], 2)
    refused(run("prepare", "disk.img", "--file", "gone"), "has no file gone")


def test_in_use(run, image):
    """Another process reads the image while this one would write it."""
    code = ("import sys; from sata_recorder.pc.volume import Drive; d = Drive('disk.img'); "
            "print('open', flush=True); sys.stdin.read()")
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, cwd=image.parent, text=True) as other:
        assert other.stdout.readline() == "open\n"
        refused(run("finalise", "disk.img", "--slot", 1, "--bytes", 1),
                f"disk.img: is in use by process {other.pid}")
        other.stdin.close()


def test_a_name_that_is_taken(run, image):
    from sata_recorder.pc.volume import Drive, Timestamp
    from sata_recorder.pc.volume.exfat import FileSet
    with Drive(image) as drive:
        folder = 512 * drive.volume.lba(drive.volume.find("RECORDINGS").set.first_cluster)
    with open(image, "r+b") as file:
        file.seek(folder)
        file.write(FileSet("REC00003.dat", 0, 0, 0, 0x20, created=Timestamp(46 << 25 | 11 << 21 | 22
                                                                           << 16)).pack())
    told = "slot 3    its recording would be another file RECORDINGS/REC00003.dat: move that away"
    assert told in run("recordings", "disk.img").stdout
    slots = json.loads(run("recordings", "disk.img", "--json").stdout)["slots"]
    assert [slot["name_taken"] for slot in slots] == [False, False, True]
    assert run("verify", "disk.img").exit_code == 1
