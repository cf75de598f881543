"""The buffer: a FIFO that can go back over what it has given, or what it has taken."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Buffer"]


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
    """

    def __init__(self, *, depth, retain=False, verify=False):
        self._depth = depth
        self._retain = retain
        self._verify = verify
        super().__init__({
            "begin": In(1), "playing": In(1),
            "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)),
            "go": In(1), "fill": In(1), "good": In(1),
            "keep": In(1), "settle": In(1), "rewind": In(1),
            "enters": Out(1), "leaves": Out(1),
            "level": Out(range(depth + 2)), "held": Out(range(depth + 2)),
        })

    def elaborate(self, platform):
        m = Module()
        depth, output = self._depth, self.o
        m.submodules.memory = words = memory.Memory(
            shape=32, depth=depth, init=[], attrs={"ram_style": "block"})
        write = words.write_port()
        read = words.read_port()

        # Positions have one bit more than addresses: a full buffer is not an empty one.
        newest = Signal(range(2 * depth))       # where the next word goes
        oldest = Signal(range(2 * depth))       # the next one to be read
        mark = Signal(range(2 * depth))
        front = Signal()                        # a word is at the output of the memory
        full = Signal()
        empty = Signal()
        readable = Signal()
        load = Signal()
        reads = Signal()
        filling = Signal()
        padding = Signal()                      # at ``o`` is a zero of ``fill``
        recording = ~self.playing
        keep = self.keep if self._retain else C(0)
        good = self.good if self._verify else C(1)
        back = self.rewind & recording if self._retain else C(0)
        forth = self.rewind & self.playing if self._verify else C(0)

        m.d.sync += filling.eq(self.fill & empty & ~back & ~self.begin)
        m.d.comb += [
            full.eq(self.level[-1] & self.level[0]),
            empty.eq(self.level == 0),
            self.i.ready.eq(~full),
            self.enters.eq(self.i.valid & ~full),
            self.leaves.eq(output.valid & output.ready & ~padding),
            write.addr.eq(newest[:-1]),
            write.data.eq(self.i.payload),
            write.en.eq(self.enters),
            load.eq(~output.valid | output.ready),
            readable.eq(oldest != (Mux(self.playing, mark, newest) if self._verify else newest)),
            reads.eq(readable & (~front | (load & self.go))),
            read.addr.eq(oldest[:-1]),
            # A read that is not used does no harm, and whether there is a word is known late.
            read.en.eq(~front | (load & self.go)),
        ]
        with m.If(self.begin):
            m.d.sync += [newest.eq(0), oldest.eq(0), front.eq(0), output.valid.eq(0)]
        with m.Else():
            # ``enters`` and ``reads`` are late: they only enable what has been added up already.
            with m.If(forth):
                m.d.sync += newest.eq(mark)
            with m.Elif(self.enters):
                m.d.sync += newest.eq(newest + 1)
            with m.If(back):
                m.d.sync += oldest.eq(mark)
            with m.Elif(reads):
                m.d.sync += oldest.eq(oldest + 1)
            m.d.sync += front.eq((reads | (front & ~(load & self.go))) & ~back)
            with m.If(load | back):
                m.d.sync += output.valid.eq(((front & self.go) | filling) & ~back)
        # Block RAM is slow to answer: a register is between it and the reader.
        with m.If(load):
            m.d.sync += [output.payload.eq(Mux(filling, 0, read.data)), padding.eq(filling)]

        def count(level, start, up, down):
            with m.If(self.begin):
                m.d.sync += level.eq(0)
            with m.Elif(up != down):
                m.d.sync += level.eq(Mux(down, start - 1, start + 1))
            with m.Else():
                m.d.sync += level.eq(start)

        if not (self._retain or self._verify):
            count(self.level, self.level, self.enters, self.leaves)
            m.d.comb += self.held.eq(self.level)
            return m

        # Words as counted from the mark: including those that are kept, or only those that are
        # good. Where nothing is kept or in doubt it is the level.
        marked = Signal.like(self.level)
        released = Signal()
        approved = Signal()
        m.d.comb += [
            released.eq(self.leaves & ~(keep & recording)),
            approved.eq(self.enters & (good | recording)),
        ]
        count(self.level, Mux(self.rewind, marked, self.level), self.enters, self.leaves)
        count(marked, Mux(self.settle, self.level, marked), approved, released)
        if self._retain:
            m.d.comb += self.held.eq(Mux(recording, marked, self.level))
            with m.If(recording):
                m.d.comb += full.eq(marked[-1])
        else:
            m.d.comb += self.held.eq(self.level)

        left = Signal.like(mark)    # recording: the next word to leave
        with m.If(self.begin):
            m.d.sync += [mark.eq(0), left.eq(0)]
        with m.Elif(recording):
            if self._retain:
                m.d.sync += [
                    left.eq(Mux(self.rewind, mark, left + self.leaves)),
                    mark.eq(Mux(self.settle, left, mark + released)),
                ]
        with m.Elif(self.settle):
            m.d.sync += mark.eq(newest)
        with m.Elif(self.enters & good):
            m.d.sync += mark.eq(mark + 1)
        return m
