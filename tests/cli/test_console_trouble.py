"""What `sata-recorder console` reports and does after a recording that went wrong, with the simulated board."""

import json

import pytest
from integration.console_recorder.bench import SKIPPING, ConsoleBench, Served
from cli.test_console_drive import until_ready
from sata_drive_model import Fault

from sata_recorder.cli.console_trouble import tell
from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.client import ConsoleError

OTHERS = b"other data, not of the recording".ljust(512, b".")
WRITES = (0x35, 0xCA)


@pytest.fixture
def drive(board):
    """Its sectors 0 to 39 have other data."""
    drive = board.bench.port.drive
    drive.image.write(0, OTHERS * 40)
    return drive


@pytest.fixture
def faults(board):
    yield board.bench.port.inject
    board.bench.port.clear_faults()


def once(lba):
    return [Fault(kind="media", lba=lba, count=1, value=0x51, error=0x10)]


def others(drive):
    """The sectors of the first 40 that still have other data."""
    return [lba for lba in range(40) if drive.image.read_sectors(lba, 1) == OTHERS]


def entries(ask):
    return json.loads(ask("journal", "--json").stdout)["entries"]


JOURNAL = [{"kind": "in-doubt", "cause": "drive-error", "lba": 3, "sectors": 9}]


@pytest.fixture
def locked(ask, drive, board):
    """The drive is locked, and identified again."""
    def lock(locked):
        board.bench.port.unplug()
        drive.locked = locked
        drive.renew_page()
        board.bench.port.plug(drive)
        until_ready(ask)
    lock(True)
    yield
    lock(False)


@pytest.mark.sample(3)
@pytest.mark.parametrize("option", [None, "--diagnose", "--try-again"])
def test_flush_cache_that_fails(ask, board, drive, faults, option):
    """Nothing outside of the extent is written, nor anything of it again."""
    faults([Fault(kind="status", nth=1, value=0x51, error=0x04)])
    before = len(drive.completed)
    result = ask("record", 3, 9, "dec32", "flush", *[option] * bool(option))
    assert result.exit_code == 1 and "error: drive-error" in result.stderr
    assert "drive: FLUSH CACHE failed (ABRT)" in result.stderr
    assert others(drive) == [*range(3), *range(12, 40)]
    assert sum(one.command in WRITES for one in list(drive.completed)[before:]) == 1
    faults([])
    assert ask("play", 3, 9, "dec32").exit_code == 0


def test_by_itself_it_asks_the_drive_nothing(ask, board, drive, faults):
    faults(once(5))
    before = len(drive.completed)
    result = ask("record", 3, 9, "--json")
    told = json.loads(result.stdout)
    assert len(drive.completed) == before + 1 and entries(ask) == JOURNAL
    assert json.loads(ask("status", "--json").stdout)["last_error"] == "drive-error"
    assert told["diagnosis"]["trouble"] == "unknown" and told["diagnosis"]["tried"] == []
    assert "nothing shows whether the drive can write" in result.stderr and "SMART" not in result.stderr


@pytest.mark.wide
def test_smart_comes_behind_the_journal(ask, board, drive, faults):
    """It is shown, and not replaced before; no sector is written."""
    faults(once(5))
    result = ask("record", 3, 9, "--diagnose")
    assert result.exit_code == 1
    assert "in-doubt" in result.stdout and "sectors 3 to 11, drive-error" in result.stdout
    assert "`journal` shows" not in result.stdout and "last error" in result.stdout
    assert "activate wait" in result.stdout
    assert "SMART reports that it is good" in result.stderr
    left = others(drive)
    board.bench.port.clear_faults()
    faults(once(5))
    told = json.loads(ask("record", 3, 9, "--diagnose", "--json").stdout)
    assert told["journal"] == JOURNAL and told["status"]["last_error"] == "drive-error"
    # SMART RETURN STATUS, the last command after it, moves no data.
    assert told["counters"]["payload"] and told["error"] == "drive-error"
    assert not json.loads(ask("counters", "--json").stdout)["payload"] and entries(ask) == []
    assert others(drive) == left and 11 in left


@pytest.mark.wide
def test_a_drive_that_is_worn_out(ask, drive):
    """It cannot write any more: told, with SMART's reasons."""
    before, drive.health.written_bytes = drive.health.endurance_bytes, 100
    drive.health.endurance_bytes = 1
    result = ask("record", 3, 9, "--diagnose")
    told = ask("record", 3, 9, "--try-again", "--json")
    drive.health.endurance_bytes = before
    assert result.exit_code == 1 and "drive: the drive cannot write any more" in result.stderr
    assert "attribute 232: 1, threshold 10; worn to at least 255 %" in result.stderr
    found = json.loads(told.stdout)["diagnosis"]
    assert found["trouble"] == "read-only" and "it refuses each write" in found["text"]
    assert len(others(drive)) == 40


