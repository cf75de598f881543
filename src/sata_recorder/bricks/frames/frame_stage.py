"""Recordings are put into frames before a recorder."""

from amaranth.hdl import C, Const, Module, Mux, Signal

from ...core.drive_port import Operation
from ...facts.units import SECTOR_SHIFT
from ...interface import (CONTROL, COUNTERS, FILE, FILE_END, FRAME, MEMORY, PACKET_END, QUEUE, RECORDING, STATUS,
                          STREAM_IN, TASK)
from ...interface.file import FileState
from ...interface.recording import RecordingMode
from ..stage import Stage, StageRow
from .framer import VrlFramer

__all__ = ["FrameStage"]

_SECTOR_BYTES_SHIFT = SECTOR_SHIFT + 2


class FrameStage(Stage):
    """Puts a :class:`.framer.VrlFramer` before the stream of a recorder.

    A recording that begins while ``frame.enable`` is high is put into frames, except one of
    segments (TRIGGERED), which ends within a frame. It ends with ``stop`` when all of them have
    gone to the recorder, or by itself where there is no room for one more. All else passes
    through. ``counters`` and the length of a file count the words of the frames.

    Words that were taken have gone to the recorder unless the recording ends without ``stop``
    before its frames do: with an error, or a slot that is full. Then those of the frames that were
    not yet given are lost, at most four frames, or 16 of packets: ``frame.offered`` less
    ``frame.lost`` and ``frame.kept``.

    Latency: a recording takes its first word a clock later than without frames; see
    :class:`.framer.VrlFramer`.

    Parameters
    ----------
    configuration : Configuration   ``frames`` is true. With ``on_overflow`` = ``drop`` the framer
                                    drops words, not the recorder, and each recording has frames;
                                    then ``counters.dropped`` are those.

    Members
    -------
    user : In(Face)         The user, with the group of the frames.
    core : Out(Face)        The recorder, which stalls while its buffer is full.
    """

    row = StageRow(
        "frames", adds={FRAME, PACKET_END},
        claims={STREAM_IN, CONTROL, STATUS, COUNTERS, TASK, RECORDING, FILE, FILE_END, MEMORY},
        excludes={QUEUE: "the framer knows the first extent only"},
        below={"on_overflow": "stall", "frame_packets": False, "channels": 1})

    def elaborate(self, platform):
        m = Module()
        stalls, packets = self.configuration.on_overflow == "stall", self.configuration.frame_packets
        m.submodules.framer = framer = VrlFramer(waits=stalls, packets=packets)
        user, core, frame = self.user, self.core, self.user.frame
        files, begins = self._begins()
        self.hand_on(m, STATUS, TASK, RECORDING)
        self.hand_on(m, CONTROL, but=("stop",))
        self.hand_on(m, FILE, but=("stop",))
        self.hand_on(m, FILE_END, but=("last",))
        self.hand_on(m, COUNTERS, but=() if stalls else ("dropped", "held_cycles"))
        if not stalls:
            m.d.comb += [user.counters.dropped.eq(framer.lost), user.counters.held_cycles.eq(0)]

        if packets:
            # A recording may begin within a packet, of which another one has taken the rest.
            between = Signal(init=1)
            with m.If(user.i.valid & user.i.ready):
                m.d.sync += between.eq(user.packet_end.last)
            if self.configuration.channels > 1:
                # They begin anew, wherever the one before has ended.
                with m.If(begins):
                    m.d.sync += between.eq(1)
            m.d.comb += [framer.packet_begin.eq(between), framer.packet_end.eq(user.packet_end.last)]
        framing = Signal()      # a recording with frames runs
        filed = Signal()        # it becomes a file
        starting = Signal()     # the framer begins
        flows = Signal()        # words go from the framer to the recorder
        opened = Signal()       # words go to the framer: the recorder has been ready for one, so its start was right
        m.d.sync += starting.eq(begins)
        self._room(m, framer)
        with m.If(begins):
            m.d.sync += [framing.eq(1), filed.eq(files), opened.eq(0)]
        with m.Else():
            m.d.sync += opened.eq(opened | (flows & core.i.ready))
            with m.If(Mux(filed, core.file.done, core.status.done)
                      if FILE in self.below else core.status.done):
                m.d.sync += [framing.eq(0), opened.eq(0)]

        # Words to the framer, or past it; those of channels are always in frames. Until it has begun it has what is
        # left of another one.
        passes = C(0, 1) if self.configuration.channels > 1 else ~framing
        m.d.comb += [
            flows.eq(framing & ~starting),
            framer.begin.eq(starting), framer.stream_id.eq(frame.stream_id),
            framer.i.payload.eq(user.i.payload), framer.i.valid.eq(user.i.valid & opened),
            framer.o.ready.eq(core.i.ready & flows),
            core.i.payload.eq(Mux(passes, user.i.payload, framer.o.payload)),
            core.i.valid.eq(Mux(passes, user.i.valid, framer.o.valid & flows)),
            user.i.ready.eq(Mux(passes, core.i.ready, framer.i.ready & opened)),
            frame.offered.eq(framer.offered), frame.lost.eq(framer.lost),
            frame.kept.eq(framer.kept),
        ]
        self._stop(m, framer, framing, filed, starting)
        return m

    def _abandon(self, m, framing, ended, stop):
        """What the memory holds is given up once it has all that was accepted, in frames that are complete."""
        user, core = self.user.memory, self.core.memory
        self.hand_on(m, MEMORY, but=("abandon",))
        m.d.comb += core.abandon.eq(user.abandon & (~framing | ended))
        return stop | user.abandon

    def _begins(self):
        """Whether a file begins in this clock, and whether a recording with frames does."""
        user, core = self.user, self.core
        start = (user.control.start & ~core.status.busy
                 & user.control.operation.matches(Operation.RECORD, Operation.RECORD_FLUSH))
        files = Const(0, 1)
        if TASK in self.below:
            start &= ~user.task.operation       # a COMMAND that sends data
        if FILE in self.below:
            # While the core is its user's, a file is refused.
            files = (user.file.start & ~core.file.busy
                     & (core.file.state != FileState.RELEASED))
        wanted = user.frame.enable | (self.configuration.on_overflow == "drop")
        if RECORDING in self.below:
            wanted &= user.recording.mode != RecordingMode.TRIGGERED
        return files, (start | files) & wanted

    def _room(self, m, framer):
        """The sectors that the recording may take. That of a file without a length and that of a
        ring end otherwise. The framer takes them a clock after the start."""
        user = self.user
        space, none, endless = user.control.sectors, C(0, 1), C(0, 1)
        if RECORDING in self.below:
            space = space - user.recording.position
            none = space[48]
        if FILE in self.below:
            # All that begins now is a file, or nothing is.
            files, length = self.core.file.state != FileState.RELEASED, user.file.length
            none &= ~files
            space = Mux(files, length[_SECTOR_BYTES_SHIFT:], space[:48])
            endless = files & (length == 0)
        room = Signal(48)
        is_endless = Signal()
        m.d.sync += [room.eq(space), is_endless.eq(endless)]
        with m.If(none):
            m.d.sync += room.eq(0)
        m.d.comb += [framer.sectors.eq(room), framer.endless.eq(is_endless)]
        if RECORDING in self.below:
            recording = user.recording
            words = Signal(48 - SECTOR_SHIFT)       # sectors for a number of words
            has_words = Signal()
            is_ring = Signal()
            m.d.sync += [words.eq(recording.words[SECTOR_SHIFT:]), is_ring.eq(recording.mode == RecordingMode.RING),
                         has_words.eq((recording.mode == RecordingMode.FIXED) & (recording.words != 0))]
            shorter = has_words & (is_endless | (words < room))
            m.d.comb += framer.endless.eq((is_endless & ~shorter) | is_ring)
            with m.If(shorter):
                m.d.comb += framer.sectors.eq(words)

    def _stop(self, m, framer, framing, filed, starting):
        """``stop`` ends the frames of a recording, and their end stops the recorder."""
        user, core = self.user, self.core
        stop = Signal()     # it comes
        stops = Signal()    # it came
        ends = Signal()     # the last frame was given a clock ago
        stopping = Signal()
        ended = Signal()    # the recorder was stopped
        m.d.comb += [
            stop.eq(user.control.stop),
            stopping.eq(ends & ~starting),
            core.control.stop.eq(Mux(framing, stopping, user.control.stop)),
        ]
        m.d.sync += ends.eq(framing & ~starting & framer.finished & ~ended & ~ends)
        if FILE in self.below:
            file = user.file
            last = user.file_end.last & framer.i.valid & framer.i.ready     # it counts while the framer has the stream
            m.d.comb += [
                stop.eq(Mux(filed, file.stop | last, user.control.stop)),
                core.file.stop.eq(Mux(framing, stopping, file.stop)),
                core.file_end.last.eq(user.file_end.last & ~framing),
            ]
        if MEMORY in self.below:
            stop = self._abandon(m, framing, ended & ~starting, stop)
        # In the clock of its end the next one may begin, and that is known late: ``starting`` forgets what was kept by
        # then, and so does the framer.
        m.d.comb += framer.finish.eq(framing & (stop | stops))
        m.d.sync += [stops.eq(framing & ((stops & ~starting) | stop)),
                     ended.eq(framing & (ended | ends) & ~starting)]
