"""A real drive's life: what is written, how it goes on, and how it ends."""

import json
from dataclasses import replace

import pytest
from unit.board.endurance.worn_board import CAPACITY, WANTED, Clock, Life, WornBoard

from sata_recorder.board.endurance import End, EnduranceError, EnduranceRun, Ways, begin, state_path
from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.client import ConsoleError

MB = 10**6


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    """A cut of the power is in test_log.py."""
    monkeypatch.setattr("os.fsync", lambda handle: None)


def test_laps_in_order(tmp_path):
    life = Life(tmp_path)
    ending = life.run()
    assert (ending.kind, ending.text) == ("reached", "200 MB are written")
    place = lap = 0
    for _, lba, sectors, pattern, flush in life.recorded:
        assert (int(lba), pattern, flush) == (place, ("inc32", "dec32")[lap % 2], "flush")
        place += int(sectors)
        if place == CAPACITY:
            place, lap = 0, lap + 1
    assert sum(int(words[2]) for words in life.recorded) * 512 == life.log.rows[-1]["bytes"] >= 200 * MB
    rows = life.log.rows
    assert rows[0]["event"] == "begun" and rows[0]["mean_erased"] == 0
    assert rows[-1]["mean_erased"] == life.board.written >> 20
    assert rows[-1]["bad_blocks"] == 3 and rows[-1]["error_exponent"] == 7
    assert rows[-1]["written_bytes"] == rows[-1]["bytes"] == life.board.written
    assert f"208={rows[-1]['mean_erased']}" in rows[-1]["attributes"].split()
    assert rows[1]["rate"] == pytest.approx(100 * MB, rel=1e-3)
    assert "trim" not in {line.split()[0] for line in life.board.lines}


def test_a_sequential_lap_is_trimmed_first(tmp_path):
    life = Life(tmp_path, replace(WANTED, pattern="sequential", end=End("bytes", 60 * MB)))
    life.run()
    orders = [line for line in life.board.lines if line.split()[0] in ("record", "trim")]
    assert orders[0] == f"trim 0 {CAPACITY}"
    for before, line in zip(orders, orders[1:]):
        assert (line.split()[0] == "trim") == (before.startswith("record") and int(before.split()[1]) + int(
            before.split()[2]) == CAPACITY)


def test_the_rate(tmp_path):
    life = Life(tmp_path, replace(WANTED, rate=10e6))
    life.run()
    assert life.clock.now == pytest.approx(life.board.written / 10e6, rel=0.01)
    assert life.log.rows[-1]["seconds"] == pytest.approx(life.clock.now, rel=0.01)


def test_until_erases(tmp_path):
    life = Life(tmp_path, replace(WANTED, end=End("erases", 50)))
    ending = life.run()
    assert ending.kind == "reached" and 50 <= life.log.rows[-1]["mean_erased"] < 200


def test_until_a_time(tmp_path):
    life = Life(tmp_path, replace(WANTED, end=End("seconds", 3.0)))
    assert life.run().kind == "reached" and life.clock.now == pytest.approx(3.0, abs=1.0)


