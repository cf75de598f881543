"""The journal: entries in order, room for how the operation ends, nothing of the one before."""

from sata_recorder.core.drive_port import Error, JournalKind
from sata_recorder.core.recorder import ENTRIES, Journal
from unit.bench import Bench
from unit.core.recorder.journal import read_journal

BENCH = Bench(Journal())


async def give(bench, stream, **payload):
    """Offers an entry until it is taken; the clocks that it took."""
    names = {f"{stream}__payload__{name}": value for name, value in payload.items()}
    bench.set(**{f"{stream}__valid": 1}, **names)
    for clock in range(50):
        taken = bench.get(f"{stream}__ready")
        await bench.tick()
        if taken:
            bench.set(**{f"{stream}__valid": 0}, **dict.fromkeys(names, 0xBAD & 7))
            return clock + 1
    raise AssertionError("not taken")


async def mark(bench, n, kind=JournalKind.SKIPPED):
    await give(bench, "entry", kind=kind, cause=Error.DATA_CRC, position=2**48 - 1 - n, length=n)
    return kind | Error.DATA_CRC << 4, 2**48 - 1 - n, n, 0


async def gap(bench, n):
    await give(bench, "gap", position=n, length=2**48 - 1 - n, clocks=3 * n)
    return JournalKind.GAP, n, 2**48 - 1 - n, 3 * n


def test_entries():
    async def script(bench):
        await bench.pulse(begin=1)
        assert await give(bench, "gap", position=1, length=2, clocks=3) <= 38
        expected = [(1, 1, 2, 3)]
        for n in range(1, 6):
            expected += [await mark(bench, n), await gap(bench, n)]
        await bench.tick(2)
        assert bench.get("user__count") == len(expected)
        assert await read_journal(bench, "user__") == expected
    BENCH.run(script)


def test_an_operation_begins_with_none():
    async def script(bench):
        await bench.pulse(begin=1)
        for n in range(ENTRIES):
            await mark(bench, n)
        await bench.pulse(begin=1)
        assert bench.get("user__count") == 0
        await bench.tick(40)
        assert await read_journal(bench, "user__") == []
        entry = await gap(bench, 7)
        await bench.tick(2)
        assert bench.get("user__count") == 1
        assert await read_journal(bench, "user__") == [entry]
    BENCH.run(script)


def test_both_at_once():
    async def script(bench):
        await bench.pulse(begin=1)
        bench.set(entry__valid=1, entry__payload__kind=JournalKind.SKIPPED,
                  entry__payload__position=5)
        entry = await gap(bench, 7)
        for _ in range(20):
            taken = bench.get("entry__ready")
            await bench.tick()
            if taken:
                break
        bench.set(entry__valid=0)
        assert await read_journal(bench, "user__") == [entry, (JournalKind.SKIPPED, 5, 0, 0)]
    BENCH.run(script)


def test_room():
    """Gaps leave room for marks, skipped sectors for the marks of the end."""
    async def script(bench):
        await bench.pulse(begin=1)
        expected = []
        for n in range(ENTRIES - 3):
            assert bench.get("room")
            expected.append(await gap(bench, n))
            await bench.tick(2)
            assert bench.get("user__count") == n + 1
        for n in range(3):
            await gap(bench, 100 + n)
        await bench.tick(2)
        assert bench.get("user__count") == ENTRIES + 1 and bench.get("room")
        expected.append(await mark(bench, 1))
        await bench.tick(2)
        assert not bench.get("room")
        await gap(bench, 200)
        expected += [await mark(bench, 2, JournalKind.IN_DOUBT),
                     await mark(bench, 3, JournalKind.UNFLUSHED)]
        await mark(bench, 4)
        await bench.tick(2)
        assert await read_journal(bench, "user__") == expected and len(expected) == ENTRIES
        assert bench.get("user__count") == ENTRIES + 1
    BENCH.run(script)


def test_reading_while_an_entry_comes():
    """Other fields are read as they are, all the time."""
    async def script(bench):
        await bench.pulse(begin=1)
        _, position, *_ = await mark(bench, 1)
        bench.set(user__address=1)
        await bench.tick(2)
        seen = []
        bench.set(entry__valid=1, entry__payload__kind=JournalKind.SKIPPED, entry__payload__position=77)
        for _ in range(12):
            seen.append(bench.get("user__data"))
            await bench.tick()
        assert seen == [position] * 12 and bench.get("user__count") > 1
    BENCH.run(script)
