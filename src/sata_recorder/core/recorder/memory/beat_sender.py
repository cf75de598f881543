"""The beats of a burst of writes, from the memory of a FIFO."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .channels import WriteBeat

__all__ = ["BeatSender"]


class BeatSender(wiring.Component):
    """Sends the words of a burst, a beat a clock; of its first and last beat only the bytes of its own words.

    Latency: the first beat comes 2 clocks after ``start``.

    Parameters
    ----------
    shape : MemoryShape

    Members
    -------
    start : In(1)       A burst begins; none is being sent.
    first : In          With ``start``: place of its first word in the FIFO.
    words : In          With ``start``: how many there are, at least 1.
    address : Out       Of the beat in the memory of the FIFO that is read next, if
    en : Out(1)         is high.
    data : In           What was read.
    w : Out(stream)     Channel W of AXI4.
    active : Out(1)     A burst is being sent.
    sent : Out(1)       Its last beat is taken in this clock.
    """

    def __init__(self, shape):
        self._shape = shape
        beats = shape.fifo // shape.lanes
        super().__init__({
            "start": In(1), "first": In(range(2 * shape.fifo)), "words": In(shape.burst_bits + 1),
            "address": Out(range(beats)), "en": Out(1), "data": In(shape.width),
            "w": Out(stream.Signature(WriteBeat(shape.width))), "active": Out(1), "sent": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        lanes, lane_bits = self._shape.lanes, self._shape.lane_bits
        w = self.w
        offset = self.first[:lane_bits]
        end = (offset + self.words)[:self._shape.burst_bits + 1]
        left = Signal(range(self._shape.burst // lanes + 1))      # beats that have not been read
        lowest = Signal(lanes)          # words of the next beat, but for those after the end
        highest = Signal(lanes)         # words of the last beat
        load = Signal()
        reads = Signal()
        front = Signal()                # a beat is at the output of the memory
        mask = Signal(lanes)
        last = Signal()
        m.d.comb += [
            self.sent.eq(w.valid & w.ready & w.payload.last),
            load.eq(~w.valid | w.ready),
            reads.eq((left != 0) & (~front | load)),
            self.en.eq(~front | load),
        ]
        with m.If(self.start):
            m.d.sync += [
                self.active.eq(1),
                self.address.eq(self.first[lane_bits:]),
                left.eq((end + lanes - 1)[lane_bits:]),
                lowest.eq(((1 << lanes) - 1) << offset),
                highest.eq(Mux(end[:lane_bits] == 0, (1 << lanes) - 1, (1 << end[:lane_bits]) - 1)),
            ]
        with m.Elif(reads):
            m.d.sync += [self.address.eq(self.address + 1), left.eq(left - 1), lowest.eq((1 << lanes) - 1)]
        with m.If(self.sent):
            m.d.sync += self.active.eq(0)
        with m.If(reads):
            m.d.sync += [mask.eq(Mux(left == 1, lowest & highest, lowest)), last.eq(left == 1)]
        m.d.sync += front.eq(reads | (front & ~load))
        with m.If(load):
            m.d.sync += [
                w.valid.eq(front), w.payload.data.eq(self.data), w.payload.last.eq(last),
                w.payload.strobes.eq(Cat(word.replicate(4) for word in mask)),
            ]
        return m
