"""The payload that is still to be moved."""

from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core.command.payload_counter import PayloadCounter
from unit.bench import Bench

BENCH = Bench(PayloadCounter())
COUNTS = ["remaining", "complete", "block_open", "broken"]

EVENTS = st.sampled_from(["sent", "received", "received", "begin", "begin_block", "forgive", "-"])


@given(st.booleans(), st.lists(st.tuples(EVENTS, st.integers(0, 4)), max_size=40))
def test_counts(pio, events):
    """One event a clock; beside ``begin`` and ``begin_block`` the number means nothing."""
    remaining = block = broken = 0
    complete = 0        # after reset no command has been begun
    rows, expected = [], []
    for event, number in [*events, ("-", 0)]:
        rows.append({"pio": pio, event: 1, "words": number, "block_words": number}
                    if event != "-" else {"pio": pio})
        expected.append({"remaining": remaining, "complete": complete, "block_open": block != 0,
                         "broken": broken})
        if event == "received" and (complete or pio and block == 0):
            broken = 1
        if event in ("sent", "received"):
            block -= block > 0
            if not complete:
                complete = int(remaining == 1)
                remaining = (remaining - 1) % (1 << 24)
        elif event == "begin":
            remaining, complete, broken = number, int(number == 0), 0
        elif event == "begin_block":
            block = number
        elif event == "forgive":
            broken = 0
    assert BENCH.trace(rows, COUNTS) == expected
