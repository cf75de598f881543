"""The board's gateware, drive model at one end and typed lines at the other."""

import pytest
from integration.console_recorder.bench import CAPACITY, ConsoleBench, fields

from sata_recorder.simulation.accounts import LedgerReading
from sata_recorder.simulation.pattern import Pattern


@pytest.fixture(scope="module")
def shared():
    """A board with a good drive, for tests that leave it as it is."""
    bench = ConsoleBench()
    yield bench
    assert not bench.port.link.violations
    bench.close()


def test_status(board):
    """After power-on."""
    bench = board()
    assert bench.ask("status") == [
        "link up", "generation 2", "ready yes", "last-error none", "drive-status 0x50",
        "drive-error 0x00", f"capacity {CAPACITY}", "operation none",
        "recovering no", "retries 0", "sectors-done 0", "words 0", "clocks 0", "ok"]
    assert bench.lights == (True, False, False)


def test_version_and_help(shared):
    version = shared.ask("Version")
    assert version[0] == "station 1" and version[2:] == ["clock-hz 1000000", "buffer-words 1024",
                                                         "ok"]
    verbs = [line.split()[0].rstrip(":") for line in shared.ask("help")[:-1]]
    # This core has COMMAND and makes no files: what it cannot do is not offered.
    assert verbs == ["status", "identify", "record", "play", "flush", "dump", "command", "trim",
                     "counters", "journal", "phy", "stop", "reset", "version"]


def test_no_phy(shared):
    """A dword port that is all there is."""
    for line in "phy", "phy bist", "phy clear":
        assert shared.ask(line) == ["error no-phy"]
    assert shared.ask("phy raw") == ["error arguments"]


def test_identify(shared):
    assert shared.ask("identify") == ["model MODEL? OF A DRIVE", "serial SN 7", "firmware 1.0",
                                      f"capacity {CAPACITY}", "lba48 yes", "ok"]
    *rows, end = shared.ask("identify raw")
    assert [row[:5] for row in rows] == [f"{at:03x}: " for at in range(0, 512, 16)]
    assert bytes.fromhex("".join(row[5:] for row in rows)) == bytes(shared.port.drive.page)
    assert end == "ok"


@pytest.mark.parametrize("kind", ["inc32", "dec32"])
def test_record_and_play(shared, kind):
    lba = {"inc32": 1000, "dec32": 0x8000}[kind]
    answer = shared.ask(f"record {lba:#x} 100 {kind}")
    assert answer[0] == f"record {lba} 100 {kind}" and answer[-1] == "ok"
    told = fields(answer)
    assert (told["sectors-done"], told["words"], told["stopped"]) == ("100", "12800", "no")
    exact = 12800 * 4 / int(told["clocks"])     # bytes a clock, and the clock has 1 MHz
    assert 0 <= exact - float(told["mb-per-s"]) <= 0.02
    assert len(told["mb-per-s"].partition(".")[2]) == 2
    data = Pattern(kind, 128 * lba, 12800).read(0, 12800)
    assert shared.image.read_sectors(lba, 100) == data
    played = shared.ask(f"PLAY {lba} 100 {kind}")
    assert played[0] == f"play {lba} 100 {kind}" and played[-2:] == ["mismatches 0", "ok"]
    # A part of it is verified as well as the whole.
    assert shared.ask(f"play {lba + 7} 3 {kind}")[-2:] == ["mismatches 0", "ok"]


def test_mismatch(shared):
    assert shared.ask("record 50 4")[-1] == "ok"
    data = bytearray(shared.image.read_sectors(50, 4))
    data[4 * 200 + 1] ^= 0x10
    data[4 * 300] ^= 1
    shared.image.write(50 * 512, bytes(data))
    answer = shared.ask("play 50 4")
    word = 128 * 50 + 200
    assert answer[-3:] == ["mismatches 2",
                           f"first-mismatch 200 expected 0x{word:08x} got 0x{word ^ 0x1000:08x}",
                           "error mismatch"]
    assert shared.lights[2]
    assert shared.ask("play 50 4 dec32")[-3] == "mismatches 512"
    assert shared.ask("record 50 4")[-1] == "ok" and not shared.lights[2]
    assert shared.ask("play 50 4")[-1] == "ok"


