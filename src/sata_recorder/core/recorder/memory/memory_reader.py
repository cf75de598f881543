"""The way out of the memory: bursts of reads, and a FIFO of words."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from .channels import Burst, ReadBeat
from .lanes import Lanes

__all__ = ["MemoryReader"]

#: Bursts that may be under way.
_OUTSTANDING = 8
#: Clocks from a change of what is next to a decision that knows it.
_AGE = 5


class MemoryReader(wiring.Component):
    """Reads the words of the memory in their order, ahead of the one that takes them.

    A burst begins when there are words up to the next address that no burst crosses, or any at all while few are in
    the FIFO and no burst is under way. The rate is a word a clock.

    Parameters
    ----------
    shape : MemoryShape

    Members
    -------
    begin : In(1)           The next word has position 0.
    back : In(1)            The next word has position ``mark``.
    mark : In               See ``back``; in a playback, position after the last good word.
    playing : In(1)         No word after ``mark`` is read.
    stored : In             Position after the last word that can be read; with ``moves`` it is unknown.
    moves, settled : In(1)  See :class:`.memory_writer.MemoryWriter`.
    o : Out(stream 32)      The next word. It does not stay with ``begin`` and ``back``.
    hurry : Out(1)          All words that can be read have been, and few are in the FIFO.
    present : Out(1)        A word is at ``o``, or will be in the next clock.
    late : Out(1)           None is, though a whole burst of words is in the memory.
    ar : Out(stream), r : In(stream, always ready)      Channels of AXI4.
    failed : Out(1)         A response was an error. Neither that beat nor any other follows before ``begin``.
    waits : Out(1)          A burst is under way.
    """

    def __init__(self, shape):
        self._shape = shape
        position = shape.ring.positions
        super().__init__({
            "begin": In(1), "back": In(1), "mark": In(position), "playing": In(1),
            "stored": In(position), "moves": In(1), "settled": In(1),
            "o": Out(stream.Signature(32)), "hurry": Out(1), "present": Out(1), "late": Out(1),
            "ar": Out(stream.Signature(Burst)),
            "r": In(stream.Signature(ReadBeat(shape.width), always_ready=True)),
            "failed": Out(1), "waits": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        shape = self._shape
        m.submodules.cells = cells = Lanes(shape)
        # Where each burst ends that is under way.
        m.submodules.ends = ends = SyncFIFO(width=(2 * shape.fifo - 1).bit_length(), depth=_OUTSTANDING)

        # Places in the FIFO are positions in the memory without their highest bits.
        requested = Signal(shape.ring.positions)        # the first word that no burst has: its position
        arrived = Signal(range(2 * shape.fifo))         # the first one that has not come: its place
        oldest = Signal.like(arrived)                   # the next one to leave
        restarts = Signal()
        to = Signal.like(requested)
        takes, size, plenty = self._decide(m, requested, oldest, restarts)
        following = shape.ring.after(requested, size)
        m.d.comb += [
            restarts.eq(self.begin | self.back),
            to.eq(Mux(self.begin, 0, self.mark)),
            ends.w_en.eq(takes), ends.w_data.eq(following),
            self.waits.eq(self.ar.valid | ends.r_rdy),
        ]
        with m.If(restarts):
            m.d.sync += requested.eq(to)
        with m.Elif(takes):
            m.d.sync += requested.eq(following)
        with m.If(takes):
            m.d.sync += [
                self.ar.valid.eq(1),
                self.ar.payload.address.eq(shape.address(requested)),
                self.ar.payload.length.eq(shape.last_beat(requested[:shape.burst_bits], size)),
            ]
        with m.Elif(self.ar.ready):
            m.d.sync += self.ar.valid.eq(0)
        self._arrive(m, cells, ends, arrived, restarts, to)
        self._leave(m, cells, arrived, oldest, restarts, to)
        under_way = (requested - arrived)[:len(arrived)]
        m.d.sync += self.late.eq(~self.present & (plenty | (under_way >= shape.burst)) & ~restarts)
        return m

    def _decide(self, m, requested, oldest, restarts):
        """Whether a burst begins in this clock, its words, and whether more could be read."""
        shape = self._shape
        ends = m.submodules.ends
        takes = Signal()
        age = Signal(_AGE)                          # a one for each clock since then
        readable = Signal.like(requested)
        good = Signal.like(requested)
        limited = Signal(shape.burst_bits + 1)      # of them, those of the longest burst at most
        allowed = Signal.like(limited)
        least = Signal.like(limited)                # of both
        size = Signal.like(least)
        room = Signal.like(least)
        whole = Signal()
        plenty = Signal()
        low = Signal()
        fits = Signal()
        due = Signal()
        words = Signal.like(least)                  # with ``due``
        # In the FIFO or on their way there.
        ahead = (requested - oldest)[:len(oldest)]

        def clipped(words):
            return Mux(words[shape.burst_bits:].any(), shape.burst, words[:shape.burst_bits])
        m.d.comb += [
            room.eq(shape.burst - requested[:shape.burst_bits]),
            takes.eq(age[-1] & due & ~self.ar.valid & ~self.moves & ~restarts),
        ]
        m.d.sync += [
            age.eq(Mux(takes | restarts | self.settled, 0, Cat(1, age))),
            # A burst that is due remains so until another one begins.
            due.eq((whole | ((size != 0) & low & ~self.waits)) & fits & ends.w_rdy), words.eq(size),
            readable.eq(shape.ring.words(requested, self.stored)),
            good.eq(shape.ring.words(requested, self.mark)),
            limited.eq(clipped(readable)), allowed.eq(clipped(good)),
            least.eq(Mux(self.playing & (allowed < limited), allowed, limited)),
            plenty.eq(readable[shape.burst_bits:].any() & ~self.moves),
            whole.eq(least >= room), size.eq(Mux(least >= room, room, least)),
            low.eq(ahead < shape.fifo // 4),
            fits.eq(ahead <= shape.fifo - shape.burst - 2 * shape.lanes),
            self.hurry.eq((readable == 0) & low & ~(self.playing & (good == 0))),
        ]
        return takes, words, plenty

    def _arrive(self, m, cells, ends, arrived, restarts, to):
        """Beats go into the FIFO, except those that were asked for before ``begin`` or ``back``."""
        shape, r = self._shape, self.r
        stale = Signal(range(_OUTSTANDING + 1))     # bursts whose beats are not wanted any more
        ended = Signal()
        wanted = Signal()
        place = arrived[:shape.lane_bits]
        m.d.comb += [
            ended.eq(r.valid & r.payload.last & ends.r_rdy), ends.r_en.eq(ended),
            wanted.eq(r.valid & (stale == 0) & ends.r_rdy),
            cells.write_address.eq(arrived[shape.lane_bits:-1]),
            cells.write_data.eq(r.payload.data),
            # Words that came before may be on their way out.
            cells.write_enable.eq(wanted.replicate(shape.lanes) & (((1 << shape.lanes) - 1) << place)[:shape.lanes]),
        ]
        with m.If(restarts):
            m.d.sync += [arrived.eq(to), stale.eq(ends.level - ended)]
        with m.Else():
            m.d.sync += stale.eq(stale - (ended & (stale != 0)))
            with m.If(wanted & ~self.failed & ~r.payload.response[1]):
                m.d.sync += arrived.eq(Mux(r.payload.last, ends.r_data, Cat(
                    place & 0, arrived[shape.lane_bits:] + 1)))
        with m.If(self.begin):
            m.d.sync += self.failed.eq(0)
        with m.Elif(wanted & r.payload.response[1]):
            m.d.sync += self.failed.eq(1)

    def _leave(self, m, cells, arrived, oldest, restarts, to):
        """Words come out of their lanes."""
        shape, o = self._shape, self.o
        lane = Signal(shape.lane_bits)
        readable = Signal()
        reads = Signal()
        front = Signal()
        m.d.comb += [
            readable.eq(oldest != arrived),
            reads.eq(readable & (~front | o.ready)),
            cells.read_address.eq(oldest[shape.lane_bits:-1]),
            # A read that is not used does no harm.
            cells.read_enable.eq(~front | o.ready),
            o.valid.eq(front), o.payload.eq(cells.read_data.word_select(lane, 32)),
            self.present.eq(front | readable),
        ]
        with m.If(~front | o.ready):
            m.d.sync += lane.eq(oldest)
        with m.If(restarts):
            m.d.sync += [oldest.eq(to), front.eq(0)]
        with m.Else():
            m.d.sync += front.eq(reads | (front & ~o.ready))
            # ``reads`` is late: it only enables what has been added up already.
            with m.If(reads):
                m.d.sync += oldest.eq(oldest + 1)
