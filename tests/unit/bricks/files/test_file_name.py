"""Names from the slot, or the day and the slot, and their hashes, against Python."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from unit.bench import Bench

from sata_recorder.bricks.files.file_name import FileName
from sata_recorder.pc.volume import Timestamp
from sata_recorder.pc.volume.entries_of_slot import MOST_NAME, data_name
from sata_recorder.pc.volume.exfat import name_hash

BENCH = Bench(FileName())


async def make(bench, time, number, dated=1):
    bench.set(time__seconds=Timestamp.of(time).seconds, number=number, is_dated=dated)
    await bench.pulse(start=1)
    clocks = 1
    while not bench.get("done"):
        await bench.tick()
        clocks += 1
    assert clocks <= 170
    await bench.tick()
    found = ""
    for _ in range(MOST_NAME // 2):
        await bench.pulse(next=1)
        await bench.tick(4)
        found += bench.get("characters").to_bytes(4, "little").decode("utf-16-le")
    length = bench.get("length")
    assert found[length - 1:] == "\0" * (MOST_NAME - length)
    return "R" + found[:length - 1], bench.get("hash")


@given(time=st.datetimes(datetime(1980, 1, 1), datetime(2107, 12, 31)), number=st.integers(1, 4096))
def test_names(time, number):
    name = f"R{time:%y%m%d}{number:04}.dat"
    assert BENCH.run(make, time.replace(tzinfo=UTC), number) == (name, name_hash(name))


@given(time=st.datetimes(datetime(1980, 1, 1), datetime(2107, 12, 31)), number=st.integers(1, 4096))
def test_names_of_slots(time, number):
    name = data_name(number)
    assert BENCH.run(make, time.replace(tzinfo=UTC), number, 0) == (name, name_hash(name))


def test_longest():
    """Many nines take the most clocks."""
    for time in (datetime(1999, 9, 29), datetime(2099, 9, 29)):
        assert BENCH.run(make, time, 3999)[0] == "R9909293999.dat"
