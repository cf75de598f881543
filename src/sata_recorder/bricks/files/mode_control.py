"""The modes of a recording, between the user of the files stage and the core."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_BLOCKS, LONG_SECTOR_SHIFT, SECTOR_SHIFT
from ...interface import RECORDING
from ...interface.file import FileError
from ...interface.recording import RecordingMode, SegmentState
from ...interface.trim import TRIM_AHEAD_BITS
from ..inner import SuspensionSignature
from .part_product import PartProduct

__all__ = ["ModeControl", "OrderFacts"]

#: Sectors by which a command may be longer than what is in the buffer: any number.
_ANY_AHEAD = 1 << 16
#: Clocks from the settled numbers until it is known whether the last part has started over.
_MEASURE = 10
_MOST_SEGMENTS = (1 << 16) - 1


class OrderFacts(wiring.Signature):
    """What the log states about the order of a file's sectors, seen from the side that knows it.

    Members
    -------
    mode : Out(RecordingMode)
    spare : Out(2)          Bytes of the last word that do not belong to the recording.
    segments : Out(16)      Segments that the recording had.
    part : Out(48)          Sectors of the part of each; in a ring those of the slot.
    words : Out(48)         Words that were accepted.
    written : Out(48)       Sectors of the recording that are written, or were passed over.
    oldest : Out(48)        The first one of its last segment that is still there.
    """

    def __init__(self):
        super().__init__({
            "mode": Out(RecordingMode), "spare": Out(2), "segments": Out(16), "part": Out(48),
            "words": Out(48), "written": Out(48), "oldest": Out(48),
        })


class ModeControl(wiring.Component):
    """Takes the mode of a recording, gives the core that of each operation, and reports what of
    the recording is in the file.

    Latency: ``error`` 19 clocks after ``begin``; ``used`` 31 clocks after ``ends``.

    Parameters
    ----------
    trims : bool            TRIM may run ahead of a ring.
    long_sectors : bool     ``long`` counts.

    Members
    -------
    user : In, core : Out   The group of the modes, see :mod:`...interface`.
    suspension : Out(SuspensionSignature)
    begin : In(1)           One clock: a recording, in the mode that the user sets.
    length : In(48), interval : In(16)      With ``begin``: as the user sets them.
    mode_length : Out(48)   With ``begin``: the length of the recording in bytes, by its mode.
    room : In(48)           Sectors of the slot.
    error : Out(FileError)  Why the mode cannot be recorded.
    starts : In(1)          An operation of the recording begins in this clock.
    limited : In(1)         The recording has a length: its words will come.
    due : In(1)             The file is to be brought up to date.
    fills : In(1)           A word passes, the last one of a sector.
    pause : Out(1)          The operation is to end after the sector that has begun, and the
                            recording to be suspended.
    halted : In(1)          It has ended in this way; the recording is not finished.
    waits : In(1)           A word waits while it is suspended.
    updates : In(1)         From the end of the operation on: the recording will continue.
    direct : In(1)          An operation of the stage's own starts in this clock; else one of the recording may.
    abandon : In(1)         No recording will continue.
    records : In(1)         An operation of the recording runs, or has ended and the core settles.
    ends : In(1)            One clock: it has settled.
    reads : In(1), address : In(7)      The field of the table of segments that is requested from the
                            core. Else it is that of the user while ``records``.
    order : Out(OrderFacts)     All but ``spare``.
    repeats : Out(1)        The mode is RING or TRIGGERED.
    in_order : Out(1)       The file's sectors are in the order of the recording.
    trim_ahead : In(20)     With ``trims``, and ``begin``: as the user sets it.
    core_trim_ahead : Out(20)       The same, for the core.
    long : In(1)            Sectors are moved 8 at a time, as logical ones of 4096 bytes; ``fills`` is for the last
                            of these.
    used : Out(48)          Unless ``in_order``: sectors of the slot to the end of what was written. While it
                            ``updates`` a ring has all of the slot before it may wrap.
    """

    def __init__(self, *, trims=False, long_sectors=False):
        self._trims, self._long_sectors = trims, long_sectors
        super().__init__({
            "user": In(RECORDING.signature), "core": Out(RECORDING.signature),
            "begin": In(1), "length": In(48), "interval": In(16), "mode_length": Out(48),
            "room": In(48), "error": Out(FileError), "starts": In(1), "limited": In(1),
            "suspension": Out(SuspensionSignature()), "due": In(1), "fills": In(1), "pause": Out(1),
            "halted": In(1), "waits": In(1), "updates": In(1), "direct": In(1), "abandon": In(1),
            "records": In(1), "ends": In(1), "reads": In(1), "address": In(7),
            "order": Out(OrderFacts()), "repeats": Out(1), "in_order": Out(1),
            "used": Out(48),
            "long": In(1),
            "trim_ahead": In(TRIM_AHEAD_BITS), "core_trim_ahead": Out(TRIM_AHEAD_BITS),
        })

    def elaborate(self, platform):
        m = Module()
        user, order = self.user, self.order
        m.submodules.product = product = PartProduct()
        mode = Signal(RecordingMode)
        part = Signal(48)
        segments = Signal(16)
        has_interval = Signal()
        has_part = Signal()
        too_long = Signal()         # more words than any slot has
        measured = Signal(_MEASURE)     # bit n: the numbers settled n + 1 clocks ago
        is_triggered = Signal()
        count = Signal(16)          # segments whose parts are in the file as a whole
        m.d.comb += [
            is_triggered.eq(mode == RecordingMode.TRIGGERED),
            self.repeats.eq((mode == RecordingMode.RING) | is_triggered),
            self.mode_length.eq(self.length),
            product.begin.eq(self.begin | measured[-1]), product.checks.eq(self.begin), product.part.eq(part),
            product.most.eq(self.room),
            product.count.eq(Mux(measured[-1], count, Mux(user.segments == 0, 1, user.segments))),
            order.mode.eq(mode), order.segments.eq(user.segment_count),
            order.part.eq(part),
        ]
        fixed = Signal()
        m.d.comb += fixed.eq((user.mode == RecordingMode.FIXED) & user.words.any())
        with m.If(fixed):
            m.d.comb += self.mode_length.eq(user.words << 2)
        m.d.sync += [has_part.eq(part.any()), measured.eq(Cat(self.ends, measured))]
        with m.If(too_long):
            m.d.comb += self.error.eq(FileError.TOO_LONG)
        with m.Elif(self.repeats & self.limited):
            m.d.comb += self.error.eq(FileError.NOT_IN_THIS_MODE)
        with m.Elif(is_triggered & (~has_part | product.beyond | self._splits(m, part))):
            m.d.comb += self.error.eq(FileError.PARTS_DO_NOT_FIT)
        with m.If(self.begin):
            # A ring is one part, all of the slot.
            # The number of segments has 16 bits in the log.
            m.d.sync += [mode.eq(user.mode),
                         segments.eq(Mux(user.segments == 0, _MOST_SEGMENTS, user.segments)),
                         part.eq(Mux(user.mode == RecordingMode.TRIGGERED, user.part, self.room)),
                         too_long.eq(fixed & user.words[46:].any()),
                         has_interval.eq(self.interval.any())]
        self._tell_core(m, mode, part, segments)
        self._tell_user(m)
        quarter = self._quarter(part)
        self._suspend(m, is_triggered, quarter, has_interval)
        self._measure(m, is_triggered, part, quarter, count, product)
        return m

    def _suspend(self, m, is_triggered, quarter, has_interval):
        """When the file is brought up to date: for a ring also before more is written over than the
        log allows for; for segments, once another one has ended."""
        core, suspension = self.core, self.suspension
        step = Mux(self.long, LONG_SECTOR_BLOCKS, 1) if self._long_sectors else 1
        next_fill = Signal(46)      # sectors of the operation once the next one has filled
        is_last = Signal()          # none may be recorded after it
        known = Signal(16)          # segments that are in the log
        is_new = Signal()
        m.d.sync += [is_last.eq(next_fill == quarter), is_new.eq(core.segment_count != known)]
        m.d.comb += [
            self.pause.eq(has_interval & (core.segment_state == SegmentState.BEFORE)
                          & Mux(is_triggered, self.due & is_new, self.due | is_last)),
            suspension.suspend.eq(self.halted),
            suspension.resume.eq(self.starts & suspension.suspended),
            suspension.waits.eq(self.waits), suspension.direct.eq(self.direct),
            suspension.abandon.eq(self.abandon),
        ]
        with m.If(self.fills):
            m.d.sync += next_fill.eq(next_fill + step)
        with m.If(self.starts):
            m.d.sync += [next_fill.eq(step), known.eq(core.segment_count)]
        with m.If(self.starts & ~suspension.suspended):
            m.d.sync += known.eq(0)

    def _tell_core(self, m, mode, part, segments):
        """What the core gets with its start."""
        user, core = self.user, self.core
        m.d.comb += [
            core.mode.eq(Mux(self.repeats & ~self.direct, mode, RecordingMode.UNTIL_STOPPED)),
            # With a length all words will come. Without one, no more is promised to the drive
            # than is in the buffer.
            core.ahead.eq(Mux(self.limited | self.direct, _ANY_AHEAD, 0)),
            core.part.eq(part), core.segments.eq(segments), core.position.eq(user.position),
            core.trigger.eq(user.trigger), core.pps.eq(user.pps),
            # What the user sets with his start passes; the core takes it then.
            core.extend.eq(user.extend), core.words.eq(user.words), core.chunk.eq(user.chunk),
            self.suspension.take.eq(self.begin), self.suspension.taken.eq(self.starts),
        ]

    def _tell_user(self, m):
        """What the user sees: nothing of the writes of log and directory, which are recordings for
        the core, too."""
        user, core = self.user, self.core
        m.d.comb += [
            user.state.eq(Mux(self.records, core.state, 0)),
            user.segment_state.eq(Mux(self.records, core.segment_state, 0)),
            user.segment_data.eq(core.segment_data),
            user.time.eq(core.time), user.pps_time.eq(core.pps_time),
            user.pps_edges.eq(core.pps_edges),
        ]
        with m.If(self.records):
            m.d.sync += [
                user.triggers.eq(core.triggers), user.segment_count.eq(core.segment_count),
                user.newest.eq(core.newest), user.oldest.eq(core.oldest),
            ]

    def _splits(self, m, part):
        """Whether a part, or an extent of it, ends within a logical sector."""
        if not self._long_sectors:
            return 0
        chunk = Signal(LONG_SECTOR_SHIFT)
        with m.If(self.begin):
            m.d.sync += chunk.eq(self.user.chunk)
        return self.long & (part[:LONG_SECTOR_SHIFT] | chunk).any()

    def _quarter(self, part):
        """Sectors of a ring that are written before its log is renewed: at least one logical one."""
        if not self._long_sectors:
            return part[2:]
        # If it is less than one, no higher bit is set: this bit makes it one.
        one = LONG_SECTOR_SHIFT
        few = ~part[2 + one:].any()
        return Cat(Mux(self.long, 0, part[2:2 + one]), part[2 + one] | (self.long & few), part[3 + one:])

    def _goes(self, m, is_triggered, quarter):
        """Sectors of a ring that may be gone before the log is renewed: they are written over, or TRIM takes them,
        which runs ahead of what is written. With triggers, none."""
        goes = Signal(48)
        m.d.sync += goes.eq(quarter + (self._trimmed(m, quarter) << 1))
        with m.If(is_triggered):
            m.d.sync += goes.eq(0)
        return goes

    def _trimmed(self, m, quarter):
        """How far TRIM is asked to run ahead of a ring (it may run twice as far), of which no more counts than a
        quarter."""
        if not self._trims:
            return Const(0)
        asked = self.core_trim_ahead
        with m.If(self.begin):
            m.d.sync += asked.eq(self.trim_ahead)
        most = Mux(quarter < asked, quarter, asked)
        if self._long_sectors:
            # A ring of fewer than 4 logical sectors has none.
            has_none = self.long & ~self.order.part[2 + LONG_SECTOR_SHIFT:].any()
            most = Mux(has_none, 0, most)
        return most

    def _measure(self, m, is_triggered, part, quarter, count, product):
        """How far the parts reach, and whether the last one has started over.

        While the recording continues, a ring is what will be there still when another quarter of it
        has been written; of segments, those that have ended count.
        """
        core, user, order = self.core, self.user, self.order
        stays = Signal(48)          # sectors of a part that are not written over until then
        passed = Signal(49)         # those that may be; negative where there is room
        is_passed = Signal()
        ended = self.suspension.first_sector
        wrapped = Signal()
        first = Signal(48)          # the first sector of the last segment
        later = Signal(49)         # sectors that were written from it on
        filled = Signal(48)
        last = Signal(4)            # the entry of the last segment
        updates = Signal()
        m.d.sync += updates.eq(self.updates)
        m.d.sync += last.eq(user.segment_count - ~updates)
        m.d.comb += core.segment_address.eq(Mux(self.reads, self.address, Mux(
            self.records, self.user.segment_address, Cat(Const(0, 3), last))))
        with m.If(~self.records & ~self.reads):
            m.d.sync += first.eq(core.segment_data[SECTOR_SHIFT:])
        m.d.comb += [
            order.written.eq(Mux(updates & is_triggered, ended, user.newest)),
            order.words.eq(Mux(updates & is_triggered, Cat(Const(0, SECTOR_SHIFT), ended),
                               self.suspension.position)),
            order.oldest.eq(Mux(updates, Mux(passed[-1], 0, passed[:48]), user.oldest)),
            is_passed.eq(~passed[-1] & passed.any()),
        ]
        m.d.sync += [
            stays.eq(part - self._goes(m, is_triggered, quarter)),
            passed.eq(order.written - stays),
            wrapped.eq(Mux(updates, is_passed, user.oldest != first)),
            # Negative where it was stopped before its part began.
            later.eq(order.written - first),
            filled.eq(later),
            self.used.eq(product.sectors + filled),
            # A part that has been recorded over is in the file as a whole.
            count.eq(user.segment_count - (~updates & ~wrapped)
                     + (updates & wrapped & ~is_triggered)),
        ]
        with m.If(wrapped | later[-1] | (updates & is_triggered)):
            m.d.sync += filled.eq(0)
        m.d.comb += self.in_order.eq(~self.repeats | ~(is_triggered | wrapped))
