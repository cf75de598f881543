"""A link that falls while an extent is on its way: with bring-up, which leaves a usable drive for it."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from sata_recorder.core.sequencer.bring_up import BringUp
from sata_recorder.core.sequencer.drive_check import DriveCheck
from sata_recorder.core.sequencer.identified_drive import HeldLink
from unit.bench import Bench
from unit.core.sequencer.test_bring_up import TO_USABLE, UP

INPUTS = ("link_up", "signature_received", "is_ata", "done", "succeeded")


class HeldBringUp(wiring.Component):
    """Both, connected as in :class:`.identified_drive.IdentifiedDrive`. ``lost`` as there."""

    def __init__(self):
        super().__init__({**{name: In(1) for name in INPUTS}, "identity": Out(DriveCheck()),
                          "requested": In(1), "recording": In(1), "taken": In(1), "usable": Out(1), "lost": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.held = held = HeldLink()
        m.submodules.bring_up = bring_up = BringUp()
        m.d.comb += [
            held.link_up.eq(self.link_up), held.usable.eq(bring_up.usable), held.taken.eq(self.taken),
            held.coming.requested.eq(self.requested), held.coming.recording.eq(self.recording),
            bring_up.link_up.eq(held.up), bring_up.held.eq(held.held), self.usable.eq(bring_up.usable),
            self.lost.eq(~self.link_up | ~bring_up.usable | held.missed),
            *(getattr(bring_up, name).eq(getattr(self, name)) for name in INPUTS[1:])]
        connect(m, bring_up.identity, flipped(self.identity))
        return m


BENCH = Bench(HeldBringUp())
COMES = {"requested": 1, "recording": 1}


def after_usable(*rows):
    """Of each clock, from the first one with a usable drive on, whether it is usable and whether it is lost."""
    clocks = BENCH.trace([*TO_USABLE, *rows], ["usable", "lost"])[len(TO_USABLE):]
    return [(clock["usable"], clock["lost"]) for clock in clocks]


KEPT, FALLS, GONE = (1, 0), (1, 1), (0, 1)


def test_a_fall_while_an_extent_comes_counts_after_it():
    """However short it is, and in each clock of the way."""
    for falls in range(4):
        way = [what | (UP if at != falls else {}) for at, what in enumerate([COMES, {}, {}, {"taken": 1}])]
        found = after_usable(UP, *way, UP, UP)
        assert found == [KEPT, *(FALLS if at == falls else KEPT for at in range(4)), FALLS, GONE]


def test_a_fall_before_it_counts_at_once():
    assert after_usable(UP, {}, UP | COMES, UP, UP | {"taken": 1}, UP)[1:] == [FALLS, *[GONE] * 4]


def test_what_is_requested_and_not_taken_holds_nothing():
    """A start may stay high: a fall in its clock counts in the next one, however short it is."""
    asks = UP | {"requested": 1}
    assert after_usable(asks, asks, {"requested": 1}, asks, asks, asks) == [KEPT, KEPT, FALLS, FALLS, GONE, GONE]
    assert after_usable({"requested": 1}, {}, {}) == [FALLS, FALLS, GONE]


def test_an_extent_that_comes_after_a_fall_finds_no_drive():
    """Also if the fall was in a clock with a request."""
    asks = UP | {"requested": 1}
    assert after_usable(asks, {"requested": 1}, UP | COMES, UP, UP | {"taken": 1})[1:] == [FALLS, FALLS, GONE, GONE]
