"""What is said after a recording that went wrong, by answers of a board."""

import pytest

from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.maintenance import WriteTrouble, attributes, diagnose, drive_error_words, needs_diagnosis
from sata_drive_model import Health

GOOD, EXCEEDED = 0xC24F00, 0x2CF400
#: IDENTIFY DEVICE words of the drive model's name.
MODEL_WORDS = {27 + n: int.from_bytes(b"SATA DRIVE MODEL".ljust(40)[2 * n:2 * n + 2], "big") for n in range(20)}
RECORD = {"operation": "record", "lba": 100, "sectors": 40, "pattern": "dec32", "sectors_done": 16,
          "skipped_sectors": 0}
#: The journal of that: the write command of 20 sectors at which it ended.
IN_DOUBT = [{"kind": "in-doubt", "cause": "drive-error", "lba": 116, "sectors": 20}]
UNFLUSHED = [{"kind": "unflushed", "cause": "drive-error", "lba": 100, "sectors": 40}]


def page(words):
    data = bytearray(512)
    for number, value in words.items():
        data[2 * number:2 * number + 2] = value.to_bytes(2, "little")
    return bytes(data)


def dump(data):
    return tuple(f"{at:03x}: " + " ".join(f"{byte:02x}" for byte in data[at:at + 16])
                 for at in range(0, 512, 16))


class DiagnosedBoard:
    """Answers as a board whose drive has this health, or none; ``writes`` is how a record of a sector
    ends; ``sent`` are the lines that came."""

    def __init__(self, writes=lambda lba: None, drive_error=0x04, health=Health(), ready="yes",
                 commands=True, last_error="drive-error", locked=False):
        self.writes, self.register, self.health, self.ready = writes, drive_error, health, ready
        self.commands, self.last_error, self.sent, self.locked = commands, last_error, [], locked

    def answer(self, line):
        self.sent.append(line)
        verb, *words = line.split()
        if verb == "status":
            return Answer((f"ready {self.ready}", f"last-error {self.last_error}", "drive-status 0x51",
                           f"drive-error {self.register:#04x}"), None)
        if verb == "identify":
            there = {82: 1, 85: 1, **MODEL_WORDS} if self.health else {}
            there |= {128: 0x0007} if self.locked else {}
            return Answer(dump(page(there)), None)
        if verb == "record":
            return Answer((line,), self.writes(int(words[0])))
        if not self.commands:
            return Answer((), "no-commands")
        features = int(words[0], 16) >> 16 & 0xFFFF
        if features == 0xDA:
            lba = EXCEEDED if self.health.failing() else GOOD
            return Answer(("command", f"result-lba {lba}"), None)
        return Answer(dump(self.health.data() if features == 0xD0 else self.health.thresholds()), None)


def led(board, fields=RECORD, error="drive-error", journal=IN_DOUBT, **options):
    procedure, answer = diagnose(fields, error, journal, **options), None
    try:
        while True:
            answer = board.answer(procedure.send(answer).line)
    except StopIteration as end:
        return end.value


def tried(board):
    return [line for line in board.sent if line.startswith("record")]


def always(error):
    return lambda lba: error


WORN = Health(endurance_bytes=1, written_bytes=10)


@pytest.mark.parametrize("board, trouble, text", [
    (DiagnosedBoard(always("drive-error"), health=WORN), WriteTrouble.READ_ONLY, "cannot write any more"),
    # It refuses everywhere, whatever its SMART states.
    (DiagnosedBoard(always("drive-error")), WriteTrouble.READ_ONLY, "SMART reports that it is good"),
    (DiagnosedBoard(always("drive-error"), health=None), WriteTrouble.READ_ONLY, "reports nothing"),
    (DiagnosedBoard(always("drive-error"), 0x10), WriteTrouble.UNKNOWN, "nothing shows whether"),
    (DiagnosedBoard(drive_error=0x10), WriteTrouble.ONCE, "failed once, at sector 116 (IDNF)"),
    (DiagnosedBoard(health=Health(celsius=80)), WriteTrouble.ONCE, "too hot"),
    (DiagnosedBoard(lambda lba: "drive-error" if lba == 116 else None, 0x40), WriteTrouble.BAD_SECTOR,
     "cannot write sector 116, and writes elsewhere (UNC)"),
    (DiagnosedBoard(always("timeout")), WriteTrouble.LINK, "the path to the drive has failed (timeout)"),
    # The drive went in between: nothing is said of its writes.
    (DiagnosedBoard(lambda lba: "drive-error" if lba == 116 else "not-ready"), WriteTrouble.LINK, "(not-ready)"),
    (DiagnosedBoard(lambda lba: "drive-error" if lba == 116 else "busy"), WriteTrouble.UNKNOWN,
     "nothing shows whether"),
    (DiagnosedBoard(ready="no"), WriteTrouble.UNKNOWN, "nothing shows whether"),
    (DiagnosedBoard(ready="no", health=WORN), WriteTrouble.READ_ONLY, "cannot write any more"),
    (DiagnosedBoard(commands=False), WriteTrouble.ONCE, "the drive reports nothing about its health"),
])
def test_what_is_said_when_it_is_tried_again(board, trouble, text):
    found = led(board, try_again=True)
    assert found.trouble is trouble and text in found.text, found.text
    assert "\n" not in found.text
    # Only what was not recorded is written, with the pattern that it had.
    assert tried(board) == [f"record {lba} {sectors} dec32 flush" for lba, sectors in found.tried]
    assert {lba for lba, _ in found.tried} <= {116, 139}


