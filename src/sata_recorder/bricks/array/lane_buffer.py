"""Beats of several words at the array, and the words of one lane: with a FIFO of a chunk between them."""

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect

from ...core.block_fifo import BlockFifo
from ...facts.array import CHUNKS
from ...facts.units import SECTOR_WORDS
from ...interface.group import WORD

__all__ = ["LaneBuffer", "buffered"]


class LaneBuffer(wiring.Component):
    """Takes beats as fast as they come, until the FIFO is full but for a place or two, and hands them on word by word;
    in a playback the other way round.

    Latency: 5 clocks and one for each word of a beat.

    Parameters
    ----------
    width : int         Bits of a beat: 64 or 128.
    depth : int         Places for beats in the FIFO.

    Members
    -------
    clear : In(1)       One clock: nothing is in it.
    plays : In(1)       Words come from the lane. Else they go to it. Stable from ``clear`` to the next one.
    i : In(stream)      Beats to be recorded; the lowest bits are the first word.
    words_out : Out(stream 32)      Their words, to the lane.
    words_in : In(stream 32)        Words played back, from the lane; whole beats.
    o : Out(stream)     Their beats.
    empty : Out(1)      No word was in it, a clock ago.
    left : Out(range)   In a recording, the words in it, a clock ago.
    """

    def __init__(self, width, depth):
        self._width, self._depth = width, depth
        super().__init__({
            "clear": In(1), "plays": In(1), "i": In(stream.Signature(width)), "o": Out(stream.Signature(width)),
            "words_in": In(stream.Signature(WORD)), "words_out": Out(stream.Signature(WORD)), "empty": Out(1),
            "left": Out(range((depth + 2) * width // WORD + 1)),
        })

    def elaborate(self, platform):
        m = Module()
        words = self._width // WORD
        m.submodules.fifo = queue = ResetInserter(self.clear)(BlockFifo(width=self._width, depth=self._depth))
        # Between the queue and the words: to the lane the next beat, from the lane the one that its words make.
        gathered, count = Signal(self._width), Signal(range(words))
        full = Signal()
        # To the lane: a beat, of which the words go from the lowest on. Whether the lane takes one is known late.
        held, left = Signal(self._width), Signal(range(words + 1))
        takes, loads = Signal(), Signal()
        m.d.comb += [
            self.words_out.payload.eq(held[:WORD]), self.words_out.valid.eq(left != 0),
            takes.eq(~self.plays & queue.r_rdy & ~full),
            loads.eq(~self.plays & full & ((left == 0) | ((left == 1) & self.words_out.ready))),
        ]
        with m.If(self.clear):
            m.d.sync += left.eq(0)
        with m.Elif(loads):
            m.d.sync += [held.eq(gathered), left.eq(words)]
        with m.Elif(self.words_out.ready):
            m.d.sync += [held.eq(held[WORD:]), left.eq(left - self.words_out.valid)]
        # Flops, as much depends on them. What they do not yet know of is a beat, and another one may be gathered.
        room = Signal()
        gives = Signal()
        m.d.comb += [room.eq(queue.level < self._depth - 2), gives.eq(self.plays & full)]
        m.d.sync += [self.i.ready.eq(room & ~self.plays), self.words_in.ready.eq(room & self.plays)]
        with m.If(self.clear):
            m.d.sync += [full.eq(0), count.eq(0)]
        with m.Else():
            with m.If(gives | loads):
                m.d.sync += full.eq(0)
            with m.If(takes):
                m.d.sync += [gathered.eq(queue.r_data), full.eq(1)]
            with m.If(self.words_in.valid & self.words_in.ready):
                m.d.sync += [gathered.eq(Cat(gathered[WORD:], self.words_in.payload)), count.eq(count + 1),
                             full.eq(count == words - 1)]
        m.d.comb += [
            queue.w_data.eq(Mux(self.plays, gathered, self.i.payload)),
            queue.w_en.eq(Mux(self.plays, gives, self.i.valid & self.i.ready)),
            self.o.payload.eq(queue.r_data), self.o.valid.eq(self.plays & queue.r_rdy),
            queue.r_en.eq(Mux(self.plays, self.o.ready, takes)),
        ]
        m.d.sync += self.empty.eq((queue.level == 0) & (left == 0) & ~full & (count == 0)
                                  & ~(self.i.valid & self.i.ready))
        m.d.sync += self.left.eq((queue.level + full) * words + left)
        return m


def buffered(m, array, cores, operation, members, memories):
    """The streams of the lanes, as wide as those of the ``array``: pairs, in and out. What is in a buffer was accepted
    before the user gave up what the ``memories`` hold: it goes into its memory before that is abandoned. ``memories``
    is None if there are none."""
    config, streams = array.configuration, []
    chunk = config.chunk_sectors if config.array == "raid0" else min(CHUNKS)
    delivers = []
    for lane, core in enumerate(cores):
        m.submodules[f"buffer{lane}"] = buffer = LaneBuffer(
            config.array_width, chunk * SECTOR_WORDS * WORD // config.array_width)
        connect(m, buffer.words_out, core.user.i)
        m.d.comb += [
            buffer.clear.eq(operation.divide.begin), buffer.plays.eq(operation.plays),
            buffer.words_in.valid.eq(core.user.o.valid & ~members.takes),
            buffer.words_in.payload.eq(core.user.o.payload),
            core.user.o.ready.eq(buffer.words_in.ready | members.takes),
        ]
        delivers.append(~buffer.empty)
        streams.append((buffer.i, buffer.o))
        # A clock later, as a start is: the lane may begin in this clock. What is in its buffer was accepted before
        # the stop, and goes to the lane first.
        waits = Signal(name=f"stop{lane}")
        ends = waits & (operation.plays | buffer.empty)
        with m.If(core.user.control.stop | ~operation.busy):
            m.d.sync += waits.eq(0)
        with m.Elif(operation.lane_stop):
            m.d.sync += waits.eq(1)
        m.d.comb += core.user.control.stop.eq(ends)
        if memories is not None:
            stopped = Signal(name=f"stopped{lane}")
            m.d.sync += stopped.eq(operation.busy & (stopped | ends))
            m.d.comb += [memories[lane].left.eq(buffer.left),
                         memories[lane].abandoned.eq(array.user.memory.abandon & operation.counts & stopped)]
    m.d.comb += operation.delivers.eq(operation.plays & operation.moves & Cat(delivers).any())
    return streams
