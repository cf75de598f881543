"""A PHY with gaps, and one with code errors."""

import random

import pytest
from integration.small import SMALL, Altered, connect, content, works
from integration.test_flow_control import WORDS, there_and_back
from sata_drive_model.behaviour import Behaviour
from sata_drive_model.protocol.primitives import ALIGN, CONT, K, SYNC

from sata_recorder.simulation import Event, Hold

VALID, LINK_UP, RX_ERROR = 1 << 36, 1 << 38, 1 << 39
WORD, PRIMITIVE = 0xF_FFFF_FFFF, 0x1_FFFF_FFFF


@pytest.mark.parametrize("line_rate", [(1, 1), (1, 2), (2, 3), (3, 4), (5, 7), (1, 4), (15, 16)])
@pytest.mark.parametrize("skew", [0, 1, 3, 8])
def test_line_slower_than_the_clock(bench, seed, line_rate, skew):
    """Gaps at both sides; with ``skew`` they wander against each other."""
    b = bench(**SMALL, seed=seed, line={"line_rate": line_rate, "skew": skew}, throttle=(90, 9),
              underrun=(90, 9), generation=1)
    written, read = there_and_back(b, hold=Hold(60, 30))
    gaps = WORDS * (line_rate[1] - line_rate[0]) // line_rate[0]
    for accounts in (written, read):
        assert 0.95 * gaps <= accounts["phy_wait"] <= 2 * gaps + 50
    works(b)


@pytest.mark.parametrize("number", range(6))
def test_hostile_drive_behind_a_slow_line(bench, seed, number):
    b = bench(**SMALL, seed=seed, behaviour=Behaviour.random(seed + number),
              line={"line_rate": (3, 5), "skew": 4, "round_trip": 10})
    there_and_back(b, 20, hold=Hold(30, 11))
    works(b)


@pytest.mark.parametrize("generation", [1, 2, 3])
def test_generation_changes_nothing(bench, generation):
    b = bench(**SMALL, generation=generation)
    works(b)
    assert b.engine.state().hash == HASHES.setdefault("works", b.engine.state().hash)


HASHES = {}


def idle_errors(kind, rate, seed):
    rng = random.Random(seed)

    def alter(clock, word):
        if not word & VALID or rng.random() > rate:
            return word
        if kind == "error":
            return (word ^ rng.getrandbits(32)) & ~K | RX_ERROR
        if kind == "gap":
            return word & ~VALID
        return word & ~WORD | VALID | rng.getrandbits(32)       # a data dword out of nowhere
    return alter


@pytest.mark.parametrize("kind", ["error", "gap", "data"])
@pytest.mark.parametrize("rate", [0.01, 0.3, 1.0])
def test_noise_while_idle(bench, seed, kind, rate):
    """Whatever comes while nothing happens has no effect on what happens then."""
    b = bench(connect(port=Altered, seed=seed), **SMALL)
    for number in range(4):
        b.port.alter = idle_errors(kind, rate, seed + number)
        b.run(700)
        b.port.alter = None
        b.run(300)
        assert b.outputs()["ready"] and b.port.resets == 1
    works(b)


def lost_cont_of_sync():
    """Makes a code error of each CONT with which the drive continues SYNC."""
    last = 0

    def alter(clock, word):
        nonlocal last
        if not word & VALID or word & PRIMITIVE == ALIGN:
            return word
        before, last = last, word & PRIMITIVE
        if (before, last) == (SYNC, CONT):
            alter.lost += 1
            return word & ~WORD | RX_ERROR | VALID
        return word

    alter.lost = 0
    return alter


def test_lost_cont_in_idle_is_no_obstacle(bench):
    """SYNC SYNC CONT junk, where CONT has a code error: the junk looks like data for ever.

    The host may send X_RDY in idle whatever it receives, except for X_RDY (Serial ATA 3.x, link
    layer, L1:L_IDLE).
    """
    b = bench(connect(port=Altered), **SMALL)
    b.port.alter = lost_cont_of_sync()
    for _ in range(3):
        works(b)
    assert b.port.alter.lost > 6


@pytest.mark.sample(3)
@pytest.mark.parametrize("clocks", [1, 2, 3, 10, 100])
@pytest.mark.parametrize("operation", ["record", "play"])
def test_burst_of_errors_in_a_transfer(bench, seed, operation, clocks):
    """It ends with success or an error code, never in silence, and all is well afterwards."""
    rng = random.Random(seed)
    b = bench(**SMALL, seed=seed)
    data = content(seed, 40)
    b.image.write(0, data)
    results = []
    for _ in range(12):
        start = rng.randint(50, 4500)
        b.engine.source(data)
        b.engine.sink(5120)
        b.start(1 if operation == "record" else 0, 0, 40)
        b.run(start)
        b.port.inject_rx_error(clocks)
        b.run(1)
        b.wait(Event.DONE)
        error = b.outputs()["error"]
        results.append(error)
        if error == 0 and operation == "play":
            assert b.engine.received() == data
        elif error == 0:
            assert b.image.read_sectors(0, 40) == data
        works(b, seed=seed, clean=False)
    # In a recording R_IP and the junk after its CONT may be damaged at will.
    assert any(results) or operation == "record", "no error had an effect"
