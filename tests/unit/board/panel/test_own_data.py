"""A file of the user's through the core by itself: what is told of it."""

import contextlib

import pytest

from sata_recorder.board.panel import own_data
from sata_recorder.board.panel.connection import RefusedRequest
from sata_recorder.board.panel.own_data import OwnData, facts

MEASURED = {"good": True, "problems": [], "caveats": ["a caveat"], "transfers": [
    {"operation": "record", "bytes_per_second": 201.16e6, "seconds": 0.1},
    {"operation": "play", "bytes_per_second": 284.64e6, "seconds": 0.1}]}


def test_facts():
    good, found = facts("mine.bin", 3_000_000, MEASURED)
    assert good and found == [
        ("file", "mine.bin, 3,000,000 bytes"), ("recorded at", "201.16 MB/s"), ("played back at", "284.64 MB/s"),
        ("compared", "each byte came back"), ("but", "a caveat")]
    good, found = facts("mine.bin", 512, MEASURED | {"good": False, "problems": ["one", "two"]})
    assert not good and ("compared", "one; two") in found


@pytest.mark.wide
def test_what_measure_refuses():
    """By the name that the file has at the user's; the next one can be measured."""
    own = OwnData()
    for _ in range(2):
        with pytest.raises(RefusedRequest, match="^mine.bin: is empty, there is nothing to record$"):
            own.measure("mine.bin", b"")
    with pytest.raises(RefusedRequest, match="nosuchdrive"):
        own.measure("mine.bin", b"data", "nosuchdrive")


def test_one_at_a_time(monkeypatch):
    own, told = OwnData(), []

    class Process(contextlib.nullcontext):
        """It runs while another file comes."""

        def __init__(self, *arguments, **options):
            super().__init__()

        def communicate(self):
            with pytest.raises(RefusedRequest) as refused:
                own.measure("other.bin", b"data")
            told.append(str(refused.value))
            return "", ""

    monkeypatch.setattr(own_data.subprocess, "Popen", Process)
    with pytest.raises(RefusedRequest, match="^mine.bin: it was ended$"):
        own.measure("mine.bin", b"data")
    assert told == ["other.bin: another file is being recorded"]
