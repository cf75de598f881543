"""Nothing of another drive is touched or believed, and what is unknown is not reported as safe."""

import json
import math
from dataclasses import replace

import pytest
from unit.board.endurance.worn_board import CAPACITY, WANTED, Clock, Life, WornBoard

from sata_recorder.board.endurance import End, EnduranceError, begin, state_path
from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.client import ConsoleError

MB = 10**6


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr("os.fsync", lambda handle: None)


def stopped(line, sectors, zeros=0):
    """The answer to a recording that was stopped after ``sectors`` and a few words; the drive got ``zeros`` more."""
    return Answer((line, f"sectors-done {sectors + zeros}", f"words {128 * sectors + 5}", "clocks 400",
                   "stopped yes", "retries 0", "skipped-sectors 0"), None)


def claimed(ending):
    """The sectors that the ending calls written and flushed."""
    found = set()
    for line in ending.safe:
        if "and flushed" in line and line.startswith("sectors"):
            words = line.replace(",", "").split()
            found |= set(range(int(words[1]), int(words[3]) + 1))
    return found


def test_smart_of_another_drive_is_not_of_this_one(tmp_path):
    """It is connected between a piece and the reading of SMART: no figure of it is logged, and none ends the run."""
    life = Life(tmp_path, replace(WANTED, end=End("erases", 50), every=0.0))

    def replaced(line):
        if len(life.recorded) == 2 and line.startswith("record"):
            life.board.serial = "SN 2"
            life.board.erase_bytes = 1000
    life.board.before = replaced
    with pytest.raises(EnduranceError, match="SN 2, not SN 1"):
        life.run()
    assert all((row["mean_erased"] or 0) < 50 for row in life.log.rows)
    assert life.log.rows[-1]["verdict"] is None and "another drive" in life.log.rows[-1]["event"]


def test_another_drive_between_two_trims(tmp_path, monkeypatch):
    monkeypatch.setattr("sata_recorder.board.endurance.board.Board.trim_sectors", 4096)
    life = Life(tmp_path, replace(WANTED, pattern="sequential"))

    def replaced(line):
        if len([one for one in life.board.lines if one.startswith("trim")]) == 3:
            life.board.serial = "SN 2"
    life.board.before = replaced
    with pytest.raises(EnduranceError, match="SN 2, not SN 1: another drive; nothing more is written"):
        life.run()
    assert [line for line in life.board.lines if line.split()[0] in ("trim", "record")] == [
        "trim 0 4096", "trim 4096 4096", "trim 8192 4096"]


def test_another_model_with_the_same_serial_number(tmp_path):
    life = Life(tmp_path)
    life.board.events[2] = lambda line: setattr(life.board, "model", "OCZ-VERTEX")
    with pytest.raises(EnduranceError, match="OCZ-VERTEX.*another drive; nothing more is written"):
        life.run()
    assert len(life.recorded) == 2


def test_a_piece_that_was_cut_is_in_doubt_until_it_is_written(tmp_path):
    """The console was lost in a piece of the second lap; the first piece after it is shorter."""
    life = Life(tmp_path, speed=2e6)
    life.board.before = lambda line: setattr(life.board, "lost_after", 12) if len(life.recorded) == 12 else None
    with pytest.raises(ConsoleError):
        life.run()
    assert life.log.state["progress"]["lap"] == 1
    lba, sectors = life.log.state["progress"]["pending"]
    life.board.lost_after = None
    life.board.events[life.board.recordings + 1] = lambda line: setattr(
        life.board, "interrupted", True) or stopped(line, 8)
    life.board.before = lambda line: None
    ending = life.resume()
    assert ending.kind == "interrupted" and not claimed(ending) & set(range(lba + 8, lba + sectors))
    assert f"sectors {lba + 8} to {lba + sectors - 1} were being written" in ending.safe[-1]


