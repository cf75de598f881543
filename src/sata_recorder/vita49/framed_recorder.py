"""A recorder that puts recordings into frames, in place of the recorder alone."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .. import pass_through
from ..drive_port import Operation
from ..files import recorder as recorder_below
from ..interface import (FILE_GROUP, HISTOGRAM_GROUP, PACING_GROUP, QUEUE_GROUP, RECORDING_GROUP,
                         TASK_GROUP, UserSignature)
from ..phy import DwordPort
from ..recording import RecordingMode
from ..units import SECTOR_SHIFT
from .framer import VrlFramer

__all__ = ["FramedRecorder", "recorder"]

_SECTOR_BYTES_SHIFT = SECTOR_SHIFT + 2
_ENDLESS = (1 << 48) - 1


class FramedRecorder(wiring.Component):
    """A recorder, and :class:`.framer.VrlFramer` ahead of its stream.

    A recording that begins while ``frame.enable`` is high is put into frames. It ends with ``stop``
    when all of them have gone to the recorder, or by itself where there is no room for one more.
    All else passes through. ``counters`` and the length of a file count the words of the frames.

    Words that were taken are on the drive unless the recording ends without ``stop`` before its
    frames do: with an error, a slot that is full, the last of the segments that have room. Then those of the frames
    that were not yet given are lost: ``frame.offered`` less ``frame.lost`` and ``frame.kept``.

    Latency: a recording takes words 2 clocks after its start; see :class:`.framer.VrlFramer`.

    Parameters
    ----------
    configuration : Configuration   ``frames`` is true. With ``on_overflow`` = ``drop`` the framer
                                    drops words, not the recorder, and each recording has frames.

    Members
    -------
    user : In(UserSignature)        The user's side, with the group of the frames.
    phy : Out(DwordPort)            The dword port.
    """

    def __init__(self, configuration):
        self.configuration = configuration
        super().__init__({"user": In(UserSignature(*configuration.groups)),
                          "phy": Out(DwordPort())})

    def elaborate(self, platform):
        m = Module()
        config = self.configuration
        below = recorder_below(config.model_copy(update={"frames": False, "on_overflow": "stall"}))
        m.submodules.recorder = below
        m.submodules.framer = framer = VrlFramer(waits=config.on_overflow == "stall")
        user, frame = self.user, self.user.frame
        connect(m, below.phy, flipped(self.phy))
        self._pass_through(m, below)

        framing = Signal()
        starting = Signal()
        begins = self._begins(below)
        ended = below.user.status.done
        if config.files:
            ended |= below.user.file.done
        m.d.sync += starting.eq(begins)
        with m.If(begins):
            m.d.sync += [framing.eq(1), framer.sectors.eq(self._room(below))]
        with m.Elif(ended):
            m.d.sync += framing.eq(0)

        # Words to the framer, or past it. Until it has begun it has what is left of another one.
        flows = Signal()
        m.d.comb += [
            flows.eq(framing & ~starting),
            framer.begin.eq(starting), framer.stream_id.eq(frame.stream_id),
            framer.i.payload.eq(user.i.payload), framer.i.valid.eq(user.i.valid & flows),
            framer.o.ready.eq(below.user.i.ready & flows),
            below.user.i.payload.eq(Mux(framing, framer.o.payload, user.i.payload)),
            below.user.i.valid.eq(Mux(framing, framer.o.valid & flows, user.i.valid)),
            user.i.ready.eq(Mux(framing, framer.i.ready & flows, below.user.i.ready)),
            frame.offered.eq(framer.offered), frame.lost.eq(framer.lost),
            frame.kept.eq(framer.kept),
        ]
        self._stop(m, below, framer, framing, starting)
        return m

    def _begins(self, below):
        """Whether a recording with frames begins in this clock."""
        user = self.user
        start = (user.control.start & ~below.user.status.busy
                 & user.control.operation.matches(Operation.RECORD, Operation.RECORD_FLUSH))
        if self.configuration.commands:
            start &= ~user.task.operation       # a COMMAND that sends data
        if self.configuration.files:
            start |= user.file.start & ~below.user.file.busy
        return start & (user.frame.enable | (self.configuration.on_overflow == "drop"))

    def _room(self, below):
        """The sectors that the recording may take. That of a file without a length, that of a ring
        and that of segments end otherwise."""
        user = self.user
        room = user.control.sectors
        if self.configuration.files:
            length = user.file.length
            room = Mux(user.file.start & ~below.user.file.busy,
                       Mux(length == 0, _ENDLESS, length[_SECTOR_BYTES_SHIFT:]), room)
        if self.configuration.extents == "modes":
            recording = user.recording
            words = recording.words[SECTOR_SHIFT:]
            shorter = ((recording.mode == RecordingMode.FIXED) & (recording.words != 0)
                       & (words < room))
            endless = recording.mode.matches(RecordingMode.RING, RecordingMode.TRIGGERED)
            room = Mux(endless, _ENDLESS, Mux(shorter, words, room))
        return room

    def _stop(self, m, below, framer, framing, starting):
        """``stop`` ends the frames of a recording, and their end stops the recorder."""
        user = self.user
        stop = Signal()  # it comes
        stops = Signal()  # it came
        ends = Signal()  # the last frame has been given
        ended = Signal()  # the recorder was stopped
        m.d.comb += [
            stop.eq(user.control.stop),
            framer.finish.eq(stop | stops),
            ends.eq(framing & ~starting & framer.finished & ~ended),
            below.user.control.stop.eq(Mux(framing, ends, user.control.stop)),
        ]
        if self.configuration.files:
            file = user.file
            last = file.last & user.i.valid & user.i.ready
            m.d.comb += [
                stop.eq(user.control.stop | file.stop | last),
                below.user.file.stop.eq(Mux(framing, ends, file.stop)),
                below.user.file.last.eq(file.last & ~framing),
            ]
        m.d.sync += [stops.eq(framing & (stops | stop)), ended.eq(framing & (ended | ends))]

    def _pass_through(self, m, below):
        """All but the words that are recorded, and ``stop``."""
        above, below, groups = flipped(self.user), below.user, self.configuration.groups
        control = self.user.control
        m.d.comb += [
            below.control.start.eq(control.start), below.control.operation.eq(control.operation),
            below.control.lba.eq(control.lba), below.control.sectors.eq(control.sectors),
            self.user.last.eq(below.last),
        ]
        connect(m, below.o, above.o)
        connect(m, above.status, below.status)
        connect(m, above.counters, below.counters)
        connect(m, above.identify, below.identify)
        connect(m, above.ledger, below.ledger)
        connect(m, above.journal, below.journal)
        if PACING_GROUP in groups:
            connect(m, above.pacing, below.pacing)
        if QUEUE_GROUP in groups:
            connect(m, above.queue, below.queue)
        if TASK_GROUP in groups:
            connect(m, above.task, below.task)
        if HISTOGRAM_GROUP in groups:
            connect(m, above.histogram, below.histogram)
        if RECORDING_GROUP in groups:
            connect(m, above.recording, below.recording)
        if FILE_GROUP in groups:
            file = self.user.file
            m.d.comb += [*pass_through.files_told(file, below.file),
                         *pass_through.files_shown(file, below.file),
                         below.file.keep.eq(file.keep)]


def recorder(configuration):
    """The component that ``configuration`` asks for: the core, with modes, with files, with
    frames."""
    if configuration.frames:
        return FramedRecorder(configuration)
    return recorder_below(configuration)
