"""Recordings in frames in the modes: rings, lengths in words, power cuts."""

import random

import pytest
from integration.benches import FAST, port_of
from integration.files_station import CACHES, LoggedImage
from integration.framed import CORE, PAYLOAD, SECTORS, check, on_drive
from integration.modes import Numbers, Plan, check_recording, record
from sata_drive_model import Drive

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Error
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.vita49 import Lost, Ring, frames
from unit.bricks.frames.framed import Bytes

pytestmark = pytest.mark.wide


@pytest.mark.parametrize("stop, sectors", [(100, 80), (30_000, 80), (19_000, 75), (30_000, 75)])
def test_a_ring(bench, stop, sectors):
    """The newest frames are there, up to the end; one of them is across that of the ring."""
    b = bench(**CORE, extents="modes")
    b.engine.set(frame_enable=1, recording_mode=RecordingMode.RING)
    outcome = b.record(Numbers(1), 100, sectors, stop_after=stop)
    assert outcome.error == Error.NONE
    ring = Ring(on_drive(b, 100, sectors), 0, 512 * sectors)
    assert ring.newest.last and ring.newest.first == outcome.taken
    kept = [frame for frame in frames(ring) if not isinstance(frame, Lost)]
    for before, after in zip(kept, kept[1:]):
        assert before.next_word == after.first
    for frame in kept:
        assert frame.payload == Numbers(1).read(frame.first, frame.words)
    assert kept[-1].next_word == outcome.taken and kept[0].first <= max(0, stop - 3 * PAYLOAD)


@pytest.mark.parametrize("sectors", [400, 75])
def test_power_cuts(bench, sectors):
    """At any moment, with the cache kept, lost, or half of it: each whole frame is found, no other
    one is, and the newest is the newest."""
    image = LoggedImage(bytes(512 * sectors))
    image.clock_of = lambda: len(image.log)
    b = bench(port_of(Drive(image)), configuration=Configuration(**FAST, **CORE, extents="modes"))
    b.engine.set(frame_enable=1, recording_mode=RecordingMode.RING)
    taken = b.record(Numbers(1), 0, sectors, stop_after=30_000).taken
    rng = random.Random(sectors)
    seen = set()
    for number in range(60):
        cut = rng.randrange(len(image.log))
        ring = Ring(Bytes(image.cut(cut, CACHES[number % 3], rng)), 0, 512 * sectors)
        found = [frame for frame in frames(ring) if not isinstance(frame, Lost)]
        for frame in found:
            assert frame.payload == Numbers(1).read(frame.first, frame.words)
        if CACHES[number % 3] == "kept":
            written = sum(len(data) for _, _, data in image.log[:cut + 1]) // 512
            whole = min(written // SECTORS * PAYLOAD, taken // PAYLOAD * PAYLOAD)
            assert max((frame.next_word for frame in found), default=0) >= whole
            assert len(found) >= min(written, sectors) // SECTORS - 2
            assert ring.newest is None or ring.newest.next_word >= whole
            seen.add(whole)
        elif CACHES[number % 3] == "lost":
            assert not found        # nothing was flushed
    assert len(seen) > 5


@pytest.mark.parametrize("words, sectors, used", [(0, 40, 33), (20 * 128 + 5, 40, 17),
                                                  (4000 * 128, 40, 33)])
def test_fixed_words(bench, words, sectors, used):
    """`recording_words` are words of the frames, too."""
    b = bench(**CORE, extents="modes")
    b.engine.set(frame_enable=1, recording_mode=RecordingMode.FIXED, recording_words=words)
    outcome = b.record(Numbers(1), 100, sectors)
    assert outcome.error == Error.NONE and b.outputs()["sectors_done"] == used
    assert check(on_drive(b, 100, used), Numbers(1), 0) == outcome.taken == used // SECTORS * PAYLOAD


@pytest.mark.parametrize("mode, words, used", [
    (RecordingMode.FIXED, 0, 33), (RecordingMode.FIXED, 20 * 128, 17),
    (RecordingMode.FIXED, 45 * 128, 33), (RecordingMode.UNTIL_STOPPED, 0, 33)])
def test_a_position(bench, mode, words, used):
    """What is ahead of it is no room."""
    b = bench(**CORE, extents="modes")
    b.engine.set(frame_enable=1, recording_mode=mode, recording_position=10, recording_words=words)
    outcome = b.record(Numbers(1), 100, 50)
    assert outcome.error == Error.NONE
    assert check(on_drive(b, 110, 40), Numbers(1), 0) == outcome.taken == used // SECTORS * PAYLOAD


def test_segments_have_no_frames(bench):
    """A segment would end within one."""
    b = bench(**CORE, extents="modes")
    b.engine.set(frame_enable=1)
    plan = Plan(RecordingMode.TRIGGERED, 100, 40, part=20, chunk=4, words=700, segments=1,
                triggers=((1000, 0),))
    found = record(b, plan)
    assert found.outputs["error"] == Error.NONE
    check_recording(b, plan, found)
