"""What the PHY reports about itself: each count for itself."""

import pytest

from sata_recorder.interface import PHY_STATUS
from sata_recorder.core.phy.observer import ErrorMeter, Observer, OobMeter
from sata_recorder.core.phy.states import BistState, Fall, PhyState
from unit.core.phy.compiled import Compiled

RECENT = 64
MADE = {}


def made(kind, *parameters):
    """A component, compiled once and restarted."""
    if kind not in MADE:
        MADE[kind] = Compiled(kind(*parameters))
    MADE[kind].restart()
    return MADE[kind]


def tick(dut, count=1, **inputs):
    """`count` clocks with these inputs, which are 0 afterwards."""
    dut.set(**inputs)
    for _ in range(count):
        dut.edge(1)
    dut.set(**dict.fromkeys(inputs, 0))
    dut.edge(0)


def test_shortest_and_longest():
    dut = made(OobMeter)
    assert (dut.get("shortest"), dut.get("longest")) == (255, 0)
    for length, found in (8, (8, 8)), (9, (8, 9)), (7, (7, 9)), (8, (7, 9)), (255, (7, 255)):
        tick(dut, length=3)
        tick(dut, ended=1, length=length)
        assert (dut.get("shortest"), dut.get("longest")) == found
    tick(dut, clear=1, ended=1, length=5)
    assert (dut.get("shortest"), dut.get("longest")) == (255, 0)


@pytest.mark.parametrize("wrong, found", [(0, 0), (1, 1), (RECENT, RECENT)])
def test_recent_errors(wrong, found):
    """Renewed with every 64th dword, the last one counted in."""
    dut = made(ErrorMeter, RECENT)
    for n in range(RECENT):
        assert dut.get("recent") == 0
        tick(dut, valid=1, error=n >= RECENT - wrong)
        tick(dut, error=1)
    assert dut.get("recent") == found
    for _ in range(RECENT):
        assert dut.get("recent") == found
        tick(dut, valid=1)
    assert dut.get("recent") == 0


def test_clear_of_the_meter():
    dut = made(ErrorMeter, RECENT)
    tick(dut, RECENT + 10, valid=1, error=1)
    assert dut.get("recent") == RECENT
    tick(dut, clear=1)
    assert dut.get("recent") == 0
    tick(dut, RECENT - 1, valid=1, error=1)
    assert dut.get("recent") == 0
    tick(dut, valid=1)
    assert dut.get("recent") == RECENT - 1


class WatchedPhy:
    """An observer, and the state that it is told to be in."""

    def __init__(self, state=PhyState.HR_AwaitCOMINIT):
        self.dut = made(Observer, RECENT)
        self.state = state
        self.dut.set(state=state)

    def __getitem__(self, name):
        return self.dut.get(f"status__{name}")

    def tick(self, count=1, **inputs):
        tick(self.dut, count, **inputs)

    def go(self, *states):
        for state in states:
            self.dut.set(state=state)
            self.tick(3)

    def clear(self):
        self.tick(status__clear=1)


TRY = (PhyState.HR_Reset, PhyState.HR_AwaitCOMINIT, PhyState.HR_AwaitNoCOMINIT,
       PhyState.HR_COMWAKE, PhyState.HR_AwaitCOMWAKE, PhyState.HR_AwaitNoCOMWAKE,
       PhyState.HR_AwaitAlign, PhyState.HR_SendAlign, PhyState.HR_SendSync, PhyState.HR_Ready)


def test_all_is_driven():
    """Each row of the table is a member."""
    dut = made(Observer, RECENT)
    names = {f"status__{port.path[-1]}": port.direction for port in PHY_STATUS.ports.values()}
    assert {name for name, direction in names.items() if direction == "output"} == {
        name for name in dut.outputs if name.startswith("status__")}
    assert {name for name, direction in names.items() if direction == "input"} == {
        name for name in dut.inputs if name.startswith("status__")}


@pytest.mark.parametrize("furthest", range(2, 10))
def test_reached(furthest):
    """The furthest state, also while the next try has only begun."""
    seen = WatchedPhy()
    seen.go(*TRY[:furthest + 1])
    assert seen["reached"] == seen["state"] == furthest
    seen.go(*TRY[:2])
    assert seen["reached"] == (furthest if furthest < PhyState.HR_Ready else
                               PhyState.HR_AwaitCOMINIT)
    seen.clear()
    assert seen["reached"] == PhyState.HR_AwaitCOMINIT


