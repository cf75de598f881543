"""A board whose clock loop is compiled: it reports what the same board clocked from Python reports."""

import pytest
from integration.console_recorder.bench import CAPACITY, CONFIGURATION, ConsoleBench

from sata_recorder.simulation import MissingTool, UartBoard, drive_model, uart_board_library
from sata_recorder_platforms.console_recorder import ConsoleRecorder

pytestmark = pytest.mark.wide

DIVISOR = 8
LINES = ("status", "record 100 300", "play 100 300", "play 100 10 dec32", "counters", "dump 107",
         "go", "x" * 70)


@pytest.fixture(scope="module")
def library():
    return uart_board_library(
        lambda: ConsoleRecorder(CONFIGURATION, baud=CONFIGURATION.clock_hz / DIVISOR),
        CONFIGURATION.model_dump_json() + "of the tests")


def port(model, **options):
    drive = model.Drive(model.DiskImage(sectors=CAPACITY), behaviour=model.Behaviour(**options))
    return model.DrivePort(drive)


def models():
    """The drive models of this machine: in Python, and compiled where it can be."""
    found = [drive_model(compiled=False)]
    try:
        return [*found, drive_model(compiled=True)]
    except MissingTool:
        return found


class Other(ConsoleBench):
    """The loop in Python, with the methods of the compiled one."""

    def receive(self):
        data = bytes(self.received)
        self.received.clear()
        return data


def ask(board, line):
    """The answer of ``board`` to ``line``."""
    board.send(line.encode() + b"\n")
    text = b""
    for _ in range(200):
        board.run(5000)
        text += board.receive()
        last = text.split(b"\r\n")[-2:]
        if last[-1:] == [b""] and (last[0] == b"ok" or last[0].startswith(b"error ")):
            return text.decode().splitlines()
    raise AssertionError(f"no answer to {line}: {text}")


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_agrees_with_the_loop_in_python(library, model):
    """Clocks of operations, ledger and data are those of the other loop, to the last one."""
    slow = Other()
    with UartBoard(library, [port(model)], DIVISOR) as board:
        board.run(6000)
        assert board.receive().decode().splitlines() == ["* link up generation 2",
                                                         f"* ready {CAPACITY}"]
        assert board.clocks == 6000 and board.lights == (True, False, False)
        for line in LINES:
            assert ask(board, line) == ask(slow, line), line
            assert board.lights == slow.lights, line
        assert board.clocks == slow.clocks
    slow.close()


def test_what_the_drive_raises(library):
    """A drive in Python that fails ends the run with its own error."""
    def clock(word):
        raise ZeroDivisionError("a drive of no use")

    class Failing:
        generation = 2
        __call__ = staticmethod(clock)

    with UartBoard(library, [Failing()], DIVISOR) as board, \
            pytest.raises(ZeroDivisionError, match="of no use"):
        board.run(10)


def test_is_elaborated_once(library):
    """The recipe decides: with the same one nothing is made again."""
    def make():
        raise AssertionError("elaborated again")

    assert uart_board_library(make, CONFIGURATION.model_dump_json() + "of the tests") == library
    with pytest.raises(AssertionError, match="elaborated again"):
        uart_board_library(make, "another recipe")


def test_silence(library):
    """Counted from the last bit of a byte, on either line; none while bytes wait."""
    with UartBoard(library, [port(drive_model(compiled=False))], DIVISOR) as board:
        board.run(9000)
        assert board.silent_clocks > 1000 and board.receive().startswith(b"* link up")
        board.send(b"version\n")
        assert board.silent_clocks == 0
        board.run(8 * 10 * DIVISOR + 200)
        assert board.silent_clocks < 200 and board.receive() in (b"", b"s", b"st")
        # The board thinks between two bytes, but never for long.
        text, longest = b"", 0
        while not text.endswith(b"ok\r\n"):
            board.run(16)
            text += board.receive()
            longest = max(longest, board.silent_clocks)
        assert 0 < longest < 2000
        board.run(5000)
        assert 4000 < board.silent_clocks < 6000
