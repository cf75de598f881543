# amaranth: UnusedElaboratable=no
"""The core with the brick of files above it, in place of the core alone."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .. import pass_through
from ...interface import FRAME, POWER, UserSignature
from ...core.phy import DwordPort
from ..modes import recorder as recorder_below
from .controller import FileController
from ...interface.file import FileState

__all__ = ["FileRecorder", "recorder"]


class FileRecorder(wiring.Component):
    """A core, and :class:`.controller.FileController` above it, which has the core unless it is
    released.

    Until ``file.state`` is RELEASED ``control.start`` is ignored and ``status.busy`` is high;
    counters, ledger and ``status`` are those of the core's latest operation, which is one of the
    brick's own. Then the core is as it is without the brick. A recording of the user's ends before
    the core is taken back.

    Latency: that of the core; see :class:`.controller.FileController` for a recording.

    Parameters
    ----------
    configuration : Configuration   ``files`` is true.

    Members
    -------
    user : In(UserSignature)        The user's side, with the group of the files.
    phy : Out(DwordPort)            The dword port.
    """

    def __init__(self, configuration):
        self.configuration = configuration
        self._modes = configuration.extents == "modes"
        super().__init__({
            "user": In(UserSignature(*configuration.groups - {FRAME, POWER})),
            "phy": Out(DwordPort()),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = recorder_below(self.configuration, suspendable=self._modes)
        m.submodules.files = files = FileController(self.configuration.clock_hz,
                                                    modes=self._modes)
        connect(m, core.phy, flipped(self.phy))
        released = Signal()
        m.d.comb += released.eq(files.user.state == FileState.RELEASED)
        self._file(m, files, core, released)
        self._streams(m, files, core, released)
        self._control(m, files, core, released)
        self._status(m, files, core)
        self._memories(m, files, core, released)
        for part, counterpart in pass_through.options(
                flipped(self.user), core.user, self.configuration.groups):
            connect(m, part, counterpart)
        if self.configuration.commands:
            self._task(m, core, released)
        if self._modes:
            connect(m, files.suspension, core.suspension)
            self._recording(m, files, core, released)
        return m

    def _file(self, m, files, core, released):
        """The group of the files is the face of the brick, but for its types."""
        file, brick = self.user.file, files.user
        m.d.comb += [
            brick.start.eq(file.start), brick.stop.eq(file.stop), brick.length.eq(file.length),
            brick.interval.eq(file.interval), brick.dated.eq(file.dated),
            brick.time.seconds.eq(file.time), brick.time.ten_ms.eq(file.time_ten_ms),
            brick.time.offset.eq(file.time_offset), brick.time.valid.eq(file.time_valid),
            # What the user has started ends first.
            brick.release.eq(file.release | (released & (core.user.status.busy
                                                         | self.user.control.start))),
            file.ready.eq(brick.ready), file.busy.eq(brick.busy), file.done.eq(brick.done),
            file.state.eq(brick.state), file.error.eq(brick.error),
            file.refusal.eq(brick.refusal), file.drive_error.eq(brick.drive_error),
            file.slot.eq(brick.slot), file.bytes.eq(brick.bytes),
        ]

    def _streams(self, m, files, core, released):
        """Words to the brick, or past it; those that the brick reads are not the user's."""
        user, brick, below = self.user, files.user.i, core.user
        keep = user.file.keep
        m.d.comb += [
            brick.payload.data.eq(user.i.payload), brick.payload.last.eq(user.file.last),
            brick.payload.spare.eq(Mux(keep[3], 0, Mux(keep[2], 1, Mux(keep[1], 2, 3)))),
            brick.valid.eq(user.i.valid & ~released),
            below.i.payload.eq(Mux(released, user.i.payload, files.core.i.payload)),
            below.i.valid.eq(Mux(released, user.i.valid, files.core.i.valid)),
            files.core.i.ready.eq(below.i.ready),
            user.i.ready.eq(Mux(released, below.i.ready, brick.ready)),
            files.core.o.payload.eq(below.o.payload), user.o.payload.eq(below.o.payload),
            files.core.o.valid.eq(below.o.valid & ~released),
            user.o.valid.eq(below.o.valid & released),
            below.o.ready.eq(Mux(released, user.o.ready, files.core.o.ready)),
            user.last.eq(below.last), files.core.last.eq(below.last),
        ]

    def _control(self, m, files, core, released):
        user, brick, below = self.user.control, files.core.control, core.user.control
        with m.If(released):
            m.d.comb += [below.start.eq(user.start), below.operation.eq(user.operation),
                         below.lba.eq(user.lba), below.sectors.eq(user.sectors),
                         below.stop.eq(user.stop)]
        with m.Else():
            m.d.comb += [below.start.eq(brick.start), below.operation.eq(brick.operation),
                         below.lba.eq(brick.lba), below.sectors.eq(brick.sectors),
                         below.stop.eq(brick.stop)]
        m.d.comb += core.user.status.clear_unflushed.eq(
            self.user.status.clear_unflushed | files.core.status.clear_unflushed)

    def _status(self, m, files, core):
        """What the core tells, to both."""
        user, brick, below = self.user.status, files.core.status, core.user.status
        released = files.user.state == FileState.RELEASED
        m.d.comb += [*pass_through.status(user, below), *pass_through.status(brick, below)]
        m.d.comb += [
            user.ready.eq(below.ready & released), brick.ready.eq(below.ready & ~released),
            user.busy.eq(below.busy | ~released), brick.busy.eq(below.busy),
            user.done.eq(below.done & released), brick.done.eq(below.done & ~released),
        ]

    def _memories(self, m, files, core, released):
        """Journal and IDENTIFY data are read by the brick while it closes a file; else by the
        user."""
        user, brick, below = flipped(self.user), files.core, core.user
        connect(m, user.ledger, below.ledger)
        closes = Signal()
        m.d.comb += closes.eq(files.user.state == FileState.CLOSING)
        for above in self.user, brick:
            m.d.comb += [
                above.journal.data.eq(below.journal.data),
                above.journal.count.eq(below.journal.count),
                above.identify.data.eq(below.identify.data),
                *pass_through.counters(above.counters, below.counters),
            ]
        m.d.comb += [
            below.journal.address.eq(Mux(closes, brick.journal.address,
                                         self.user.journal.address)),
            below.identify.address.eq(Mux(closes, brick.identify.address,
                                          self.user.identify.address)),
        ]

    def _task(self, m, core, released):
        """COMMAND is the user's: what the brick starts is none, whatever the task file says."""
        user, below = self.user.task, core.user.task
        m.d.comb += [*pass_through.task(user, below), below.operation.eq(user.operation & released)]

    def _recording(self, m, files, core, released):
        """The modes are the user's while the core is, and until then those of his files."""
        user, brick, below = self.user.recording, files.user.recording, core.user.recording
        told, shown = pass_through.modes_told, pass_through.modes_shown
        m.d.comb += [*told(user, brick), *shown(files.core.recording, below)]
        with m.If(released):
            m.d.comb += [*told(user, below), *shown(user, below)]
        with m.Else():
            m.d.comb += [*told(files.core.recording, below), *shown(user, brick)]


def recorder(configuration):
    """The component that ``configuration`` asks for: the core, with modes, with files."""
    if configuration.files:
        return FileRecorder(configuration)
    return recorder_below(configuration)
