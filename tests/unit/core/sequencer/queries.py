"""A query between two commands of a recording, and what it can see."""

from sata_recorder.core.command import CommandResult

__all__ = ["begin", "due_after", "due_after_while", "query", "request"]


async def begin(bench, **gap):
    """A recording begins on a drive that can be queried."""
    bench.set(**{f"gap__{name}": value for name, value in ({"records": 1, "logs": 1} | gap).items()})
    await bench.pulse(gap__begin=1, gap__begins_recording=1)


async def query(bench, result=CommandResult.SUCCESS, *, words=(), resets=0, **final):
    """From its begin to its end."""
    await bench.pulse(issue=1)
    bench.set(runs=1)
    await bench.tick(2)
    assert not bench.get("due")
    for word in words:
        await bench.pulse(read__valid=1, read__payload=word)
        await bench.tick()
    await bench.pulse(done=1, result=result, resets=resets, **final)
    bench.set(runs=0)
    await bench.tick(2)


async def due_after(bench, most=9):
    """Write commands after which it is due; None if it does not come."""
    for number in range(most):
        await bench.tick(2)
        if bench.get("due"):
            return number
        await bench.pulse(gap__writing=1, gap__written=1)
    return None


async def due_after_while(bench, answer, **gap):
    """As :func:`due_after`, once this holds no more, after a query that had the ``answer``: it is not due while it
    holds."""
    await begin(bench, **gap)
    assert await due_after(bench) is None
    await begin(bench)
    await answer()
    bench.set(**{f"gap__{name}": value for name, value in gap.items()})
    assert await due_after(bench) is None
    bench.set(gap__records=1, gap__logs=1)
    return await due_after(bench)


def request(bench):
    """Its registers, its protocol and how many words it moves."""
    registers = [bench.get(f"request__command__registers__{name}")
                 for name in ("command", "features", "lba", "count")]
    return *registers, bench.get("request__command__protocol"), bench.get("request__command__words")
