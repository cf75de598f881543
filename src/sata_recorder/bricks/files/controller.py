"""The file stage: between a user who records and a core with a prepared drive."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...core.drive_port import Error, Operation
from ...interface import RECORDING, SECTOR, UserSignature
from ...interface.file import FileError, FileState
from ...interface.recording import RecordingMode, RecordingState
from ...interface.trim import TRIM_AHEAD_BITS
from ..inner import SUSPENSION
from .crc32 import Crc32
from .file_end import FileEnd
from .file_stream import FileStream
from .file_told import tell_file
from .interval_timer import IntervalTimer
from .log_writer import LogWriter
from .mode_control import ModeControl
from .passed_over import PassedOver
from .proved_drive import ProvedDrive
from .recorded_length import RecordedLength
from .sector_transfer import SectorTransfer
from .signature import FilesSignature, FileTime

__all__ = ["FileController"]

#: Clocks from ``start`` until the length is compared with the slot, and the core is started. With
#: modes there is more to compare.
_PREPARE, _PREPARE_MODE = 5, 20
#: Clocks from the core's ``done`` until its numbers are settled; with modes two segments may end
#: with it, and their entries are written one after the other.
_SETTLE, _SETTLE_MODE = 5, 32


class FileController(wiring.Component):
    """Records into the free slots of a prepared drive, and makes files of the recordings.

    When the core is ready it reads the recording table of the drive, and proves that the drive is
    the one that was prepared. After a recording it writes its log and the sector of the directory;
    docs/files.md has the sequence, and what a power failure leaves. Nothing else is written, and
    nothing to a drive that is not prepared, or that another system has changed since.

    Latency: words pass in the same clock; a recording begins 7 clocks later than that of the core
    alone, with ``modes`` 22. docs/files.md has the time from ``stop`` to ``done``.

    Errors: :class:`...interface.file.FileError`.

    Parameters
    ----------
    clock_hz : int          of ``sync``, for the log and for ``interval``
    trims : bool            With ``modes``: TRIM may run before a ring, and there is ``trim_ahead``.
    long_sectors : bool     The drive may have logical sectors of 4096 bytes, which the core reports: log and
                            directory sector are whole ones then.
    skips : bool            The core passes over sectors of a recording that it cannot write, and
                            there is ``complete``.
    modes : bool            The core has the modes of a recording, and so has the user. It then
                            writes no more zeros after a ``stop`` than fill a sector. A ring and
                            segments become one file, whose log states in which order its sectors are.

    Members
    -------
    user : In(FilesSignature)       The side that records.
    core : Out(UserSignature)       A core, or what has its interface. It is to stall while its buffer is
                            full: of words that it drops there is no CRC-32, and ``length`` counts
                            them. With ``modes`` its recordings can be interrupted.
    trim_ahead : Out(20)    The ``ahead`` of the group of TRIM, for the core.
    complete : Out(1)       What runs is no operation of a recording: the core must pass over nothing.
    """

    def __init__(self, clock_hz, *, modes=False, skips=False, trims=False, long_sectors=False):
        self._clock_hz = round(clock_hz)
        self._trims, self._long_sectors = trims, long_sectors
        self._skips = skips
        self._modes = modes
        self._prepare = _PREPARE_MODE if modes else _PREPARE
        self._settle = _SETTLE_MODE if modes else _SETTLE
        super().__init__({"user": In(FilesSignature(modes=modes)),
                          "trim_ahead": Out(TRIM_AHEAD_BITS), "complete": Out(1),
                          "core": Out(UserSignature(*[RECORDING, SUSPENSION] * modes, *[SECTOR] * long_sectors))})

    def elaborate(self, platform):
        m = Module()
        user, core = self.user, self.core
        m.submodules.transfer = transfer = SectorTransfer(long_sectors=self._long_sectors)
        m.submodules.search = search = ProvedDrive(long_sectors=self._long_sectors)
        m.submodules.stream = words = FileStream(long_sectors=self._long_sectors)
        m.submodules.end = end = FileEnd()
        m.submodules.length = length = RecordedLength()
        m.submodules.timer = timer = IntervalTimer(self._clock_hz)
        m.submodules.crc = crc = Crc32()
        m.submodules.log = log = LogWriter(self._clock_hz, modes=self._modes, skips=self._skips)
        skipped = self._passed_over(m, words, length, log)
        time = Signal(FileTime)
        is_dated = Signal()
        starts = Signal()           # an operation of the recording
        records = Signal()          # it runs
        settles = Signal()          # it has ended just now
        over = Signal()             # the core wants no more words
        more = Signal()             # the recording is not over
        goes_on = Signal()          # it may
        offline = Signal()
        in_order = Signal()         # the file's sectors are in the order of the recording
        searches = Signal()
        asked = Signal(FileError)   # why what the user requests cannot be
        too_long = Mux(words.limited & (words.sectors > length.room), FileError.TOO_LONG,
                       FileError.NONE)
        if self._modes:
            m.submodules.modes = modes = ModeControl(trims=self._trims, long_sectors=self._long_sectors)
            if self._trims:
                m.d.comb += [modes.trim_ahead.eq(user.trim_ahead), self.trim_ahead.eq(modes.core_trim_ahead)]
            self._modes_of(m, modes, starts, records, settles, in_order, words, end, length, log)
            self._suspend(m, modes, more, goes_on, settles, offline, timer, words, transfer, end, log)
            m.d.comb += [
                asked.eq(Mux(modes.error != FileError.NONE, modes.error, too_long)),
                over.eq(records & (core.recording.state == RecordingState.CLOSING)),
                goes_on.eq(self.core.suspension.suspended & (modes.repeats | (length.room != 0))),
            ]
        else:
            m.d.comb += [
                words.length.eq(user.length), asked.eq(too_long), in_order.eq(1),
                words.pause.eq(timer.due), goes_on.eq(length.room != 0), end.with_log.eq(~more),
            ]
        self._states(m, starts, records, settles, over, more, goes_on, offline, in_order, searches,
                     asked, time, is_dated, search, words, end, length, timer, log, skipped)
        if self._skips:
            m.d.comb += self.complete.eq(~starts & ~records)
        if self._long_sectors:
            self._logical(m, offline, [transfer, search, words, *([modes] if self._modes else [])])
        self._streams(m, records, words, transfer)
        self._control(m, starts, records, words, transfer, length)
        self._sectors(m, transfer, search, words, end, crc, log)
        tell_file(m, self.core, searches, time, is_dated, transfer, search, end, length, log,
                  long_log=self._modes, long_sectors=self._long_sectors)
        return m

    def _modes_of(self, m, modes, starts, records, settles, in_order, words, end, length, log):
        """The mode of the recording, and what it makes of the file."""
        connect(m, flipped(self.user.recording), modes.user)
        connect(m, modes.core, flipped(self.core.recording))
        m.d.comb += [
            modes.begin.eq(words.begin), modes.length.eq(self.user.length),
            modes.interval.eq(self.user.interval), words.length.eq(modes.mode_length),
            modes.room.eq(length.sectors), modes.starts.eq(starts), modes.limited.eq(words.limited),
            modes.records.eq(records | settles), modes.ends.eq(end.start & settles),
            length.used.eq(modes.used), length.replace.eq(log.copied & ~modes.in_order),
            in_order.eq(modes.in_order),
            end.long_log.eq(modes.repeats), log.has_order.eq(modes.repeats),
            modes.reads.eq(log.reads), modes.address.eq(log.address),
            log.field.eq(self.core.recording.segment_data),
            log.order.mode.eq(modes.order.mode), log.order.spare.eq(words.spare),
            log.order.segments.eq(modes.order.segments), log.order.part.eq(modes.order.part),
            log.order.words.eq(modes.order.words),
            log.order.written.eq(modes.order.written), log.order.oldest.eq(modes.order.oldest),
        ]

    def _suspend(self, m, modes, more, goes_on, settles, offline, timer, words, transfer, end, log):
        """A recording in any mode between two of its operations."""
        connect(m, modes.suspension, flipped(self.core.suspension))
        m.d.comb += [
            modes.due.eq(timer.due), modes.fills.eq(words.fills),
            words.pause.eq(Mux(modes.repeats, modes.pause, timer.due)),
            modes.halted.eq(words.paused & ~words.finished), modes.updates.eq(more),
            modes.waits.eq(words.paused & self.user.i.valid),
            # A slot that is full is not written a second time.
            modes.direct.eq(transfer.control.start), modes.abandon.eq(
                offline | (settles & self.core.suspension.suspended & ~goes_on)),
            log.is_update.eq(more), end.with_log.eq(~more | modes.repeats),
            # The other sectors have nothing of a ring until it has ended.
            end.with_behind.eq(~more | (modes.order.mode == RecordingMode.TRIGGERED)),
        ]

    def _logical(self, m, offline, parts):
        """What the logical sectors of the drive are, from the search on: one that has others is another drive, of
        which nothing is proved."""
        long = Signal()
        with m.If(offline & self.core.status.ready):
            m.d.sync += long.eq(self.core.sector.long_sectors)
        m.d.comb += [part.long.eq(long) for part in parts]

    def _passed_over(self, m, words, length, log):
        """Whether sectors of the recording were passed over."""
        if not self._skips:
            return C(0)
        m.submodules.passed = passed = PassedOver()
        m.d.comb += [passed.begin.eq(words.begin), passed.add.eq(length.add),
                     passed.sectors.eq(self.core.status.skipped_sectors), log.facts.skipped.eq(passed.total)]
        return passed.some

    def _states(self, m, starts, records, settles, over, more, goes_on, offline, in_order, searches,
                asked, time, is_dated, search, words, end, length, timer, log, skipped):
        """From the user's start to the done of the recording."""
        user, core = self.user, self.core
        stops = Signal()            # a stop came, whether words could pass or not
        failed = Signal()           # an operation of the recording
        doubt = Signal()
        is_partial = Signal()       # the recording has several operations
        clocks = Signal(range(max(self._prepare, self._settle) + 1))
        m.d.comb += [
            user.ready.eq(user.state == FileState.READY),
            user.busy.eq((user.state == FileState.SEARCHING) | (user.state == FileState.RECORDING)
                         | (user.state == FileState.CLOSING)),
            words.stop.eq(stops | user.stop | over),
            more.eq(words.paused & ~words.finished & ~failed & goes_on),
            end.completes.eq(searches), end.in_parts.eq(more | is_partial),
            end.flush_first.eq(failed),
            search.completed.eq(end.done & searches), search.abandon.eq(user.release),
            log.facts.crc_is_known.eq(self._unless(skipped, in_order & ~failed & (core.counters.dropped == 0))),
            log.facts.is_partial.eq(is_partial | more), log.facts.in_doubt.eq(doubt),
        ]
        m.d.sync += [user.done.eq(0), clocks.eq(clocks + 1), stops.eq(stops | user.stop)]

        def finish(error):
            m.d.sync += [user.done.eq(1), user.error.eq(error)]

        def refused(error):
            with m.If(user.start):
                m.d.sync += user.bytes.eq(0)
                finish(error)

        with m.FSM() as fsm:
            m.d.comb += [searches.eq(fsm.ongoing("SEARCH")), records.eq(fsm.ongoing("RECORD")),
                         settles.eq(fsm.ongoing("ADD"))]
            with m.State("OFFLINE"):
                m.d.comb += [user.state.eq(FileState.OFFLINE), offline.eq(1)]
                refused(FileError.NO_DRIVE)
                with m.If(user.release):
                    m.next = "RELEASED"
                with m.Elif(core.status.ready):
                    m.d.comb += search.begin.eq(1)
                    m.next = "SEARCH"
            with m.State("SEARCH"):
                m.d.comb += [user.state.eq(FileState.SEARCHING), end.start.eq(search.completes)]
                m.d.sync += failed.eq(0)
                with m.If(search.done):
                    m.d.sync += user.refusal.eq(search.error)
                    m.next = "READY"
                    with m.If(search.error != FileError.NONE):
                        m.d.sync += user.drive_error.eq(core.status.error)
                        m.next = "REFUSED"
                    # The path to the drive has failed, which shows nothing about the drive.
                    with m.If((search.error == FileError.DRIVE)
                              & (core.status.error != Error.DRIVE_ERROR)):
                        m.next = "OFFLINE"
                    with m.If(search.error == FileError.RELEASED):
                        m.next = "OFFLINE"
            with m.State("REFUSED"):
                m.d.comb += user.state.eq(Mux(user.refusal == FileError.FULL, FileState.FULL,
                                              FileState.REFUSED))
                refused(user.refusal)
                with m.If(~core.status.ready | user.release):
                    m.next = "OFFLINE"
            with m.State("RELEASED"):
                m.d.comb += user.state.eq(FileState.RELEASED)
                refused(FileError.RELEASED)
                with m.If(~user.release):
                    m.next = "OFFLINE"
            with m.State("READY"):
                m.d.comb += user.state.eq(FileState.READY)
                m.d.sync += [stops.eq(0), failed.eq(0), doubt.eq(0), is_partial.eq(0), clocks.eq(0)]
                with m.If(~core.status.ready | ~search.holds | user.release):
                    refused(Mux(user.release, FileError.RELEASED, FileError.NO_DRIVE))
                    m.next = "OFFLINE"
                with m.Elif(user.start):
                    m.d.comb += [words.begin.eq(1), length.begin.eq(1)]
                    m.d.sync += [is_dated.eq(user.dated & user.time.valid),
                                 time.eq(user.time), timer.seconds.eq(user.interval),
                                 user.slot.eq(search.number), user.bytes.eq(0)]
                    m.next = "PREPARE"
            with m.State("PREPARE"):
                m.d.comb += user.state.eq(FileState.RECORDING)
                with m.If(clocks == self._prepare):
                    m.next = "OPEN"
                    with m.If(asked != FileError.NONE):
                        finish(asked)
                        m.next = "READY"
            with m.State("OPEN"):
                m.d.comb += [user.state.eq(FileState.RECORDING), starts.eq(search.holds),
                             words.open.eq(search.holds), timer.restart.eq(1)]
                m.next = "RECORD"
                # No operation begins on a drive that is not proved.
                with m.If(~search.holds):
                    m.d.sync += user.drive_error.eq(core.status.error)
                    finish(Mux(is_partial, FileError.CUT_SHORT, FileError.NO_DRIVE))
                    m.next = "OFFLINE"
            with m.State("RECORD"):
                m.d.comb += user.state.eq(Mux(words.finished, FileState.CLOSING,
                                              FileState.RECORDING))
                m.d.sync += clocks.eq(0)
                with m.If(core.status.done):
                    m.d.comb += [words.close.eq(1), length.add.eq(1)]
                    m.d.sync += [
                        failed.eq(core.status.error != Error.NONE),
                        user.drive_error.eq(core.status.error),
                        doubt.eq(doubt | core.status.unflushed),
                    ]
                    m.next = "ADD"
            self._closing(m, finish, failed, doubt, skipped, is_partial, more, clocks, search, end, length)

    def _unless(self, skipped, value):
        """``value``, 0 where sectors were passed over."""
        return ~skipped & value if self._skips else value

    def _closing(self, m, finish, failed, doubt, skipped, is_partial, more, clocks, search, end, length):
        """The states from the end of an operation to the end of the recording, or to the next."""
        user, core = self.user, self.core
        with m.State("ADD"):
            m.d.comb += user.state.eq(FileState.CLOSING)
            with m.If(clocks == self._settle):
                m.d.comb += end.start.eq(length.bytes != 0)
                m.next = "END"
                with m.If(length.bytes == 0):
                    finish(Mux(failed, FileError.CUT_SHORT, FileError.EMPTY))
                    m.next = "READY"
                    with m.If(~search.holds):
                        m.next = "OFFLINE"
        with m.State("END"):
            m.d.comb += user.state.eq(FileState.CLOSING)
            with m.If(end.done & end.failed):
                m.d.sync += user.drive_error.eq(core.status.error)
                finish(Mux(end.changed, FileError.CHANGED, FileError.CUT_SHORT))
                m.next = "OFFLINE"
            with m.Elif(end.done):
                m.d.sync += user.bytes.eq(length.bytes)
                with m.If(more):
                    m.d.sync += is_partial.eq(1)
                    m.next = "OPEN"
                with m.Else():
                    whole = Mux(doubt, FileError.IN_DOUBT, FileError.NONE)
                    if self._skips:
                        whole = Mux(skipped, FileError.SKIPPED, whole)
                    finish(Mux(failed, Mux(doubt, FileError.CUT_IN_DOUBT, FileError.CUT_SHORT), whole))
                    m.d.comb += search.next.eq(1)
                    m.next = "SEARCH"

    def _streams(self, m, records, words, transfer):
        """The core has the words of the recording, or those of the log and the directory."""
        connect(m, flipped(self.user.i), words.user)
        i = self.core.i
        m.d.comb += [
            i.payload.eq(words.core.payload | transfer.i.payload),
            i.valid.eq(words.core.valid | transfer.i.valid),
            words.core.ready.eq(i.ready), transfer.i.ready.eq(i.ready & ~records),
        ]
        connect(m, flipped(self.core.o), transfer.o)

    def _control(self, m, starts, records, words, transfer, length):
        """What the core gets, and what it reports."""
        control, status = self.core.control, self.core.status
        m.d.comb += [
            control.start.eq(starts | transfer.control.start),
            control.operation.eq(Mux(starts, Operation.RECORD_FLUSH, transfer.control.operation)),
            control.lba.eq(Mux(starts, length.lba, transfer.control.lba)),
            control.sectors.eq(Mux(starts, Mux(words.limited, words.sectors, length.room),
                                   transfer.control.sectors)),
            control.stop.eq(words.ends),
            status.clear_unflushed.eq(starts | transfer.clear_unflushed),
            transfer.core_done.eq(status.done & ~records),
            transfer.core_failed.eq(status.error != Error.NONE),
            transfer.unflushed.eq(status.unflushed),
            length.words.eq(self.core.counters.words), length.spare.eq(words.spare),
            length.failed.eq(status.error != Error.NONE),
            length.sectors_done.eq(status.sectors_done),
            length.skipped_sectors.eq(status.skipped_sectors),
        ]

    def _sectors(self, m, transfer, search, words, end, crc, log):
        """The sectors of the table, the log and the directory."""
        request, status = transfer.request, self.core.status
        m.d.comb += [
            request.active.eq(search.request.active | end.request.active),
            request.store.eq(end.request.store), request.compare.eq(search.request.compare),
            request.flush.eq(end.request.flush),
            request.kind.eq(search.request.kind | end.request.kind),
            request.long.eq(search.request.long | end.request.long),
            request.part.eq(end.request.part),
            transfer.number.eq(search.number), transfer.place.eq(search.place),
            transfer.range.eq(search.range), transfer.ready.eq(search.ready),
            search.transfer_begins.eq(transfer.begins),
            search.transfer_done.eq(transfer.done), end.transfer_done.eq(transfer.done),
            search.transfer_failed.eq(transfer.failed), end.transfer_failed.eq(transfer.failed),
            search.transfer_differs.eq(transfer.differs),
            end.transfer_in_doubt.eq(transfer.in_doubt),
            search.sector_ends.eq(transfer.sector_ends), search.read.eq(transfer.read),
            search.unreadable.eq(status.error == Error.DRIVE_ERROR),
            search.beyond.eq(status.error == Error.OUT_OF_RANGE), search.away.eq(self.core.away),
            search.again.eq(end.prove),
            end.proved.eq(search.holds), end.prove_done.eq(search.again_done),
            end.prove_error.eq(search.error),
            crc.port.clear.eq(words.crc.clear | search.crc.clear | log.crc.clear),
            crc.port.add.eq(words.crc.add | search.crc.add | log.crc.add),
            crc.port.word.eq(words.crc.word | search.crc.word | log.crc.word),
            crc.port.bytes.eq(words.crc.bytes),
            crc.port.restore.eq(search.crc.restore | log.crc.restore),
            search.crc_value.eq(crc.value), search.crc_is_whole.eq(crc.is_whole),
            search.crc_busy.eq(crc.busy), log.crc_value.eq(crc.value), log.crc_busy.eq(crc.busy),
        ]
