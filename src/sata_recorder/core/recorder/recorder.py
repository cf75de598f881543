"""The recorder: the user's streams and the buffer between them and the drive."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...facts.units import LONG_SECTOR_BLOCKS, LONG_SECTOR_SHIFT, SECTOR_SHIFT, SECTOR_WORDS
from ...interface import CONTROL, COUNTERS, JOURNAL, MEMORY, MEMORY_BUSES, QUEUE
from ..drive_port import DrivePort
from .buffer import Buffer
from .journal import Journal
from .memory import MemoryBuffer
from .meters import StallMeter, WordCounter
from .overflow import Overflow
from .reread_check import RereadCheck
from .resume_point import ResumePoint

__all__ = ["Recorder"]

#: Bits of a word, from the user to the drive port.
_WIDTH = 32
#: Sectors.
_LONGEST_COMMAND = 65536


class Recorder(wiring.Component):
    """Buffers a recording on its way to the drive, and a playback on its way to the user.

    A recording accepts exactly the words of its extent. After ``stop`` it accepts none; the words
    accepted before are written, and the command in flight is filled up with zeros. A playback
    delivers exactly the words of its extent; after ``stop`` it delivers none. A word that is
    offered at ``o`` but not taken is withdrawn by ``stop`` and by the failure of the operation.

    With a buffer of two bursts or more (4096 words) a word is delivered after it was found good. With less it is
    delivered as it comes, and ``port.recovery.tainted`` shows that words have been delivered which were not found good.

    Parameters
    ----------
    depth : int
        Words in the buffer, a power of two, at least 128; block RAM. Any number with a ``memory``.
    memory : MemoryShape or None
        Of the memory behind AXI4 that is the buffer in place of block RAM.
    port : DrivePort
        The Signature of the drive port. Its words are those of the user's streams: a port of
        a width other than 32 bits raises :class:`ValueError`.
    resume_words : int
        After the buffer ran empty a recording continues once it holds this many words, so that a slow
        stream makes few long pauses (HOLD) instead of many short ones.
    retain : bool
        Whether the words of commands with ``retain`` stay in the buffer until completion. The buffer
        has room for one word less then.
    skips : bool
        Whether an operation may continue after words that cannot be moved; see
        :class:`.resume_point.ResumePoint`.
    drop : bool
        While recording ``i.ready`` is always high unless ``waits`` is, and words without room are lost: a gap, see
        :class:`.overflow.Overflow`. Else ``i.ready`` waits.
    journal : bool
        Whether there is a journal. If not, entries are discarded, and there is always room.

    Members
    -------
    i : In(stream 32), o : Out(stream 32)
    last : Out(1)           with ``o.valid``: the word is the last one of the extent
    control : In            The control of the user, see :mod:`...interface`. ``stop`` has an effect
                            from the clock after the start of an operation on.
    counters : In           The counters of the operation, see :mod:`...interface`. ``high_water``
                            counts the buffer and its output register, with the words that are kept
                            for a replay. ``longest_stall`` counts clocks of a recording in which
                            the buffer offered words to the drive, or would have, had there been no recovery.
    journal : In            The journal, see :class:`.journal.Journal`.
    port : Out(DrivePort)   The drive.
    queue : In              The queue of the user, see :mod:`...interface`; it counts if ``port`` is
                            ``queued``.
    aside : In(1)           With ``control.start``: an operation of what is around the core, which leaves the
                            journal as it is.
    set_aside : Out(1)      From the clock after its start to that of the next one.
    waits : In(1)           With ``drop``: no word of this operation is lost. It changes only between two of them.
    stalls : Out(1)         A clock of a run that ``longest_stall`` measures; a clock late.
    bus, memory : In        The port of the ``memory``, and what it reports.
    """

    def __init__(self, *, depth, port=DrivePort(), resume_words=64, retain=False, skips=True,
                 drop=False, journal=True, memory=None):
        if port.width != _WIDTH:
            raise ValueError(f"the drive port has words of {port.width} bits, the recorder needs "
                             f"words of {_WIDTH} bits")
        self._depth = depth
        self._memory = memory
        bus_width = memory.width if memory else min(MEMORY_BUSES)
        self._verify = depth >= 2 * port.burst_words
        self._reserve = port.reserve_words
        self._resume = resume_words
        self._retain = retain
        self._skips = skips
        self._drop = drop
        self._journal = journal
        self._queued = port.queued
        self._long_sectors = port.long_sectors
        self._looks = port.looks
        super().__init__({
            "i": In(stream.Signature(_WIDTH)), "o": Out(stream.Signature(_WIDTH)), "last": Out(1),
            "control": In(CONTROL.signature), "counters": In(COUNTERS.signature),
            "journal": In(JOURNAL.signature),
            "port": Out(port), "queue": In(QUEUE.signature), "stalls": Out(1),
            "aside": In(1), "set_aside": Out(1), "waits": In(1),
            "bus": In(MEMORY_BUSES[bus_width].signature), "memory": In(MEMORY.signature),
        })

    def elaborate(self, platform):
        m = Module()
        port, control, counters = self.port, self.control, self.counters
        m.submodules.buffer = buffer = self._buffer(m)
        m.submodules.resume_point = resume_point = ResumePoint(
            verify=self._verify, skips=self._skips, queued=self._queued, long_sectors=self._long_sectors)
        m.submodules.reread_check = reread_check = RereadCheck(verify=self._verify)
        m.submodules.counter = counter = WordCounter(depth=self._depth, queued=self._queued)

        begin = Signal()
        stopped = Signal()
        begun = Signal()        # an operation has begun a clock ago: nothing has come yet
        m.d.comb += [
            port.extent.valid.eq(control.start),
            port.extent.payload.operation.eq(control.operation),
            port.extent.payload.lba.eq(control.lba),
            port.extent.payload.sectors.eq(control.sectors),
            begin.eq(port.extent.valid & port.extent.ready),
        ]
        abandoned = self._abandons(m, begin) if self._memory else 0
        m.d.sync += [begun.eq(begin), stopped.eq(~begin & (stopped | control.stop | abandoned))]

        # What the user sees.
        m.d.comb += [
            counter.begin.eq(begin),
            counter.sectors.eq(control.sectors),
            counter.held.eq(buffer.held),
            counters.words.eq(counter.words),
            counters.high_water.eq(counter.high_water),
            counters.held_cycles.eq(counter.held_cycles),
            self.last.eq(counter.last),
        ]
        journal = self._keep_journal(m, begin)
        primed = self._release(m, begin, stopped, buffer, counter)
        zeros = self._drive_side(m, begin, stopped, primed, buffer, resume_point, reread_check)
        self._pending_sectors(m, stopped, buffer)
        self._compare_reread(m, begun, resume_point, reread_check)
        self._user_side(m, begin, stopped, buffer, resume_point, zeros, counter, journal)
        if self._queued:
            self._go_on(m, resume_point, counter)
        return m

    def _buffer(self, m):
        """The buffer. If it is a memory it can fail, which ends the operation."""
        if not self._memory:
            return Buffer(depth=self._depth, retain=self._retain, verify=self._verify, reserve=self._reserve)
        buffer = MemoryBuffer(self._memory, retain=self._retain, reserve=self._reserve)
        connect(m, flipped(self.bus), buffer.bus)
        connect(m, flipped(self.memory), buffer.memory)
        halted = Signal()
        accepts = Signal()
        accepted = Signal(2)        # a clock ago (bit 0), and 2 clocks ago
        m.d.sync += [
            halted.eq(self.port.stopped), accepted.eq(Cat(accepts, accepted)),
            # Nobody wants the words of a playback after a stop, which may be many.
            buffer.forget.eq(self.port.playing & self.port.stopped & ~halted),
        ]
        m.d.comb += [
            self.port.broken.eq(buffer.broken), buffer.active.eq(self.port.recording | self.port.playing),
            accepts.eq(self.port.opening | self.port.recording),
            buffer.over.eq(accepted[1] & ~accepted[0] & ~accepts), buffer.abandoned.eq(self.port.abandoned),
        ]
        return buffer

    def _abandons(self, m, begin):
        """Whether the user gives up what the memory holds, which is a stop, too."""
        abandoned = Signal()
        m.d.sync += [abandoned.eq(~begin & (abandoned | self.memory.abandon)),
                     self.port.abandoned.eq(abandoned & ~begin & ~self.port.playing)]
        return abandoned

    def _keep_journal(self, m, begin):
        """The journal, or None."""
        port = self.port
        with m.If(begin):
            m.d.sync += self.set_aside.eq(self.aside)
        if not self._journal:
            m.d.comb += [port.journal.ready.eq(1), port.journal_room.eq(1)]
            return None
        m.submodules.journal = journal = Journal()
        connect(m, flipped(self.journal), journal.user)
        entry = port.journal
        m.d.comb += [
            journal.begin.eq(begin & ~self.aside), port.journal_room.eq(journal.room),
            journal.entry.payload.eq(entry.payload), journal.entry.valid.eq(entry.valid & ~self.set_aside),
            entry.ready.eq(journal.entry.ready | self.set_aside),
        ]
        return journal

    def _release(self, m, begin, stopped, buffer, counter):
        """Whether words go to the drive: few long pauses, not many short ones. Measures the other stalls."""
        m.submodules.stall_meter = stall_meter = StallMeter()
        empty, primed = buffer.level == 0, Signal()
        with m.If(begin):
            m.d.sync += primed.eq(0)
        # Words that are kept may leave no room for this many.
        with m.Elif((buffer.level >= self._resume) | counter.complete | stopped | ~buffer.i.ready):
            m.d.sync += primed.eq(1)
        with m.Elif(empty):
            m.d.sync += primed.eq(0)
        m.d.sync += stall_meter.stalls.eq(self.port.recording & primed & buffer.present & ~buffer.leaves)
        m.d.comb += [
            stall_meter.begin.eq(begin),
            self.stalls.eq(stall_meter.stalls),
            self.counters.longest_stall.eq(stall_meter.longest),
        ]
        return primed

    def _drive_side(self, m, begin, stopped, primed, buffer, resume_point, reread_check):
        """From the buffer to the drive, and what is taken back or passed over. Returns whether a zero goes
        into the buffer."""
        port, depth, level, output, hold = self.port, self._depth, buffer.level, buffer.o, buffer.hold
        recording, playing = port.recording, port.playing
        empty = level == 0

        # Words that are pending after a failure: of a recording they are dropped as they come out,
        # in a playback zeros go in for them.
        drops = Signal()
        zeros = Signal()
        kept = Signal()
        with m.If(begin):
            m.d.sync += kept.eq(0)
        with m.Elif(port.command):
            m.d.sync += kept.eq(port.retain if self._retain else 0)
        m.d.sync += resume_point.forget.eq((stopped & (playing | empty)) | port.broken)
        connect(m, resume_point.recovery, flipped(port.recovery))
        offers = Signal()           # the drive may have what is in the output register
        verified = Signal()
        good = Signal()             # in a playback
        m.d.comb += [
            drops.eq(recording & resume_point.discard_pending),
            zeros.eq(playing & resume_point.discard_pending & ~hold),
            offers.eq(recording & resume_point.free),
            # Nothing counts that follows a lost word.
            verified.eq(port.verified & ~port.lost),
            # Nor do other words than those of before, however the command fails then.
            good.eq(verified & ~reread_check.differs),
            resume_point.begin.eq(begin),
            resume_point.playing.eq(playing),
            resume_point.command.eq(port.command),
            resume_point.completed.eq(port.completed),
            resume_point.verified.eq(good), reread_check.verified.eq(verified),
            resume_point.stopped.eq(stopped),
            resume_point.passed.eq((drops & buffer.leaves) | zeros),
            resume_point.kept.eq(kept),
            resume_point.moved.eq((port.write_data.valid & port.write_data.ready)
                                  | (self._comes(resume_point) & playing)),
            buffer.begin.eq(begin),
            buffer.playing.eq(playing),
            buffer.go.eq(primed | playing),
            buffer.fill.eq(recording & stopped),
            buffer.good.eq(zeros),
            buffer.keep.eq(kept & ~drops),
            buffer.settle.eq(Mux(recording, port.completed, good)),
            buffer.rewind.eq(resume_point.rewound),
            port.write_data.payload.eq(output.payload),
            port.write_data.valid.eq(offers & output.valid),
            output.ready.eq((offers & port.write_data.ready) | drops
                            | (playing & (self.o.ready | stopped))),
            port.hold.eq(playing & hold & ~stopped),
        ]
        if self._long_sectors:
            m.d.comb += resume_point.long.eq(port.long)
        # Words after a stop do not count; those before it must have been right.
        m.d.sync += [
            port.stopped.eq(stopped), port.drained.eq(empty & resume_point.quiet & ~resume_point.discard_pending),
            port.lost.eq((playing & ~stopped & buffer.i.valid & ~buffer.i.ready) | reread_check.failed),
        ]
        if self._looks:
            room = Mux(level > depth, 0, depth - level)
            most = (1 << len(port.room)) - 1
            m.d.sync += port.room.eq(room if depth <= most else Mux(room > most, most, room))
        return zeros

    def _comes(self, resume_point):
        """Whether a word comes from the drive that is not too late."""
        return self.port.read_data.valid & ~resume_point.stalled & ~self.port.lost

    def _pending_sectors(self, m, stopped, buffer):
        """How long the commands of a recording may be."""
        port, level = self.port, buffer.level
        # Words that were accepted before the stop are a part of the recording.
        pending = (level + SECTOR_WORDS - 1)[SECTOR_SHIFT:]
        if self._long_sectors:
            whole = (level + LONG_SECTOR_BLOCKS * SECTOR_WORDS - 1)[SECTOR_SHIFT + LONG_SECTOR_SHIFT:]
            pending = Mux(port.long, whole << LONG_SECTOR_SHIFT, pending)
        m.d.sync += port.pending_sectors.eq(Mux(port.playing | port.abandoned, 0, self._of_one_command(pending)))
        if self._queued:
            in_hand = Signal(range(self._depth // SECTOR_WORDS + 1))     # whole sectors
            m.d.comb += in_hand.eq(level[SECTOR_SHIFT:])
            with m.If(~port.playing & ~stopped):
                m.d.sync += port.pending_sectors.eq(self._of_one_command(in_hand) + self.queue.ahead[:-1])
                if self._long_sectors:
                    with m.If(port.long):
                        m.d.sync += port.pending_sectors[:LONG_SECTOR_SHIFT].eq(0)
                if self._memory:
                    # There may never be a sector of them: the next command shows that they are lost.
                    with m.If(port.broken & (level != 0)):
                        m.d.sync += port.pending_sectors.eq(LONG_SECTOR_BLOCKS if self._long_sectors else 1)

    def _of_one_command(self, sectors):
        """``sectors``, or as many as the longest command has if the buffer can hold more than that."""
        if self._depth < SECTOR_WORDS * _LONGEST_COMMAND:
            return sectors
        bits = _LONGEST_COMMAND.bit_length() - 1
        return Mux(sectors[bits:].any(), _LONGEST_COMMAND, sectors[:bits])

    def _go_on(self, m, resume_point, counter):
        """The sectors with which a recording continues after its extent."""
        port, queue = self.port, self.queue
        m.d.comb += [
            port.queue.valid.eq(queue.valid),
            port.queue.payload.lba.eq(queue.lba),
            port.queue.payload.sectors.eq(queue.sectors),
            queue.ready.eq(port.queue.ready),
            queue.begun.eq(port.begun),
            port.gathers.eq(~queue.ahead[-1]),
            resume_point.gathers.eq(port.gathers),
            counter.extend.eq(port.extended),
        ]
        with m.If(port.queue.valid & port.queue.ready):
            m.d.sync += counter.more.eq(port.queue.payload.sectors)

    def _compare_reread(self, m, begun, resume_point, reread_check):
        """Compares what is read again with what was delivered before."""
        port = self.port
        m.d.comb += [
            reread_check.begin.eq(begun),
            reread_check.command.eq(port.command),
            reread_check.completed.eq(port.completed),
            reread_check.reread.eq(port.recovery.reread),
            reread_check.rewound.eq(resume_point.rewound),
            reread_check.moved.eq(resume_point.moved & port.playing),
            reread_check.word.eq(port.read_data.payload),
            reread_check.repeated.eq(resume_point.repeated),
        ]

    def _user_side(self, m, begin, stopped, buffer, resume_point, zeros, counter, journal):
        """Into the buffer, from the user or the drive, and from it to the user."""
        port, output = self.port, buffer.o
        recording, playing = port.recording, port.playing
        accepts = Signal()
        has_room = Signal()
        flows = Signal()        # no words are being dropped
        m.d.comb += [
            self.o.payload.eq(output.payload),
            self.o.valid.eq(playing & output.valid & ~stopped),
        ]
        with m.If(playing):
            m.d.comb += [
                buffer.i.payload.eq(Mux(zeros, 0, port.read_data.payload)),
                buffer.i.valid.eq(zeros | (self._comes(resume_point) & ~resume_point.repeated)),
                counter.moves.eq(self.o.valid & self.o.ready),
                counter.waits.eq(self.o.valid & ~self.o.ready),
            ]
        with m.Else():
            m.d.comb += [
                buffer.i.payload.eq(self.i.payload),
                # Whether there is room is late: the buffer asks for it once more.
                buffer.i.valid.eq(self.i.valid & accepts & flows),
                counter.moves.eq(self.i.valid & accepts & has_room),
            ]
        if self._drop:
            m.submodules.overflow = overflow = Overflow(depth=self._depth)
            opened = Signal()       # until ``recording`` follows
            m.d.sync += opened.eq(port.opening)
            m.d.comb += [
                accepts.eq((port.opening | opened | recording) & ~counter.complete & ~stopped),
                flows.eq(overflow.open), has_room.eq(buffer.i.ready & flows),
                self.i.ready.eq(accepts & (has_room | ~self.waits)),
                overflow.begin.eq(begin),
                overflow.accepts.eq(accepts),
                overflow.offered.eq(self.i.valid & ~self.waits),
                overflow.room.eq(buffer.i.ready),
                overflow.level.eq(buffer.level), overflow.crowded.eq(buffer.crowded if self._memory else 0),
                overflow.held.eq(buffer.held),
                overflow.words.eq(counter.words),
                self.counters.dropped.eq(overflow.dropped),
            ]
            connect(m, overflow.gap, journal.gap)
        else:
            m.d.comb += [
                accepts.eq(recording & ~counter.complete & ~stopped),
                flows.eq(1), has_room.eq(buffer.i.ready),
                self.i.ready.eq(accepts & has_room),
            ]
            with m.If(~playing):
                m.d.comb += counter.waits.eq(self.i.valid & accepts & ~has_room)
        if self._memory:
            m.d.comb += buffer.offered.eq(self.i.valid & accepts)
