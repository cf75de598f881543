"""Write amplification of random writes, held against the closed law."""

import math
import random

import pytest

from sata_drive_model.flash import Rules, Translation, closed_law
from sata_drive_model.flash.amplification import lambert_w

#: Blocks that hold no data in the steady state: two stay free, and the two open ones are half full on average.
_IDLE = 3


@pytest.mark.parametrize("value", [0, -0.01, -0.2, -0.3678, -math.exp(-1)])
def test_lambert_w_is_the_inverse(value):
    found = lambert_w(value)
    assert -1 <= found <= 0
    assert found * math.exp(found) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("value", [0.1, -0.37])
def test_lambert_w_refuses(value):
    with pytest.raises(ValueError, match=f"lambert_w: {value}"):
        lambert_w(value)


def test_published_example():
    """arXiv 1110.4245: 30 % more flash than user data give 2.36."""
    assert closed_law(1.3) == pytest.approx(2.36, abs=0.005)


def test_law_refuses_a_drive_without_spare():
    with pytest.raises(ValueError, match="closed_law: 1"):
        closed_law(1)


def amplification(spare, victim, *, chunks=384, slots=256, seed=1, **rules):
    """Of random writes in the steady state, with ``spare`` flash beyond the user's that takes part; and the drive."""
    drive = Translation(Rules(blocks=round(chunks * (1 + spare)) + _IDLE, slots=slots, chunks=chunks, victim=victim,
                              seed=seed, **rules))
    units, draw = drive.rules.units, random.Random(seed).random
    drive.write_run(0, units)
    # A drive forgets how it was filled within a few times its spare flash, the slower the more it has.
    drive.write_all(int(draw() * units) for _ in range(int(units * (1 + 2 * spare))))
    before = drive.work.copy()
    drive.write_all(int(draw() * units) for _ in range(units // 2))
    return (drive.work - before).amplification, drive


@pytest.mark.wide
@pytest.mark.sample(3)
@pytest.mark.parametrize("spare, slots", [(0.074, 1024), (0.12, 512), (0.3, 256), (0.6, 256)])
def test_greedy_is_close_to_the_law(spare, slots):
    """The law is that of large blocks, and the less spare a drive has, the larger those must be."""
    found, drive = amplification(spare, "greedy", slots=slots)
    effective = (drive.rules.blocks - _IDLE) / drive.rules.chunks
    assert found == pytest.approx(closed_law(effective), rel=0.03)


def test_small_blocks_are_better_than_the_law():
    found, drive = amplification(0.074, "greedy", slots=64)
    assert 0.86 < found / closed_law((drive.rules.blocks - _IDLE) / drive.rules.chunks) < 0.92


@pytest.mark.parametrize("victim, most", [("fifo", 1.06), ("best of ten", 1.05)])
def test_other_rules_are_a_little_worse(victim, most):
    greedy, _ = amplification(0.3, "greedy")
    found, _ = amplification(0.3, victim)
    assert 1 < found / greedy < most


def test_sequential_writes_are_not_amplified():
    drive = Translation(Rules(blocks=40, slots=64, chunks=32))
    for _ in range(5):
        drive.write_run(0, drive.rules.units)
    assert drive.work.amplification == 1
    assert drive.work.erases == pytest.approx(4 * 32, abs=8)