def test_dump(shared):
    data = bytes(range(256)) * 2
    shared.image.write(77 * 512, data)
    first, *rows, end = shared.ask("dump 77")
    assert first == "dump 77" and end == "ok" and len(rows) == 32
    assert rows[16] == "100: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"
    assert bytes.fromhex("".join(row[5:] for row in rows)) == data
    assert shared.ask(f"dump {CAPACITY}")[-1] == "error out-of-range"


def test_flush(shared):
    before = len(shared.port.drive.completed)
    answer = shared.ask("flush")
    assert answer[0] == "flush" and fields(answer).keys() == {"flush", "clocks", "ok"}
    assert [done.command for done in shared.port.drive.completed][before:] == [0xEA]


def test_counters(shared):
    """The accounts are those that the drive model kept."""
    shared.port.observer.reset()
    shared.ask("record 0 200")
    told = fields(shared.ask("counters"))
    model = LedgerReading.of_model(shared.port.observer)
    for name, clocks in model.accounts.items():
        assert told[name.replace("_", "-")] == str(clocks), name
    assert (int(told["overhead-min"]), int(told["overhead-max"])) == model.overhead
    assert (told["commands"], told["sectors-done"], told["words"]) == ("4", "200", "25600")
    assert 0 < int(told["high-water"]) <= 1025
    shared.ask("record 0 1")
    assert fields(shared.ask("counters"))["turnaround-min"] == "-"


@pytest.mark.parametrize("line, error", [
    ("record 0 0", "zero-sectors"), (f"record {CAPACITY} 1", "out-of-range"),
    (f"play {CAPACITY - 1} 2", "out-of-range"), ("play 281474976710655 281474976710655",
                                                 "out-of-range"),
    ("record 0", "arguments"), ("record 0 1x", "bad-number"), ("go", "unknown"),
    ("x" * 100, "too-long"), ("stop", "not-running"),
])
def test_refusals(shared, line, error):
    assert shared.ask(line)[-1] == f"error {error}"
    assert shared.ask("status")[-1] == "ok"


def test_back_to_back(shared):
    """Lines that come while answers are printed wait; CR LF, LF, blank lines: all the same."""
    shared.send(b"record 0 8\nstatus\r\n\r\nfoo\rplay 0 8\n" + b"version\n" * 5)
    shared.run(160_000)
    ends = [line for line in shared.take() if line == "ok" or line.startswith("error ")]
    assert ends == ["ok", "ok", "error unknown", *["ok"] * 6] or \
        ends == ["ok", "ok", "error unknown", "error busy", *["ok"] * 5]


@pytest.mark.wide
def test_bytes_beyond_the_buffer(shared):
    """More than can wait is lost: the line is known to be spoilt, and the next one is good."""
    shared.send(b"help\n" + b"foo\n" * 250)
    shared.run(450_000)
    lines = shared.take()
    assert "error unknown" in lines
    assert "error noise" in lines
    shared.send(b"\n")
    shared.run(20_000)
    shared.take()
    assert shared.ask("status")[-1] == "ok"


def test_noise_on_the_line(shared):
    shared.send(b"sta")
    shared.drive((0, 200), (1, 40))                     # a break
    shared.send(b"tus\n")
    assert shared.until("error noise") == ["error noise"]
    shared.drive((0, 2), (1, 30), (0, 1), (1, 30))      # glitches
    assert shared.ask("status")[-1] == "ok"
    shared.send(bytes(range(128, 256)) + b"\n")
    assert shared.until("error too-long") == ["error too-long"]
    assert shared.ask("status")[-1] == "ok"


