"""The flash of a hybrid disk."""

from hypothesis import given
from hypothesis import strategies as st

from sata_drive_model.disk import LearnedBlocks
from sata_drive_model.disk.parameters import ReadCache

from unit.drive_model.disk.disks import medium, ms, read, write

BLOCK, SIZE = 512, 8 * 512
POLICY = {"read_cache": {"bytes": 1 << 20, "block_bytes": 65_536, "largest_bytes": 524_288, "uses": 3, "idle_ms": 100}}
CAP = {"read_cache_us": 700, "read_cache_mb_per_s": 70}
SECOND = 75_000_000


@given(st.lists(st.tuples(st.sampled_from(["read", "write", "idle"]), st.integers(0, SIZE - 1), st.integers(1, 1500)),
                max_size=80))
def test_it_gives_what_was_written_last(orders):
    learned = LearnedBlocks(ReadCache(bytes=3 * BLOCK, block_bytes=BLOCK, largest_bytes=1024, uses=2, idle_ms=0))
    disk = [0] * SIZE
    for number, (what, start, size) in enumerate(orders, 1):
        size = min(size, SIZE - start)
        if what == "write":
            disk[start:start + size] = [number] * size
            learned.written(start, size)
        elif what == "read" and learned.read(start, size):
            assert size <= 1024
            found = []
            for block in range(start // BLOCK, (start + size - 1) // BLOCK + 1):
                found += learned.content(block)
            assert found[start % BLOCK:start % BLOCK + size] == disk[start:start + size]
        elif what == "idle" and learned.due:
            block = next(iter(learned.due))
            learned.copied(block, disk[block * BLOCK:(block + 1) * BLOCK])


def reads(one, times, lba=9000, sectors=8, pause=SECOND):
    """Milliseconds of each of the reads, with pauses, and something else between them."""
    now, found = SECOND, []
    for _ in range(times):
        end = read(one, now, lba, sectors)
        found.append(ms(end - now))
        now = read(one, end, 100_000, 1) + pause
    return found


def test_it_learns_while_it_is_idle():
    found = reads(medium(policy=POLICY, cap=CAP), 5)
    assert min(found[:3]) > 2           # a seek and a part of a turn
    assert found[3] < 1 and found[4] < 1


def test_it_learns_nothing_without_a_pause():
    assert min(reads(medium(policy=POLICY, cap=CAP), 6, pause=75_000)) > 1


def test_long_reads_come_from_the_platters():
    short, long = (reads(medium(policy=POLICY, cap=CAP), 5, sectors=sectors)[-1] for sectors in (1024, 1025))
    assert abs(short - 0.7 - 524_288 / 70e3) < 0.5
    assert long > short


def test_what_was_written_is_learned_again():
    one = medium(policy=POLICY, cap=CAP)
    assert reads(one, 4)[-1] < 1
    one.power_on()
    now = write(one, 0, 9000, 8)
    assert ms(read(one, now + SECOND, 9000, 8) - now - SECOND) > 1
