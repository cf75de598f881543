"""What a memory holds is given up: at the user's word, or when power does not last. None of it is lost uncounted."""

import random

import pytest
from integration.benches import FAST
from integration.modes import Numbers
from integration.small import content, works
from integration.test_memory import MEMORY, ended
from sata_drive_model import Behaviour
from short import short
from unit.bricks.frames.framed import Bytes

from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.interface.memory import MemoryFailure
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.pc.vita49 import Lost, frames
from sata_recorder.simulation import Event, Hold

pytestmark = pytest.mark.wide

#: A drive that takes less than comes.
SLOW = {"command_latency": 20_000, "completion_latency": 5000}
CORES = {
    "default": {}, "queued": {"extents": "queued"}, "modes": {"extents": "modes"},
    "replayed": {"retain_sectors": 64}, "no recovery": {"recovery": False}, "drop": {"on_overflow": "drop"},
    "long sectors": {"extents": "modes", "long_logical_sectors": True, "buffer_words": 2048},
    "everything between": {"extents": "modes", "flush_commands": 3, "smart_commands": 2, "on_failure": "skip"},
}


def recording(bench, options, operation=Operation.RECORD, **behaviour):
    """A core that records more than its drive takes."""
    b = bench(**FAST | MEMORY | {"max_command_sectors": 64, "command_timeout": 1.0} | options,
              behaviour=Behaviour(**SLOW | behaviour), sectors=1 << 13)
    b.engine.source(Numbers(3))
    if options.get("extents") == "queued":
        b.engine.set(queue_ahead=1 << 16)
    if options.get("extents") == "modes":
        b.engine.set(recording_mode=RecordingMode.UNTIL_STOPPED, recording_words=0, recording_chunk=1)
    b.start(operation, 8, 4000)
    return b


def abandon(b):
    """Until the operation has ended."""
    b.engine.set(memory_abandon=1)


def writes(b):
    """The write commands that the drive has ended."""
    return sum(one.command in (0x35, 0xCA) for one in b.drive.completed)


def checks(b, state):
    """Each word that was accepted is on the drive, or was left in the memory."""
    done = state["sectors_done"]
    left = state["memory_lost"]
    if left:
        assert (state["error"], state["memory_failure"]) == (Error.PROTOCOL, MemoryFailure.GIVEN_UP)
        assert state["words"] == 128 * done + left
    else:
        assert (state["error"], state["memory_failure"]) == (Error.NONE, MemoryFailure.NONE)
        # The command in flight was filled with zeros.
        assert 128 * done >= state["words"]
        assert not any(b.image.read(8 * 512 + 4 * state["words"], 512 * done - 4 * state["words"]))
    written = min(128 * done, state["words"])
    assert b.image.read(8 * 512, 4 * written) == Numbers(3).read(0, written)


@pytest.mark.sample(5)
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
@pytest.mark.parametrize("name", short(CORES, ["default", "queued", "everything between"]))
def test_given_up(bench, name, operation):
    """The command in flight runs to its end, and no other one begins, whether a stop has come before or not."""
    rng = random.Random(name + str(operation))
    left = []
    for clocks in [3, 12, 40, *(rng.randrange(100, 120_000) for _ in range(8))]:
        b = recording(bench, CORES[name], operation)
        b.run(clocks)
        if rng.random() < 0.5:
            b.stop()
            b.run(rng.randrange(30_000))
        written = writes(b)
        b.engine.set(memory_abandon=1)
        state = ended(b)
        b.engine.set(memory_abandon=0)
        checks(b, state)
        left.append(state["memory_lost"])
        # That in flight, and one that was on its way.
        assert writes(b) <= written + 2
        if operation == Operation.RECORD_FLUSH and state["sectors_done"]:
            assert b.drive.completed[-1].command == 0xEA
        b.engine.set(recording_mode=0) if CORES[name].get("extents") == "modes" else None
        b.engine.source(b"")
        works(b)
    assert min(left) == 0 < max(left)


@pytest.mark.parametrize("name", short(["default", "replayed", "no recovery", "queued", "everything between"],
                                       ["replayed", "everything between"]))
