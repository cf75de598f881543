"""The recorder: the user's streams and the buffer between them and the drive."""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from ..sequencer import StreamSignature

__all__ = ["Recorder"]

_SECTOR_SHIFT = 7
_SECTOR_WORDS = 1 << _SECTOR_SHIFT

#: Words that may still come after ``hold``. More than a drive within the rules sends: some are
#: late, and long cables or a deep PHY add their delay.
_RESERVE = 96

#: After the buffer ran empty a recording goes on once it holds this many words, so that a slow
#: stream makes few long pauses (HOLD) instead of many short ones.
_RESUME = 64


class Recorder(wiring.Component):
    """Buffers a recording on its way to the drive, and a play-back on its way to the user.

    A recording accepts exactly the words of its extent. After ``stop`` it accepts none; the words
    accepted before are written, and the command in flight is filled up with zeros. A play-back
    delivers exactly the words of its extent; after ``stop`` it delivers none. A word that is
    offered at ``o`` but not taken is withdrawn by ``stop`` and by the failure of the operation.

    Parameters
    ----------
    depth : int
        Words in the buffer, a power of two, at least 128; block RAM.

    Members
    -------
    i : In(stream 32), o : Out(stream 32)
    last : Out(1)           with ``o.valid``: the last word of the extent
    stop : In(1)            from the clock after the start of an operation on; else it has no effect
    words : Out(48)         accepted or delivered in this operation
    high_water : Out(16)    most words the buffer and its output register held
    held_cycles : Out(48)   clocks in which a word of the extent waited for room in the buffer
                            (record), or for the user to take it (play)
    sequencer : Out(StreamSignature)
    """

    def __init__(self, *, depth):
        self._depth = depth
        super().__init__({
            "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)), "last": Out(1),
            "stop": In(1), "words": Out(48), "high_water": Out(16), "held_cycles": Out(48),
            "sequencer": Out(StreamSignature()),
        })

    def elaborate(self, platform):
        m = Module()
        sequencer = self.sequencer
        recording, playing = sequencer.recording, sequencer.playing

        buffer = SyncFIFOBuffered(width=32, depth=self._depth)
        m.submodules.buffer = ResetInserter(sequencer.begin)(buffer)

        final_sector = Signal(48)
        words = Signal(48 + 7)      # of any extent there can be
        complete = Signal()         # all words of the extent have passed the user's side
        stopped = Signal()
        moves, waits = Signal(), Signal()
        level = Signal(range(self._depth + 4))      # words in the buffer and behind it
        enters, leaves = Signal(), Signal()
        empty = Signal()
        m.d.comb += [
            self.words.eq(words),
            self.last.eq((words[7:] == final_sector) & words[:7].all()),
            empty.eq(level == 0),
        ]
        with m.If(sequencer.begin):
            m.d.sync += [
                final_sector.eq(sequencer.sectors - 1),
                words.eq(0),
                complete.eq(0),
                stopped.eq(0),
                self.high_water.eq(0),
                self.held_cycles.eq(0),
            ]
        with m.Else():
            m.d.sync += [
                words.eq(words + moves),
                complete.eq(complete | (moves & self.last)),
                stopped.eq(stopped | self.stop),
                self.high_water.eq(Mux(level > self.high_water, level, self.high_water)),
                self.held_cycles.eq(self.held_cycles + waits),
            ]

        m.d.comb += enters.eq(buffer.w_en & buffer.w_rdy)
        with m.If(sequencer.begin):
            m.d.sync += level.eq(0)
        with m.Elif(enters != leaves):
            m.d.sync += level.eq(Mux(enters, level + 1, level - 1))

        # A recording: the user's stream, the buffer, the drive.
        accepts = Signal()
        primed = Signal()
        m.d.comb += accepts.eq(recording & ~complete & ~stopped)
        with m.If(sequencer.begin):
            m.d.sync += primed.eq(0)
        with m.Elif((level >= _RESUME) | complete | stopped):
            m.d.sync += primed.eq(1)
        with m.Elif(empty):
            m.d.sync += primed.eq(0)

        # A play-back: the drive, the buffer, the user's stream.
        hold = Signal()
        with m.If(level >= self._depth - _RESERVE):
            m.d.sync += hold.eq(1)
        with m.Elif(level <= self._depth // 2):
            m.d.sync += hold.eq(0)

        fetches = Signal()
        fills_up = Signal()     # zeros in the place of words that will not come
        # Block RAM is slow to answer: a register stands between it and whoever reads.
        output = stream.Signature(32).create()
        load = Signal()
        m.d.comb += load.eq(~output.valid | output.ready)
        with m.If(sequencer.begin):
            m.d.sync += output.valid.eq(0)
        with m.Elif(load):
            m.d.sync += output.valid.eq(fetches | fills_up)
        with m.If(load):
            m.d.sync += output.payload.eq(Mux(fills_up, 0, buffer.r_data))
        m.d.sync += fills_up.eq(recording & stopped & empty)
        m.d.comb += [
            fetches.eq(buffer.r_rdy & (primed | playing)),
            buffer.r_en.eq(load & fetches),
            self.o.payload.eq(output.payload),
            self.o.valid.eq(playing & output.valid & ~stopped),
            sequencer.data.payload.eq(output.payload),
            sequencer.data.valid.eq(recording & output.valid),
            output.ready.eq(sequencer.data.ready | (playing & (self.o.ready | stopped))),
            leaves.eq(output.valid & output.ready & ~empty),
            sequencer.drained.eq(empty),
        ]
        with m.If(recording):
            m.d.comb += [
                buffer.w_data.eq(self.i.payload),
                buffer.w_en.eq(moves),
                self.i.ready.eq(accepts & buffer.w_rdy),
                moves.eq(self.i.valid & self.i.ready),
                waits.eq(self.i.valid & accepts & ~buffer.w_rdy),
            ]
        with m.Else():
            m.d.comb += [
                buffer.w_data.eq(sequencer.payload.payload),
                buffer.w_en.eq(sequencer.payload.valid),
                moves.eq(self.o.valid & self.o.ready),
                waits.eq(self.o.valid & ~self.o.ready),
                sequencer.hold.eq(hold & ~stopped),
                sequencer.lost.eq(sequencer.payload.valid & ~buffer.w_rdy & ~stopped),
            ]

        # Words that were accepted before the stop are a part of the recording.
        m.d.sync += [
            sequencer.pending_sectors.eq(
                Mux(playing, 0, (level + _SECTOR_WORDS - 1)[_SECTOR_SHIFT:])),
            sequencer.stopped.eq(stopped),
        ]
        return m
