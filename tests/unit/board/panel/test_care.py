"""What the panel does to a drive by several requests, and the requests of files."""

import pytest
from unit.board.panel.board import PanelBoard, told, until

from sata_recorder.pc.maintenance import NotOffered, enter_standby, trim_range
from sata_recorder.board.panel.care import Care
from sata_recorder.board.panel.connection import RefusedRequest
from sata_recorder.board.panel.saving import line_of

WORDS = [0] * 169 + [1] + [0] * 86


def trims(sectors=250):
    return Care("trim", trim_range(WORDS, 1000, 0, sectors, 100), lambda done: f"{done} sectors")


def ends(board, line, *lines, error=None):
    until(lambda: board.operation == line)
    board.end(*lines, error=error)


def test_one_request_after_the_other(made):
    board = PanelBoard(verbs=("trim",))
    talk, state = made(board)
    care = trims()
    talk.care(care)
    for line in "trim 0 100", "trim 100 100", "trim 200 50":
        assert state.busy
        with pytest.raises(RefusedRequest, match="an operation runs"):
            talk.ask("record 0 8")
        ends(board, line)
    until(lambda: not state.busy)
    assert (care.state, care.told, care.share) == ("done", "250 sectors", 1.0)
    until(lambda: "trim: 250 sectors" in told(state))


def test_a_request_that_fails_ends_it(made):
    board = PanelBoard(verbs=("trim",))
    talk, state = made(board)
    talk.care(trims())
    ends(board, "trim 0 100", error="drive-error")
    until(lambda: not state.busy)
    assert (state.care.state, state.care.error) == ("failed", "trim: drive-error")
    assert "trim: drive-error" in told(state) and "trim 100 100" not in board.lines


def test_stop_lets_the_request_end(made):
    board = PanelBoard(verbs=("trim",))
    talk, state = made(board)
    talk.care(trims())
    until(lambda: board.operation == "trim 0 100")
    talk.ask("stop")
    board.end()
    until(lambda: not state.busy)
    assert state.care.state == "stopped"
    assert "trim 100 100" not in board.lines and "stop" not in board.lines


def test_one_at_a_time(made):
    board = PanelBoard(verbs=("command",))
    talk, _ = made(board)
    talk.care(Care("standby", enter_standby(), str))
    with pytest.raises(RefusedRequest, match="trim: an operation runs"):
        talk.care(trims())


def test_a_lost_board_ends_it(made):
    board = PanelBoard(verbs=("trim",))
    talk, state = made(board)
    talk.care(trims())
    until(lambda: board.operation)
    board.gone = "unplugged"
    until(lambda: state.connection == "lost")
    assert state.care.state == "lost" and not state.busy


def test_what_the_drive_does_not_have():
    with pytest.raises(NotOffered, match="no TRIM"):
        Care("trim", trim_range([0] * 256, 1000, 0, 10, 100), str)


@pytest.mark.parametrize("line", ["command 0x1240b4 0x426b4572", "command 0xf4 0"])
def test_what_erases_the_drive_is_refused(made, line):
    board = PanelBoard(verbs=("command",))
    talk, _ = made(board)
    with pytest.raises(RefusedRequest, match="destroys what is on the drive"):
        talk.ask(line)
    assert line not in board.lines


def test_a_file(made):
    board = PanelBoard(verbs=("file",))
    talk, state = made(board)
    talk.ask("file 4000 inc32")
    until(lambda: board.operation)
    until(lambda: len(state.operation.progress) > 2)
    assert 0 < state.operation.share <= 1 and state.operation.lba is None
    board.end("slot 2", "bytes 4000", "clocks 2000", "mb-per-s 2.00", "stopped no")
    until(lambda: not state.busy)
    assert (state.operation.state, state.operation.fields["bytes"]) == ("done", 4000)
    assert any(text == "file: done, 2.00 MB/s" for text in told(state)), told(state)


def test_health_is_that_of_one_drive(made):
    board = PanelBoard()
    talk, state = made(board)
    state.smart = "what another drive said"
    talk.ask("identify")
    until(lambda: "identify: ok" in told(state)[-3:])
    assert state.smart
    board.serial = "SN 2"
    talk.ask("identify")
    until(lambda: state.identity["serial"] == "SN 2")
    assert state.smart is None


def test_a_ring_without_a_file(made):
    """It repeats: how far it is does not show where it is."""
    board = PanelBoard(verbs=("segments-at",))
    talk, state = made(board)
    talk.ask("segments-at 0 4096 1024 500")
    until(lambda: len(state.operation.progress) > 2)
    assert state.operation.share is None
    assert {lba for *_, lba in state.operation.speeds()} == {None}
    assert line_of(state.operation) == "segments-at 0 4096 1024 500 inc32"
    board.end("sectors-done 8", "words 1000", "clocks 2000")
    until(lambda: not state.busy)


def test_segments_have_no_share(made):
    board = PanelBoard(verbs=("segments",))
    talk, state = made(board)
    talk.ask("segments 4096 1000")
    until(lambda: len(state.operation.progress) > 1)
    assert state.operation.share is None and state.operation.numbers == (4096, 1000)
    board.end("slot 1", "bytes 512", "segment-count 1", "clocks 100")
    until(lambda: not state.busy)
    assert state.operation.state == "done"
