"""Recordings in frames on a bench: a core that makes them, and what a reader finds on its drive."""

from sata_recorder.pc.vita49 import AROUND, Lost, frames
from unit.bricks.frames.framed import Bytes

__all__ = ["CORE", "PAYLOAD", "SECTORS", "check", "good", "on_drive"]

#: With all else that can be above a core: of each such core there is one only to compile.
CORE = {"buffer_words": 512, "max_command_sectors": 8, "frames": True, "commands": True,
        "power_fail": True}
#: Of a longest frame.
SECTORS = 16
PAYLOAD = 128 * SECTORS - AROUND
#: Clocks in which whatever it is has happened.


def on_drive(b, lba, sectors):
    return Bytes(b.image.read_sectors(lba, sectors))


def good(source):
    """The frames of ``source``, after which there may be something else."""
    found = list(frames(source))
    if isinstance(found[-1], Lost):
        found.pop()
    return found


def check(source, words, stream_id, *, end=True):
    """The frames of ``source`` have words 0 on of the producer ``words``, and no gap; how many words
    they have."""
    found = good(source)
    assert {frame.stream_id for frame in found} == {stream_id}
    assert [frame.count for frame in found] == [n % 4096 for n in range(len(found))]
    assert [frame.last for frame in found] == [False] * (len(found) - 1) + [end]
    place = 0
    for frame in found:
        assert frame.first == place and not frame.gap_ahead
        assert frame.payload == words.read(frame.first, frame.words)
        place = frame.next_word
    return place
