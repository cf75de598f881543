"""The files stage: between a user who records and a core with a prepared drive."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...core.drive_port import Error, Operation
from ...interface import RECORDING, SECTOR, UserSignature
from ...interface.file import FileError
from ...interface.recording import RecordingMode, RecordingState
from ...interface.trim import TRIM_AHEAD_BITS
from ..inner import SUSPENSION
from ..stage import rest
from .cluster_split import ClusterSplit
from .crc32 import Crc32
from .directory_edit import DirectoryEdit
from .file_end import FileEnd
from .file_name import FileName
from .file_sequence import FileSequence
from .file_stream import FileStream
from .interval_timer import IntervalTimer
from .line_runs import LineRuns
from .log_writer import LogWriter
from .mode_control import ModeControl
from .passed_over import PassedOver
from .proved_drive import ProvedDrive
from .recorded_length import RecordedLength
from .sector_memory import SectorMemory
from .sector_transfer import SectorTransfer
from .signature import FilesSignature

__all__ = ["FileController"]

#: Clocks from ``start`` until the length has been compared with the slot, and the core is started. With
#: modes there is more to compare.
_PREPARE, _PREPARE_MODE = 5, 20
#: Clocks from the core's ``done`` until its numbers are settled; with modes two segments may end
#: with it, and their entries are written one after the other.
_SETTLE, _SETTLE_MODE = 5, 32


class FileController(wiring.Component):
    """Records into the free slots of a prepared drive, and makes files of the recordings.

    When the core is ready the stage reads the recording table of the drive, and proves that the drive is
    the one that was prepared. After a recording it writes the log and the sector of the directory;
    docs/files.md has the sequence, and what a power failure leaves. Nothing else is written, and
    nothing to a drive that is not prepared, or that another system has changed since.

    Latency: words pass in the same clock; a recording begins 7 clocks later than that of the core
    alone, with ``modes`` 22. docs/files.md has the time from ``stop`` to ``done``.

    Errors: :class:`...interface.file.FileError`.

    Parameters
    ----------
    clock_hz : int          of ``sync``, for the log and for ``interval``
    trims : bool            With ``modes``: TRIM may run ahead of a ring, and ``trim_ahead`` counts.
    long_sectors : bool     The drive may have logical sectors of 4096 bytes, which the core reports: log and
                            directory sector are then whole logical sectors.
    skips : bool            The core passes over sectors of a recording that it cannot write, but over
                            none while ``complete`` is high.
    modes : bool            The core has the modes of a recording, and so has the user. The core then
                            writes no more zeros after a ``stop`` than fill a sector. A ring and
                            segments become one file, whose log states in which order its sectors are.
    lines : bool            A word that is ``last`` ends a line, not the recording; the log keeps the lengths of
                            the lines.

    Members
    -------
    user : In(FilesSignature)       The side that records.
    core : Out(UserSignature)       A core, or what has its interface. It must stall while its buffer is
                            full: where it drops words there is no CRC-32, and ``length`` counts
                            them. With ``modes`` its recordings can be interrupted.
    trim_ahead : Out(20)    The ``ahead`` of the group of TRIM, for the core.
    checks : In(1)          The core is not ready, but may be when this falls: no sector of the stage's own is moved.
    released : Out(1)       The state of the user's side is RELEASED. In it no start, no ``stop`` and no word comes
                            from here, and none is taken.
    keeps : Out(1)          It is not, from a flop of its own.
    complete : Out(1)       No operation of a recording runs: the core must pass over nothing.
    """

    def __init__(self, clock_hz, *, modes=False, skips=False, trims=False, long_sectors=False, lines=False):
        self._trims, self._long_sectors, self._skips = trims, long_sectors, skips
        self._sequence = FileSequence(*(_PREPARE_MODE, _SETTLE_MODE) if modes else (_PREPARE, _SETTLE))
        self._transfer = SectorTransfer(long_sectors=long_sectors)
        self._search = ProvedDrive(long_sectors=long_sectors)
        self._words = FileStream(long_sectors=long_sectors)
        self._end = FileEnd()
        self._length = RecordedLength()
        self._timer = IntervalTimer(round(clock_hz))
        self._crc = Crc32()
        self._log = LogWriter(round(clock_hz), modes=modes, skips=skips, lines=lines)
        self._lines = LineRuns() if lines else None
        self._memory = SectorMemory(long_log=modes, long_sectors=long_sectors)
        self._modes = ModeControl(trims=trims, long_sectors=long_sectors) if modes else None
        super().__init__({"user": In(FilesSignature(modes=modes)),
                          "trim_ahead": Out(TRIM_AHEAD_BITS), "released": Out(1), "keeps": Out(1),
                          "complete": Out(1), "checks": In(1),
                          "core": Out(UserSignature(*[RECORDING, SUSPENSION] * modes, *[SECTOR] * long_sectors))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequence = sequence = self._sequence
        m.submodules.transfer = self._transfer
        m.submodules.search = self._search
        m.submodules.stream = words = self._words
        m.submodules.end = self._end
        m.submodules.length = length = self._length
        m.submodules.timer = timer = self._timer
        m.submodules.crc = self._crc
        m.submodules.log = self._log
        m.submodules.memory = self._memory
        too_long = Mux(words.limited & (words.sectors > length.room), FileError.TOO_LONG, FileError.NONE)
        has_room = Signal()
        m.d.sync += has_room.eq(length.room != 0)
        if self._modes is not None:
            m.submodules.modes = modes = self._modes
            over = sequence.records & (self.core.recording.state == RecordingState.CLOSING)
            self._mode(m)
            self._suspend(m)
            m.d.comb += [
                sequence.asked.eq(Mux(modes.error != FileError.NONE, modes.error, too_long)),
                sequence.goes_on.eq(self.core.suspension.suspended & (modes.repeats | has_room)),
            ]
        else:
            over = 0
            m.d.comb += [
                words.length.eq(self.user.length), sequence.asked.eq(too_long), words.pause.eq(timer.due),
                sequence.goes_on.eq(has_room), self._end.with_log.eq(~sequence.more),
            ]
        m.d.comb += words.stop.eq(sequence.stops | self.user.stop | over)
        self._recording(m)
        if self._skips:
            self._passed_over(m)
        if self._long_sectors:
            self._logical(m)
        if self._lines is not None:
            self._line_lengths(m)
        self._streams(m)
        self._control(m)
        self._sectors(m)
        self._file(m)
        return m

    def _mode(self, m):
        """The mode of the recording, and what it makes of the file."""
        modes, words, length, log, end = self._modes, self._words, self._length, self._log, self._end
        connect(m, flipped(self.user.recording), modes.user)
        connect(m, modes.core, flipped(self.core.recording))
        if self._trims:
            m.d.comb += [modes.trim_ahead.eq(self.user.trim_ahead), self.trim_ahead.eq(modes.core_trim_ahead)]
        m.d.comb += [
            modes.begin.eq(words.begin), modes.length.eq(self.user.length),
            modes.interval.eq(self.user.interval), words.length.eq(modes.mode_length),
            modes.room.eq(length.sectors), modes.starts.eq(self._sequence.starts), modes.limited.eq(words.limited),
            modes.records.eq(self._sequence.counts),
            modes.ends.eq(end.start & self._sequence.settles),
            length.used.eq(modes.used), length.replace.eq(log.copied & ~modes.in_order),
            end.long_log.eq(modes.repeats), log.has_order.eq(modes.repeats),
            modes.reads.eq(log.reads), modes.address.eq(log.address),
            log.field.eq(self.core.recording.segment_data),
            log.order.mode.eq(modes.order.mode), log.order.spare.eq(words.spare),
            log.order.segments.eq(modes.order.segments), log.order.part.eq(modes.order.part),
            log.order.words.eq(modes.order.words),
            log.order.written.eq(modes.order.written), log.order.oldest.eq(modes.order.oldest),
        ]

    def _suspend(self, m):
        """A recording in any mode between two of its operations."""
        modes, words, sequence, more = self._modes, self._words, self._sequence, self._sequence.more
        connect(m, modes.suspension, flipped(self.core.suspension))
        m.d.comb += [
            modes.due.eq(self._timer.due), modes.fills.eq(words.fills),
            words.pause.eq(Mux(modes.repeats, modes.pause, self._timer.due)),
            # After the last operation of a recording it would interrupt one of the user's, on a core that is released.
            modes.halted.eq(words.paused & ~words.finished & sequence.counts), modes.updates.eq(more),
            modes.waits.eq(words.paused & self.user.i.valid),
            modes.direct.eq(self._transfer.control.start),
            self._log.is_update.eq(more), self._end.with_log.eq(~more | modes.repeats),
            # The other sectors of the log hold nothing about a ring until it has ended.
            self._end.with_rest.eq(~more | (modes.order.mode == RecordingMode.TRIGGERED)),
        ]
        # A slot that is full is not written a second time: the recording is over.
        is_full = Signal()
        m.d.sync += is_full.eq(sequence.settles & self.core.suspension.suspended & ~sequence.goes_on & ~is_full)
        m.d.comb += modes.abandon.eq(sequence.offline | is_full)

    def _recording(self, m):
        """From the user's start to the done of the recording."""
        sequence, search, words, end, length, log = (
            self._sequence, self._search, self._words, self._end, self._length, self._log)
        user, core = self.user, self.core
        in_order = 1 if self._modes is None else self._modes.in_order
        releases = Signal()
        m.d.sync += releases.eq(user.release)
        whole = in_order & ~sequence.failed & (core.counters.dropped == 0) & ~sequence.skipped
        m.d.comb += [
            sequence.start.eq(user.start), sequence.stop.eq(user.stop), sequence.release.eq(user.release),
            user.ready.eq(sequence.ready), user.busy.eq(sequence.busy), user.done.eq(sequence.done),
            user.state.eq(sequence.state), user.error.eq(sequence.error), user.refusal.eq(sequence.refusal),
            user.drive_error.eq(sequence.drive_error), user.slot.eq(sequence.slot), user.bytes.eq(sequence.bytes),
            sequence.core_ready.eq(core.status.ready), sequence.core_done.eq(core.status.done),
            sequence.core_error.eq(core.status.error), sequence.core_in_doubt.eq(core.status.unflushed),
            search.begin.eq(sequence.search), search.next.eq(sequence.search_next), search.abandon.eq(releases),
            search.completed.eq(end.done & sequence.searches), sequence.search_done.eq(search.done),
            sequence.search_error.eq(search.error), sequence.holds.eq(search.holds),
            sequence.completes.eq(search.completes), sequence.number.eq(search.number),
            words.begin.eq(sequence.begins), words.open.eq(sequence.starts), words.close.eq(sequence.closes),
            sequence.finished.eq(words.finished), sequence.paused.eq(words.paused),
            length.begin.eq(sequence.begins), length.add.eq(sequence.closes), sequence.length.eq(length.bytes),
            self._timer.restart.eq(sequence.starts),
            end.start.eq(sequence.end), end.completes.eq(sequence.searches), end.flush_first.eq(sequence.failed),
            end.in_parts.eq(sequence.more | sequence.is_partial), sequence.end_done.eq(end.done),
            sequence.end_failed.eq(end.failed), sequence.end_changed.eq(end.changed),
            log.facts.crc_is_known.eq(whole), log.facts.in_doubt.eq(sequence.doubt),
            log.facts.is_partial.eq(sequence.is_partial | sequence.more),
            self.released.eq(sequence.released), self.keeps.eq(sequence.keeps),
            self.complete.eq(~sequence.starts & ~sequence.records),
        ]
        m.d.sync += end.log_written.eq(log.done)
        with m.If(sequence.begins):
            m.d.sync += self._timer.seconds.eq(user.interval)

    def _logical(self, m):
        """How long the drive's logical sectors are, from the search on: one that has others is another drive, of
        which nothing is proved."""
        long = Signal()
        with m.If(self._sequence.offline & self.core.status.ready):
            m.d.sync += long.eq(self.core.sector.long_sectors)
        parts = self._transfer, self._search, self._words, *([self._modes] if self._modes is not None else [])
        m.d.comb += [part.long.eq(long) for part in parts]

    def _passed_over(self, m):
        """Whether sectors of the recording were passed over."""
        m.submodules.passed = passed = PassedOver()
        m.d.comb += [passed.begin.eq(self._words.begin), passed.add.eq(self._length.add),
                     passed.sectors.eq(self.core.status.skipped_sectors),
                     self._sequence.skipped.eq(passed.some), self._log.facts.skipped.eq(passed.total)]

    def _line_lengths(self, m):
        """How long the lines of the recording are, for its log."""
        m.submodules.lines = lines = self._lines
        words, log, i = self._words, self._log, self.user.i
        m.d.comb += [
            lines.begin.eq(words.begin), lines.passes.eq(i.valid & i.ready), lines.ends.eq(i.payload.last),
            lines.spare.eq(i.payload.spare), log.line_count.eq(lines.lines), log.runs.eq(lines.runs),
            lines.address.eq(log.run), log.run_length.eq(lines.length), log.run_count.eq(lines.count),
        ]

    def _file(self, m):
        """What log and directory state about a recording; it is stable from the end of the recording on."""
        m.submodules.split = split = ClusterSplit()
        m.submodules.edit = edit = DirectoryEdit()
        m.submodules.name = name = FileName()
        core, sequence, search, end, length, log = (
            self.core, self._sequence, self._search, self._end, self._length, self._log)
        searches, memory, facts = sequence.searches, self._memory, log.facts
        connect(m, self._transfer.memory, memory.transfer)
        connect(m, log.memory, memory.log)
        connect(m, edit.memory, memory.directory)
        connect(m, log.journal, flipped(core.journal))
        connect(m, log.identify, flipped(core.identify))
        m.d.comb += [
            log.start.eq(end.write_log),
            split.load.eq(end.name), split.start.eq(end.split | edit.split), split.replaces.eq(~end.splits),
            end.split_done.eq(split.done), end.beyond.eq(split.beyond),
            edit.start.eq(end.edit), end.edited.eq(edit.done), edit.split_done.eq(split.done),
            split.bytes.eq(search.logged_bytes | length.bytes), length.forget.eq(searches),
            split.cluster_shift.eq(search.cluster_shift),
            split.first_cluster.eq(search.place.first_cluster),
            split.sectors.eq(search.place.sectors),
            edit.size.eq(split.size), edit.cluster.eq(split.cluster), edit.some.eq(split.some),
            search.dates.eq(sequence.begins), search.user_time.eq(self.user.time),
            search.user_dated.eq(self.user.dated), edit.time.eq(search.time),
            name.is_dated.eq(search.is_dated),
            edit.name_length.eq(name.length), name.start.eq(end.name), end.named.eq(name.done),
            name.time.eq(search.time), name.number.eq(search.number), edit.name_hash.eq(name.hash),
            name.next.eq(edit.name_next), edit.characters.eq(name.characters),
            length.first_lba.eq(search.place.lba), length.sectors.eq(search.place.sectors),
            facts.number.eq(search.number), facts.lba.eq(search.place.lba),
            facts.bytes.eq(length.bytes), facts.time.eq(search.time), facts.is_dated.eq(search.is_dated),
            facts.error.eq(core.status.error), facts.lost_words.eq(core.counters.dropped),
            facts.high_water.eq(core.counters.high_water),
        ]

    def _streams(self, m):
        """The core gets the words of the recording, or those of the log and the directory."""
        words, transfer, i = self._words, self._transfer, self.core.i
        connect(m, rest(flipped(self.user.i), "payload"), rest(words.user, "payload"))
        m.d.comb += words.user.payload.eq(self.user.i.payload)
        if self._lines is not None:
            # A ``last`` of the user ends a line.
            m.d.comb += words.user.payload.last.eq(0)
        m.d.comb += [
            i.payload.eq(words.core.payload | transfer.i.payload),
            i.valid.eq(words.core.valid | transfer.i.valid),
            words.core.ready.eq(i.ready), transfer.i.ready.eq(i.ready & ~self._sequence.records),
        ]
        connect(m, flipped(self.core.o), transfer.o)

    def _control(self, m):
        """What goes to the core, and what comes from it."""
        control, status = self.core.control, self.core.status
        starts, words, transfer, length = self._sequence.starts, self._words, self._transfer, self._length
        own = transfer.control.start    # without a start nothing counts that belongs to one
        m.d.comb += [
            control.start.eq(starts | own),
            control.operation.eq(Mux(own, transfer.control.operation, Operation.RECORD_FLUSH)),
            control.lba.eq(Mux(own, transfer.control.lba, length.lba)),
            control.sectors.eq(Mux(own, transfer.control.sectors,
                                   Mux(words.limited, words.sectors, length.room))),
            control.stop.eq(words.ends),
            status.clear_unflushed.eq(starts | transfer.clear_unflushed),
            transfer.unflushed.eq(status.unflushed), transfer.checks.eq(self.checks),
            length.words.eq(self.core.counters.words), length.spare.eq(words.spare),
            length.failed.eq(status.error != Error.NONE),
            length.sectors_done.eq(status.sectors_done),
            length.skipped_sectors.eq(status.skipped_sectors),
        ]
        # In registers: the path on is long, and what the core reports with ``done`` stays.
        m.d.sync += [
            transfer.core_done.eq(status.done & ~self._sequence.records),
            transfer.core_failed.eq(status.error != Error.NONE),
            self._search.unreadable.eq(status.error == Error.DRIVE_ERROR),
            self._search.beyond.eq(status.error == Error.OUT_OF_RANGE),
        ]

    def _sectors(self, m):
        """The sectors of the table, the log and the directory."""
        transfer, search, words, end, crc, log = (
            self._transfer, self._search, self._words, self._end, self._crc, self._log)
        request = transfer.request
        m.d.comb += [
            request.active.eq(search.request.active | end.request.active),
            request.store.eq(end.request.store), request.compare.eq(search.request.compare),
            request.flush.eq(end.request.flush),
            request.kind.eq(search.request.kind | end.request.kind),
            request.long.eq(search.request.long | end.request.long),
            request.part.eq(end.request.part),
            transfer.number.eq(search.number), transfer.place.eq(search.place),
            transfer.range.eq(search.range), transfer.block.eq(search.block),
            search.directory_lba.eq(transfer.directory_lba), transfer.ready.eq(search.ready),
            search.transfer_begins.eq(transfer.begins),
            search.transfer_done.eq(transfer.done), end.transfer_done.eq(transfer.done),
            search.transfer_failed.eq(transfer.failed), end.transfer_failed.eq(transfer.failed),
            search.transfer_differs.eq(transfer.differs),
            end.transfer_in_doubt.eq(transfer.in_doubt),
            search.sector_ends.eq(transfer.sector_ends), search.read.eq(transfer.read),
            search.away.eq(self.core.away),
            search.again.eq(end.prove),
            end.proved.eq(search.holds), end.prove_done.eq(search.again_done),
            end.prove_error.eq(search.error),
            crc.port.clear.eq(words.crc.clear | search.crc.clear | log.crc.clear),
            crc.port.add.eq(words.crc.add | search.crc.add | log.crc.add),
            crc.port.word.eq(words.crc.word | search.crc.word | log.crc.word),
            crc.port.bytes.eq(words.crc.bytes),
            crc.port.keep.eq(search.crc.keep | log.crc.keep),
            crc.port.restore.eq(search.crc.restore | log.crc.restore),
            log.crc_kept.eq(crc.kept), search.crc_is_whole.eq(crc.is_whole),
            search.crc_busy.eq(crc.busy), log.crc_value.eq(crc.value), log.crc_busy.eq(crc.busy),
        ]
