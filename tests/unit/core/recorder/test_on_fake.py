"""A recorder above a fake drive: what was recorded is played back, without SATA."""

import pytest

from contracts.fake_drive import FakeDrive
from sata_recorder.core.drive_port import Operation
from sata_recorder.facts.units import SECTOR_WORDS
from unit.core.recorder.on_fake import compiled


@pytest.mark.parametrize("depth", [256, 4096])
def test_recorder_on_a_fake(depth):
    """What was recorded is played back, while the source and the user stall."""
    sectors = 10
    words = [0x9E3779B9 * n & 0xFFFFFFFF for n in range(1, SECTOR_WORDS * sectors + 1)]

    async def operation(bench, which):
        await bench.pulse(control__start=1, control__operation=which, control__lba=3,
                          control__sectors=sectors)
        given, came, lasts = 0, [], []
        for clock in range(20_000):
            if bench.get("ready") and clock > 10:
                return given, came, lasts
            bench.set(i__valid=clock % 5 != 0 and given < len(words),
                      i__payload=words[min(given, len(words) - 1)],
                      o__ready=clock // 300 % 2)
            given += bench.get("i__valid") & bench.get("i__ready")
            if bench.get("o__valid") and bench.get("o__ready"):
                came.append(bench.get("o__payload"))
                lasts.append(bench.get("last"))
            await bench.tick()
        raise AssertionError("the operation does not end")

    async def script(bench):
        assert await operation(bench, Operation.RECORD) == (len(words), [], [])
        given, came, lasts = await operation(bench, Operation.PLAY)
        assert (given, came) == (0, words)
        assert lasts == [0] * (len(words) - 1) + [1]

    compiled(FakeDrive(), depth=depth).run(script)
