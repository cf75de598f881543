"""The shares of the lanes: what each holds of an extent, and of the spans with which a recording continues."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from .geometry import Divide, LinearSplit, StripedSplit

__all__ = ["SLOTS", "Shares"]

#: The divisions of a recording that continues with spans: its extent and these, as far as they are not yet done.
SLOTS = 4
_SECTORS = 48


class Shares(wiring.Component):
    """Divides the extent of an operation, or a span, and keeps the share of each lane.

    Parameters
    ----------
    lanes : int
    striped : bool, chunk_shift : int       The lanes take turns, each with 1 << ``chunk_shift`` sectors.
    spans : bool            There are spans, each in a slot of its own: slot 0 has the extent.

    Members
    -------
    sizes : In(48) array    Sectors of the array that each lane holds.
    extent : In(Divide)     With ``advance`` the share of ``lane``, which must have been there for 4 clocks, is kept.
    span : In(Divide)       Likewise, in ``slot``; it counts while ``of_span`` is high.
    of_span : In(1), slot : In(range)       Not driven without ``spans``.
    summed_lane, summed_slot : In(range)
    summed_first, summed_length, summed_before : Out(48)
                            That share, a clock later, and how many sectors the lane has of the shares before it.
    routed_lane, routed_slot : In(range), routed_length : Out(48)
                            Likewise, for the words.
    """

    def __init__(self, lanes, *, striped, chunk_shift, spans=False):
        self._lanes = lanes
        self._spans = spans
        self._split = (StripedSplit if striped else LinearSplit)(lanes, chunk_shift=chunk_shift)
        lane, slot = In(range(lanes)), In(range(SLOTS))
        super().__init__({
            "sizes": In(_SECTORS).array(lanes), "extent": In(Divide(lanes)), "span": In(Divide(lanes)),
            "of_span": In(1), "slot": slot,
            "summed_lane": lane, "summed_slot": slot, "summed_first": Out(_SECTORS), "summed_length": Out(_SECTORS),
            "summed_before": Out(_SECTORS),
            "routed_lane": lane, "routed_slot": slot, "routed_length": Out(_SECTORS),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.split = split = self._split
        extent, span, of_span = self.extent, self.span, self.of_span
        m.d.comb += [
            *(split.sizes[lane].eq(self.sizes[lane]) for lane in range(self._lanes)),
            split.begin.eq(Mux(of_span, span.begin, extent.begin)), split.lba.eq(Mux(of_span, span.lba, extent.lba)),
            split.end.eq(Mux(of_span, span.end, extent.end)), split.lane.eq(Mux(of_span, span.lane, extent.lane)),
            split.advance.eq(Mux(of_span, span.advance, extent.advance)),
        ]
        for one in extent, span:
            m.d.comb += [one.valid.eq(split.valid), one.first.eq(split.first), one.length.eq(split.length),
                         one.at_lane.eq(split.at_lane), one.left.eq(split.left)]

        share = {"first": _SECTORS, "length": _SECTORS, **({"before": _SECTORS} if self._spans else {})}
        depth = SLOTS << len(split.lane) if self._spans else self._lanes
        m.submodules.memory = shares = memory.Memory(shape=data.StructLayout(share), depth=depth, init=[])
        write, summed, routed = shares.write_port(), shares.read_port(), shares.read_port()

        def place(lane, slot):
            return Cat(lane, slot) if self._spans else lane

        m.d.comb += [
            write.addr.eq(place(split.lane, Mux(of_span, self.slot, 0))), write.en.eq(split.advance),
            write.data.first.eq(split.first), write.data.length.eq(split.length),
            summed.addr.eq(place(self.summed_lane, self.summed_slot)), self.summed_first.eq(summed.data.first),
            self.summed_length.eq(summed.data.length),
            routed.addr.eq(place(self.routed_lane, self.routed_slot)), self.routed_length.eq(routed.data.length),
        ]
        if self._spans:
            newest = shares.read_port()
            before = Signal(_SECTORS)
            m.d.sync += before.eq(Mux(of_span, newest.data.before + newest.data.length, 0))
            m.d.comb += [newest.addr.eq(place(split.lane, (self.slot - 1)[:len(self.slot)])),
                         write.data.before.eq(before), self.summed_before.eq(summed.data.before)]
        return m
