"""Which line rate is tried, and when the next COMRESET may come."""

import pytest

from sata_recorder.core.phy.comreset_interval import ComresetInterval
from sata_recorder.core.phy.line_rate import LineRate
from unit.bench import Bench


def rates(lowest, highest, *rows):
    """The generation of each clock, after the first one."""
    bench = Bench(LineRate(lowest, highest), clocked=lowest != highest)
    return [clock["generation"] for clock in bench.trace([*rows, {}], ["generation"])][1:]


LOWER, RESTART = {"next_lower": 1}, {"restart": 1}


@pytest.mark.parametrize("lowest, highest, found", [
    (1, 3, [2, 1, 3, 2]), (1, 2, [1, 2, 1, 2]), (2, 3, [2, 3, 2, 3])])
def test_highest_first_then_down_and_around(lowest, highest, found):
    assert rates(lowest, highest, *[LOWER] * 4) == found


@pytest.mark.parametrize("limit, found", [(0, 3), (1, 1), (2, 2), (3, 3)])
def test_limit(limit, found):
    """It counts when the highest rate is chosen: after the lowest one, and with ``restart``."""
    assert rates(1, 3, {"limit": limit}, RESTART | {"limit": limit})[-1] == found
    assert rates(1, 3, LOWER, LOWER, LOWER | {"limit": limit}) == [2, 1, found]
    assert rates(1, 3, RESTART | LOWER | {"limit": limit}) == [found]


@pytest.mark.parametrize("limit, found", [(1, 2), (2, 2), (3, 3)])
def test_the_lowest_may_always_be_tried(limit, found):
    assert rates(2, 3, RESTART | {"limit": limit}) == [found]


@pytest.mark.parametrize("generations", [(0, 1), (2, 1), (1, 4)])
def test_no_such_generations(generations):
    with pytest.raises(ValueError, match="lowest and highest"):
        LineRate(*generations)


def waits(*events, clocks=5, longest=4):
    """How many clocks each COMRESET waits for the next. An event follows the begin of each."""
    async def script(bench):
        found = []
        for event in events:
            assert bench.get("over")
            await bench.pulse(begin=1)
            count = 1
            if event:
                await bench.pulse(**{event: 1})
                count += 1
            while not bench.get("over"):
                await bench.tick()
                count += 1
            found.append(count)
        return found
    return Bench(ComresetInterval(clocks, longest)).run(script)


def test_the_interval_doubles_up_to_the_longest():
    assert waits(*[None] * 5) == [6, 11, 21, 21, 21]


def test_a_link_makes_the_next_interval_the_shortest():
    assert waits(None, None, "succeeded", None, None) == [6, 11, 21, 6, 11]


def test_restart_ends_the_interval_at_once():
    assert waits(None, None, "restart", None, None) == [6, 11, 2, 6, 11]
