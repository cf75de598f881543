"""Drives of random profiles are qualified over the console: their figures come back within 2 %.

The qualifier sees nothing but the console.
"""

import random

import pytest

from sata_recorder.pc.console.client import Client
from sata_recorder.pc.console.simulated import SimulatedBoard
from sata_recorder.board.qualification import profile_of, profile_text, qualify

_PROFILE = """
model = "RANDOM {seed}"
description = "of a test"
capacity_sectors = {capacity}
generation = 2
source = "made up"
[write]
command_us = {write_command:.2f}
completion_us = {completion:.2f}
access_us = {write_access:.2f}
buffer_bytes = {buffer}
flush_us = {flush:.1f}
"""
_CACHED = """mb_per_s = {slow:.3f}
[write.cache]
bytes = {cache}
mb_per_s = {fast:.3f}
"""
_ZONED = """zones = [[0.0, {outer:.3f}], [0.5, {middle:.3f}], [1.0, {inner:.3f}]]
flush_resets_stalls = {resets}
[[write.stalls]]
every_bytes = {every}
first_bytes = {first}
ms = {ms:.4f}
"""
_READ = """
[read]
command_us = {read_command:.2f}
access_us = {access:.2f}
"""


def drawn(seed, rng):
    """Figures of any drive."""
    return {"seed": seed, "capacity": rng.randrange(1_000_000, 2_000_000),
            "buffer": rng.randrange(60_000, 150_000), "write_command": rng.uniform(20, 90),
            "completion": rng.uniform(10, 40), "write_access": rng.uniform(100, 900),
            "flush": rng.uniform(500, 4000), "read": rng.uniform(90, 200),
            "read_command": rng.uniform(30, 120), "access": rng.uniform(50, 300)}


def qualified(path, text, true, **options):
    """The profile that the qualifier makes of the drive of such a profile, and what it found."""
    path.write_text(text.format(**true))
    board = SimulatedBoard(drive=path, in_step=True)
    try:
        with Client(board.start(), timeout=600) as client:
            client.connect()
            found = qualify(client, simulated=True, **options)
    finally:
        board.close()
    made = profile_of(profile_text(found, "found", "a test"), "found")
    assert made.capacity_sectors == true["capacity"] and made.model == f"RANDOM {true['seed']}"
    assert made.write.stall_shows == made.read.stall_shows == "hold"
    near = Near(true)
    near(made.write.command_us, "write_command")
    near(made.write.access_us, "write_access")
    near(made.write.completion_us, "completion")
    near(made.write.flush_us, "flush")
    near(made.read.command_us, "read_command")
    near(made.read.access_us, "access")
    # The RAM is told from where a line would begin, to a few Data FISes.
    assert abs(made.write.buffer_bytes - true["buffer"]) < 3 * 8192
    return made, found, near


class Near:
    def __init__(self, true):
        self._true = true

    def __call__(self, value, name):
        assert value == pytest.approx(self._true[name], rel=0.02), name


@pytest.mark.long
@pytest.mark.parametrize("seed", [3317544158, 850051402])
def test_cache(tmp_path, seed):
    """A RAM that is full long before the cache is, at nearly the rate of the link; and one that is full before the
    drive has reached its first sector, which is no standstill."""
    cached(tmp_path, seed)


@pytest.mark.long
def test_any_cache(tmp_path, seed):
    cached(tmp_path, seed)


def cached(tmp_path, seed):
    """A drive with a cache, qualified."""
    rng = random.Random(seed)
    true = drawn(seed, rng) | {"fast": rng.uniform(110, 200),
                               "cache": rng.randrange(2_000_000, 3_500_000)}
    true["slow"] = true["fast"] * rng.uniform(0.35, 0.6)
    made, _, near = qualified(tmp_path / "random.toml",
                              _PROFILE + _CACHED + _READ + "mb_per_s = {read:.3f}\n", true,
                              sectors=round(2 * true["cache"] / 512))
    near(made.write.mb_per_s, "slow")
    near(made.write.cache.mb_per_s, "fast")
    near(made.write.cache.bytes, "cache")
    near(made.read.mb_per_s, "read")
    assert made.write.stalls == () and made.write.zones is None and made.read.zones is None


@pytest.mark.long
def test_zones_and_standstills(tmp_path, seed):
    rng = random.Random(seed)
    # The RAM may be full only after the first standstill.
    true = drawn(seed, rng) | {
        "outer": rng.uniform(120, 230), "every": rng.randrange(3 << 20, 5 << 20),
        "ms": rng.uniform(3, 20), "resets": rng.choice(["true", "false"]),
        "buffer": rng.randrange(60_000, 500_000)}
    true["middle"] = true["outer"] * rng.uniform(0.8, 1)
    true["inner"] = true["outer"] * rng.uniform(0.4, 0.7)
    true["first"] = round(true["every"] * rng.uniform(0.4, 0.8))
    # After the last one so much that the place of the next one tells what a flush does to it.
    written = true["first"] + 3.75 * true["every"]
    made, found, near = qualified(
        tmp_path / "random.toml", _PROFILE + _ZONED + _READ
        + "zones = [[0.0, {outer:.3f}], [0.5, {middle:.3f}], [1.0, {inner:.3f}]]\n", true,
        sectors=round(written / 512), places=5)
    (stall,) = made.write.stalls
    near(stall.every_bytes, "every")
    near(stall.first_bytes, "first")
    near(stall.ms, "ms")
    assert 3 <= len(found.stalls) <= 4
    assert made.write.flush_resets_stalls == (true["resets"] == "true")
    for side in made.write, made.read:
        for place, rate in side.zones[1:-1]:
            knots = [(0.0, true["outer"]), (0.5, true["middle"]), (1.0, true["inner"])]
            (a, fast), (b, slow) = next(pair for pair in zip(knots, knots[1:])
                                        if pair[0][0] <= place <= pair[1][0])
            assert rate == pytest.approx(fast + (slow - fast) * (place - a) / (b - a), rel=0.02)
