"""The pseudo-terminal: it never blocks, keeps the pace of a line, and follows orders."""

import os
from types import SimpleNamespace

import pytest

from sata_recorder.board.station import PseudoTerminal, serve, terminal


@pytest.fixture
def clock(monkeypatch):
    """The time that the terminal sees; `clock.now` may be set."""
    seen = SimpleNamespace(now=100.0)
    monkeypatch.setattr(terminal.time, "monotonic", lambda: seen.now)
    return seen


def reader(made):
    handle = os.open(made.name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    return handle


def test_both_ways():
    with PseudoTerminal() as made:
        theirs = reader(made)
        made.write(b"hello\r\n")
        assert os.read(theirs, 100) == b"hello\r\n" and not made.waiting
        os.write(theirs, b"status\n")
        assert made.read() == b"status\n" and made.read() == b""
        os.close(theirs)


def test_nobody_reads():
    """What nobody reads is lost from the front; nothing blocks, and memory does not grow."""
    with PseudoTerminal() as made:
        for n in range(400):
            made.write(b"%5d " % n * 200)
        assert 0 < made.waiting <= terminal.MOST_WAITING
        theirs = reader(made)
        text = b""
        while made.waiting or not text.endswith(b"  399 "):
            made.write()
            text += os.read(theirs, 65536)      # fails where there is nothing
        assert text.startswith(b"    0 ")
        os.close(theirs)


def test_pace_of_a_line(clock):
    """960 bytes a second at 9600 baud, each way, whatever the intervals are."""
    with PseudoTerminal(9600) as made:
        theirs = reader(made)
        made.write(bytes(range(32, 126)) * 10)
        got = len(os.read(theirs, 4096))
        assert got <= 16
        for _ in range(100):
            clock.now += 0.005
            made.write()
            got += len(os.read(theirs, 4096))
        assert got == pytest.approx(16 + 480, abs=2)
        os.write(theirs, b"x" * 100)
        assert len(made.read()) == 16 and made.read() == b""
        clock.now += 0.01
        assert len(made.read()) == 9
        os.close(theirs)


class Echo:
    """A station that repeats what it is told."""

    idle, waiting = True, False

    def __init__(self):
        self.board, self._bytes, self.clocks = self, b"", 0

    def send(self, data):
        self._bytes += data

    def receive(self):
        data, self._bytes = self._bytes, b""
        return data

    def run(self, clocks):
        self.clocks += clocks


def test_orders_come_as_whole_lines_and_end_once():
    ours, theirs = os.pipe()
    heard = []
    os.write(theirs, b"un")
    with PseudoTerminal() as made:
        calls = iter([b"plug\nplug\n", b"\n heal", None, ""])

        def going():
            piece = next(calls)
            if piece is None:
                os.close(theirs)
            elif piece:
                os.write(theirs, piece)
            return piece != ""
        serve(Echo(), made, orders=ours, on_order=heard.append, while_=going)
    os.close(ours)
    assert heard == ["unplug", "plug", "heal", None] or heard == ["unplug", "plug", None]


@pytest.mark.parametrize("working", [True, False])
def test_in_step(working, monkeypatch):
    """An operation continues for a byte, and when its time is over; other things do at once."""
    monkeypatch.setattr(terminal, "_PATIENCE", 7.5)
    rests, looks = [], iter(range(6))
    station = Echo()
    station.idle, station.working = False, working
    with PseudoTerminal() as made:
        theirs = reader(made)

        def look(handles, _, __, rest):
            rests.append(rest)
            if len(rests) == 3:
                os.write(theirs, b"x")
            return ([made.handle] if len(rests) == 3 else []), [], []
        monkeypatch.setattr(terminal.select, "select", look)
        serve(station, made, while_=lambda: next(looks) < 5, in_step=True)
        os.close(theirs)
    assert rests == [7.5 if working else 0] * 5
    assert station.clocks == 5 * terminal.STEP + terminal.BEGUN


def test_serves_what_comes():
    station = Echo()
    with PseudoTerminal() as made:
        theirs = reader(made)
        os.write(theirs, b"abc\n")
        calls = iter([True, True, False])
        serve(station, made, while_=lambda: next(calls))
        assert os.read(theirs, 100) == b"abc\n" and station.clocks
        os.close(theirs)
