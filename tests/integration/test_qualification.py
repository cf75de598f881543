"""A drive of a random profile is qualified over the console: its figures come back within 2 %.

The qualifier sees nothing but the console.
"""

import random

import pytest

from sata_recorder.console.client import Client
from sata_recorder.console.simulated import SimulatedBoard
from sata_recorder.qualification import profile_of, profile_text, qualify

_PROFILE = """
model = "RANDOM {seed}"
description = "of a test"
capacity_sectors = {capacity}
generation = 2
source = "made up"
[write]
mb_per_s = {slow:.3f}
command_us = {write_command:.2f}
completion_us = {completion:.2f}
buffer_bytes = {buffer}
flush_us = {flush:.1f}
[write.cache]
bytes = {cache}
mb_per_s = {fast:.3f}
[read]
mb_per_s = {read:.3f}
command_us = {read_command:.2f}
access_us = {access:.2f}
"""


def test_random_profile(tmp_path, seed):
    rng = random.Random(seed)
    true = {"seed": seed, "capacity": rng.randrange(200_000, 2_000_000),
            "fast": rng.uniform(110, 200), "cache": rng.randrange(2_000_000, 3_500_000),
            "buffer": rng.randrange(60_000, 150_000), "write_command": rng.uniform(20, 90),
            "completion": rng.uniform(10, 40), "flush": rng.uniform(500, 4000),
            "read": rng.uniform(90, 200), "read_command": rng.uniform(30, 120),
            "access": rng.uniform(50, 300)}
    true["slow"] = true["fast"] * rng.uniform(0.35, 0.6)
    path = tmp_path / "random.toml"
    path.write_text(_PROFILE.format(**true))
    board = SimulatedBoard(drive=path)
    try:
        with Client(board.start(), timeout=600) as client:
            client.connect()
            found = qualify(client, sectors=round(3 * true["cache"] / 512), simulated=True)
    finally:
        board.close()
    made = profile_of(profile_text(found, "found", "a test"), "found")

    def near(value, name, rel=0.02):
        assert value == pytest.approx(true[name], rel=rel), name
    near(made.write.mb_per_s, "slow")
    near(made.write.cache.mb_per_s, "fast")
    near(made.write.cache.bytes, "cache")
    # The RAM is told from where a line would begin, to a few Data FISes.
    assert abs(made.write.buffer_bytes - true["buffer"]) < 3 * 8192
    near(made.write.command_us, "write_command")
    near(made.write.completion_us, "completion")
    near(made.write.flush_us, "flush")
    near(made.read.mb_per_s, "read")
    near(made.read.command_us, "read_command")
    near(made.read.access_us, "access")
    assert made.capacity_sectors == true["capacity"] and made.model == f"RANDOM {seed}"
    assert made.write.stall_shows == made.read.stall_shows == "hold"
