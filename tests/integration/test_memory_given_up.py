"""What a memory holds is given up: at the user's word, or when power does not last. None of it is lost uncounted."""

import random

import pytest
from integration.benches import FAST
from integration.modes import Numbers
from integration.small import content, works
from integration.test_memory import MEMORY, ended
from sata_drive_model import Behaviour
from short import short

from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.interface.memory import MemoryFailure
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.simulation import Event, Hold

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
    """A pulse is enough."""
    b.engine.set(memory_abandon=1)
    b.run(1)
    b.engine.set(memory_abandon=0)


def checks(b, state):
    """Each word that was accepted is on the drive, or was left in the memory."""
    done = state["sectors_done"]
    left = state["memory_level"]
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
        writes = sum(one.command in (0x35, 0xCA) for one in b.drive.completed)
        b.engine.set(memory_abandon=1)
        state = ended(b)
        b.engine.set(memory_abandon=0)
        checks(b, state)
        left.append(state["memory_level"])
        # One more may have been on its way.
        assert sum(one.command in (0x35, 0xCA) for one in b.drive.completed) <= writes + 2
        assert (b.drive.completed[-1].command == 0xEA) >= (operation == Operation.RECORD_FLUSH and clocks > 100)
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
        state = ended(b)
        assert state["error"] in (Error.LINK_LOST, Error.PROTOCOL) and state["memory_level"]
        assert state["memory_failure"] == (MemoryFailure.NONE if over else MemoryFailure.GIVEN_UP)
        done, skipped = state["sectors_done"], state["skipped_sectors"]
        entries, _ = read_journal(b)
        if name != "no recovery" and state["error"] == Error.LINK_LOST:
            assert any(one.kind == JournalKind.IN_DOUBT for one in entries)
        if not skipped:
            assert b.image.read(8 * 512, 512 * done) == Numbers(3).read(0, 128 * done)
        assert state["words"] >= 128 * done + state["memory_level"]


def test_a_playback_is_stopped(bench):
    b = bench(**FAST | MEMORY, sectors=1 << 13)
    b.image.write(0, content(2, 3000))
    b.engine.sink(384_000, hold=Hold(1, 1_000_000))
    b.start(Operation.PLAY, 0, 3000)
    b.run(100_000)
    abandon(b)
    assert b.engine.run(300_000, Event.DONE)
    state = b.outputs()
    assert (state["error"], state["memory_failure"]) == (Error.NONE, MemoryFailure.NONE)
    works(b)
