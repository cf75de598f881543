"""Where accesses go: first sectors, drawn or in order, never outside a span."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.pc.console.grammar import ACCESS_SECTORS, NUMBER_BITS

#: The state with seed 0; no seed of 48 bits makes it 0. As `sata_recorder.lab.access.Places` has it.
BEGIN = 0x9E37_79B9_7F4A_7C15
_LONG_SHIFT = 3


class Span(data.Struct):
    """Sectors in which accesses lie, and how these are laid out."""

    lba: NUMBER_BITS        #: the first sector
    sectors: NUMBER_BITS
    size: range(ACCESS_SECTORS + 1)     #: sectors of an access, at least 1, at most ``sectors``
    long: 1                 #: places are multiples of 8 sectors after ``lba``, else of 1
    in_order: 1             #: one place follows the other, else they are drawn
    seed: NUMBER_BITS


class AccessPlaces(wiring.Component):
    """First sectors of accesses, without end: those of :class:`sata_recorder.lab.access.Places` with the same span.

    A draw takes 2 clocks, and 2 more for each number that is more than the last place: fewer than 2 draws in the mean.
    The first place is there 5 clocks after ``begin`` at the earliest.
    """

    span: In(Span)          # Stable from ``begin`` until the last place has been taken.
    begin: In(1)            # High for one clock: the places start over.
    take: In(1)             # High for one clock, while ``valid``: the next place is wanted.
    valid: Out(1)           # ``lba`` is the next place.
    lba: Out(NUMBER_BITS)   # Its first sector.

    def elaborate(self, platform):
        m = Module()
        span = self.span
        state = Signal(64)
        left, right, mixed = Signal(64), Signal(64), Signal(64)
        room = Signal(NUMBER_BITS)      # sectors from the first place to the last possible one
        last = Signal(NUMBER_BITS)      # number of the last place
        mask = Signal(NUMBER_BITS)      # the bits that it has
        step = Signal.like(span.size)
        place = Signal(NUMBER_BITS)
        drawn = Signal(NUMBER_BITS)
        m.d.comb += [
            # xorshift with 13, 7 and 17: G. Marsaglia, Journal of Statistical Software 8, 2003.
            left.eq(state ^ Cat(Const(0, 13), state[:-13])), right.eq(left ^ left[7:]),
            mixed.eq(right ^ Cat(Const(0, 17), right[:-17])),
            last.eq(Mux(span.long, room[_LONG_SHIFT:], room)),
            step.eq(Mux(span.long, span.size[_LONG_SHIFT:], span.size)),
            drawn.eq(state & mask),
            self.lba.eq(span.lba + Mux(span.long, Cat(Const(0, _LONG_SHIFT), place[:-_LONG_SHIFT]), place)),
        ]
        with m.FSM() as fsm:
            m.d.comb += self.valid.eq(fsm.ongoing("OFFER"))

            def unless_begun(state):
                m.next = state
                with m.If(self.begin):
                    m.next = "ROOM"

            with m.State("IDLE"):
                unless_begun("IDLE")
            with m.State("ROOM"):
                m.d.sync += mask.eq(Cat(last[bit:].any() for bit in range(NUMBER_BITS)))
                unless_begun("MIX")
                with m.If(span.in_order & ~self.begin):
                    m.next = "OFFER"
            with m.State("MIX"):
                m.d.sync += state.eq(mixed)
                unless_begun("DRAW")
            with m.State("DRAW"):
                m.d.sync += place.eq(drawn)
                unless_begun("MIX")
                with m.If((drawn <= last) & ~self.begin):
                    m.next = "OFFER"
            with m.State("OFFER"):
                with m.If(self.take):
                    m.d.sync += place.eq(place + step)
                    m.next = "MIX"
                    with m.If(span.in_order):
                        m.next = "FOLLOW"
                with m.If(self.begin):
                    m.next = "ROOM"
            with m.State("FOLLOW"):
                with m.If(place > last):
                    m.d.sync += place.eq(0)
                unless_begun("OFFER")
        with m.If(self.begin):
            m.d.sync += [state.eq(BEGIN ^ span.seed), room.eq(span.sectors - span.size), place.eq(0)]
        return m