def test_zeros_after_a_stop_are_not_what_was_written(tmp_path):
    """The core fills the command up that the drive has got."""
    life = Life(tmp_path)
    life.board.events[2] = lambda line: setattr(life.board, "interrupted", True) or stopped(line, 19, zeros=45)
    ending = life.run()
    end = int(life.recorded[0][2]) + 16
    assert claimed(ending) == set(range(end)) and life.log.rows[-1]["bytes"] == 512 * end
    assert f"sectors {end} to" in ending.safe[-1] and "were being written" in ending.safe[-1]


def test_a_lap_that_was_trimmed_is_not_safe(tmp_path):
    life = Life(tmp_path, replace(WANTED, pattern="sequential"))

    def interrupted(line):
        if life.log.state["progress"]["lap"] == 1 and line.startswith("record"):
            life.board.interrupted = True
            return stopped(line, 0)
    life.board.before = interrupted
    ending = life.run()
    assert not life.board.content and ending.kind == "interrupted"
    assert not claimed(ending) and f"sectors 0 to {CAPACITY - 1} were" in ending.safe[-1]


def test_ctrl_c_in_a_trim(tmp_path, monkeypatch):
    """It ends there, and is no fault of the drive."""
    monkeypatch.setattr("sata_recorder.board.endurance.board.Board.trim_sectors", 4096)
    life = Life(tmp_path, replace(WANTED, pattern="sequential"))

    def interrupted(line):
        if line == "trim 4096 4096":
            life.board.interrupted = True
            return Answer((line,), "drive-error")
    life.board.before = interrupted
    ending = life.run()
    assert ending.kind == "interrupted" and not life.recorded
    assert len([line for line in life.board.lines if line.startswith("trim")]) == 2


def test_ctrl_c_before_a_piece(tmp_path):
    """In the reading of SMART: no piece more."""
    life = Life(tmp_path)
    life.board.before = lambda line: setattr(life.board, "interrupted", True) if line.startswith("command") else None
    assert life.run().kind == "interrupted" and not life.recorded


def test_what_the_core_skips_was_not_written(tmp_path):
    """A core with ``on_failure`` = ``skip``."""
    life = Life(tmp_path, replace(WANTED, end=End("bytes", 1)))

    def skips(line):
        sectors = int(line.split()[2])
        life.board.entries = ("skipped cause drive-error lba 800 sectors 16",)
        return Answer((line, f"sectors-done {sectors - 16}", "words 0", "clocks 400", "stopped no", "retries 0",
                       "skipped-sectors 16"), None)
    life.board.events[1] = skips
    ending = life.run()
    sectors = int(life.recorded[0][2])
    assert claimed(ending) == set(range(sectors)) - set(range(800, 816))
    assert life.log.rows[-1]["bytes"] == 512 * (sectors - 16) and life.log.rows[-1]["failures"] == 1
    assert any("16 sectors" in (row["event"] or "") for row in life.log.rows)


def died(tmp_path, play):
    """The ending of a drive that is read-only in its second lap, whose playbacks ``play`` answers."""
    life = Life(tmp_path, replace(WANTED, end=End("read-only")), dies_after=80 * MB, speed=2e6)
    life.board.before = lambda line: play(life.board, line) if line.startswith("play") else None
    return life.run()


def test_a_read_that_is_stopped_claims_what_was_read(tmp_path):
    def stops(board, line):
        board.interrupted = True
        return Answer((line, "sectors-done 5", "stopped yes", "mismatches 0"), None)
    ending = died(tmp_path, stops)
    assert ending.kind == "read-only" and ": 5 were read, as written; the other" in ending.safe[0]
    assert all(": 5 were" in line or ": 0 were" in line or "being written" in line for line in ending.safe)


def test_what_follows_a_sector_that_cannot_be_read_is_unknown(tmp_path):
    def fails(board, line):
        lba, sectors = map(int, line.split()[1:3])
        if lba <= 100 < lba + sectors:
            return Answer((line, f"sectors-done {100 - lba}", "stopped no", "mismatches 0", "error-lba 100"),
                          "drive-error")
    ending = died(tmp_path, fails)
    assert "sector 100" in ending.safe[0] and "; the other 16284 are unknown" in ending.safe[0]


