"""`sata-recorder measure` refuses mistakes in one line, and leaves no file."""

import os
import stat

import pytest

from sata_recorder import extras
from sata_recorder.simulation import compiler


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "file").write_bytes(bytes(1000))
    (tmp_path / "folder").mkdir()
    (tmp_path / "disk.img").write_bytes(bytes(10 * 512))
    (tmp_path / "tiny.img").write_bytes(bytes(100))
    (tmp_path / "slow.toml").write_text("clock_hz = 37.5e6\n")
    (tmp_path / "drop.toml").write_text('on_overflow = "drop"\n')
    (tmp_path / "long.toml").write_text("long_logical_sectors = true\n")
    (tmp_path / "lossy.toml").write_text("source_clock = true\nsource_waits = false\n")
    (tmp_path / "odd.toml").write_text("buffer_words = 300\n")
    (tmp_path / "text.toml").write_text("this is no TOML\n")
    return tmp_path


@pytest.mark.parametrize("arguments, words", [
    ("--width 8 --source-clock 10MHz --input-rate 11MB/s", ["--input-rate 11MB/s", "8 bits at 10 MHz carry 10 MB/s"]),
    ("--source-clock 5kHz", ["--source-clock 5kHz", "10 kHz to 1 GHz"]),
    ("--source-clock fast", ["--source-clock fast", "a number and a unit"]),
    ("--width 64 --mode ring --stop-after 9", ["--width 64", "--mode ring"]),
    ("--source-clock 1MHz --operation play", ["--source-clock 1MHz", "--operation play"]),
    ("--config lossy.toml", ["--source-clock", "is missing"]),
    ("--config lossy.toml --source-clock 1MHz", ["--input-rate", "source_waits = false"]),
    ("--config lossy.toml --source-clock 1MHz --input-rate 1MB/s --fifo-words 8", ["--fifo-words 8", "source_depth"]),
    ("--width 128 --input-rate 1MB/s --fifo-words 6", ["--fifo-words 6", "a multiple of 4"]),
    ("--input missing", ["--input missing", "no such file"]),
    ("--input empty", ["--input empty", "is empty"]),
    ("--input folder", ["--input folder", "is a directory"]),
    ("--logical-sector 4096 --lba 4", ["--lba 4", "multiple of 8 with --logical-sector 4096"]),
    ("--logical-sector 4096 --sectors 12", ["--sectors 12", "multiple of 8"]),
    ("--logical-sector 4096 --capacity 9001", ["--capacity 9001", "multiple of 8"]),
    ("--logical-sector 4096 --max-command 12", ["max_command_sectors is 12", "multiple of 8"]),
    ("--logical-sector 4096 --config slow.toml --generation 1",
     ["--logical-sector 4096", "needs long_logical_sectors = true of"]),
    ("--logical-sector 4096 --mode trigger --segments 3 --sectors 4096 --words 9 --trigger 1 --stop-after 9",
     ["--segments 3", "multiple of 8 sectors", "1365"]),
    ("--smart --config slow.toml --generation 1", ["--smart", "needs commands = true of"]),
    ("--smart --controller serv", ["--smart", "not together with --controller serv"]),
    ("--written 5", ["--written 5", "needs --smart"]),
    ("--smart --written -5", ["--written -5", "must be 0 to 72057594 GB"]),
    ("--smart --written 1e30", ["--written 1e+30", "must be 0 to 72057594 GB"]),
    ("--smart --written nan", ["--written nan", "must be 0 to 72057594 GB"]),
    ("--input file --sectors 1", ["--sectors 1", "--input file has 1000 bytes", "needs 2"]),
    ("--image folder", ["--image folder", "is a directory"]),
    ("--image nowhere/disk.img", ["--image nowhere/disk.img", "no folder"]),
    ("--input file --image file", ["--image file", "the same file as --input"]),
    ("--input file --image ./folder/../file", ["the same file as --input"]),
    ("--image new.img --json new.img", ["--json new.img", "the same file as --image"]),
    ("--trace a --vcd a", ["--vcd a", "the same file as --trace"]),
    ("--json nowhere/a.json", ["--json nowhere/a.json", "no folder"]),
    ("--vcd-scope ports", ["--vcd-scope ports", "needs --vcd"]),
    ("--vcd-scope all", ["--vcd-scope all", "needs --vcd"]),
    ("--vcd folder", ["--vcd folder", "is a directory"]),
    ("--sectors 0", ["--sectors", "above 0"]),
    ("--sectors -5", ["--sectors", "whole number of sectors"]),
    ("--sectors 1.5", ["--sectors", "whole number of sectors"]),
    ("--sectors 1GX", ["--sectors", "GiB"]),
    ("--sectors 62533297", ["--sectors 62533297", "capacity of 62533296"]),
    ("--sectors 12345678901234567890", ["--sectors", "12345678901234567890: must be", "at most 2^48"]),
    ("--samples -1", ["--samples -1", "at least 0"]),
    ("--seed -1", ["--seed -1", "must be 0 to 18446744073709551615"]),
    ("--seed 18446744073709551616", ["--seed 18446744073709551616", "must be 0 to"]),
    ("--drive nobody", ["--drive nobody", "no drive profile", "sata-recorder drives"]),
    ("--drive 870-evo-2tb", ["--drive 870-evo-2tb", "its rate of writing is unknown", "--assume-rate"]),
    ("--assume-rate 5MB/s", ["--assume-rate 5MB/s: needs --drive"]),
    ("--drive x25-e --assume-rate 5MB/s", ["--assume-rate 5MB/s", "nothing to assume"]),
    ("--drive odd.toml", ["--drive odd.toml", "model: is missing"]),
    ("--drive missing.toml", ["--drive missing.toml", "No such file"]),
    ("--drive x25-e --hostile", ["--hostile", "not together with --drive x25-e"]),
    ("--drive x25-e --hold drive:5/5", ["--hold drive", "not together with --drive x25-e"]),
    ("--drive x25-e --generation 3", ["--generation 3", "x25-e", "generation 2"]),
    ("--turnaround-us -1", ["--turnaround-us -1", "0 to"]),
    ("--turnaround-us 1e12", ["--turnaround-us 1e+12", "0 to 57266231"]),
    ("--controller-hz 1e6", ["--controller-hz 1e+06", "needs --controller with a processor"]),
    ("--controller-wait polling", ["--controller-wait polling", "needs --controller"]),
    ("--controller-extent whole", ["--controller-extent whole", "needs --controller"]),
    ("--controller serv --controller-hz 76e6", ["--controller-hz 7.6e+07", "75000 to 7.5e+07"]),
    ("--controller serv --controller-hz 0", ["--controller-hz 0", "75000 to 7.5e+07"]),
    ("--controller serv --controller-wait interrupt",
     ["--controller-wait interrupt", "--controller serv", "only polls"]),
    ("--controller serv --turnaround-us 5", ["--turnaround-us 5", "--controller serv"]),
    ("--controller serv --vcd a.vcd", ["--vcd a.vcd", "--controller serv"]),
    ("--input-rate 100", ["--input-rate", "MB/s"]),
    ("--input-rate 800Mb/s", ["--input-rate", "bytes"]),
    ("--input-rate 301MB/s", ["--input-rate", "301 MB/s", "300 MB/s at 75 MHz"]),
    ("--input-rate 1MB/s --operation play", ["--input-rate 1MB/s", "--operation play"]),
    ("--input-rate 1MB/s --input file", ["--input-rate 1MB/s", "--input file"]),
    ("--input-rate 1MB/s --hold host:1/1", ["--input-rate 1MB/s", "--hold host"]),
    ("--input-rate 1MB/s --fifo-words 0", ["--fifo-words 0", "1 to"]),
    ("--input-rate 1MB/s --fifo-words many", ["--fifo-words many", "endless"]),
    ("--fifo-words 10", ["--fifo-words 10", "needs --input-rate"]),
    ("--report a.html --plots a.html", ["--plots a.html", "the same file as --report"]),
    ("--report nowhere/a.html", ["--report nowhere/a.html", "no folder"]),
    ("--plots file", ["--plots file", "is no folder"]),
    ("--lba -1", ["--lba -1", "0 to 62533295"]),
    ("--lba 62533296", ["--lba 62533296", "0 to 62533295"]),
    ("--lba 62533295 --image new.img", ["--lba 62533295", "8192 sectors", "62533296"]),
    ("--lba 1 --sectors 100 --capacity 100", ["--lba 1", "100 sectors", "capacity of 100"]),
    ("--image disk.img --sectors 2 --capacity 9",
     ["--capacity 9", "less than the 10 sectors of --image disk.img"]),
    ("--operation play --image disk.img --sectors 2 --capacity 9", ["--capacity 9", "10 sectors"]),
    ("--capacity 0", ["--capacity 0", "1 to 281474976710655"]),
    ("--capacity 268435456 --lba28", ["--capacity 268435456", "1 to 268435455", "--lba28"]),
    ("--capacity 281474976710656", ["--capacity 281474976710656", "1 to 281474976710655"]),
    ("--max-command 0", ["--max-command 0: must be a whole number, 1 to 65536"]),
    ("--max-command 65537", ["--max-command 65537: must be a whole number, 1 to 65536"]),
    ("--hold drive:0/5", ["--hold drive:0/5", "ON at least 1"]),
    ("--hold drive:1/999999999", ["--hold drive:1/999999999", "OFF 0 to 1000000"]),
    ("--hold host:1000000001/1", ["--hold host:1000000001/1", "ON 1 to 1000000000"]),
    ("--hold drive:5", ["--hold drive:5", "drive:ON/OFF"]),
    ("--hold disk:5/5", ["--hold disk:5/5", "drive:ON/OFF"]),
    ("--hold host:5/-5", ["--hold host:5/-5", "host:ON/OFF"]),
    ("--hold host:1/1 --hold host:2/2", ["--hold host:2/2", "twice"]),
    ("--operation play --image missing.img", ["--image missing.img", "no such file"]),
    ("--operation play --image tiny.img", ["--image tiny.img", "no whole sector"]),
    ("--operation play --image disk.img", ["--sectors 8192", "capacity of 10"]),
    ("--operation play --image disk.img --lba 9 --sectors 2", ["--lba 9", "2 sectors", "of 10"]),
    ("--operation play --image disk.img --flush --sectors 1", ["--flush", "nothing is recorded"]),
    ("--config missing.toml", ["--config missing.toml", "No such file"]),
    ("--config text.toml", ["text.toml", "TOML"]),
    ("--config odd.toml", ["buffer_words = 300", "power of two"]),
    ("--config drop.toml", ["on_overflow = drop", "--input-rate"]),
    ("--config slow.toml", ["clock_hz = 3.75e+07", "generation 2", "7.5e+07"]),
])
def test_refuses(run, folder, arguments, words):
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    result = run("measure", *arguments.split())
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert all(word in result.stderr for word in words), result.stderr
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize("arguments", [
    "--operation rewind", "--generation 4", "--engine verilator", "--sectors many", "--lba 1.5",
    "--unknown", "surplus", "--input",
])
def test_refuses_usage(run, folder, arguments):
    before = sorted(folder.iterdir())
    result = run("measure", *arguments.split())
    assert result.exit_code == 2
    assert result.stdout == "" and "Error: " in result.stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
