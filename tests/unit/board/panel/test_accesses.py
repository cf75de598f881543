"""Accesses of a board from the panel: what is asked, and what is shown and saved of the answer."""

import json

import pytest
from unit.board.panel.board import PanelBoard, told, until

from sata_recorder.board.panel import connection, tables, texts
from sata_recorder.board.panel.accesses import BadAccess, PlannedAccess
from sata_recorder.board.panel.connection import RefusedRequest
from sata_recorder.board.panel.desk import Desk
from sata_recorder.board.panel.saving import session_data
from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.grammar import checked, overwrites
from sata_recorder.report import session_page

ANSWER = ("way read", "align 8", "seed 7", "sequential 0", "accesses 300", "words 307200", "clocks 600000",
          "mb-per-s 2.05", "latency-least 1000", "latency-sum 450000", "latency-most 9000", "stopped no", "retries 0",
          "mismatches 0")


class AccessBoard(PanelBoard):
    """One that makes accesses, and counts the times of commands."""

    refusal = None

    def _answer(self, line):
        if line.startswith("access"):
            if self.refusal:
                return Answer((), self.refusal)
            self.operation, self.words = " ".join(line.split()[:5]), 0
            return None
        if line == "histogram":
            return Answer(("histogram commands", "bin-9 0", "bin-10 299", "bin-13 1"), None)
        return super()._answer(line)


@pytest.fixture
def sat(monkeypatch):
    """`sat(...)`: a desk at a board that can do so, and the board."""
    desks = []

    def sit(*verbs):
        board, desk = AccessBoard(verbs=verbs), Desk()
        monkeypatch.setattr(connection, "Client", board)
        desks.append(desk)
        desk.connect("port")
        until(lambda: desk.state.open)
        return desk, board

    yield sit
    for desk in desks:
        desk.disconnect()


def done(desk, board, planned, error=None):
    desk.access(planned)
    until(lambda: board.operation)
    board.end(*ANSWER, error=error)
    until(lambda: not desk.state.busy)


def test_what_is_asked_and_what_is_shown(sat):
    desk, board = sat("access", "places", "histogram")
    state = desk.state
    assert "None yet" in tables.access_table(state)
    desk.access(PlannedAccess(0, 10000, 8, 300, state.capacity, 8, "random", 7))
    assert state.busy and "at their end" in tables.access_table(state)
    until(lambda: board.operation)
    assert [line for line in board.lines if line.split()[0] in ("places", "histogram", "access")] == [
        "places 8 7 random", "histogram clear", "access 0 10000 8 300 read"]
    with pytest.raises(RefusedRequest, match="access: an operation runs; stop it first"):
        desk.access(PlannedAccess(0, 10000, 8, 1, 10000))
    board.end(*ANSWER)
    until(lambda: state.times)
    assert state.times == {10: 299, 13: 1}
    # 300 accesses in 600,000 clocks of 1 MHz; 1, 1.5 and 9 ms.
    shown = tables.access_table(state)
    for text in ("sectors 0 to 9,999, at random, seed 7", "300 of 300 accesses", "<dd>500</dd>", "2.05 MB/s",
                 "1,500.00 us", "9,000.00 us", "1.02 ms to 2.05 ms", "8.19 ms to 16.4 ms", "299", "width:100.0%"):
        assert text in shown, text
    assert texts.operation_words(state) == "access: done, 300 of 300 accesses, 500 a second"
    assert "access 0 10000 8 300 read" in tables.operations_table(state) and "2.05" in tables.operations_table(state)
    assert "access 0: done, 2.05 MB/s" in told(state)


def test_what_is_saved(sat):
    desk, board = sat("access", "places", "histogram")
    assert session_data(desk.state)["access"] is None
    done(desk, board, PlannedAccess(0, 10000, 8, 300, 10000))
    until(lambda: desk.state.times)
    data = session_data(desk.state)
    assert json.loads(json.dumps(data)) == data
    access = data["access"]
    assert (access["iops"], access["line"]) == (500, "access 0 10000 8 300 read")
    assert access["latency"] == {"minimum": 1e-3, "mean": 1.5e-3, "maximum": 9e-3}
    assert access["command_times"] == [[1024e-6, 2048e-6, 299], [8192e-6, 16384e-6, 1]]
    pytest.importorskip("matplotlib")
    page = session_page(data)
    assert "<h3>Accesses</h3>" in page and "1,500 us" in page


