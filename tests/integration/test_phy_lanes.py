"""An array on the channels of one Quad: each has clocks, resets and a drive of its own; GTPs share their PLL, a GTX has
one of its own."""

import pytest

from integration.series7_lanes import Series7Lanes
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.facts.array import DATA_OFFSET
from sata_recorder.facts.units import SECTOR_WORDS
from short import short

# Cores with several PHYs take long to compile.
pytestmark = pytest.mark.wide
CHUNK = 32


def stripes(array):
    """The content of all drives in the order of the array."""
    return b"".join(one.image.read_sectors(DATA_OFFSET + begin, CHUNK)
                    for begin in range(0, 256, CHUNK) for one in array.lanes)


@pytest.mark.parametrize("lanes, kind", short([(2, "gtp"), (4, "gtp"), (4, "gtx")], [(2, "gtp")]))
def test_record_and_play(lanes, kind, seed):
    """All drives link at once; what is recorded is on them in stripes, and comes back."""
    array = Series7Lanes(lanes, kind=kind, seed=seed)
    array.ready()
    sectors = 4 * CHUNK * lanes
    array.sent = 0
    array.transfer(Operation.RECORD, sectors)
    array.transfer(Operation.PLAY, sectors)
    words = SECTOR_WORDS * sectors
    assert (array.received, array.wrong) == (words, 0)
    recorded = stripes(array)[:4 * words]
    assert recorded == b"".join(number.to_bytes(4, "little") for number in range(words))
    assert [one["complaints"] + one["violations"] for one in array.story()] == [[]] * lanes
    assert {one.cells.pll_resets for one in array.lanes} == {1}


@pytest.mark.parametrize("lost", [0, 1])
def test_a_lane_that_starts_over_leaves_the_others(lost, seed):
    """The clock of one transmitter is lost: its drive links anew, and the PLL, which sends for the other one, stays."""
    array = Series7Lanes(2, seed=seed)
    array.ready()
    resets = array.lanes[0].cells.pll_resets
    assert array.dut.get("user__array__up") == 3
    array.lanes[lost].cells.stop_clock()
    array.run(2e-6, until=lambda: array.dut.get("user__array__up") == 2 - lost)
    array.ready()
    assert array.lanes[0].cells.pll_resets == resets
    assert [array.links(lane) for lane in range(2)] == [1 + (lane == lost) for lane in range(2)]


@pytest.mark.long
@pytest.mark.parametrize("lost", [0, 1])
def test_the_loss_of_a_pll_of_its_own(lost, seed):
    """A GTX has its own PLL: the other lane stays up."""
    array = Series7Lanes(2, kind="gtx", seed=seed)
    array.ready()
    array.lanes[lost].cells.lose_lock(array.now)
    array.run(5e-6, until=lambda: array.dut.get("user__array__up") == 2 - lost)
    array.ready()
    assert [array.links(lane) for lane in range(2)] == [1 + (lane == lost) for lane in range(2)]


def test_the_loss_of_the_pll_is_that_of_all(seed):
    array = Series7Lanes(2, seed=seed)
    array.ready()
    for one in array.lanes:
        one.cells.lose_lock(array.now)
    array.run(5e-6, until=lambda: array.dut.get("user__array__up") == 0)
    array.ready()
    array.sent = 0
    array.transfer(Operation.RECORD, 4 * CHUNK)
    array.transfer(Operation.PLAY, 4 * CHUNK)
    assert array.wrong == 0 and array.received == 4 * CHUNK * SECTOR_WORDS


def test_a_drive_unplugged_while_recording(seed):
    """The lane is named."""
    array = Series7Lanes(2, seed=seed)
    array.ready()
    array.start(Operation.RECORD, 16 * CHUNK)
    array.run(30e-6)
    array.lanes[1].line.plug(None)
    array.run(50e-3, until=lambda: array.done)
    assert array.dut.get("user__status__error") == Error.LINK_LOST
    assert (array.dut.get("user__array__failed"), array.dut.get("user__array__first")) == (2, 1)


def test_each_phy_reports_where_it_is_asked_for(seed):
    """The lane that is read shows its PHY; the loop-back test is started in that one alone."""
    array = Series7Lanes(2, seed=seed)
    array.ready()
    assert [array.links(lane) for lane in range(2)] == [1, 1]
    array.dut.set(user__phy_status__clear=1)            # of lane 1, which was asked last
    array.run(1.5 / 150e6)
    array.dut.set(user__phy_status__clear=0)
    assert [array.links(lane) for lane in range(2)] == [1, 0]
    array.dut.set(user__phy_status__bist_start=1)
    array.run(2e-6, until=lambda: array.dut.get("user__array__up") == 1)
