"""The core belongs to the files stage, or to its user."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import connect, flipped

from ...core.drive_port import COMPLETE
from ...interface import (ARRAY, AWAY, CHECKS, CONTROL, COUNTERS, FILE, FILE_END, IDENTIFY, JOURNAL, LAST, MEMORY,
                          QUEUE, RECORDING, SECTOR, STATUS, STREAM_IN, STREAM_OUT, TASK, TRIM)
from ...interface.file import FileState
from ..inner import SUSPENSION
from ..stage import Part, Stage, StageRow, rest
from .controller import FileController

__all__ = ["FileStage"]

class FileStage(Stage):
    """Gives the core to :class:`.controller.FileController` unless it is released.

    Until ``file.state`` is RELEASED ``control.start`` and ``status.clear_unflushed`` are ignored, and ``status.busy``
    is high; counters, ledger and ``status`` are those of the core's latest operation, which is one of the stage's own.
    Then the core is as it is without the stage. A recording of the user's ends before the stage takes the core back.

    Latency: that of the core; see :class:`.controller.FileController` for a recording.

    Parameters
    ----------
    configuration : Configuration   ``files`` is true.

    Members
    -------
    user : In(Face)     The user, with the group of the files.
    core : Out(Face)    The core; with modes ``suspension``, too, ``complete`` where it passes over sectors, and
                        ``checks`` of an array.
    """

    row = StageRow(
        "files", adds={FILE, FILE_END}, takes={SUSPENSION, COMPLETE, CHECKS},
        claims={STREAM_IN, STREAM_OUT, LAST, AWAY, CONTROL, STATUS, COUNTERS, IDENTIFY, JOURNAL, TASK, RECORDING,
                SECTOR, TRIM, MEMORY, ARRAY},
        excludes={QUEUE: "a file is in one slot"})

    def elaborate(self, platform):
        m = Module()
        modes = RECORDING in self.below
        skips, trims, long_sectors = COMPLETE in self.below, TRIM in self.below, SECTOR in self.below
        m.submodules.files = files = FileController(self.configuration.clock_hz, modes=modes, skips=skips,
                                                    trims=trims, long_sectors=long_sectors,
                                                    lines=self.configuration.file_lines)
        if long_sectors:
            self.hand_on(m, SECTOR)
            m.d.comb += files.core.sector.long_sectors.eq(self.core.sector.long_sectors)
        released = Signal()
        m.d.comb += released.eq(files.released)
        self.hand_on(m, LAST, AWAY)
        m.d.comb += files.core.away.eq(self.core.away)
        if CHECKS in self.below:
            m.d.comb += files.checks.eq(self.core.checks)
        if skips:
            m.d.comb += self.core.complete.eq(files.complete & ~released)
        self._file(m, files, released)
        self._streams(m, files, released)
        self._control(m, files, released)
        self._status(m, files, released)
        self._memories(m, files)
        if MEMORY in self.below:
            # What the stage writes itself is never given up.
            self._memory(m, released | ~files.complete)
        if TASK in self.below:
            # What the stage starts is no COMMAND, whatever the task file holds.
            self.hand_on(m, TASK, but=("operation",))
            m.d.comb += self.core.task.operation.eq(self.user.task.operation & ~files.keeps)
        if trims:
            self.hand_on(m, TRIM, but=("ahead",))
            m.d.comb += [files.user.trim_ahead.eq(self.user.trim.ahead),
                         self.core.trim.ahead.eq(Mux(released, self.user.trim.ahead, files.trim_ahead))]
        if modes:
            connect(m, files.core.suspension, flipped(self.core).suspension)
            self._recording(m, files, released)
        return m

    def _file(self, m, files, released):
        """The group of the files is the interface of the stage, except for its types."""
        file, brick = self.user.file, files.user
        m.d.comb += [
            brick.start.eq(file.start), brick.stop.eq(file.stop), brick.length.eq(file.length),
            brick.interval.eq(file.interval), brick.dated.eq(file.dated),
            brick.time.seconds.eq(file.time), brick.time.ten_ms.eq(file.time_ten_ms),
            brick.time.offset.eq(file.time_offset), brick.time.valid.eq(file.time_valid),
            # What the user has started ends first.
            brick.release.eq(file.release | (released & (self.core.status.busy
                                                         | self.user.control.start))),
            file.ready.eq(brick.ready), file.busy.eq(brick.busy), file.done.eq(brick.done),
            file.state.eq(brick.state), file.error.eq(brick.error),
            file.refusal.eq(brick.refusal), file.drive_error.eq(brick.drive_error),
            file.slot.eq(brick.slot), file.bytes.eq(brick.bytes),
        ]

    def _streams(self, m, files, released):
        """Words to the stage, or past it; those that the stage reads are not the user's."""
        user, brick, below = self.user, files.user.i, self.core
        keep = user.file_end.keep
        m.d.comb += [
            brick.payload.data.eq(user.i.payload), brick.payload.last.eq(user.file_end.last),
            brick.payload.spare.eq(Mux(keep[3], 0, Mux(keep[2], 1, Mux(keep[1], 2, 3)))),
            brick.valid.eq(user.i.valid & files.keeps),
            below.i.payload.eq(Mux(released, user.i.payload, files.core.i.payload)),
            below.i.valid.eq((user.i.valid & ~files.keeps) | files.core.i.valid),
            files.core.i.ready.eq(below.i.ready),
            user.i.ready.eq((below.i.ready & ~files.keeps) | brick.ready),
            files.core.o.payload.eq(below.o.payload), user.o.payload.eq(below.o.payload),
            files.core.o.valid.eq(below.o.valid & ~released),
            user.o.valid.eq(below.o.valid & released),
            below.o.ready.eq(Mux(released, user.o.ready, files.core.o.ready)),
            files.core.last.eq(below.last),
        ]

    def _memory(self, m, recorded):
        """What becomes of the words that are ``recorded`` is kept while the stage writes its own."""
        above, below = self.user.memory, self.core.memory
        self.hand_on(m, MEMORY, but=("abandon", "failure", "lost"))
        failure, lost = Signal.like(above.failure), Signal.like(above.lost)
        m.d.comb += [below.abandon.eq(above.abandon & recorded),
                     above.failure.eq(Mux(recorded, below.failure, failure)),
                     above.lost.eq(Mux(recorded, below.lost, lost))]
        with m.If(recorded):
            m.d.sync += [failure.eq(below.failure), lost.eq(below.lost)]

    def _control(self, m, files, released):
        user, below = flipped(self.user), flipped(self.core)
        early = "start", "stop", "operation"
        with m.If(released):
            connect(m, rest(user.control, *early), rest(below.control, *early))
        with m.Else():
            connect(m, rest(files.core.control, *early), rest(below.control, *early))
        # Much follows these: those of the stage are not masked, for none comes while the core is released.
        theirs, own = self.user.control, files.core.control
        m.d.comb += [self.core.control.start.eq((theirs.start & ~files.keeps) | own.start),
                     self.core.control.stop.eq((theirs.stop & ~files.keeps) | own.stop),
                     self.core.control.operation.eq(Mux(files.keeps, own.operation, theirs.operation))]
        m.d.comb += self.core.status.clear_unflushed.eq(
            Mux(released, self.user.status.clear_unflushed, files.core.status.clear_unflushed))

    def _status(self, m, files, released):
        """What the core reports, to both."""
        user, brick, below = self.user.status, files.core.status, self.core.status
        owned = "ready", "busy", "done", "clear_unflushed"
        self.hand_on(m, STATUS, but=owned)
        connect(m, rest(brick, *owned), rest(flipped(self.core).status, *owned))
        m.d.comb += [
            user.ready.eq(below.ready & released), brick.ready.eq(below.ready & ~released),
            user.busy.eq(below.busy | ~released), brick.busy.eq(below.busy),
            user.done.eq(below.done & released), brick.done.eq(below.done & ~released),
        ]

    def _memories(self, m, files):
        """Journal and IDENTIFY data are read by the stage while it closes a file; else by the
        user."""
        closes = Signal()
        m.d.comb += closes.eq(files.user.state == FileState.CLOSING)
        below = flipped(self.core)
        for above in flipped(self.user), files.core:
            connect(m, above.counters, below.counters)
            connect(m, rest(above.journal, "address"), rest(below.journal, "address"))
            connect(m, rest(above.identify, "address"), rest(below.identify, "address"))
        user, brick, below = self.user, files.core, self.core
        if ARRAY in self.below:
            # The log names the first drive.
            self.hand_on(m, ARRAY, but=("lane",))
            m.d.comb += below.array.lane.eq(Mux(closes, 0, user.array.lane))
        m.d.comb += [
            below.journal.address.eq(Mux(closes, brick.journal.address, user.journal.address)),
            below.identify.address.eq(Mux(closes, brick.identify.address, user.identify.address)),
        ]

    def _recording(self, m, files, released):
        """The modes are the user's while the core is; until then they are those of the user's files."""
        user, below = flipped(self.user).recording, flipped(self.core).recording
        inner, brick = files.user.recording, files.core.recording
        told = RECORDING.told
        connect(m, Part(user, *told), Part(inner, *told))
        connect(m, rest(brick, *told), rest(below, *told))
        with m.If(released):
            connect(m, user, below)
        with m.Else():
            connect(m, Part(brick, *told), Part(below, *told))
            connect(m, rest(user, *told), rest(inner, *told))
