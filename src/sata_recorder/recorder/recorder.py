"""The recorder: the user's streams and the buffer between them and the drive."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect

from ..interface import group
from ..sequencer import StreamSignature
from ..units import SECTOR_SHIFT, SECTOR_WORDS
from .buffer import Buffer
from .journal import Journal
from .overflow import Overflow
from .replay import Replay

__all__ = ["Recorder"]

#: Words that may still come after ``hold``. More than a drive within the rules sends: some are
#: late, and long cables or a deep PHY add their delay.
_RESERVE = 96

#: After the buffer ran empty a recording goes on once it holds this many words, so that a slow
#: stream makes few long pauses (HOLD) instead of many short ones.
_RESUME = 64

#: Payload of the longest Data FIS; a buffer of twice that can wait for the end of each FIS.
_FIS_WORDS = 2048


class Recorder(wiring.Component):
    """Buffers a recording on its way to the drive, and a play-back on its way to the user.

    A recording accepts exactly the words of its extent. After ``stop`` it accepts none; the words
    accepted before are written, and the command in flight is filled up with zeros. A play-back
    delivers exactly the words of its extent; after ``stop`` it delivers none. A word that is
    offered at ``o`` but not taken is withdrawn by ``stop`` and by the failure of the operation.

    With a buffer of 4096 words or more the payload of a Data FIS is delivered after the FIS was
    found good. With less it is delivered as it comes, and ``tainted`` after ``rewind`` says
    that words have come which were not found good.

    Parameters
    ----------
    depth : int
        Words in the buffer, a power of two, at least 128; block RAM.
    retain : bool
        Whether commands with ``retain`` stay in the buffer until they are completed. The buffer
        has room for one word less then.
    skips : bool
        Whether an operation may go on behind words that cannot be moved; see
        :class:`.replay.Replay`.
    drop : bool
        While recording ``i.ready`` is always high, and words without room are lost: a gap, see
        :class:`.overflow.Overflow`. Else ``i.ready`` waits.

    Members
    -------
    i : In(stream 32), o : Out(stream 32)
    last : Out(1)           with ``o.valid``: the last word of the extent
    stop : In(1)            from the clock after the start of an operation on; else it has no effect
    counters : In           The counters of the operation, see :mod:`..interface`. ``high_water``
                            counts the buffer and its output register, with the words that are kept
                            for a replay. ``longest_stall`` counts clocks of a recording in which
                            the buffer offered words to the drive, or would have but for a recovery.
    journal : In            The journal, see :class:`.journal.Journal`.
    sequencer : Out(StreamSignature)
    """

    def __init__(self, *, depth, retain=False, skips=True, drop=False):
        self._depth = depth
        self._retain = retain
        self._skips = skips
        self._drop = drop
        super().__init__({
            "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)), "last": Out(1),
            "stop": In(1), "counters": In(group("counters")), "journal": In(group("journal")),
            "sequencer": Out(StreamSignature()),
        })

    def elaborate(self, platform):
        m = Module()
        depth, sequencer, counters = self._depth, self.sequencer, self.counters
        recording, playing, begin = sequencer.recording, sequencer.playing, sequencer.begin
        verify = depth >= 2 * _FIS_WORDS
        m.submodules.buffer = buffer = Buffer(depth=depth, retain=self._retain, verify=verify)
        m.submodules.replay = replay = Replay(verify=verify, skips=self._skips)
        m.submodules.journal = journal = Journal()
        level, output = buffer.level, buffer.o

        final_sector = Signal(48)
        words = Signal(48 + SECTOR_SHIFT)      # of any extent there can be
        complete = Signal()         # all words of the extent have passed the user's side
        stopped = Signal()
        moves = Signal()
        waits = Signal()
        empty = Signal()
        m.d.comb += [
            counters.words.eq(words),
            self.last.eq((words[SECTOR_SHIFT:] == final_sector) & words[:SECTOR_SHIFT].all()),
            empty.eq(level == 0),
        ]
        with m.If(begin):
            m.d.sync += [
                final_sector.eq(sequencer.sectors - 1),
                words.eq(0),
                complete.eq(0),
                stopped.eq(0),
                counters.high_water.eq(0),
                counters.held_cycles.eq(0),
            ]
        with m.Else():
            m.d.sync += [
                words.eq(words + moves),
                complete.eq(complete | (moves & self.last)),
                stopped.eq(stopped | self.stop),
                counters.high_water.eq(Mux(buffer.held > counters.high_water, buffer.held,
                                       counters.high_water)),
                counters.held_cycles.eq(counters.held_cycles + waits),
            ]

        # A recording: the user's stream, the buffer, the drive.
        accepts = Signal()
        has_room = Signal()
        primed = Signal()
        with m.If(begin):
            m.d.sync += primed.eq(0)
        # Words that are kept may leave no room for so many.
        with m.Elif((level >= _RESUME) | complete | stopped | ~buffer.i.ready):
            m.d.sync += primed.eq(1)
        with m.Elif(empty):
            m.d.sync += primed.eq(0)

        # A play-back: the drive, the buffer, the user's stream.
        hold = Signal()
        with m.If(level >= depth - _RESERVE):
            m.d.sync += hold.eq(1)
        with m.Elif(level <= depth // 2):
            m.d.sync += hold.eq(0)

        # Words that are owed after a failure: of a recording they are dropped as they come out,
        # in a play-back zeros go in for them.
        drops = Signal()
        zeros = Signal()
        kept = Signal()
        with m.If(begin):
            m.d.sync += kept.eq(0)
        with m.Elif(sequencer.command):
            m.d.sync += kept.eq(sequencer.retain if self._retain else 0)
        m.d.sync += replay.forget.eq(stopped & (playing | empty))
        m.d.comb += [
            drops.eq(recording & replay.owing),
            zeros.eq(playing & replay.owing & ~hold),
            replay.passed.eq((drops & buffer.leaves) | zeros),
            replay.kept.eq(kept),
            replay.moved.eq((sequencer.data.valid & sequencer.data.ready)
                            | (sequencer.payload.valid & ~replay.parked & playing)),
            sequencer.behind.eq(replay.behind),
            sequencer.partial.eq(replay.partial),
            sequencer.tainted.eq(replay.tainted),
            buffer.keep.eq(kept & ~drops),
            buffer.settle.eq(Mux(recording, sequencer.completed, sequencer.verified)),
            buffer.rewind.eq(replay.rewound),
        ]
        for name in ("begin", "playing", "command", "completed", "verified", "rewind", "repeat",
                     "skip", "skip_sectors"):
            m.d.comb += getattr(replay, name).eq(getattr(sequencer, name))

        offers = Signal()           # the drive may have what is in the output register
        m.d.comb += [
            offers.eq(recording & replay.free),
            buffer.begin.eq(begin),
            buffer.playing.eq(playing),
            buffer.go.eq(primed | playing),
            buffer.fill.eq(recording & stopped),
            buffer.good.eq(zeros),
            self.o.payload.eq(output.payload),
            self.o.valid.eq(playing & output.valid & ~stopped),
            sequencer.data.payload.eq(output.payload),
            sequencer.data.valid.eq(offers & output.valid),
            output.ready.eq((offers & sequencer.data.ready) | drops
                            | (playing & (self.o.ready | stopped))),
            sequencer.drained.eq(empty & replay.settled & ~replay.owing),
        ]
        with m.If(playing):
            m.d.comb += [
                buffer.i.payload.eq(Mux(zeros, 0, sequencer.payload.payload)),
                buffer.i.valid.eq(zeros | (sequencer.payload.valid & ~replay.parked
                                           & ~replay.repeated)),
                moves.eq(self.o.valid & self.o.ready),
                waits.eq(self.o.valid & ~self.o.ready),
                sequencer.hold.eq(hold & ~stopped),
                sequencer.lost.eq(buffer.i.valid & ~buffer.i.ready & ~stopped),
            ]
        with m.Else():
            m.d.comb += [
                buffer.i.payload.eq(self.i.payload),
                buffer.i.valid.eq(moves),
                moves.eq(self.i.valid & accepts & has_room),
            ]
        if self._drop:
            m.submodules.overflow = overflow = Overflow(depth=depth)
            opened = Signal()       # until ``recording`` follows
            m.d.sync += opened.eq(sequencer.opening)
            m.d.comb += [
                accepts.eq((sequencer.opening | opened | recording) & ~complete & ~stopped),
                has_room.eq(buffer.i.ready & overflow.open),
                self.i.ready.eq(accepts),
                overflow.begin.eq(begin),
                overflow.accepts.eq(accepts),
                overflow.offered.eq(self.i.valid),
                overflow.room.eq(buffer.i.ready),
                overflow.level.eq(level),
                overflow.held.eq(buffer.held),
                overflow.words.eq(words),
                counters.dropped.eq(overflow.dropped),
            ]
            connect(m, overflow.gap, journal.gap)
        else:
            m.d.comb += [
                accepts.eq(recording & ~complete & ~stopped),
                has_room.eq(buffer.i.ready),
                self.i.ready.eq(accepts & has_room),
            ]
            with m.If(~playing):
                m.d.comb += waits.eq(self.i.valid & accepts & ~has_room)

        # Words that were accepted before the stop are a part of the recording.
        m.d.sync += [
            sequencer.pending_sectors.eq(
                Mux(playing, 0, (level + SECTOR_WORDS - 1)[SECTOR_SHIFT:])),
            sequencer.stopped.eq(stopped),
            sequencer.settled.eq(replay.settled & ~sequencer.rewind & ~sequencer.skip
                                 & ~(replay.owing & (playing | stopped))),
        ]

        # The run of clocks is compared a clock late; between two runs it is 0 for a clock.
        run = Signal(48)
        before = Signal(48)
        longer = Signal()
        with m.If(begin | ~recording | ~primed | empty | buffer.leaves):
            m.d.sync += run.eq(0)
        with m.Else():
            m.d.sync += run.eq(run + 1)
        m.d.sync += [before.eq(run), longer.eq(run > counters.longest_stall)]
        with m.If(begin):
            m.d.sync += [counters.longest_stall.eq(0), longer.eq(0)]
        with m.Elif(longer):
            m.d.sync += counters.longest_stall.eq(before)

        m.d.comb += [
            journal.begin.eq(begin),
            journal.address.eq(self.journal.address),
            self.journal.data.eq(journal.data),
            self.journal.count.eq(journal.count),
            sequencer.mark_room.eq(journal.room),
        ]
        connect(m, wiring.flipped(sequencer.mark), journal.mark)
        return m
