"""Names from the day and the slot, and their hashes, against Python."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from unit.bench import Bench

from sata_recorder.files.file_name import NAME_CHARACTERS, FileName
from sata_recorder.recordings import Timestamp
from sata_recorder.recordings.exfat import name_hash

BENCH = Bench(FileName())


async def make(bench, time, number):
    bench.set(time__seconds=Timestamp.of(time).seconds, number=number)
    await bench.pulse(start=1)
    clocks = 1
    while not bench.get("done"):
        await bench.tick()
        clocks += 1
    assert clocks <= 170
    await bench.tick()
    found = ""
    for pair in range(NAME_CHARACTERS // 2):
        bench.set(pair=pair)
        await bench.tick()
        found += bench.get("characters").to_bytes(4, "little").decode("utf-16-le")
    return "R" + found, bench.get("hash")


@given(time=st.datetimes(datetime(1980, 1, 1), datetime(2107, 12, 31)), number=st.integers(1, 4096))
def test_names(time, number):
    name = f"R{time:%y%m%d}{number:04}.dat"
    assert BENCH.run(make, time.replace(tzinfo=UTC), number) == (name, name_hash(name))


def test_longest():
    """Many nines take the most clocks."""
    for time in (datetime(1999, 9, 29), datetime(2099, 9, 29)):
        assert BENCH.run(make, time, 3999)[0] == "R9909293999.dat"
