"""What a recording leaves over of its slot, against division."""

from hypothesis import given
from hypothesis import strategies as st
from unit.bench import Bench

from sata_recorder.bricks.files.cluster_split import ClusterSplit

BENCH = Bench(ClusterSplit())


async def split(bench, size, shift, first, clusters):
    async def run(replaces):
        slot = {"sectors": clusters << shift, "cluster_shift": shift, "replaces": replaces}
        await bench.pulse(start=1, **slot)
        bench.set(**slot)
        clocks = 1
        while not bench.get("done"):
            await bench.tick()
            clocks += 1
        assert clocks == 65
        return bench.get("beyond")

    def kept():
        return bench.get("size"), bench.get("cluster")

    await bench.pulse(load=1, bytes=size, first_cluster=first)
    await bench.tick()
    beyond = await run(0)
    assert kept() == (size, first)
    await run(1)
    left = kept()
    assert bench.get("some") == (left[0] != 0) or beyond
    await bench.tick(5)
    assert kept() == left
    return *left, beyond


@given(shift=st.integers(0, 16), first=st.integers(2, 1 << 20), data=st.data())
def test_split(shift, first, data):
    cluster = 512 << shift
    clusters = data.draw(st.integers(1, (1 << 47) // cluster if shift > 7 else 1 << 24))
    size = data.draw(st.integers(1, clusters * cluster) | st.sampled_from(
        [1, cluster, clusters * cluster, max(1, clusters * cluster - 1)]))
    used = -(-size // cluster)
    assert BENCH.run(split, size, shift, first, clusters) == ((clusters - used) * cluster, first + used, 0)


def test_too_many_bytes():
    for size, beyond in ((4096 * 10, 0), (4096 * 10 + 1, 1), (1 << 47, 1)):
        assert BENCH.run(split, size, 3, 5, 10)[2] == beyond
