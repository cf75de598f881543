"""How long the lines of a recording are: what its log keeps of them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .table_format import LINE_RUNS

__all__ = ["LineRuns"]


class LineRuns(wiring.Component):
    """Counts the lines of a recording, and keeps runs of lines of equal length: as many as the log has room for.

    If more runs would be needed, or a line has 4 GiB or more, no run is added and none grows any more: the runs then
    have fewer lines than there are. A run of 2^32 - 1 lines is followed by another one of the same length.

    Latency: 4 clocks from the last word of a line.

    Parameters
    ----------
    word_bits : int         Of a number of words, of a line; a log has 30.
    count_bits : int        Of a number of lines, of a run; a log has 32.

    Members
    -------
    begin : In(1)           One clock: a recording begins.
    passes : In(1)          A word of it passes.
    ends : In(1)            With ``passes``: the word is the last one of a line.
    spare : In(2)           With ``ends``: bytes of the word that do not belong to the line.
    lines : Out(48)         Lines that have ended.
    runs : Out(5)           Runs that are kept.
    address : In(5)         The run that is read, from 0 on.
    length : Out(32), count : Out(32)       A clock later: bytes of a line, the bytes that are spare not among them; and
                            the lines of the run.
    """

    def __init__(self, *, word_bits=30, count_bits=32):
        self._word_bits, self._count_bits = word_bits, count_bits
        super().__init__({
            "begin": In(1), "passes": In(1), "ends": In(1), "spare": In(2), "lines": Out(48),
            "runs": Out(range(LINE_RUNS + 1)), "address": In(range(LINE_RUNS + 1)),
            "length": Out(word_bits + 2), "count": Out(count_bits)})

    def elaborate(self, platform):
        m = Module()
        bits = self._word_bits + 2      # of a number of bytes
        m.submodules.memory = kept = memory.Memory(shape=bits + self._count_bits, depth=LINE_RUNS + 1, init=[])
        write, read = kept.write_port(), kept.read_port()
        words = Signal(self._word_bits) # of this line, without the word that passes
        beyond = Signal()               # it has more
        # The line that has ended, a clock ago and two.
        ended, length, too_long = Signal(), Signal(bits), Signal()
        checked, checked_length, again, closes = Signal(), Signal(bits), Signal(), Signal()
        latest = Signal(bits)           # bytes of the line before
        # The run that is open.
        count, run_length, writes = Signal(self._count_bits), Signal(bits), Signal()
        full = Signal()                 # it has all the lines that it can count
        closed = Signal()               # no run changes any more
        ends = self.passes & self.ends
        m.d.comb += [
            write.addr.eq(self.runs - 1), write.data.eq(Cat(run_length, count)), write.en.eq(writes),
            read.addr.eq(self.address), self.length.eq(read.data[:bits]), self.count.eq(read.data[bits:]),
        ]
        with m.If(self.passes):
            m.d.sync += [words.eq(Mux(self.ends, 0, words + 1)), beyond.eq(~self.ends & (beyond | words.all()))]
        m.d.sync += [
            ended.eq(ends), length.eq(Cat(0, 0, words) + 4 - self.spare), too_long.eq(beyond | words.all()),
            checked.eq(ended), checked_length.eq(length), again.eq(length == latest), closes.eq(too_long),
            writes.eq(0),
        ]
        with m.If(ended):
            m.d.sync += latest.eq(length)
        m.d.comb += full.eq(count.all())
        with m.If(checked):
            m.d.sync += self.lines.eq(self.lines + 1)
            with m.If(closes | closed):
                m.d.sync += closed.eq(1)
            with m.Elif(again & self.runs.any() & ~full):
                m.d.sync += [count.eq(count + 1), writes.eq(1)]
            with m.Elif(self.runs == LINE_RUNS):
                m.d.sync += closed.eq(1)
            with m.Else():
                m.d.sync += [self.runs.eq(self.runs + 1), count.eq(1), run_length.eq(checked_length), writes.eq(1)]
        with m.If(self.begin):
            m.d.sync += [words.eq(0), beyond.eq(0), ended.eq(0), checked.eq(0), writes.eq(0), closed.eq(0),
                         self.lines.eq(0), self.runs.eq(0)]
        return m
