"""The recordings before and after TRIM, with a board that is made up."""

import pytest

from sata_recorder.pc.console.answer import Answer
from sata_recorder.board.qualification.operations import Operations, QualificationError
from sata_recorder.board.qualification.trim import TrimTrial

CAPACITY = 100_000_000


class TrimmingBoard:
    """It writes a word in 4 clocks, and in 1 after TRIM; its TRIM takes 7 clocks."""

    def __init__(self, *, commands=True, word_169=1, fails=()):
        self.version = {"clock_hz": 1e6, "buffer_words": 256}
        self.asked = []
        self._commands, self._word, self._fails = commands, word_169, fails
        self._trimmed = False

    def request(self, line):
        self.asked.append(line)
        if line.startswith("trim"):
            return Answer((), "range" if self._commands else "no-commands")
        if line == "identify raw":
            page = bytearray(512)
            page[2 * 169:2 * 170] = self._word.to_bytes(2, "little")
            return Answer(tuple(f"{n:03x}: {page[n:n + 16].hex(' ')}" for n in range(0, 512, 16)), None)
        if line == "identify":
            return Answer((f"capacity {CAPACITY}",), None)
        return Answer((), None)

    def operate(self, line, interval=None, on_progress=None):
        self.asked.append(line)
        verb, *rest = line.split()
        if verb in self._fails:
            return Answer((line, "clocks 7"), "drive-error")
        if verb == "record":
            words = 128 * int(rest[1])
            for part in 0.25, 0.75:
                on_progress({"words": part * words})
            clocks = words * (1 if self._trimmed else 4)
            return Answer((f"record {rest[0]} {rest[1]} inc32 flush", f"words {words}",
                           f"clocks {clocks}"), None)
        self._trimmed |= verb == "trim"
        return Answer((line, "clocks 7"), None)


def trial(board, lba=8, sectors=9_000_000):
    return TrimTrial(Operations(board, None), lba, sectors)


def ignored(name, part):
    """A progress that nobody looks at."""


def test_rates():
    """TRIM takes as many requests as it needs; each recording comes after a flush, and ends with one."""
    board = TrimmingBoard()
    one = trial(board)
    assert [line for line in board.asked if line != "trim 8 0"] == ["identify raw", "identify"]
    parts = []
    found = one.run(lambda name, part: parts.append((name, part)))
    assert [name for name, _ in parts] == ["before TRIM"] * 2 + ["TRIM"] * 3 + ["after TRIM"] * 2
    told = [part for _, part in parts]
    assert told == sorted(told) and 0 < told[0] and told[-1] < 1
    assert (found.before, found.after) == (1e6, 4e6)
    assert found.seconds == pytest.approx(3 * 7e-6)
    asked = [line for line in board.asked if line != "counters"][3:]
    assert asked == ["flush", "record 8 9000000 flush", "trim 8 4194240", "trim 4194248 4194240",
                     "trim 8388488 611520", "flush", "record 8 9000000 flush"]


@pytest.mark.parametrize("board, told", [
    (TrimmingBoard(commands=False), "the board has no TRIM"), (TrimmingBoard(word_169=0), "the drive has no TRIM")])
def test_no_trim(board, told):
    """That is known before anything is written."""
    with pytest.raises(QualificationError, match=told):
        trial(board)
    assert not [line for line in board.asked if line.startswith("record")]


def test_trim_that_fails():
    with pytest.raises(QualificationError, match="trim 8 4194240: drive-error"):
        trial(TrimmingBoard(fails=("trim",))).run(ignored)


def test_a_recording_that_was_stopped():
    """Nothing is trimmed then."""
    board = TrimmingBoard()
    operate = board.operate
    board.operate = lambda line, **options: Answer(
        (*operate(line, **options).lines, "stopped yes"), None) if line.startswith("record") else \
        operate(line, **options)
    with pytest.raises(QualificationError, match="record 8 9000000 flush: was stopped"):
        trial(board).run(ignored)
    assert not [line for line in board.asked if line.startswith("trim 8 4")]
