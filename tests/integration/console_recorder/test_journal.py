"""What the board reports of failures: its journal, and recordings that end with FLUSH CACHE."""

import pytest
from integration.console_recorder.bench import CAPACITY, SKIPPING, fields

pytestmark = pytest.mark.wide


def commands(b, since=0):
    return [done.command for done in b.port.drive.completed][since:]


@pytest.mark.parametrize("words", ["flush", "DEC32 Flush", "flush inc32"])
def test_record_with_flush(board, words):
    b = board()
    before = len(commands(b))
    answer = b.ask(f"record 5 8 {words}")
    pattern = "dec32" if "DEC32" in words else "inc32"
    assert answer[0] == f"record 5 8 {pattern} flush" and answer[-1] == "ok"
    assert commands(b, before) == [0x35, 0xEA]
    assert int(fields(b.ask("counters"))["flush"]) > 0
    # Nothing of it is left for the next one.
    assert b.ask("record 5 8")[0] == "record 5 8 inc32"
    assert commands(b, before) == [0x35, 0xEA, 0x35]
    assert b.ask("play 5 8")[-1] == "ok"
    assert b.ask("journal") == ["entries 0", "ok"]


def test_in_doubt(board):
    """The command at which the drive reports a bad sector; the next operation clears it."""
    b = board()
    assert b.ask("journal") == ["entries 0", "ok"]
    b.behaviour.fail_lba = 150
    answer = b.ask("record 60 200")
    assert answer[-2:] == ["journal-entries 1", "error drive-error"]
    assert b.ask("journal") == ["entries 1", "in-doubt cause drive-error lba 124 sectors 64", "ok"]
    assert b.ask("dump 150")[-2:] == ["journal-entries 1", "error drive-error"]
    assert b.ask("journal") == ["entries 1", "in-doubt cause drive-error lba 150 sectors 1", "ok"]
    assert "journal-entries 1" not in b.ask("record 0 4")
    assert b.ask("journal") == ["entries 0", "ok"]


def test_refused_operation_has_no_entries(board):
    b = board()
    assert not any(line.startswith("journal") for line in b.ask(f"record {CAPACITY} 1 flush"))
    assert b.ask("journal") == ["entries 0", "ok"]


def test_unflushed(board):
    """The drive is unplugged in the middle: what it had completed may have been in its cache."""
    b = board()
    b.send(b"record 1000 4000 flush\n")
    b.run(60_000)
    b.port.unplug()
    lines = b.until("error link-lost")
    told = fields(lines)
    done = int(told["sectors-done"])
    assert told["record"] == "1000 4000 inc32 flush" and done and done % 64 == 0
    assert told["journal-entries"] == "2"
    assert b.ask("journal") == [
        "entries 2", f"in-doubt cause link-lost lba {1000 + done} sectors 64",
        f"unflushed cause link-lost lba 1000 sectors {done}", "ok"]
    b.send(b"reset\n")
    assert b.until("ok")[0] == "ok"
    assert b.ask("journal") == ["entries 0", "ok"]


def test_skipped_while_it_runs(board):
    """The journal is read during the operation, too; each entry is told once it is complete."""
    b = board(configuration=SKIPPING)
    b.behaviour.fail_lba = 300
    b.send(b"record 200 4000\njournal\n")
    b.run(40_000)
    b.send(b"journal\n")
    b.run(8_000)
    skipped = "skipped cause drive-error lba 264 sectors 64"
    assert b.take() == ["entries 0", "ok", "entries 1", skipped, "ok"]
    b.behaviour.fail_lba = 2000
    lines = b.until("ok", limit=900_000)
    told = fields(lines)
    assert (told["skipped-sectors"], told["sectors-done"], told["journal-entries"]) == \
        ("128", "3872", "2")
    assert b.ask("journal") == ["entries 2", skipped,
                                "skipped cause drive-error lba 1992 sectors 64", "ok"]


def test_dump_of_a_sector_that_is_passed_over(board):
    """There is nothing to show, and no zeros are shown in its place."""
    b = board(configuration=SKIPPING)
    b.behaviour.fail_lba = 7
    lines = b.ask("dump 7")
    assert lines[0] == "dump 7" and lines[-2:] == ["journal-entries 1", "ok"] and len(lines) == 4
    assert b.ask("journal") == ["entries 1", "skipped cause drive-error lba 7 sectors 1", "ok"]


def test_journal_that_is_full(board):
    """30 parts are passed over, and the operation ends at the next one: nothing goes unsaid."""
    b = board(configuration=SKIPPING)
    b.behaviour.reject_command = 1000
    answer = b.ask("record 0 4000")
    assert answer[-1] == "error drive-error"
    told = fields(answer)
    assert told["skipped-sectors"] == str(30 * 64) and told["sectors-done"] == "0"
    entries = b.ask("journal")
    assert entries == [
        "entries 31",
        *(f"skipped cause drive-error lba {lba} sectors 64" for lba in range(0, 30 * 64, 64)),
        f"in-doubt cause drive-error lba {30 * 64} sectors 64", "ok"]


def test_journal_that_grows_while_it_is_printed(board):
    """As many entries follow as were announced."""
    b = board(configuration=SKIPPING, command_latency=5000)
    b.behaviour.reject_command = 1000
    b.send(b"record 0 1920\n")
    b.run(20_000)
    b.send(b"journal\n")
    first = b.until("ok")
    b.send(b"journal\n")
    again = b.until("ok")
    for answer in first, again:
        assert answer[0] == f"entries {len(answer) - 2}" and answer[-1] == "ok"
        assert [line.split()[4] for line in answer[1:-1]] == \
            [str(64 * number) for number in range(len(answer) - 2)]
    assert 2 < len(first) < len(again)
    told = fields(b.until("ok"))
    assert (told["record"], told["journal-entries"]) == ("0 1920 inc32", "30")
