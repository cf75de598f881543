"""Where the sectors of an array are: which of them each lane holds, and which one a lane's sector is."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Divide", "Division", "LinearJoin", "LinearSplit", "StripedJoin", "StripedSplit"]

_SECTORS = 48


class Division(data.Struct):
    """An extent of the array, divided among its lanes."""

    first: _SECTORS         # its first sector
    total: _SECTORS         # how many it has
    lane: 3                 # that of the first sector
    left: _SECTORS          # sectors from that one on before the lane changes
    holds: 8                # the lanes that have any


class Divide(wiring.Signature):
    """An extent that is divided, seen from what asks for it. What each member means: see :class:`StripedSplit`."""

    def __init__(self, lanes):
        super().__init__({
            "begin": Out(1), "lba": Out(_SECTORS), "end": Out(_SECTORS), "lane": Out(range(lanes)), "advance": Out(1),
            "valid": In(1), "first": In(_SECTORS), "length": In(_SECTORS), "at_lane": In(range(lanes)),
            "left": In(_SECTORS),
        })


class _Split(wiring.Component):
    """The part of an extent that each lane holds, one lane after the other.

    Members
    -------
    begin : In(1)           One clock: ``lba`` and ``end`` are those of an extent.
    lba, end : In(48)       Its first sector, and the one after its last; stable until the last lane.
    sizes : In(48) array    Sectors of the array that each lane holds.
    lane : In(range)        The lane, from 0 on in steps of 1 after ``begin``; ``first`` and ``length`` are those of it
                            2 clocks after a change while ``valid``.
    advance : In(1)         One clock: ``lane`` is the next one from the next clock on.
    valid : Out(1)          The extent is divided.
    first, length : Out(48) Of the sectors that the lane holds; the length may be 0.
    at_lane : Out(range), left : Out
                            The lane of the extent's first sector, and, of a striped array, sectors from that one to the
                            end of its chunk; with ``valid``.
    """

    def __init__(self, lanes, *, chunk_shift):
        self._lanes = lanes
        self._shift = chunk_shift
        super().__init__({
            "begin": In(1), "lba": In(_SECTORS), "end": In(_SECTORS),
            "sizes": In(_SECTORS).array(lanes), "lane": In(range(lanes)), "advance": In(1),
            "valid": Out(1), "first": Out(_SECTORS), "length": Out(_SECTORS),
            "at_lane": Out(range(lanes)), "left": Out(chunk_shift + 1),
        })


class StripedSplit(_Split):
    """Chunks in turn: chunk q is chunk ``q // lanes`` of lane ``q % lanes``.

    Takes a clock for each bit of the number of a chunk.
    """

    def elaborate(self, platform):
        m = Module()
        shift, lanes = self._shift, self._lanes
        bits = _SECTORS - shift
        step = Signal(range(bits + 1))
        with m.If(self.begin):
            m.d.sync += [step.eq(bits), self.valid.eq(0)]
        with m.Elif(step != 0):
            m.d.sync += [step.eq(step - 1), self.valid.eq(step == 1)]
        ends = {}
        for name, sector in (("lba", self.lba), ("end", self.end)):
            # Division of the chunk's number by the lanes, from the highest bit on.
            quotient = Signal(bits, name=f"{name}_row")
            remainder = Signal(range(lanes), name=f"{name}_lane")
            wider = Cat(quotient[-1], remainder)
            fits = wider >= lanes
            with m.If(self.begin):
                m.d.sync += [quotient.eq(sector[shift:]), remainder.eq(0)]
            with m.Elif(step != 0):
                m.d.sync += [quotient.eq(Cat(fits, quotient)), remainder.eq(Mux(fits, wider - lanes, wider))]
            # Chunks of the lane before this sector, and sectors in the last of them.
            whole = Signal(bits, name=f"{name}_chunks")
            part = Signal(shift, name=f"{name}_part")
            m.d.sync += [whole.eq(quotient + (self.lane < remainder)),
                         part.eq(Mux(self.lane == remainder, sector[:shift], 0))]
            ends[name] = Cat(part, whole)
            if name == "lba":
                m.d.comb += [self.at_lane.eq(remainder), self.left.eq((1 << shift) - sector[:shift])]
        m.d.sync += [self.first.eq(ends["lba"]), self.length.eq(ends["end"] - ends["lba"])]
        return m


class LinearSplit(_Split):
    """One lane after the other, each with its size."""

    def elaborate(self, platform):
        m = Module()
        size = Array(self.sizes)[self.lane]
        begun = Signal()
        m.d.sync += begun.eq(self.begin)
        with m.If(self.begin):
            m.d.sync += self.valid.eq(0)
        with m.Elif(begun):
            m.d.sync += self.valid.eq(1)
        found = Signal()            # the lane of the first sector is known
        ends = {}
        for name, sector in (("lba", self.lba), ("end", self.end)):
            rest = Signal(_SECTORS, name=f"{name}_rest")        # sectors that are not before this lane
            here = Signal(_SECTORS, name=f"{name}_here")
            inside = Signal(name=f"{name}_inside")
            m.d.sync += [here.eq(Mux(rest < size, rest, size)), inside.eq(rest < size)]
            with m.If(self.begin):
                m.d.sync += rest.eq(sector)
            with m.Elif(self.advance):
                m.d.sync += rest.eq(rest - here)
            ends[name] = here, inside
        (first, begins), (last, _) = ends["lba"], ends["end"]
        m.d.sync += [self.first.eq(first), self.length.eq(last - first)]
        with m.If(self.begin):
            m.d.sync += found.eq(0)
        with m.Elif(self.advance & ~found):
            m.d.sync += [found.eq(begins), self.at_lane.eq(self.lane)]
        m.d.comb += self.left.eq(0)
        return m


class _Join(wiring.Component):
    """The sector of the array that a sector of a lane is.

    Latency: ``sector`` is that of ``lane`` and ``own`` 3 clocks ago.

    Members
    -------
    lane : In(range), own : In(48)      A sector that the lane holds, from 0 on.
    sizes : In(48) array    Sectors of the array that each lane holds.
    sector : Out(48)
    """

    def __init__(self, lanes, *, chunk_shift):
        self._lanes = lanes
        self._shift = chunk_shift
        super().__init__({
            "lane": In(range(lanes)), "own": In(_SECTORS), "sizes": In(_SECTORS).array(lanes), "sector": Out(_SECTORS),
        })


class StripedJoin(_Join):
    """Of chunks in turn."""

    def elaborate(self, platform):
        m = Module()
        bits = _SECTORS - self._shift
        # lanes x chunk in two additions at most: each takes a clock.
        powers = [n for n in range(4) if self._lanes >> n & 1]
        terms = [(self.own[self._shift:] << power)[:bits] for power in powers]
        sum_ = Signal(bits)
        third = Signal(bits)
        lane = [Signal.like(self.lane, name=f"lane_{n}") for n in range(2)]
        part = [Signal(self._shift, name=f"part_{n}") for n in range(2)]
        chunk = Signal(bits)
        m.d.sync += [
            sum_.eq(terms[0] + (terms[1] if len(terms) > 1 else 0)),
            third.eq(terms[2] if len(terms) > 2 else 0),
            lane[0].eq(self.lane), part[0].eq(self.own[:self._shift]),
            chunk.eq(sum_ + third), lane[1].eq(lane[0]), part[1].eq(part[0]),
            self.sector.eq(Cat(part[1], (chunk + lane[1])[:bits])),
        ]
        return m


class LinearJoin(_Join):
    """Of one lane after the other."""

    def elaborate(self, platform):
        m = Module()
        # The sizes stay, so sums of them take their time.
        bases = [Signal(_SECTORS, name=f"base{lane}") for lane in range(self._lanes)]
        for lane in range(1, self._lanes):
            m.d.sync += bases[lane].eq(bases[lane - 1] + self.sizes[lane - 1])
        base = Signal(_SECTORS)
        own = Signal(_SECTORS)
        sector = Signal(_SECTORS)
        m.d.sync += [base.eq(Array(bases)[self.lane]), own.eq(self.own), sector.eq(base + own), self.sector.eq(sector)]
        return m
