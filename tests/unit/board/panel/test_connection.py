"""The thread that talks to a board: which answer belongs to which request, and what follows."""


import pytest
from unit.board.panel.board import PanelBoard, told, until

from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.grammar import help_lines
from sata_recorder.board.panel.connection import RefusedRequest
from sata_recorder.board.panel.scan import Scan


def test_learns_what_the_board_is(made):
    _, state = made(PanelBoard(verbs=("rewind",)))
    assert state.open and state.version["buffer_words"] == 4096
    assert state.identity["model"] == "A DRIVE" and state.identify_data == bytes(512)
    assert state.capacity == 10000 and state.ready and not state.is_simulated
    assert state.other_verbs() == {"rewind": "rewind: words"}


def test_a_drive_that_calls_itself_simulated(made):
    _, state = made(PanelBoard(serial="SIMULATED"))
    assert state.is_simulated


def test_registers_are_no_extent(made):
    """The first number of `command` is what the registers hold, and no sector."""
    talk, state = made(PanelBoard(verbs=("command",)))
    talk.ask("command 0xe5 7")
    assert state.operation.verb == "command"
    assert state.operation.lba is None and state.operation.sectors is None


def test_operation_with_progress(made):
    board = PanelBoard()
    talk, state = made(board)
    talk.ask("RECORD 16 100")
    # At once, so that nobody else begins one.
    assert state.busy and state.operation.lba == 16 and state.operation.sectors == 100
    until(lambda: len(state.operation.progress) > 3 and len(state.operation.ledger) > 3)
    assert "record 16 100" in board.lines
    board.moved(12800)
    until(lambda: not state.busy)
    assert state.operation.state == "done" and state.operation.fields["words"] == 12800
    asked = len(board.lines)
    until(lambda: "counters" in board.lines[asked - 1:] or "counters" in board.lines[-3:])
    assert any("done, 2.00 MB/s" in text for text in told(state))


def test_failure_asks_for_the_journal(made):
    board = PanelBoard()
    talk, state = made(board)
    talk.ask("play 0 8")
    until(lambda: board.operation)
    board.moved(100, error="drive-error")
    until(lambda: state.journal)
    assert state.operation.state == "failed" and state.operation.error == "drive-error"
    assert state.journal == [{"kind": "in-doubt", "cause": "drive-error", "lba": 5, "sectors": 7}]


def test_entries_of_a_good_recording_are_read(made):
    """Of one that has skipped sectors; without entries there is nothing to read."""
    board = PanelBoard()
    talk, state = made(board)
    assert state.journal is None
    talk.ask("record 0 8")
    until(lambda: board.operation)
    board.moved(1024)
    until(lambda: not state.busy)
    assert state.journal == [] and "journal" not in board.lines
    talk.ask("record 0 8")
    until(lambda: board.operation)
    board.end("words 1024", "clocks 2048", "skipped-sectors 1", "journal-entries 1")
    until(lambda: state.journal)
    assert state.operation.state == "done" and state.journal[0]["lba"] == 5


def test_requests_while_an_operation_runs(made):
    """Their answers are not taken for the operation's, nor its for theirs."""
    board = PanelBoard()
    talk, state = made(board)
    talk.ask("record 0 100")
    until(lambda: len(state.operation.progress) > 1)
    talk.ask("journal")
    until(lambda: state.journal)
    assert state.operation.running
    for line in "record 0 1", "dump 3", "flush":
        with pytest.raises(RefusedRequest, match="an operation runs"):
            talk.ask(line)
    talk.ask("stop")
    assert state.operation.stopping
    until(lambda: "stop: ok" in told(state))
    board.moved(500, stopped="yes")
    until(lambda: state.operation.state == "stopped")


def test_refused_by_the_board(made):
    """Somebody else's operation runs there: ours was not taken, and is not waited for."""
    board = PanelBoard()
    talk, state = made(board)
    board.operation = "play 0 99"
    talk.ask("record 0 100")
    until(lambda: not state.busy)
    assert (state.operation.verb, state.operation.error) == ("record", "busy")
    # The answer to theirs is nothing that we have asked for.
    board.moved(99 * 128)
    until(lambda: any("nobody requested" in text for text in told(state)))
    assert state.open


def test_found_running(made):
    board = PanelBoard(running="record 5 50")
    talk, state = made(board)
    assert state.busy and state.operation.lba is None
    until(lambda: len(state.operation.progress) > 2)
    talk.ask("stop")
    board.moved(6400, stopped="yes")
    until(lambda: not state.busy)
    assert (state.operation.lba, state.operation.sectors) == (5, 50)
    assert state.operation.state == "stopped"


def test_dump(made):
    board = PanelBoard()
    talk, state = made(board)
    talk.ask("dump 7")
    until(lambda: board.operation)
    board.end(*(f"{16 * n:03x}: " + f"{n:02x} " * 15 + f"{n:02x}" for n in range(32)))
    until(lambda: state.dump)
    assert state.dump == (7, b"".join(bytes([n]) * 16 for n in range(32)))


def test_scan(made):
    board = PanelBoard()
    talk, state = made(board)
    talk.scan(Scan("play", "inc32", [(0, 10), (500, 10), (990, 10)]))
    with pytest.raises(RefusedRequest, match="an operation runs"):
        talk.ask("record 0 1")
    with pytest.raises(RefusedRequest, match="an operation runs"):
        talk.scan(Scan("play", "inc32", [(0, 10)]))
    for lba, error in ((0, None), (500, "drive-error"), (990, "mismatch")):
        until(lambda: board.operation == f"play {lba} 10 inc32")
        assert state.busy
        board.moved(1280, error=error)
    until(lambda: not state.busy)
    assert state.scan.state == "done" and [block.error for block in state.scan.blocks] == \
        [None, "drive-error", None]


