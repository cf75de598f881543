"""The clusters of a recording and those left over, against division."""

from hypothesis import given
from hypothesis import strategies as st
from unit.bench import Bench

from sata_recorder.bricks.files.cluster_split import ClusterSplit

BENCH = Bench(ClusterSplit())


async def split(bench, size, shift, first, clusters):
    await bench.pulse(start=1, bytes=size, cluster_shift=shift, first_cluster=first,
                      clusters=clusters)
    bench.set(bytes=size, cluster_shift=shift, first_cluster=first, clusters=clusters)
    clocks = 1
    while not bench.get("done"):
        await bench.tick()
        clocks += 1
    assert clocks == 2 * (9 + shift) + 3
    found = tuple(bench.get(name) for name in ("unused_cluster", "unused_bytes", "beyond"))
    await bench.tick(5)
    assert found == tuple(bench.get(name) for name in ("unused_cluster", "unused_bytes", "beyond"))
    return found


@given(shift=st.integers(0, 16), first=st.integers(2, 1 << 20), data=st.data())
def test_split(shift, first, data):
    cluster = 512 << shift
    clusters = data.draw(st.integers(1, (1 << 47) // cluster if shift > 7 else 1 << 24))
    size = data.draw(st.integers(1, clusters * cluster) | st.sampled_from(
        [1, cluster, clusters * cluster, max(1, clusters * cluster - 1)]))
    used = -(-size // cluster)
    assert BENCH.run(split, size, shift, first, clusters) == (
        first + used & 0xFFFFFFFF, (clusters - used) * cluster, 0)


def test_too_many_bytes():
    for size, beyond in ((4096 * 10, 0), (4096 * 10 + 1, 1), (1 << 47, 1)):
        assert BENCH.run(split, size, 3, 5, 10)[2] == beyond
