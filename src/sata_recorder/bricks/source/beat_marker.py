"""Beats, and what happens beside them, in the clock of their source."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .beat import beat_layout
from .recording_boundary import NUMBER_BITS

__all__ = ["BeatMarker"]


class BeatMarker(wiring.Component):
    """Puts the rising edges of trigger, pulse and stop into the stream, at the beat that is accepted in their clock.

    Without a beat in that clock they go alone. Where there is no room they wait: a stop before the next beat, a
    trigger and a pulse with it. Several triggers that wait for the same beat are one. Triggers after a stop do not
    count. What waits when a recording has ended is forgotten.

    Parameters
    ----------
    width : int         Bits of a beat.
    counts : bool       Beats that are not accepted are lost, and counted.

    Members
    -------
    i : In(stream width)
    last : In(1), keep : In(width / 8)      With ``i.valid``, see :func:`.beat.beat_layout`.
    trigger, pps, stop : In(1)      Their rising edges count.
    active : In(1)      A recording runs: else they do not.
    number : In(4)      Of the recording; it changes after one has ended.
    o : Out(stream of beats)        Latency: 0 clocks.
    """

    def __init__(self, width, *, counts):
        self._counts = counts
        super().__init__({
            "i": In(stream.Signature(width)), "last": In(1), "keep": In(width // 8),
            "trigger": In(1), "pps": In(1), "stop": In(1), "active": In(1), "number": In(NUMBER_BITS),
            "o": Out(stream.Signature(beat_layout(width, counts=counts)))})

    def elaborate(self, platform):
        m = Module()
        beat, o = self.o.payload, self.o
        moves = Signal()
        seen = Signal(NUMBER_BITS)
        over = Signal()             # a recording has ended
        parts = Signal()            # its boundary waits for room
        stopped = Signal()          # a stop waits for room: it comes before the next beat
        closed = Signal()           # a stop has come: what comes after it comes after the recording
        counts = self.active & ~over
        m.d.comb += [
            moves.eq(o.valid & o.ready), over.eq(self.number != seen),
            beat.boundary.eq(over | parts), beat.number.eq(self.number),
            beat.data.eq(self.i.payload), beat.last.eq(self.last), beat.keep.eq(self.keep),
            beat.has_data.eq(self.i.valid & ~stopped),
            self.i.ready.eq(o.ready & ~stopped),
            beat.trigger.eq(self._edge(m, self.trigger, moves, counts, Signal(name="trigger_waits"), ~closed)),
            beat.pps.eq(self._edge(m, self.pps, moves, counts, Signal(name="pps_waits"))),
            beat.stop.eq(self._edge(m, self.stop, moves, counts, stopped)),
        ]
        m.d.sync += [seen.eq(self.number), parts.eq(beat.boundary & ~moves), closed.eq((closed | beat.stop) & counts)]
        happens = beat.has_data | beat.boundary | beat.trigger | beat.pps | beat.stop
        if self._counts:
            lost = Signal.like(beat.lost)
            some = Signal()         # not 0
            now = self.i.valid & ~self.i.ready
            m.d.sync += [lost.eq(Mux(moves, 0, lost) + now), some.eq((some & ~moves) | now)]
            m.d.comb += beat.lost.eq(lost)
            happens |= some
        m.d.comb += o.valid.eq(happens)
        return m

    def _edge(self, m, pin, moves, counts, waits, begins=1):
        """A rising edge of ``pin`` has come while ``begins``, and has not gone."""
        before = Signal(name=f"{pin.name}_before", init=1)
        found = Signal(name=f"{pin.name}_found")
        m.d.comb += found.eq((waits | (pin & ~before & begins)) & counts)
        m.d.sync += [before.eq(pin), waits.eq(found & ~moves)]
        return found