def test_stop_of_a_scan(made):
    board = PanelBoard()
    talk, state = made(board)
    talk.scan(Scan("record", "dec32", [(10 * n, 10) for n in range(50)]))
    until(lambda: board.operation)
    talk.ask("stop")
    until(lambda: "stop" in board.lines)
    board.moved(640, stopped="yes")
    until(lambda: not state.busy)
    assert state.scan.state == "stopped" and len(state.scan.blocks) == 1
    assert board.operation is None


def test_silence(made):
    """A board that answers no more is lost; what ran is marked."""
    board = PanelBoard()
    talk, state = made(board, timeout=0.05)
    talk.ask("record 0 100")
    until(lambda: len(state.operation.progress) > 1)
    board.mute = True
    until(lambda: state.connection == "lost")
    assert state.reason == "no answer" and state.operation.state == "lost" and not state.busy
    with pytest.raises(RefusedRequest, match="no connection"):
        talk.ask("status")


def test_a_cable_that_is_pulled(made):
    board = PanelBoard()
    talk, state = made(board)
    talk.scan(Scan("play", "inc32", [(0, 10), (500, 10)]))
    until(lambda: board.operation)
    board.gone = "port: no such device"
    until(lambda: state.connection == "lost")
    assert state.reason == "port: no such device" and state.scan.state == "lost"


def test_no_board(made):
    board = PanelBoard()
    board.gone = "port: cannot be opened"
    _, state = made(board)
    assert state.connection == "lost" and state.reason == "port: cannot be opened"


@pytest.mark.parametrize("line, why", [
    ("", "no request"), ("explode", "no such verb"), ("record 0", "SECTORS is missing"),
    ("record 0 x", "is no number"), ("smart", "no such verb"),
])
def test_lines_that_are_not_sent(made, line, why):
    board = PanelBoard()
    talk, state = made(board)
    with pytest.raises(RefusedRequest, match=why):
        talk.ask(line)
    assert line not in board.lines and not state.busy


def test_verbs_of_the_board(made):
    """A newer board's request is sent as it is; one that an older board lacks is not."""
    board = PanelBoard(verbs=("rewind",))
    talk, state = made(board)
    talk.ask("rewind now")
    until(lambda: "rewind now: ok" in told(state))
    del state.known_verbs["phy"]
    with pytest.raises(RefusedRequest, match="phy: this board has no such request"):
        talk.ask("phy")


def test_events(made):
    board = PanelBoard()
    _, state = made(board)
    board.on_event("link down")
    board.on_event("error drive-error")
    assert [(line.kind, line.text) for line in state.log][-2:] == [
        ("event", "link down"), ("error", "error drive-error")]
    seen = len(board.lines)
    board.on_event("ready 10000")
    # Another drive may be there.
    until(lambda: "identify raw" in board.lines[seen:])


def test_spoilt_answers(made):
    """Noise on the line costs an answer, not the connection."""
    board = PanelBoard()
    talk, state = made(board)
    talk.ask("record 0 100")
    until(lambda: board.operation)
    board.end("words 12z8", "mb-per-s", "clocks ?")
    until(lambda: not state.busy)
    assert state.operation.state == "failed"
    board.answers.append(Answer(("link up", "generation"), None))
    until(lambda: any("cannot be read" in text or "nobody asked" in text for text in told(state)))
    talk.ask("journal")
    until(lambda: state.journal)
    assert state.open


def test_an_error_right_after_an_operation_is_not_its_own(made):
    """It answers a request that was made before the board could show that it had accepted the operation."""
    board = PanelBoard()
    talk, state = made(board)
    for n in range(20):
        talk.ask("record 0 100")
        talk.ask("phy")
        until(lambda: told(state).count("phy: no-phy") > n or not state.busy)
        assert state.operation.running
        board.moved(12800)
        until(lambda: not state.busy)
        assert state.operation.state == "done"


@pytest.mark.parametrize("line, answer", [
    ("journal", ("entr?es 0",)), ("status", ("l?nk up", "generation 2")), ("lane first", ("l?ne 0", "lanes 2"))])
def test_an_answer_whose_first_line_is_spoilt(made, line, answer):
    """Nothing of it is taken, and the connection stays."""
    board = PanelBoard(verbs=("lane",))
    board.answer_to["lane first"] = Answer((
        "lane 0", "lanes 2", "link up", "ready yes", "member member", "failed no", "failed-first no"), None)
    talk, state = made(board)
    board.answer_to[line] = Answer(answer, None)
    talk.ask(line)
    until(lambda: any(f"cannot be read: {answer[0]}" in text for text in told(state)))
    assert state.open and state.status["link"] == "up" and state.journal is None


def test_help_of_an_array_is_no_lane(made):
    board = PanelBoard()
    talk, state = made(board)
    board.answer_to["help"] = Answer(tuple(help_lines()), None)
    talk.ask("help")
    talk.ask("journal")
    until(lambda: state.journal)
    assert not any("cannot be read" in text for text in told(state))


def test_unasked_answers_are_said(made):
    board = PanelBoard()
    _, state = made(board)
    board.answers.append(Answer(("flush", "clocks 5"), None))
    until(lambda: any("flush" in text for text in told(state)))
    assert state.open