def test_to_read_only(tmp_path):
    """It takes no write any more; all that was flushed is read back, of two laps."""
    life = Life(tmp_path, replace(WANTED, end=End("read-only")), dies_after=80 * MB, speed=2e6)
    ending = life.run()
    assert ending.kind == "read-only" and "cannot write any more" in ending.text
    laps, rest = divmod(life.board.written // 512, CAPACITY)
    size = next(int(words[2]) for words in reversed(life.recorded) if int(words[2]) > 1)
    after = rest + size
    assert ending.safe == (
        f"sectors 0 to {rest - 1}, written in lap {laps + 1} and flushed: {rest} were read, as written",
        f"sectors {after} to {CAPACITY - 1}, written in lap {laps} and flushed: {CAPACITY - after} were read, "
        "as written",
        f"sectors {rest} to {after - 1} were being written: they have older data, newer, or neither")
    assert life.log.rows[-1]["event"] == ending.text and life.log.rows[-1]["verdict"] == "failing"


def test_data_that_are_lost_at_the_end_are_named(tmp_path):
    life = Life(tmp_path, replace(WANTED, end=End("read-only")), dies_after=100 * MB, speed=2e6)
    kept = life.board.record

    def forgets(line):
        answer = kept(line)
        if answer.error:
            life.board.content.pop(0, None)
        return answer
    life.board.record = forgets
    ending = life.run()
    assert ending.kind == "read-only" and ": 128 words differ" in ending.safe[0].replace(", ", ": ")


def test_a_trimmed_drive_that_refuses_is_read_only(tmp_path):
    life = Life(tmp_path, replace(WANTED, pattern="sequential", end=End("read-only")), dies_after=512 * CAPACITY)
    ending = life.run()
    assert ending.kind == "read-only" and "no TRIM" not in ending.text


def test_verify_finds_what_was_not_kept(tmp_path):
    life = Life(tmp_path, replace(WANTED, verify=True, end=End("bytes", 20 * MB)))
    kept = life.board.record

    def forgets(line):
        answer = kept(line)
        del life.board.content[int(line.split()[1])]
        return answer
    life.board.record = forgets
    life.run()
    assert life.log.rows[-1]["mismatches"] == 128 * len(life.recorded) and "words differ" in life.events[0]


def test_a_sector_that_cannot_be_written_is_passed_over(tmp_path):
    life = Life(tmp_path, replace(WANTED, end=End("bytes", 60 * MB)), bad=[20_000])
    ending = life.run()
    assert ending.kind == "reached"
    assert any("cannot write sector 20000, and writes elsewhere" in text for text in life.events)
    passed = {row["event"] for row in life.log.rows if "passed over" in (row["event"] or "")}
    assert {text.partition(":")[0] for text in passed} == {"sectors 20000 to 20007 are passed over"}
    assert set(range(CAPACITY)) - set(life.board.content) == set(range(20_000, 20_008))
    # What was not written is not said to be safe.
    extents = [line.split()[:4] for line in ending.safe]
    assert ["sectors", "20008", "to"] in [words[:3] for words in extents]
    assert ["to", "19999"] in [words[2:] for words in extents]


def test_a_drive_that_writes_nowhere_fails(tmp_path):
    life = Life(tmp_path, replace(WANTED, end=End("bytes", 60 * MB)), bad=range(CAPACITY))
    ending = life.run()
    assert ending.kind == "failed" and "nothing shows whether the drive can write" in ending.text
    assert ending.safe[0] == "nothing was written and flushed" and "were being written" in ending.safe[1]
    assert len([words for words in life.recorded if int(words[2]) > 1]) == 3


def test_many_sectors_in_a_row(tmp_path):
    life = Life(tmp_path, replace(WANTED, end=End("bytes", 60 * MB)), bad=range(600))
    ending = life.run()
    assert ending.kind == "failed" and "512 sectors in a row could not be written" in ending.text
    assert not life.board.content.keys() & set(range(512))


def test_the_console_is_lost_and_the_run_goes_on(tmp_path):
    life = Life(tmp_path, lost_after=5)
    with pytest.raises(ConsoleError):
        life.run()
    done = json.loads(state_path(life.path).read_text())["progress"]["bytes"]
    assert 0 < done == life.board.written
    life.board.lost_after, life.board.operation = None, "record"
    ending = life.resume()
    assert ending.kind == "reached" and "stop" in life.board.lines
    assert "resumed" in [row["event"] for row in life.log.rows]
    counts = [row["bytes"] for row in life.log.rows]
    assert counts == sorted(counts) and counts[-1] == life.board.written


def test_another_drive_at_resume(tmp_path):
    life = Life(tmp_path, lost_after=2)
    with pytest.raises(ConsoleError):
        life.run()
    other = WornBoard(life.clock, serial="SN 2")
    with pytest.raises(EnduranceError, match="the drive is another one: OCZ-ONYX, SN 2"):
        life.resume(other)
    with pytest.raises(EnduranceError, match="--serial SN 2: the log is of the drive SN 1"):
        life.resume(other, "SN 2")
    assert not [line for line in other.lines if line.split()[0] in ("record", "trim")]


def test_another_drive_in_the_middle(tmp_path):
    life = Life(tmp_path)

    def replaced(line):
        life.board.serial = "SN 2"
    life.board.events[4] = replaced
    with pytest.raises(EnduranceError, match="serial number is SN 2, not SN 1: another drive; nothing more is written"):
        life.run()
    assert len(life.recorded) == 4


def test_another_drive_while_it_is_written(tmp_path):
    life = Life(tmp_path)
    life.board.events[2] = lambda line: Answer((line, "sectors-done 0"), "other-drive")
    with pytest.raises(EnduranceError, match="another drive was connected"):
        life.run()
    assert len(life.recorded) == 2


def test_a_drive_that_goes_and_comes_back(tmp_path):
    life = Life(tmp_path)
    waits = []

    def sleep(seconds):
        waits.append(seconds)
        life.board.ready = len(waits) >= 3
        life.clock.now += seconds

    def gone(line):
        life.board.ready = False
        return Answer((line, "sectors-done 0", "clocks 1", "stopped no", "retries 0", "skipped-sectors 0"), "link-lost")
    life.board.events[3] = gone
    with life.log:
        ending = EnduranceRun(life.board, life.request, life.log,
                              Ways(sleep=sleep, monotonic=life.clock.monotonic, told=life.events.append)).run()
    assert ending.kind == "reached" and len(waits) == 3
    assert life.recorded[2] == life.recorded[3]


def test_a_drive_that_stays_away(tmp_path):
    life = Life(tmp_path)
    life.board.events[3] = lambda line: setattr(life.board, "ready", False) or Answer((line,), "not-ready")
    assert life.run().kind == "failed" and len(life.clock.slept) == 60
    assert life.log.rows[-1]["verdict"] is None and "no SMART" in life.log.rows[-1]["event"]


def test_ctrl_c(tmp_path):
    life = Life(tmp_path)

    def stopped(line):
        life.board.interrupted = True
        return Answer((line, "sectors-done 64", "words 8192", "clocks 400", "stopped yes", "retries 0",
                       "skipped-sectors 0"), None)
    life.board.events[2] = stopped
    ending = life.run()
    assert ending.kind == "interrupted" and life.log.state["progress"]["offset"] == int(life.recorded[0][2]) + 64
    life.board.interrupted = False
    life.resume()
    assert int(life.recorded[2][1]) == int(life.recorded[0][2]) + 64


def test_a_mistake_of_the_board_is_no_fault_of_the_drive(tmp_path):
    life = Life(tmp_path)
    life.board.events[2] = lambda line: Answer((), "busy")
    with pytest.raises(EnduranceError, match="the board answers busy"):
        life.run()


@pytest.mark.parametrize("changes, told", [
    ({"serial": "SN 2"}, "--serial SN 2: the drive's is SN 1"),
    ({"lba": CAPACITY}, f"--lba {CAPACITY}, --sectors 0: the drive has {CAPACITY} sectors"),
    ({"lba": 5, "sectors": CAPACITY}, f"--sectors {CAPACITY}: the drive has {CAPACITY} sectors"),
    ({"sectors": 2047}, "--sectors 2047: must be at least 2048, 1024 KiB")])
def test_refused_before_the_first_write(changes, told):
    board = WornBoard(Clock())
    with pytest.raises(EnduranceError, match=told):
        begin(board, replace(WANTED, **changes))
    assert {line.split()[0] for line in board.lines} <= {"status", "identify"}


def test_refused_by_what_the_drive_is():
    board = WornBoard(Clock())
    board.operation = "play"
    with pytest.raises(EnduranceError, match="busy with `play`"):
        begin(board, WANTED)
    board.operation = "none"
    board.drive.words[169] = 0
    with pytest.raises(EnduranceError, match="--pattern sequential: the drive has no TRIM"):
        begin(board, replace(WANTED, pattern="sequential"))
    board.drive.words[128] = 0x7
    with pytest.raises(EnduranceError, match="locked"):
        begin(board, WANTED)
    board.drive = type(board.drive)("UNKNOWN", "1", sectors=CAPACITY)
    with pytest.raises(EnduranceError, match="--until 50: the drive reports no mean erases that are known"):
        begin(board, replace(WANTED, end=End("erases", 50)))
