"""A FIFO before beats of their own: the planned depth is never too small, and not much too large."""

import random

import pytest
from short import short

from sata_recorder.lab.measurement import needed_fifo
from sata_recorder.lab.plan import Requirement, fifo_words
from sata_recorder.lab.plan.check import Check, job_of, near_words
from sata_recorder.simulation import Profile

pytestmark = pytest.mark.wide


def question(seed):
    """(requirement, profile): a drive whose commands, stalls and first access stop it, and a source that is little
    faster than the rate, or as fast."""
    rng = random.Random(seed)
    rate, width = 1e6 * rng.randint(40, 140), rng.choice((16, 64))
    write = {"mb_per_s": rng.choice((rate / 1e6 * 1.02, rate / 1e6 * 1.3, 250.0)),
             "buffer_bytes": rng.choice((1 << 15, 1 << 16, 1 << 18, 1 << 20)),
             "stall_shows": rng.choice(("hold", "hold", "activate"))}
    if rng.random() < 0.7:
        every = rng.choice((1 << 18, 1 << 19, 1 << 20))
        write["stalls"] = [{"ms": rng.uniform(0.05, 0.35) * every / rate * 1e3, "every_bytes": every, "when": "always"}]
    for name, share, times in (("command_us", 0.4, (30, 100, 400)), ("jitter_us", 0.3, (50, 300)),
                               ("completion_us", 0.3, (50, 200)), ("access_us", 0.3, (500, 3000))):
        if rng.random() < share:
            write[name] = rng.choice(times)
    profile = Profile.from_data({
        "name": "a", "model": "A", "description": "a", "generation": 2, "capacity_sectors": 1 << 31, "source": "a test",
        "write": write})
    hz = rate * rng.choice((1.0, 1.001, 1.004, 1.01, 1.05, 1.3)) / (width // 8)
    return Requirement(rate, size=rng.choice((3, 6, 10)) << 20, width=width, source_hz=hz), profile


#: The first of them was too small by 1,532 words once; the second by one, of a beat of two.
FEW = [(1,), (2,)]


@pytest.mark.parametrize("seed", short([(seed,) for seed in range(40)], FEW))
def test_never_too_small(seed):
    requirement, profile = question(seed)
    found = Check(requirement.bytes, fifo_words(requirement, profile), needed_fifo(job_of(requirement, profile)),
                  near_words(requirement, profile))
    assert found.agrees, found


def test_the_gap_before_the_first_command():
    """All that comes in it waits before the beats, which go on only until the buffer is full."""
    profile = Profile.from_data({
        "name": "a", "model": "A", "description": "a", "generation": 2, "capacity_sectors": 1 << 31, "source": "a test",
        "write": {"mb_per_s": 93.6, "buffer_bytes": 32768, "command_us": 400, "completion_us": 50, "access_us": 3000}})
    requirement = Requirement(72e6, size=3 << 20, width=16, source_hz=36.36e6)
    planned, simulated = fifo_words(requirement, profile), needed_fifo(job_of(requirement, profile))
    assert 0 <= planned - simulated < 4096


@pytest.mark.quick
def test_a_fifo_has_whole_beats():
    requirement = Requirement(50e6, size=3 << 20, width=64)
    assert fifo_words(requirement, Profile.from_data({
        "name": "a", "model": "A", "description": "a", "generation": 2, "capacity_sectors": 1 << 31, "source": "a test",
        "write": {"mb_per_s": 250.0}})) == 2