@pytest.mark.parametrize("before", [True, False])
def test_a_command_that_fails(bench, name, before):
    """It is not issued again: what it was to write is in doubt, or is passed over, with the rest."""
    for clocks in (30_000, 60_000, 61_000, 75_000):
        b = recording(bench, CORES[name])
        b.run(clocks)
        for step in (0, 1) if before else (1, 0):
            if step:
                over = not b.outputs()["busy"]
                abandon(b)
            else:
                b.port.drop_link(400)
            b.run(200)
        written = writes(b)
        state = ended(b)
        assert writes(b) == written
        assert state["error"] in (Error.LINK_LOST, Error.PROTOCOL) and state["memory_lost"]
        assert state["memory_failure"] == (MemoryFailure.NONE if over else MemoryFailure.GIVEN_UP)
        done, skipped = state["sectors_done"], state["skipped_sectors"]
        entries, _ = read_journal(b)
        if name != "no recovery" and state["error"] == Error.LINK_LOST:
            assert any(one.kind == JournalKind.IN_DOUBT for one in entries)
        if not skipped:
            assert b.image.read(8 * 512, 512 * done) == Numbers(3).read(0, 128 * done)
        assert state["words"] >= 128 * done + state["memory_lost"]
        b.engine.set(memory_abandon=0)


def test_nothing_is_left_when_the_link_falls(bench):
    """All words are written: the recording recovers, and ends with FLUSH CACHE, as after a stop."""
    b = bench(**FAST | MEMORY | {"extents": "queued", "max_command_sectors": 64, "retry_delay": 0.001}, sectors=1 << 13)
    data = content(3, 20)
    b.engine.source(data)
    b.engine.set(queue_ahead=0)
    b.start(Operation.RECORD_FLUSH, 8, 4000)
    b.run(60_000)
    assert b.outputs()["sectors_done"] == 20
    b.port.drop_link(400)
    b.run(100)
    abandon(b)
    state = ended(b)
    assert (state["error"], state["memory_lost"], state["sectors_done"]) == (Error.NONE, 0, 20)
    assert b.drive.completed[-1].command == 0xEA and b.image.read(8 * 512, len(data)) == data


@pytest.mark.parametrize("clocks", short([4000, 15_000, 35_000, 90_000], [15_000, 90_000]))
@pytest.mark.parametrize("latency", [60, 15_000])
def test_frames_are_completed_first(bench, clocks, latency):
    """What was accepted before goes into frames that end; what is lost are words of whole frames, and counted."""
    b = bench(**FAST | MEMORY | {"max_command_sectors": 64, "command_timeout": 1.0, "frames": True},
              behaviour=Behaviour(command_latency=latency), sectors=1 << 13)
    b.engine.source(Numbers(3), hold=Hold(1, 2))
    b.engine.set(frame_enable=1, frame_stream_id=3)
    b.start(Operation.RECORD, 0, 4000)
    b.run(clocks)
    abandon(b)
    state = ended(b)
    taken = b.engine.state().taken
    assert state["frame_offered"] == state["frame_kept"] == taken > 1000
    assert state["words"] == 128 * state["sectors_done"] + state["memory_lost"] or not state["memory_lost"]
    assert (state["error"] == Error.PROTOCOL) == (state["memory_lost"] > 0)
    found = [one for one in frames(Bytes(b.image.read(0, 512 * state["sectors_done"]))) if not isinstance(one, Lost)]
    assert b"".join(one.payload for one in found) == Numbers(3).read(0, sum(one.words for one in found))
    assert state["memory_lost"] or (found[-1].last and found[-1].next_word == taken)


def test_a_playback_is_stopped(bench):
    b = bench(**FAST | MEMORY, sectors=1 << 13)
    b.image.write(0, content(2, 3000))
    b.engine.sink(384_000, hold=Hold(1, 1_000_000))
    b.start(Operation.PLAY, 0, 3000)
    b.run(100_000)
    abandon(b)
    assert b.engine.run(300_000, Event.DONE)
    state = b.outputs()
    b.engine.set(memory_abandon=0)
    assert (state["error"], state["memory_failure"]) == (Error.NONE, MemoryFailure.NONE)
    works(b)
