"""The buffer: a FIFO that can go back over what it has given, or what it has taken."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..block_memory import BlockMemory
from .positions import Positions
from .word_ring import WordRing

__all__ = ["Buffer", "buffer_members"]


def buffer_members(depth):
    """The members of a buffer of ``depth`` words, whatever holds them."""
    return {
        "begin": In(1), "playing": In(1),
        "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)),
        "go": In(1), "fill": In(1), "good": In(1),
        "keep": In(1), "settle": In(1), "rewind": In(1),
        "enters": Out(1), "leaves": Out(1),
        "level": Out(range(depth + 2)), "held": Out(range(depth + 2)), "present": Out(1), "hold": Out(1),
    }


class Buffer(wiring.Component):
    """A FIFO in block RAM, and a register at its output, with a mark to go back to.

    It takes and gives a word a clock. Latency: a word is at ``o`` 3 clocks after it was at ``i``.

    In a recording the mark is at the oldest word that is kept: ``keep`` keeps a word that leaves,
    ``settle`` releases all that have left, and ``rewind`` makes those that are kept come out again.
    In a playback the mark is after the newest good word, and no word comes out before it is
    good: ``settle`` makes all words good, and ``rewind`` forgets those that are not.

    Parameters
    ----------
    depth : int             The words that the memory holds, a power of two.
    retain : bool           Whether ``keep`` has an effect. If not, a recording has no mark, and
                            room for one word more: the one in the output register.
    verify : bool           Whether words of a playback wait until they are good. If not, they are
                            good as they enter.
    reserve : int           The room that is left when ``hold`` rises, in words.

    Members
    -------
    begin : In(1)           Forgets all words, including those that are kept.
    playing : In(1)         The words are those of a playback. It must not change while there are
                            words, from the clock after ``begin`` on.
    i : In(stream 32)       Takes a word. ``ready`` depends on flops only.
    o : Out(stream 32)      Gives the oldest word.
    go : In(1)              Words may go to ``o``. While it is low the one that is there stays.
    fill : In(1)            While there are no words, zeros go to ``o``. No word may enter any more.
    good : In(1)            In a playback, the word that enters in this clock is good.
    keep : In(1)            In a recording, the word that leaves in this clock is kept. It must be
                            high where another word is kept already.
    settle : In(1)          In a recording, no word that has left is kept any more; none may leave
                            in this clock. In a playback, all words that have entered are good.
    rewind : In(1)          In a recording, the words that are kept come out once more; none may
                            leave in this clock. In a playback, the words that are not good are
                            forgotten; none may enter in this clock.
    enters : Out(1)         A word enters in this clock.
    leaves : Out(1)         A word leaves in this clock; a zero of ``fill`` is none.
    level : Out             The number of words that have not left.
    held : Out              The number of words that have not left or are kept.
    present : Out(1)        There is a word for ``o``, there or on its way.
    hold : Out(1)           Room for ``reserve`` words or less is left; until half of it is free.
    """

    def __init__(self, *, depth, retain=False, verify=False, reserve=0):
        self._depth = depth
        self._reserve = reserve
        self._retain = retain
        self._verify = verify
        super().__init__(buffer_members(depth))

    def elaborate(self, platform):
        m = Module()
        depth, output = self._depth, self.o
        # A word is not read in the clock in which it is written.
        m.submodules.memory = words = BlockMemory(shape=32, depth=depth)
        m.submodules.positions = positions = Positions(WordRing(depth), retain=self._retain, verify=self._verify)
        write = words.write_port()
        read_address, read_data = words.late_port(m)

        # Positions have one bit more than addresses.
        newest = positions.newest
        oldest = Signal(range(2 * depth))       # the next one to be read
        front = Signal()                        # a word is at the output of the memory, or has been
        fresh = Signal()                        # it is there in this clock only, and goes to the spare register
        spare = Signal(32)
        filled = Signal()                       # at the highest level there is: a flop, as much depends on it
        full = Signal()
        empty = Signal()
        readable = Signal()
        load = Signal()
        reads = Signal()
        filling = Signal()
        padding = Signal()                      # at ``o`` is a zero of ``fill``
        back = positions.back

        fills = self.fill & empty & ~back & ~self.begin
        m.d.sync += filling.eq(fills)
        m.d.comb += [
            positions.begin.eq(self.begin), positions.playing.eq(self.playing),
            positions.good.eq(self.good), positions.keep.eq(self.keep), positions.settle.eq(self.settle),
            positions.rewind.eq(self.rewind), positions.enters.eq(self.enters), positions.leaves.eq(self.leaves),
            self.level.eq(positions.level), self.held.eq(positions.held),
            full.eq(filled),
            empty.eq(self.level == 0),
            self.i.ready.eq(~full),
            self.enters.eq(self.i.valid & ~full),
            self.leaves.eq(output.valid & output.ready & ~padding),
            self.present.eq(~empty),
            write.addr.eq(newest[:-1]),
            write.data.eq(self.i.payload),
            # Also while no word enters: the next one takes its place.
            write.en.eq(~full),
            load.eq(~output.valid | output.ready),
            readable.eq(oldest != (Mux(self.playing, positions.mark, newest) if self._verify else newest)),
            reads.eq(readable & (~front | (load & self.go))),
            # In each clock: what may be far from here does not depend on what is known late.
            read_address.eq(oldest[:-1]),
        ]
        level = Mux(self.rewind, positions.marked, self.level)
        m.d.sync += filled.eq(level[-1] & (level[0] | self.enters) & ~self.leaves & ~self.begin)
        if self._retain:
            with m.If(~self.playing):
                m.d.comb += full.eq(positions.marked[-1])
        with m.If(self.begin):
            m.d.sync += [oldest.eq(0), front.eq(0), fresh.eq(0), output.valid.eq(0)]
        with m.Else():
            # ``reads`` is late: it only enables what has been added up already.
            with m.If(back):
                m.d.sync += oldest.eq(positions.mark)
            with m.Elif(reads):
                m.d.sync += oldest.eq(oldest + 1)
            m.d.sync += [front.eq((reads | (front & ~(load & self.go))) & ~back), fresh.eq(reads & ~back)]
            with m.If(load | back):
                m.d.sync += output.valid.eq(((front & self.go) | filling) & ~back)
        # Block RAM is slow to answer: a register is between it and the reader.
        with m.If(fills):
            m.d.sync += spare.eq(0)
        with m.Elif(fresh):
            m.d.sync += spare.eq(read_data)
        with m.If(load):
            m.d.sync += [output.payload.eq(Mux(fresh, read_data, spare)), padding.eq(filling)]

        # A playback asks for a pause before it is full.
        with m.If(self.level >= depth - self._reserve):
            m.d.sync += self.hold.eq(1)
        with m.Elif(self.level <= depth // 2):
            m.d.sync += self.hold.eq(0)
        return m