@pytest.mark.parametrize("ending", ["none yet", "refused", "no access"])
def test_the_report_without_a_latency(sat, ending):
    desk, board = sat("access", "places")
    board.refusal = "out-of-range" if ending == "refused" else None
    desk.ask("access 0 10000 8 300")
    until(lambda: board.operation or board.refusal)
    if ending == "no access":
        board.end(*(line.partition(" ")[0] + " 0" if line.startswith(("accesses", "words")) else line
                    for line in ANSWER))
    until(lambda: desk.state.busy == (ending == "none yet"))
    data = session_data(desk.state)
    assert "latency" not in data["access"]
    pytest.importorskip("matplotlib")
    assert "<h3>Accesses</h3>" in session_page(data)


def test_a_board_without_histograms(sat):
    desk, board = sat("access", "places")
    done(desk, board, PlannedAccess(0, 10000, 8, 300, 10000))
    until(lambda: board.lines[-1] == "status")
    assert not [line for line in board.lines if line.startswith("histogram")]
    assert desk.state.times is None and "time of a command" not in tables.access_table(desk.state)


def test_times_of_other_commands_are_not_those_of_accesses(sat):
    """A line that somebody has typed clears no histogram, so what it counts is not of the accesses alone."""
    desk, board = sat("access", "places", "histogram")
    desk.ask("access 0 10000 8 300")
    until(lambda: board.operation)
    board.end(*ANSWER)
    until(lambda: not desk.state.busy)
    until(lambda: board.lines.count("counters"))
    assert "histogram" not in board.lines and desk.state.times is None


def test_one_that_fails(sat):
    desk, board = sat("access", "places", "histogram")
    done(desk, board, PlannedAccess(0, 10000, 8, 300, 10000), error="mismatch")
    assert desk.state.operation.state == "failed" and "mismatch" in tables.operations_table(desk.state)


def test_a_refusal_of_the_board(sat):
    desk, board = sat("access", "places", "histogram")
    board.refusal = "range"
    desk.ask("access 0 10000 8 300")
    until(lambda: not desk.state.busy)
    assert "There is no answer: range" in tables.access_table(desk.state)


@pytest.mark.parametrize("change, why", [
    ({"lba": 10000}, "first sector = 10000: 0 to 9,999, the drive's last one"),
    ({"lba": -1}, "first sector = -1: 0 to"),
    ({"sectors": 10001}, "sectors = 10001: 1 to 10,000, to the drive's last one"),
    ({"sectors": 0}, "sectors = 0: 1 to"),
    ({"size": 0}, "sectors of an access = 0: 1 to 2,048"), ({"size": 2049}, "sectors of an access = 2049: 1 to 2,048"),
    ({"sectors": 8, "size": 9}, "sectors of an access = 9: 1 to 8, those of its span"),
    ({"count": 0}, "accesses = 0: 1 to"), ({"count": 1 << 48}, "accesses = 281474976710656: 1 to"),
    ({"seed": -1}, "seed = -1: 0 to"), ({"capacity": 0}, "first sector = 0"),
    ({"size": 9, "order": "sequential"}, "sectors of an access = 9: in order, a multiple of 8")])
def test_limits(change, why):
    with pytest.raises(BadAccess) as refused:
        PlannedAccess(**{"lba": 0, "sectors": 10000, "size": 8, "count": 5, "capacity": 10000} | change)
    assert str(refused.value).startswith(why)


def test_lines_are_those_of_the_protocol():
    planned = PlannedAccess(5, 100, 3, 9, 1000, 1, "sequential", 77, "write")
    for line in planned.places, planned.line:
        assert checked(line.split()) == line


@pytest.mark.parametrize("line, writes", [
    ("record 0 8", True), ("RING", True), ("trim 0 8", True), ("access 0 8 8 1 Write", True), ("access 0 8 8 1", False),
    ("play 0 8", False), ("", False), ("status", False), ("segments-at 0 8 2 1", True)])
def test_lines_that_write(line, writes):
    """The panel asks before it sends such a line to a drive that is not simulated."""
    assert overwrites(line) is writes
