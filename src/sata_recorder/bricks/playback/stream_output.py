"""The beats of a playback, in the clock of what takes them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...interface.group import SUM, WORD
from .played_beat import played_layout

__all__ = ["StreamOutput", "gray_code"]


class StreamOutput(wiring.Component):
    """Gives the beats of each playback once enough of them are there, and counts clocks in which one is missing.

    What is offered stays until it is taken. Beats that come while ``discards`` is high are dropped; of one that ends a
    playback its end remains, without bytes.

    Parameters
    ----------
    width : int         Bits of a beat that is given.
    depth, fill : int   Beats in the FIFO before it, a power of two, and those that there are before a playback begins.

    Members
    -------
    i : In(stream of beats of ``width`` or 32 bits)     From the FIFO.
    waiting : In        Beats in the FIFO.
    ended : In          Beats with ``last`` that have come into it since reset, all before them, too; as a Gray code.
    discards : In(1)    See :class:`.word_gatherer.WordGatherer`.
    resumed : Out(1)    See there.
    o : Out(stream width), keep : Out(width / 8), last : Out(1)     Latency: a clock.
    cut : Out(1)        With ``last``: the playback has not been given to its last word.
    underrun : Out(1)   In a playback, and not before its first beat: a beat is missing.
    underruns : Out(48), intact : Out(48)       Since the first beat of this or the latest playback: clocks with
                        ``underrun``, and beats before the first of them.
    """

    def __init__(self, width, *, depth, fill):
        self._parts = max(1, WORD // width)
        self._depth, self._fill = depth, fill
        super().__init__({
            "i": In(stream.Signature(played_layout(max(WORD, width)))), "waiting": In(range(depth + 2)),
            "ended": In(range(depth + 2)), "discards": In(1), "resumed": Out(1),
            "o": Out(stream.Signature(width)), "keep": Out(width // 8), "last": Out(1), "cut": Out(1),
            "underrun": Out(1), "underruns": Out(SUM), "intact": Out(SUM)})

    def elaborate(self, platform):
        m = Module()
        beat, o, width = self.i.payload, self.o, len(self.o.payload)
        part = Signal(range(self._parts))       # of a beat whose rest is dropped: until the end that follows
        within = Signal()           # a playback has begun, and its last beat has not been offered
        enough = Signal()
        leaves = Signal()           # the beat, from the FIFO
        kept = Signal()             # the beat has words that are to be given
        final = Signal()            # what is given is the last part of the beat
        given = Signal()            # it is offered from the next clock on
        m.d.comb += [
            enough.eq(within | self._filled(m, leaves) | self.discards), leaves.eq(self.i.valid & self.i.ready),
            kept.eq(beat.keep.any() & ~self.discards), final.eq(~kept | (part == self._parts - 1)),
            given.eq(self.i.valid & enough & (kept | beat.last) & (~o.valid | o.ready)),
            self.i.ready.eq(enough & final & (given | ~(kept | beat.last))),
            self.underrun.eq(within & o.ready & ~o.valid & ~self.discards),
        ]
        with m.If(given):
            m.d.sync += [
                o.payload.eq(beat.data.word_select(part, width)), o.valid.eq(1),
                self.keep.eq(Mux(kept, _bytes(beat.keep, width // 8), 0)),
                self.last.eq(beat.last & final), self.cut.eq(beat.last & final & (beat.cut | self.discards)),
                within.eq(~(beat.last & final)), part.eq(Mux(final, 0, part + 1)),
            ]
        with m.Elif(o.ready):
            m.d.sync += o.valid.eq(0)
        with m.If(leaves & beat.resumes):
            m.d.sync += self.resumed.eq(~self.resumed)
        self._count(m, given & ~within)
        return m

    def _filled(self, m, leaves):
        """Whether a playback may begin: enough of it is in the FIFO, or all that it has."""
        if not self._fill:
            return 1
        filled = Signal()
        left = Signal.like(self.ended)      # beats with ``last`` that have left, perhaps before ``ended`` shows them
        ended = Signal.like(self.ended)
        whole = Signal.like(self.ended)     # playbacks of which all is there; negative by those
        m.d.comb += whole.eq(ended - left)
        m.d.sync += [
            ended.eq(_decoded(self.ended)),
            # What leaves does not count for the next one.
            filled.eq(((self.waiting >= self._fill) | (whole.any() & ~whole[-1])) & ~leaves),
            left.eq(left + (leaves & self.i.payload.last)),
        ]
        return filled

    def _count(self, m, begins):
        """What is missing in a playback, from its first beat on."""
        whole = Signal()
        taken = self.o.valid & self.o.ready & self.keep.any()
        with m.If(begins):
            m.d.sync += [self.underruns.eq(0), self.intact.eq(0), whole.eq(1)]
        with m.Else():
            m.d.sync += [self.underruns.eq(self.underruns + self.underrun), whole.eq(whole & ~self.underrun),
                         self.intact.eq(self.intact + (whole & taken))]


def gray_code(value):
    """The Gray code of ``value``."""
    return value ^ value[1:]


def _decoded(code):
    """The value of a Gray ``code``."""
    return Cat(code[place:].xor() for place in range(len(code)))


def _bytes(words, count):
    """The ``count`` bytes of a beat, of each of the ``words`` all or none; of a part of a word all."""
    if count < WORD // 8:
        return Const(~0, count)
    return Cat(word.replicate(WORD // 8) for word in words)