@pytest.mark.wide
def test_a_drive_that_is_locked(ask, board, drive, locked):
    """Said by `identify`, before a recording, and after one."""
    assert "warning: the drive is locked by ATA Security" in ask("identify").stderr
    result = ask("record", 3, 9, "--check")
    assert result.exit_code == 2 and "the drive is locked by ATA Security" in result.stderr
    for options in (), ("--diagnose",), ("--try-again",):
        told = json.loads(ask("record", 3, 9, *options, "--json").stdout)["diagnosis"]
        assert told["trouble"] == "locked" and told["tried"] == [], told
    assert "the drive is locked" in ask("smart").stdout


@pytest.mark.wide
def test_a_write_that_failed_once(ask, board, drive, faults):
    """The sector that is tried again has the words of the recording, and no other is written."""
    faults(once(5))
    result = ask("record", 3, 9, "dec32", "--try-again")
    board.bench.port.clear_faults()
    assert result.exit_code == 1, result.output
    assert "a write failed once, at sector 5 (IDNF), and the drive writes there now" in result.stderr
    assert "sectors 3 to 11, drive-error" in result.stdout
    assert ask("play", 5, 1, "dec32").exit_code == 0
    assert {*range(3), *range(6, 40)} <= {*others(drive)}
    assert ask("record", 3, 9).stderr == ""


@pytest.mark.wide
def test_a_sector_that_cannot_be_written(ask, drive):
    drive.behaviour.fail_lba, drive.health.celsius = 3, 75
    result = ask("record", 3, 9, "--try-again", "--json")
    drive.behaviour.fail_lba, drive.health.celsius = None, 35
    assert result.exit_code == 1, result.output
    assert "drive: the drive cannot write sector 3, and writes elsewhere" in result.stderr
    assert "watch (too hot): 75 degrees Celsius" in result.stderr
    told = json.loads(result.stdout)
    assert told["diagnosis"]["tried"] == [{"lba": 3, "sectors": 1}, {"lba": 11, "sectors": 1}]
    assert told["journal"] == JOURNAL


@pytest.mark.wide
def test_a_recording_that_ended_well_keeps_its_journal(run):
    """What was passed over is in it, also after the diagnosis."""
    bench = ConsoleBench(configuration=SKIPPING)
    bench.behaviour.fail_lba = 5
    with Served(bench) as board:
        def ask(*words):
            return run("console", "--port", board.port, *words)

        result, kept = ask("record", 3, 9), entries(ask)
        shown = json.loads(ask("record", 3, 9, "--diagnose", "--json").stdout)
    bench.close()
    assert result.exit_code == 0 and "passed over after a failed write" in result.stderr
    assert [one["kind"] for one in kept] == ["skipped"] and shown["journal"] == kept


class Ending:
    """A board after a recording that failed: it answers these lines, and none any more."""

    version = {"clock_hz": 1}

    def __init__(self, **answers):
        self.answers, self.sent = answers, []

    def request(self, line):
        self.sent.append(line)
        if line not in self.answers:
            raise ConsoleError("no answer")
        return self.answers[line]

    operate = request


FAILED = Answer(("record 3 9 inc32", "sectors-done 0", "words 9", "clocks 9", "stopped no", "retries 0",
                 "skipped-sectors 0", "journal-entries 1"), "drive-error")
ENTRY = Answer(("entries 1", "in-doubt cause drive-error lba 3 sectors 9"), None)


@pytest.mark.parametrize("as_json", [False, True])
def test_a_board_that_falls_silent(capsys, as_json):
    """What it has said until then is shown."""
    for answers in {}, {"journal": ENTRY}, {"journal": ENTRY, "counters": Answer((), None)}:
        with pytest.raises(ConsoleError):
            tell(Ending(**answers), FAILED, as_json=as_json, smart=True, try_again=True)
        out = capsys.readouterr().out
        if as_json:
            found = json.loads(out)
            assert found["error"] == "drive-error" and found.get("journal") == (JOURNAL if answers else None)
        else:
            assert "sectors 3 to 11" in out and ("in-doubt" in out) == bool(answers)


def test_a_journal_that_cannot_be_read(capsys):
    """Nothing that would replace it is asked for."""
    empty = Answer((), None)
    board = Ending(journal=Answer((), "unknown"), counters=empty, status=empty,
                   **{"identify raw": Answer((), "not-ready")})
    tell(board, FAILED, as_json=False, smart=True, try_again=True)
    assert set(board.sent) == {"journal", "counters", "status", "identify raw"}
    assert "the journal cannot be read, so the drive is not queried" in capsys.readouterr().err


@pytest.mark.parametrize("words, told", [
    (["play", 3, 9, "--diagnose"], "--diagnose: is for record, "),
    (["--diagnose"], "not for lines that are typed"),
    (["file", 0, "--try-again"], "--try-again: is for record, not for file")])
def test_mistakes(ask, words, told):
    result = ask(*words)
    assert result.exit_code == 2 and told in result.stderr, result.stderr