def test_stop(board):
    """In the middle of a recording; what is asked meanwhile is answered before."""
    b = board()
    b.send(b"record 0 4000\nstatus\nplay 0 1\nidentify\n")
    b.run(60_000)
    lines = b.take()
    assert "operation record" in lines and "error busy" in lines and "lba48 yes" in lines
    assert b.lights == (True, True, False)
    assert 0 < int(fields(lines)["words"]) < 4000 * 128
    b.send(b"stop\n")
    stopped, *answer = b.until("skipped-sectors 0")
    assert stopped == "ok" and answer[0] == "record 0 4000 inc32" and answer[-1] == "ok"
    told = fields(answer)
    done, words = int(told["sectors-done"]), int(told["words"])
    assert 128 * (done - 64) < words <= 128 * done < 128 * 4000
    assert b.image.read_sectors(0, words // 128) == \
        Pattern("inc32", 0, words // 128 * 128).read(0, words // 128 * 128)
    assert b.ask(f"play 0 {words // 128}")[-1] == "ok"
    b.send(b"play 0 4000 dec32\n")
    b.run(20_000)
    b.send(b"stop\n")
    lines = b.until("error mismatch")
    assert "stopped yes" in lines
    assert b.ask("record 0 5")[-1] == "ok"


def test_reset(board):
    b = board()
    b.send(b"record 0 4000\n")
    b.run(20_000)
    resets = b.port.resets
    b.send(b"reset\n")
    lines = b.until(f"* ready {CAPACITY}")
    assert b.port.resets == resets + 1
    assert "error reset" in lines and lines.count("ok") == 1 and b.lights[2]
    assert lines[-1] == f"* ready {CAPACITY}"
    assert b.ask("record 0 5")[-1] == "ok"


def test_no_drive(board):
    b = board(plugged=False)
    b.run(10_000)
    assert b.take() == [] and b.lights == (False, False, False)
    status = fields(b.ask("status"))
    assert (status["link"], status["ready"], status["capacity"]) == ("down", "no", "0")
    for line in "record 0 1", "play 0 1", "flush", "dump 0", "identify", "identify raw":
        assert b.ask(line)[-1] == "error not-ready", line
    assert b.lights[2]


def test_unplugged_and_plugged_in_again(board):
    b = board()
    drive = b.port.drive
    b.port.unplug()
    assert b.until("* link down") == ["* link down"] and not b.lights[0]
    assert fields(b.ask("status"))["link"] == "down"
    b.send(b"sta")                  # an event waits for the end of a line that somebody types
    b.run(500)
    b.port.plug(drive)
    b.run(10_000)
    assert b.take() == []
    b.send(b"tus\n")
    lines = b.until(f"* ready {CAPACITY}")
    assert lines[0] == "link up" and lines[-2:] == ["* link up generation 2",
                                                    f"* ready {CAPACITY}"]


def test_bring_up_fails(board):
    b = board(up=False, mute=frozenset({"signature"}))
    assert "* error timeout" in b.until("* error timeout")
    assert b.lights[2]
    b.behaviour.mute = frozenset()
    b.until(f"* ready {CAPACITY}")
    assert b.ask("record 0 1")[-1] == "ok" and not b.lights[2]


def test_drive_error(board):
    b = board()
    b.behaviour.fail_lba = 100
    answer = b.ask("record 60 200")
    assert answer[-5:] == ["drive-status 0x51", "drive-error 0x40", "error-lba 100",
                           "journal-entries 1", "error drive-error"]
    assert int(fields(answer)["sectors-done"]) <= 40 and b.lights[2]
    assert fields(b.ask("status"))["last-error"] == "drive-error"
    assert b.ask("dump 100")[-1] == "error drive-error"
    b.behaviour.fail_lba = None
    assert b.ask("record 60 200")[-1] == "ok" and not b.lights[2]


def test_silent_drive(board):
    """A drive that never answers: the operation ends by itself, and the drive comes back."""
    b = board()
    b.behaviour.mute = frozenset({"status"})
    b.send(b"record 0 20\n")
    lines = b.until(f"* ready {CAPACITY}")
    assert "record 0 20 inc32" in lines and "error timeout" in lines
    b.behaviour.mute = frozenset()
    assert b.ask("record 0 20")[-1] == "ok"
