"""`command` and `trim` of the console recorder."""

import struct

import pytest
from integration.console_recorder.bench import CAPACITY, SKIPPING, ConsoleBench, fields

pytestmark = pytest.mark.wide

SMART = 0xC24F00


@pytest.fixture(scope="module")
def shared():
    bench = ConsoleBench()
    yield bench
    bench.close()


def registers(command, features=0, count=0, device=0x40):
    return hex(command | device << 8 | features << 16 | count << 32)


def dumped(lines):
    return b"".join(bytes.fromhex(line.partition(": ")[2]) for line in lines if line[3:4] == ":")


def test_without_data(shared):
    lines = shared.ask(f"command {registers(0xB0, 0xDA)} {SMART:#x}")
    assert lines[0] == "command" and lines[-1] == "ok"
    assert fields(lines) | {"clocks": ""} == {
        "command": "", "drive-status": "0x50", "drive-error": "0x00", "result-lba": str(SMART),
        "result-count": "0", "result-device": "64", "clocks": "", "ok": ""}
    assert fields(shared.ask(f"command {registers(0xE5)} 0"))["result-count"] == "255"


def test_with_data(shared):
    health = shared.port.drive.health
    lines = shared.ask(f"command {registers(0xB0, 0xD0, 1)} {SMART:#x} pio")
    assert lines[-1] == "ok" and dumped(lines) == health.data()
    lines = shared.ask(f"Command {registers(0x47, 0, 1)} 0x104 In")
    assert lines[-1] == "ok" and dumped(lines) == health.log(4, 1, 1)


@pytest.mark.parametrize("line, error", [
    (f"command {registers(0xFF)} 0", "drive-error"), (f"command {registers(0xFF)} 0 in", "drive-error"),
    (f"command {registers(0xE4)} 0 in", "protocol"), (f"command {registers(0xE5)} 0 pio", "short-data")])
def test_what_fails(shared, line, error):
    shared.send(f"{line}\r".encode())
    shared.run(40_000)      # the drive may be brought up again
    lines = shared.take()
    assert "command" in lines and f"error {error}" in lines and not dumped(lines)


@pytest.mark.parametrize("line, error", [
    ("command 1", "arguments"), ("command 1 2 raw", "arguments"), ("command 1 2 in pio", "arguments"),
    ("command 0x1000000000000 0", "bad-number"), ("trim 5", "arguments"), ("trim 1 2 in", "arguments"),
    ("trim 0 0", "range"), (f"trim 0 {64 * 65535 + 1}", "range")])
def test_what_is_refused(shared, line, error):
    before = len(shared.port.drive.completed)
    assert shared.ask(line) == [f"error {error}"]
    assert len(shared.port.drive.completed) == before


def ranges(page):
    return [(entry & (1 << 48) - 1, entry >> 48) for entry, in struct.iter_unpack("<Q", page)]


@pytest.mark.parametrize("lba, sectors, expected", [
    (100, 8, [(100, 8)]), (7, 65535, [(7, 65535)]), (7, 65536, [(7, 65535), (65542, 1)]),
    (1000, 200_000, [(1000, 65535), (66535, 65535), (132070, 65535), (197605, 3395)])])
def test_trim(shared, monkeypatch, lba, sectors, expected):
    seen = []
    drive = shared.port.drive
    trim = drive.trim
    monkeypatch.setattr(drive, "trim", lambda latency: (seen.append(bytes(drive.pages)),
                                                         trim(latency)))
    lines = shared.ask(f"trim {lba} {sectors}")
    assert lines[0] == f"trim {lba} {sectors}" and lines[-1] == "ok"
    page, = seen
    assert ranges(page) == expected + [(0, 0)] * (64 - len(expected))


def test_what_is_trimmed_reads_as_zeros(shared):
    assert shared.ask("record 100 20")[-1] == "ok"
    assert shared.ask("trim 105 3")[-1] == "ok"
    data = shared.image.read_sectors(100, 20)
    assert not any(data[5 * 512:8 * 512]) and all(any(data[n * 512:n * 512 + 512])
                                                  for n in range(20) if not 5 <= n < 8)


def test_longest_trim(shared, monkeypatch):
    """All 64 ranges, of a drive that is large enough to take them."""
    drive = shared.port.drive
    seen = []
    monkeypatch.setattr(drive, "trim", lambda latency: (seen.append(bytes(drive.pages)),
                                                         drive.conclude(0x50, 0, latency)))
    assert shared.ask(f"trim 0 {64 * 65535}")[-1] == "ok"
    assert ranges(seen[0]) == [(n * 65535, 65535) for n in range(64)]


def test_trim_beyond_the_end(shared):
    lines = shared.ask(f"trim {CAPACITY - 1} 2")
    assert lines[-1] == "error drive-error" and fields(lines)["drive-error"] == "0x14"


def test_status_meanwhile(shared):
    shared.behaviour.other_latency = 20_000
    shared.send(f"command {registers(0xE5)} 0\rstatus\rtrim 0 1\r".encode())
    shared.run(80_000)
    shared.behaviour.other_latency = 0
    lines = shared.take()
    assert "operation command" in lines and "error busy" in lines
    assert lines.index("operation command") < lines.index("error busy") < lines.index("command")


def test_a_core_without_it():
    bench = ConsoleBench(configuration=SKIPPING)
    try:
        assert bench.ask("trim 0 1") == ["error no-commands"]
        assert bench.ask(f"command {registers(0xE5)} 0") == ["error no-commands"]
        assert bench.ask("record 0 8")[-1] == "ok"
    finally:
        bench.close()