def test_tries():
    seen = WatchedPhy()
    for n in range(1, 4):
        seen.go(*TRY)
        assert (seen["comresets"], seen["cominits"], seen["links"]) == (n, n, n)
        seen.go(PhyState.HR_AwaitCOMINIT)
    seen.go(*2 * TRY[:2])
    assert (seen["comresets"], seen["cominits"], seen["links"]) == (5, 3, 3)
    seen.clear()
    assert (seen["comresets"], seen["cominits"], seen["links"]) == (0, 0, 0)


def test_a_count_saturates():
    seen = WatchedPhy()
    for _ in range(260):
        seen.go(*TRY[:2])
    assert seen["comresets"] == 255


@pytest.mark.parametrize("fall", [fall for fall in Fall if fall not in (Fall.NONE, Fall.BIST)])
def test_last_fall(fall):
    seen = WatchedPhy()
    seen.tick(fall=fall)
    assert seen["last_fall"] == Fall.NONE
    seen.tick(fell=1, fall=fall)
    seen.tick(fall=Fall.RESET)
    assert seen["last_fall"] == fall
    seen.tick(fell=1, fall=Fall.RATE, bist=BistState.RUNNING)
    assert seen["last_fall"] == Fall.BIST


@pytest.mark.parametrize("level, count", [("rx_locked", "lock_losses"),
                                          ("rx_active", "signal_losses")])
def test_losses(level, count):
    """Only what falls while data is expected."""
    seen = WatchedPhy()
    for expected in 0, 1, 1, 1:
        seen.tick(5, expected=expected, **{level: 1})
        seen.tick(5, expected=expected)
    assert seen[count] == 3
    seen.tick(5, **{level: 1})
    seen.tick(5, expected=1)        # it fell in the clock in which data began to be expected
    seen.tick(5, expected=1, **{level: 1})
    seen.tick(5)                    # it falls in the clock in which no more is expected
    assert seen[count] == 3
    seen.clear()
    assert seen[count] == 0


def errors(*, code, disparity):
    """A received dword with errors of these kinds."""
    return 1 << 36 | code << 37 | disparity << 38


@pytest.mark.parametrize("code, disparity", [(0, 1), (1, 0), (1, 1)])
def test_errors(code, disparity):
    """A dword counts once, and only in a link."""
    seen = WatchedPhy()
    dword = errors(code=code, disparity=disparity)
    seen.tick(5, valid=1, dword=dword)
    assert (seen["code_errors"], seen["disparity_errors"]) == (0, 0)
    seen.go(PhyState.HR_Ready)
    seen.tick(5, dword=dword)
    seen.tick(7, valid=1, dword=dword)
    seen.tick(7, valid=1)
    assert (seen["code_errors"], seen["disparity_errors"]) == (7 * code, 7 * (not code))
    seen.clear()
    assert (seen["code_errors"], seen["disparity_errors"]) == (0, 0)


def test_recent_errors_only_where_data_is_expected():
    seen = WatchedPhy()
    seen.tick(RECENT, valid=1, dword=1 << 36)
    assert seen["recent_errors"] == 0
    seen.tick(RECENT, valid=1, dword=1 << 36, expected=1)
    assert seen["recent_errors"] == RECENT


def test_training():
    """From HR_AwaitAlign to HR_Ready; it stays until the next try gets there."""
    seen = WatchedPhy()
    seen.go(*TRY)
    assert seen["training"] == 3 * 3
    seen.go(*TRY[:5])
    assert seen["training"] == 3 * 3
    seen.go(PhyState.HR_AwaitNoCOMWAKE)
    assert seen["training"] == 0
    seen.go(PhyState.HR_AwaitAlign)
    seen.tick(1 << 20)
    assert seen["training"] == (1 << 20) - 1


@pytest.mark.parametrize("kind, other", [("burst", "gap"), ("gap", "burst")])
def test_oob(kind, other):
    seen = WatchedPhy()
    seen.tick(length=8, **{kind: 1})
    seen.tick(length=9, **{kind: 1})
    for state in PhyState.HR_AwaitAlign, PhyState.HR_Ready:
        seen.go(state)
        seen.tick(length=3, **{kind: 1})
    seen.go(PhyState.HR_AwaitCOMINIT)
    seen.tick(length=4, bist=BistState.RUNNING, **{kind: 1})
    assert (seen[f"shortest_{kind}"], seen[f"longest_{kind}"]) == (8, 9)
    assert (seen[f"shortest_{other}"], seen[f"longest_{other}"]) == (255, 0)
    seen.clear()
    assert (seen[f"shortest_{kind}"], seen[f"longest_{kind}"]) == (255, 0)
