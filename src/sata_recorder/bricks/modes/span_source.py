"""The extents of a recording, one after the other."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.drive_port import SectorSpan

__all__ = ["SpanSource"]

#: Clocks from a change until the next span is computed.
_COMPUTE = 4


class SpanSource(wiring.Component):
    """Cuts a part of the space into chunks, lap after lap, and moves on to the next part on ``next_part``.

    A lap has whole chunks, except the last one, which is longer by the remainder, or is the only one.
    Latency: a span is there 5 clocks after ``begin``, 6 after ``taken`` and ``next_part``, 11 after ``rewind``.

    Parameters
    ----------
    rewinds : bool          ``rewind`` counts.

    Members
    -------
    begin : In(1)           A recording begins, in the clock after which the next four are stable.
    lba : In(48)            With ``begin``: the first sector of the first part.
    position : In(48)       With ``begin``: sectors of the first lap that are passed over. After the end of the part
                            the span is longer than any drive.
    part : In(48)           The sectors of a part; stable from the clock after ``begin`` on.
    chunk : In(48)          The sectors of a chunk; 0: all of the part. Stable as ``part``.
    valid : Out(1)          ``span`` is the next one. It falls in the clock after ``taken``,
                            ``begin`` and ``next_part``.
    span : Out(SectorSpan)  What comes after the spans that were taken.
    taken : In(1)           ``span`` is used, with ``valid``.
    next_part : In(1)       What follows the spans that have been taken, one of this clock too,
                            belongs to the next part.
    boundary : Out(48)      The sectors of the spans that were taken before the latest
                            ``next_part``, from 3 clocks after it on.
    settled : Out(1)        ``boundary`` is valid.
    rewind : In(1)          One clock, with no ``taken`` in the next one: of the sectors of the spans that were taken
                            only the first ``to`` have been used, all of this part, or of the one before a
                            ``next_part`` of this clock. The next span begins after them. Not before a
                            ``next_part`` of the next 3 clocks.
    to : In(48)             From the clock after ``rewind`` on, for 2 clocks.
    """

    def __init__(self, *, rewinds=False):
        self._rewinds = rewinds
        super().__init__({
            "begin": In(1), "lba": In(48), "position": In(48), "part": In(48), "chunk": In(48),
            "valid": Out(1), "span": Out(SectorSpan), "taken": In(1), "next_part": In(1),
            "boundary": Out(48), "settled": Out(1), "rewind": In(1), "to": In(48),
        })

    def elaborate(self, platform):
        m = Module()
        base = Signal(48)           # first sector of the part
        # Sectors of the part before the span. Below 0 the span is in the lap before, or in the one
        # before that.
        offset = Signal(signed(50) if self._rewinds else 48)
        # Sectors of the lap from ``offset`` on; the highest bit: it begins after its end.
        left = Signal(49)
        ends = Signal()             # the span is the last one of its lap
        total = Signal(48)          # sectors of the spans that were taken
        since = Signal(_COMPUTE)    # bit n: the last change was more than n clocks ago
        changed = Signal(3)         # bit n: ``next_part`` came n + 1 clocks ago
        took = Signal()             # ``taken`` came a clock ago
        m.d.comb += [
            self.valid.eq(since[-1] & ~took),
            self.settled.eq(~changed.any()),
        ]
        m.d.sync += [
            since.eq((since << 1) | 1),
            left.eq(self.part - offset),
            ends.eq((self.chunk == 0) | (left < (self.chunk << 1))),
            self.span.lba.eq(base + offset),
            self.span.sectors.eq(Mux(ends, left[:48] | left[48].replicate(48), self.chunk)),
            changed.eq((changed << 1) | self.next_part), took.eq(self.taken),
        ]
        rewound = Signal(2)         # bit n: ``rewind`` came n + 1 clocks ago
        with m.If(changed[1]):
            m.d.sync += self.boundary.eq(Mux(rewound[1], self.to, total))
        with m.If(took):
            m.d.sync += [since.eq(0), total.eq(total + self.span.sectors)]
            with m.If(~changed[0]):
                m.d.sync += offset.eq(Mux(ends, 0, offset + self.span.sectors))
        if self._rewinds:
            back = Signal(48)           # sectors of the spans that have not been used
            steps = Signal()
            m.d.sync += [rewound.eq((rewound << 1) | self.rewind), back.eq(total - self.to),
                         steps.eq(rewound[1] & ~changed[1])]
            with m.If(offset < 0):
                m.d.sync += [since.eq(0), offset.eq(offset + self.part)]
            with m.If(rewound.any()):
                m.d.sync += since.eq(0)
            with m.If(rewound[1]):
                m.d.sync += total.eq(self.to)
            with m.If(steps):
                m.d.sync += [since.eq(0), offset.eq(offset - back)]
        with m.If(self.next_part):
            m.d.sync += [since.eq(0), base.eq(base + self.part), offset.eq(0)]
        with m.If(self.begin):
            m.d.sync += [since.eq(0), base.eq(self.lba), offset.eq(self.position), total.eq(0), took.eq(0)]
        return m