def test_a_drive_that_is_gone_has_no_bad_sectors(tmp_path):
    ending = died(tmp_path, lambda board, line: Answer((line,), "not-ready"))
    assert ": 0 were read" in ending.safe[0] and "not-ready" in ending.safe[0]
    assert "cannot be read" not in ending.safe[0]


def test_pieces_are_short_at_a_low_rate(tmp_path):
    """So SMART is read when it is due, and the end comes when it is due."""
    life = Life(tmp_path, replace(WANTED, rate=1e5, end=End("seconds", 60.0)))
    life.run()
    assert max(life.clock.slept) <= 5 and life.log.rows[-1]["seconds"] < 66


def test_trim_needs_a_board_that_has_it():
    """A core without `commands`, whose drive has TRIM: it is refused before the first write."""
    board = WornBoard(Clock())
    board.before = lambda line: Answer((), "no-commands")
    with pytest.raises(EnduranceError, match="--pattern sequential: the board has no `commands`.*ring needs none"):
        begin(board, replace(WANTED, pattern="sequential"))
    assert not [line for line in board.lines if line.split()[0] in ("record", "trim")]


@pytest.mark.parametrize("change", [
    lambda state: state["progress"].update(offset=CAPACITY), lambda state: state["progress"].update(offset=-8),
    lambda state: state["progress"].update(lap="one"), lambda state: state["progress"].update(pending=[1]),
    lambda state: state["progress"].update(passed=[[1, 2]]), lambda state: state["request"].update(sectors="all"),
    lambda state: state["request"].update(lba=8), lambda state: state["request"].update(pattern="random"),
    lambda state: state["request"]["end"].update(limit="many"), lambda state: state["request"]["end"].update(kind="x"),
    lambda state: state["request"]["end"].update(limit=None), lambda state: state["request"].update(rate=math.inf),
    lambda state: state["drive"].pop("model"), lambda state: state.update(drive=[]), lambda state: state.clear()])
def test_a_damaged_state_is_refused(tmp_path, change):
    """Whatever somebody has made of it: nothing is written beyond the span, and nothing at all."""
    life = Life(tmp_path, lost_after=2)
    with pytest.raises(ConsoleError):
        life.run()
    state = json.loads(state_path(life.path).read_text())
    head = {name: state.pop(name) for name in ("what", "format")}
    change(state)
    state_path(life.path).write_text(json.dumps(head | state))
    life.board.lost_after, before = None, len(life.recorded)
    with pytest.raises(EnduranceError, match="life.csv.state: is damaged"):
        life.resume()
    assert len(life.recorded) == before


def test_erases_that_are_not_known_any_more_end_a_run(tmp_path):
    """Else nothing would: the drive would be worn out to its end."""
    life = Life(tmp_path, replace(WANTED, end=End("erases", 50), every=0.0))
    life.board.before = lambda line: Answer((), "drive-error") if line.startswith("command") and life.recorded else None
    ending = life.run()
    assert ending.kind == "failed" and "mean erases are unknown" in ending.text and len(life.recorded) < 10


def test_a_piece_that_ends_while_a_run_goes_on(tmp_path):
    """The answer to it comes in front of that to the status."""
    life = Life(tmp_path, lost_after=2)
    with pytest.raises(ConsoleError):
        life.run()
    life.board.lost_after, request, waiting = None, life.board.request, []

    def late(line):
        answer = request(line)
        if line == "status" and life.board.lines.count("status") == before + 1:
            waiting.append(answer)
            return Answer(("record 0 8 inc32 flush", "sectors-done 8", "stopped no"), None)
        return answer
    before = life.board.lines.count("status")
    life.board.request, life.board.answer = late, lambda patience: waiting.pop()
    assert life.resume().kind == "reached" and "stop" not in life.board.lines