@pytest.mark.parametrize("arguments, words", [
    ("--input file", ["--input file", "cannot be read"]),
    ("--image file", ["--image file", "cannot be written"]),
    ("--image folder/new.img", ["--image folder/new.img", "cannot be written"]),
    ("--json closed/a.json", ["--json closed/a.json", "Permission denied"]),
])
def test_refuses_what_the_rights_forbid(run, folder, arguments, words):
    (folder / "file").chmod(0)
    (folder / "folder").chmod(stat.S_IRUSR | stat.S_IXUSR)
    (folder / "closed").mkdir(mode=0)
    result = run("measure", *arguments.split())
    (folder / "folder").chmod(0o700)
    (folder / "closed").chmod(0o700)
    assert result.exit_code == 2
    assert all(word in result.stderr for word in words), result.stderr


def test_no_compiler(run, tmp_path, monkeypatch):
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setitem(extras.EXTRAS, "compiler", {"no_such_module": "none"})
    compiler.forget()
    try:
        result = run("measure", "--sectors", 1, "--image", "disk.img")
    finally:
        compiler.forget()
    assert result.exit_code == 2
    assert "install g++" in result.stderr and "ziglang" in result.stderr
    assert not (tmp_path / "disk.img").exists()


@pytest.mark.parametrize("name, value", [("CXX", "no-such-compiler -O3"), ("CXXFLAGS", "-O1 '")])
def test_wrong_compiler(run, tmp_path, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    compiler.forget()
    try:
        result = run("measure", "--sectors", 1)
    finally:
        compiler.forget()
    assert result.exit_code == 2
    assert f"{name} " in result.stderr and value.partition(" ")[0] in result.stderr


def test_no_icarus(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = run("measure", "--sectors", 1, "--engine", "icarus", "--image", "disk.img")
    assert result.exit_code == 2
    assert "Debian package iverilog" in result.stderr
    assert not (tmp_path / "disk.img").exists()
