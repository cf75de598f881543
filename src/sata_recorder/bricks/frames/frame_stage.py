# amaranth: UnusedElaboratable=no
"""A recorder that puts recordings into frames, in place of the recorder alone."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .. import pass_through
from ...core.drive_port import Operation
from ...interface.file import FileState
from ..files import recorder as recorder_below
from ...interface import FILE, POWER, RECORDING, TASK, UserSignature
from ...core.phy import DwordPort
from ...interface.recording import RecordingMode
from ...facts.units import SECTOR_SHIFT
from .framer import VrlFramer

__all__ = ["FramedRecorder", "recorder"]

_SECTOR_BYTES_SHIFT = SECTOR_SHIFT + 2
_ENDLESS = (1 << 48) - 1


class FramedRecorder(wiring.Component):
    """A recorder, and :class:`.framer.VrlFramer` ahead of its stream.

    A recording that begins while ``frame.enable`` is high is put into frames, but for one of
    segments (TRIGGERED), which ends within a frame. It ends with ``stop`` when all of them have
    gone to the recorder, or by itself where there is no room for one more. All else passes
    through. ``counters`` and the length of a file count the words of the frames.

    Words that were taken have gone to the recorder unless the recording ends without ``stop``
    before its frames do: with an error, or a slot that is full. Then those of the frames that were
    not yet given are lost, at most three frames: ``frame.offered`` less ``frame.lost`` and
    ``frame.kept``.

    Latency: a recording takes its first word a clock later than without frames; see
    :class:`.framer.VrlFramer`.

    Parameters
    ----------
    configuration : Configuration   ``frames`` is true. With ``on_overflow`` = ``drop`` the framer
                                    drops words, not the recorder, and each recording has frames;
                                    then ``counters.dropped`` are those.

    Members
    -------
    user : In(UserSignature)        The user's side, with the group of the frames.
    phy : Out(DwordPort)            The dword port.
    """

    def __init__(self, configuration):
        self.configuration = configuration
        super().__init__({"user": In(UserSignature(*configuration.groups - {POWER})),
                          "phy": Out(DwordPort())})

    def elaborate(self, platform):
        m = Module()
        config = self.configuration
        below = recorder_below(config.model_copy(update={"frames": False, "on_overflow": "stall"}))
        m.submodules.recorder = below
        m.submodules.framer = framer = VrlFramer(waits=config.on_overflow == "stall")
        user, frame = self.user, self.user.frame
        connect(m, below.phy, flipped(self.phy))
        self._pass_through(m, below, framer)

        framing = Signal()      # a recording with frames runs
        filed = Signal()        # it becomes a file
        starting = Signal()     # the framer begins
        flows = Signal()        # words go from the framer to the recorder
        opened = Signal()       # the recorder has been ready for one: nothing is wrong with the start
        files, begins = self._begins(below)
        m.d.sync += starting.eq(begins)
        with m.If(begins):
            m.d.sync += [framing.eq(1), filed.eq(files), opened.eq(0),
                         framer.sectors.eq(self._room(below, files))]
        with m.Else():
            m.d.sync += opened.eq(opened | (flows & below.user.i.ready))
            with m.If(Mux(filed, below.user.file.done, below.user.status.done)
                      if config.files else below.user.status.done):
                m.d.sync += framing.eq(0)

        # Words to the framer, or past it. Until it has begun it has what is left of another one.
        m.d.comb += [
            flows.eq(framing & ~starting),
            framer.begin.eq(starting), framer.stream_id.eq(frame.stream_id),
            framer.i.payload.eq(user.i.payload), framer.i.valid.eq(user.i.valid & flows & opened),
            framer.o.ready.eq(below.user.i.ready & flows),
            below.user.i.payload.eq(Mux(framing, framer.o.payload, user.i.payload)),
            below.user.i.valid.eq(Mux(framing, framer.o.valid & flows, user.i.valid)),
            user.i.ready.eq(Mux(framing, framer.i.ready & flows & opened, below.user.i.ready)),
            frame.offered.eq(framer.offered), frame.lost.eq(framer.lost),
            frame.kept.eq(framer.kept),
        ]
        # In the clock of its end the next one may begin.
        self._stop(m, below, framer, framing & ~begins, framing, filed, starting)
        return m

    def _begins(self, below):
        """Whether a file begins in this clock, and whether a recording with frames does."""
        user, config = self.user, self.configuration
        start = (user.control.start & ~below.user.status.busy
                 & user.control.operation.matches(Operation.RECORD, Operation.RECORD_FLUSH))
        files = Const(0, 1)
        if config.commands:
            start &= ~user.task.operation       # a COMMAND that sends data
        if config.files:
            # While the core is its user's, a file is refused.
            files = (user.file.start & ~below.user.file.busy
                     & (below.user.file.state != FileState.RELEASED))
        wanted = user.frame.enable | (config.on_overflow == "drop")
        if config.extents == "modes":
            wanted &= user.recording.mode != RecordingMode.TRIGGERED
        return files, (start | files) & wanted

    def _room(self, below, files):
        """The sectors that the recording may take. That of a file without a length and that of a
        ring end otherwise."""
        user = self.user
        room = user.control.sectors
        if self.configuration.extents == "modes":
            position = user.recording.position
            room = Mux(position < room, (room - position)[:48], 0)
        if self.configuration.files:
            length = user.file.length
            room = Mux(files, Mux(length == 0, _ENDLESS, length[_SECTOR_BYTES_SHIFT:]), room)
        if self.configuration.extents == "modes":
            recording = user.recording
            words = recording.words[SECTOR_SHIFT:]
            shorter = ((recording.mode == RecordingMode.FIXED) & (recording.words != 0)
                       & (words < room))
            room = Mux(recording.mode == RecordingMode.RING, _ENDLESS, Mux(shorter, words, room))
        return room

    def _stop(self, m, below, framer, goes_on, framing, filed, starting):
        """``stop`` ends the frames of a recording, and their end stops the recorder."""
        user = self.user
        stop = Signal()     # it comes
        stops = Signal()    # it came
        ends = Signal()     # the last frame has been given
        ended = Signal()    # the recorder was stopped
        m.d.comb += [
            stop.eq(user.control.stop),
            framer.finish.eq(goes_on & (stop | stops)),
            ends.eq(framing & ~starting & framer.finished & ~ended),
            below.user.control.stop.eq(Mux(framing, ends, user.control.stop)),
        ]
        if self.configuration.files:
            file = user.file
            last = file.last & user.i.valid & user.i.ready
            m.d.comb += [
                stop.eq(Mux(filed, file.stop | last, user.control.stop)),
                below.user.file.stop.eq(Mux(framing, ends, file.stop)),
                below.user.file.last.eq(file.last & ~framing),
            ]
        m.d.sync += [stops.eq(goes_on & (stops | stop)), ended.eq(goes_on & (ended | ends))]

    def _pass_through(self, m, below, framer):
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
        m.d.comb += pass_through.counters(self.user.counters, below.counters)
        if self.configuration.on_overflow == "drop":
            # In place of what the recorder behind the framer says.
            m.d.comb += [self.user.counters.dropped.eq(framer.lost),
                         self.user.counters.held_cycles.eq(0)]
        connect(m, above.identify, below.identify)
        connect(m, above.ledger, below.ledger)
        connect(m, above.journal, below.journal)
        for part, counterpart in pass_through.options(above, below, groups):
            connect(m, part, counterpart)
        if TASK in groups:
            connect(m, above.task, below.task)
        if RECORDING in groups:
            connect(m, above.recording, below.recording)
        if FILE in groups:
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
