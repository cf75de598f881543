"""The skid register: nothing is lost or moved, at any rhythm of both sides."""

from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core.skid import Skid
from unit.bench import Bench

BENCH = Bench(Skid(32))


async def transfer(bench, words, offers, takes):
    """``words`` through the register; ``offers`` and ``takes`` tell when, over and over.

    A word that was offered is offered until it is taken. Returns the words that came out, and the
    clocks that it took.
    """
    out, position, offering, before, clock = [], 0, False, None, 0
    while len(out) < len(words) and clock < 1000:
        offering = position < len(words) and (offering or offers[clock % len(offers)])
        ready = takes[clock % len(takes)]
        bench.set(i__valid=offering, i__payload=words[position] if offering else 0xBAD,
                  o__ready=ready)
        valid, payload = bench.get("o__valid"), bench.get("o__payload")
        if before is not None:
            assert valid and payload == before, "what was offered has changed"
        before = payload if valid and not ready else None
        if valid and ready:
            out.append(payload)
        if offering and bench.get("i__ready"):
            position, offering = position + 1, False
        await bench.tick()
        clock += 1
    return out, clock


RHYTHM = st.lists(st.booleans(), min_size=1, max_size=12).filter(any)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=30), RHYTHM, RHYTHM)
def test_every_word_in_order(words, offers, takes):
    out, _ = BENCH.run(transfer, words, offers, takes)
    assert out == words


def test_full_rate_and_latency():
    """Word n is out in clock n + 1."""
    assert BENCH.run(transfer, [*range(50)], [True], [True]) == ([*range(50)], 51)


def test_full_rate_after_a_stall():
    """The place that filled up in the stall does not cost a clock afterwards."""
    rows = [{"i__valid": 1, "i__payload": n, "o__ready": n > 5} for n in range(20)]
    seen = BENCH.trace(rows, ["i__ready", "o__valid", "o__payload"])
    assert all(clock["o__valid"] for clock in seen[1:])
    assert sum(clock["i__ready"] for clock in seen[:6]) == 2
    assert sum(clock["i__ready"] for clock in seen[7:]) == 13


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=10))
def test_no_path_through(history):
    """In a clock, neither side can tell what the other one does in it."""
    async def script(bench):
        for valid, ready in history:
            bench.set(i__valid=valid, o__ready=ready)
            await bench.tick()
        seen = set()
        for valid, ready, payload in [(0, 0, 0), (1, 0, 5), (0, 1, 6), (1, 1, 7)]:
            bench.set(i__valid=valid, o__ready=ready, i__payload=payload)
            seen.add(tuple(bench.get(name) for name in ("i__ready", "o__valid", "o__payload")))
        return seen
    assert len(BENCH.run(script)) == 1