@pytest.mark.parametrize("journal", [IN_DOUBT, UNFLUSHED, [], None])
@pytest.mark.parametrize("fields, error", [
    (RECORD, "drive-error"), (RECORD, "timeout"), (RECORD | {"sectors_done": 40}, "drive-error"),
    (RECORD | {"retries": 2}, None), ({"operation": "file", "length": 0}, "cut-short")])
def test_by_itself_it_starts_no_operation(fields, error, journal):
    """What it reads replaces neither journal nor counters; it claims no health that it has not asked for."""
    board = DiagnosedBoard(always("drive-error"), health=WORN)
    assert "SMART" not in led(board, fields, error, journal).text and board.sent == ["status", "identify raw"]


@pytest.mark.parametrize("options", [{}, {"smart": True}, {"try_again": True}])
@pytest.mark.parametrize("health", [WORN, Health(), None])
def test_a_locked_drive(options, health):
    """It is not worn out, whatever its SMART states, and nothing is tried."""
    board = DiagnosedBoard(always("drive-error"), health=health, locked=True)
    found = led(board, RECORD | {"drive_health": "failing"}, **options)
    assert found.trouble is WriteTrouble.LOCKED and not tried(board) and not found.tried
    assert found.text.startswith("the drive is locked by ATA Security") and found.text.count("locked") == 1
    assert "cannot write any more" not in found.text
    assert led(board, RECORD, "timeout", **options).trouble is WriteTrouble.LINK


def test_smart_alone_writes_nothing():
    board = DiagnosedBoard(health=WORN)
    found = led(board, smart=True)
    assert found.trouble is WriteTrouble.READ_ONLY and "no spare blocks are left" in found.text
    assert not tried(board) and not found.tried


def test_what_the_drive_has_said_by_itself():
    found = led(DiagnosedBoard(), RECORD | {"drive_health": "failing"})
    assert found.trouble is WriteTrouble.READ_ONLY and "its health is failing" in found.text


def test_the_sector_that_the_drive_names():
    board = DiagnosedBoard(lambda lba: "drive-error" if lba == 130 else None, 0x10)
    told = led(board, RECORD | {"error_lba": 130}, try_again=True)
    assert "cannot write sector 130, and writes elsewhere" in told.text
    assert "sector 116" in led(DiagnosedBoard(), RECORD | {"error_lba": 99}, try_again=True).text


@pytest.mark.parametrize("named", [None, 100, 110, 115, 140, 1000])
def test_flush_cache_that_failed(named):
    """All of the extent was recorded, so nothing of it is written again, and nothing after it."""
    board = DiagnosedBoard()
    found = led(board, RECORD | {"sectors_done": 40, "error_lba": named}, journal=UNFLUSHED, try_again=True)
    assert found.trouble is WriteTrouble.FLUSH and "FLUSH CACHE failed (ABRT)" in found.text
    assert not tried(board)


def test_flush_cache_that_failed_in_the_middle():
    board = DiagnosedBoard()
    assert led(board, journal=UNFLUSHED, try_again=True).trouble is WriteTrouble.FLUSH and not tried(board)


@pytest.mark.parametrize("done", range(0, 41, 8))
@pytest.mark.parametrize("skipped", [0, 8])
@pytest.mark.parametrize("named", [None, *range(90, 150, 7)])
def test_no_sector_that_was_recorded_is_tried(done, skipped, named):
    fields = RECORD | {"sectors_done": done, "skipped_sectors": skipped, "error_lba": named}
    for first in 100, 100 + done, 100 + done + skipped, 140:
        # An entry of the journal that cannot be is no reason to write elsewhere.
        board = DiagnosedBoard(always("drive-error"))
        led(board, fields, journal=[{"kind": "in-doubt", "lba": first, "sectors": 64}], try_again=True)
        assert all(100 + done + skipped <= int(line.split()[1]) < 140 for line in tried(board))


@pytest.mark.parametrize("more", [{"stream_id": 7}, {"operation": "ring-at"}])
def test_what_is_not_tried_again(more):
    board = DiagnosedBoard()
    assert led(board, RECORD | more, try_again=True).trouble is WriteTrouble.UNKNOWN and not tried(board)


@pytest.mark.parametrize("fields, error, trouble, text", [
    (RECORD, "timeout", WriteTrouble.LINK, "(timeout)"),
    (RECORD | {"retries": 2}, None, WriteTrouble.ONCE, "2 failed commands were tried again"),
    (RECORD | {"retries": 2, "skipped_sectors": 8}, None, WriteTrouble.ONCE, "8 sectors were passed over"),
])
def test_without_a_trial(fields, error, trouble, text):
    board = DiagnosedBoard()
    found = led(board, fields, error, try_again=True)
    assert found.trouble is trouble and text in found.text
    assert not tried(board)


def test_a_file():
    """Its slot is not tried again; what the core said of the drive counts."""
    file = {"operation": "file", "length": 0}
    assert led(DiagnosedBoard(health=WORN), file, "cut-short", smart=True).trouble is WriteTrouble.READ_ONLY
    assert led(DiagnosedBoard(), file, "cut-short", smart=True).trouble is WriteTrouble.UNKNOWN
    assert led(DiagnosedBoard(last_error="link-lost"), file, "cut-short").trouble is WriteTrouble.LINK


def test_what_needs_it():
    assert needs_diagnosis({}, "drive-error") and needs_diagnosis({"retries": 1}, None)
    assert not needs_diagnosis({"retries": 0, "skipped_sectors": 0}, None)
    for mistake in "out-of-range", "zero-sectors", "not-ready", "busy":
        assert not needs_diagnosis({"retries": 0}, mistake)
    assert drive_error_words(0x84) == "ICRC+ABRT" and drive_error_words(0) == "0x00"
    assert attributes(Health().data())
