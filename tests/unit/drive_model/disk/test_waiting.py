"""What waits in the RAM of a disk."""

from hypothesis import given
from hypothesis import strategies as st

from sata_drive_model.disk import Waiting

BYTES = 200


@given(st.lists(st.tuples(st.integers(0, BYTES - 1), st.integers(1, 30), st.booleans()), max_size=40), st.data())
def test_it_is_the_set_of_what_came_and_was_not_taken(orders, data):
    waiting, bytes_ = Waiting(), set()
    for now, (start, size, take) in enumerate(orders):
        new = set(range(start, start + size))
        assert waiting.put(start, size, now) == len(new & bytes_)
        bytes_ |= new
        if take:
            run = data.draw(st.sampled_from(list(waiting.oldest(3))))
            stop = data.draw(st.integers(run.start + 1, run.end))
            bytes_ -= set(range(run.start, stop))
            waiting.take(run, stop)
        runs = list(waiting)
        assert {byte for run in runs for byte in range(run.start, run.end)} == bytes_
        assert waiting.size == len(bytes_)
        assert all(a.end < b.start for a, b in zip(runs, runs[1:]))
        assert set(waiting.oldest(len(runs))) == set(runs)
        start, size = data.draw(st.tuples(st.integers(0, BYTES), st.integers(1, 30)))
        assert waiting.holds(start, size) == (set(range(start, start + size)) <= bytes_)


def test_the_oldest_comes_first():
    waiting = Waiting()
    for place in 50, 10, 90:
        waiting.put(place, 5, place)
    waiting.put(55, 5, 100)     # more of the first
    assert [run.start for run in waiting.oldest(2)] == [50, 10]
    waiting.put(15, 35, 110)    # the first two are one now
    assert [(run.start, run.end) for run in waiting.oldest(9)] == [(10, 60), (90, 95)]
