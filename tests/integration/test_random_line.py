"""Anything may come at the dword port: every operation ends, and success means success."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from integration.benches import CoreBench, clock_of
from integration.small import SMALL, Altered, connect, content, works
from sata_drive_model import Behaviour
from sata_drive_model.protocol.primitives import CONT, NAMES

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, Event
from sata_recorder.core.drive_port import Error, Operation

VALID, READY, LINK_UP, RX_ERROR = 1 << 36, 1 << 37, 1 << 38, 1 << 39
WORD = 0xF_FFFF_FFFF
PRIMITIVES = sorted(NAMES)

kinds = st.sets(st.sampled_from(["primitive", "cont", "data", "error", "gap", "stall", "repeat",
                                 "control"]), min_size=1)


def noise(seed, rate, kinds, clocks):
    """Alters dwords with a probability of ``rate``, for this many clocks."""
    rng = random.Random(seed)
    kinds = sorted(kinds)
    last = left = 0

    def alter(clock, word):
        nonlocal last, left
        if not alter.until:
            alter.until = clock + clocks
        if clock >= alter.until or not word & LINK_UP:
            return word
        if left:
            left -= 1
            return word & ~VALID if last is None else word & ~WORD | VALID | last
        if rng.random() >= rate:
            return word
        alter.count += 1
        kind = rng.choice(kinds)
        if kind == "primitive":
            return word & ~WORD | VALID | rng.choice(PRIMITIVES)
        if kind == "cont":
            return word & ~WORD | VALID | CONT
        if kind == "data":
            return word & ~WORD | VALID | rng.getrandbits(32)
        if kind == "error":
            return word & ~WORD | VALID | RX_ERROR | rng.getrandbits(36)
        if kind == "control":
            return word & ~WORD | VALID | rng.getrandbits(36)
        if kind == "stall":
            return word & ~READY
        # The same primitive, or nothing at all, for a while.
        last, left = rng.choice([None, *PRIMITIVES]), rng.randint(0, 60)
        return word & ~VALID

    alter.until = alter.count = 0
    return alter


def recovers(b, seed):
    """A false primitive and a false CONT may leave the core with a drive that sends X_RDY for ever.

    Nothing but the timeout of the next command gets it out of that.
    """
    if not b.outputs()["ready"]:
        b.wait(Event.READY)
    # What the drive may have forgotten with its write cache is told, and nothing else is.
    success = Error.LINK_LOST if b.outputs()["unflushed"] else Error.NONE
    flushed = b.flush()
    assert flushed.error in (success, Error.TIMEOUT, Error.DRIVE_ERROR), flushed
    works(b, seed=seed, clean=False)


@given(seed=st.integers(0, 1 << 32), hostile=st.booleans(), kinds=kinds,
       rate=st.sampled_from([0.001, 0.003, 0.01, 0.05, 0.3]), clocks=st.integers(50, 8000),
       operation=st.sampled_from([*Operation]), sectors=st.integers(1, 40))
# The flush of a recorded sector fails: the core reports that the sector may be lost.
@example(seed=626, hostile=True, kinds={"gap", "error", "cont"}, rate=0.05, clocks=2799,
         operation=Operation.RECORD_FLUSH, sectors=1)
def test_random_line(seed, hostile, kinds, rate, clocks, operation, sectors):
    port = connect(port=Altered, seed=seed,
                   behaviour=Behaviour.random(seed) if hostile else Behaviour())
    with Compiled(Configuration(**SMALL), clock_of(port)) as engine:
        b = CoreBench(engine, port, limit=400_000)
        assert b.bring_up()["ready"]
        data = content(seed, sectors)
        if operation == Operation.PLAY:
            b.image.write(0, data)
        engine.source(data)
        engine.sink(128 * sectors)
        port.alter = noise(seed, rate, kinds, clocks)
        b.start(operation, 0, sectors)
        b.run(1)
        b.wait(Event.DONE)
        outputs = b.outputs()
        b.run(8)
        state = engine.state()
        port.alter = None
        if not outputs["error"] and operation == Operation.PLAY:
            assert state.received == 128 * sectors and engine.received() == data
        elif not outputs["error"] and operation != Operation.FLUSH:
            assert b.image.read_sectors(0, sectors) == data
        recovers(b, seed + 1)


@pytest.mark.wide
@given(seed=st.integers(0, 1 << 32), kinds=kinds, rate=st.sampled_from([0.003, 0.03, 0.3]))
def test_random_line_during_bring_up(seed, kinds, rate):
    port = connect(port=Altered, seed=seed, behaviour=Behaviour.random(seed))
    port.alter = noise(seed, rate, kinds, 3000)
    with Compiled(Configuration(**SMALL), clock_of(port)) as engine:
        b = CoreBench(engine, port, limit=400_000)
        b.bring_up()
        b.wait(Event.READY)
        # What was damaged on the way cannot have been taken for good.
        assert b.identify() == port.drive.page
        b.run(max(0, port.alter.until - port.now))
        recovers(b, seed + 1)
