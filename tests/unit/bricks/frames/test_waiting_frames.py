"""How many packets have not left as a whole, at most, when the recorder takes no word any more: docs/vita49.md."""

import pytest
from unit.bench import Bench

from sata_recorder.bricks.frames.framer import VrlFramer
from sata_recorder.facts.units import SECTOR_WORDS

FRAMER = Bench(VrlFramer(packets=True))


@pytest.mark.parametrize("left", range(1, 4))
def test_sixteen_packets_wait(left):
    """All but the last words of the first one have left; then as many come as there is room for."""
    async def script(bench):
        bench.set(begin=1, packet_begin=1, packet_end=1)
        await bench.tick()
        bench.set(begin=0, i__valid=1)
        while not bench.get("i__ready"):
            await bench.tick()
        await bench.tick()
        bench.set(i__valid=0, o__ready=1)
        words = 0
        while words < SECTOR_WORDS - left:
            words += bench.get("o__valid")
            await bench.tick()
        bench.set(o__ready=0)
        await bench.tick(20)
        bench.set(i__valid=1)
        await bench.tick(40)
        assert not bench.get("i__ready")
        return bench.get("offered") - bench.get("kept")
    assert 1 < FRAMER.run(script) <= 16
