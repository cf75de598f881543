"""The lanes of an array for the console: which one is shown, and what it does."""

from typing import NamedTuple

from amaranth.hdl import Array, Const, Mux, Signal, Value
from amaranth.lib.wiring import Out, connect, flipped

from sata_recorder.core.phy import DwordPort
from sata_recorder.interface.array import LANE_PHYS
from sata_recorder.interface.face import part

from .keywords import Choice
from .messages import LaneFigure, Name


class Lanes(NamedTuple):
    """What the console needs of an array: whether all links are up, what is printed as words, and the requested
    figure."""

    link_up: Value
    names: dict
    figure: Value


def lane_ports(configuration):
    """The dword ports of the lanes after the first one, as members of a signature."""
    return {LANE_PHYS[lane].name: Out(DwordPort()) for lane in range(1, configuration.drives)}


def attach_lanes(m, whole, core, console, index, count):
    """Connects the PHYs of ``count`` lanes with ``core``, and lets the console choose the lane that is shown."""
    if count == 1:
        return Lanes(whole.phy.link_up, {}, Const(0, 1))
    for lane in range(1, count):
        connect(m, part(core, LANE_PHYS[lane]), part(flipped(whole), LANE_PHYS[lane]))
    array = core.user.array
    lane, whole_ledger = Signal(range(count)), Signal()
    choice = console.request.payload.choice
    with m.If(console.lane_set & (choice == Choice.FIRST)):
        m.d.sync += lane.eq(0)
    with m.Elif(console.lane_set & (choice == Choice.NEXT)):
        m.d.sync += lane.eq(Mux(lane == count - 1, 0, lane + 1))
    with m.If(console.lane_set & (choice != Choice.NONE)):
        m.d.sync += whole_ledger.eq(choice == Choice.WHOLE)
    m.d.comb += [array.lane.eq(lane), array.whole.eq(whole_ledger)]
    failed = array.failed.bit_select(lane, 1)
    figures = {LaneFigure.LANE: lane, LaneFigure.LANES: Const(count, 4)}
    return Lanes(array.up[:count].all(), {
        Name.LANE_LINK: array.up.bit_select(lane, 1), Name.LANE_READY: array.ready.bit_select(lane, 1),
        Name.LANE_MEMBER: array.members.word_select(lane, 3), Name.LANE_FAILED: failed,
        Name.LANE_FIRST: failed & (array.first == lane), Name.LANE_LEDGER: whole_ledger,
    }, Array(figures[figure] for figure in LaneFigure)[index[:1]])
