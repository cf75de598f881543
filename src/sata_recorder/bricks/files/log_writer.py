"""The log of a recording, written into the memory of the files stage."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.drive_port import Error
from ...interface import IDENTIFY, JOURNAL
from ...facts.units import SECTOR_WORDS
from .choice import choice
from .crc32 import Crc32Port
from .mode_control import OrderFacts
from .sector_memory import LOG_BASE, SectorMemoryPort
from .signature import SLOT_BITS, FileTime
from .table_format import LINE_RUNS, LOG_MAGIC, LONG_LOG_SECTORS, MAGIC, LogFlag, LogVersion, LogWord

__all__ = ["LogFacts", "LogWriter"]

#: Entries of the journal, and where they are in the memory.
_ENTRIES = 32
_JOURNAL_BASE = LOG_BASE + SECTOR_WORDS
#: Dwords of the IDENTIFY DEVICE data: words 26 and 27 with the start of the model number, words 10
#: and 11 with that of the serial number (ATA8-ACS, IDENTIFY DEVICE).
_MODEL, _SERIAL = 13, 5


class LogFacts(wiring.Signature):
    """What the log states about a recording, seen from the side that knows it.

    Members
    -------
    number : Out(13)        The slot.
    lba : Out(48)           Its first sector.
    bytes : Out(48)         Bytes of the recording.
    time : Out(FileTime)    When it began.
    is_dated : Out(1)       The file is named after its day.
    crc_is_known : Out(1)   The sum at ``start`` is that of all its bytes.
    error : Out(Error)      How the core's operation ended.
    lost_words : Out(48)    Words that were lost.
    high_water : Out(16)    The highest fill of the buffer in that operation, in words.
    is_partial : Out(1)     The journal is that of the last of several operations.
    in_doubt : Out(1)       In one of them what was in the drive's cache may have been lost.
    skipped : Out(48)       With ``skips``: sectors that were passed over.
    """

    def __init__(self):
        super().__init__({
            "number": Out(SLOT_BITS), "lba": Out(48), "bytes": Out(48), "time": Out(FileTime),
            "is_dated": Out(1), "crc_is_known": Out(1), "error": Out(Error), "lost_words": Out(48),
            "high_water": Out(16),
            "is_partial": Out(1), "in_doubt": Out(1), "skipped": Out(48),
        })


class LogWriter(wiring.Component):
    """Copies the journal of the core, and its table of segments, then writes the log with its sums,
    word by word. With ``modes`` the CRC-32 of the recording can continue afterwards.

    Latency: about 1000 clocks from ``start`` to ``done``, 1500 with the table of segments.

    Parameters
    ----------
    clock_hz : int          of the core
    modes : bool            The core has a table of segments.
    skips : bool            The core passes over sectors.
    lines : bool            There are lines.

    Members
    -------
    start : In(1)           One clock: the others are valid, and stay so until ``done``.
    facts : In(LogFacts)
    journal, identify : Out     Those of the core, see :mod:`...interface`.
    crc : Out(Crc32Port)
    crc_value, crc_kept : In(32), crc_busy : In(1)      Of :class:`.crc32.Crc32`. At ``start`` it has
                            summed the recording.
    memory : Out(SectorMemoryPort)
    done : Out(1)           One clock: the sectors of the log are in the memory.
    has_order : In(1)       With ``modes``: the order of the sectors belongs in the log.
    is_update : In(1)       With ``modes``: the recording continues.
    order : In(OrderFacts)  With ``modes``.
    reads : Out(1), address : Out(7), field : In(64)    With ``modes``: the table of segments.
    copied : Out(1)         With ``modes``, one clock: the table has been copied. From the third
                            clock after it on ``facts.bytes`` is read.
    line_count : In(48), runs : In(5), run : Out(5), run_length : In(32), run_count : In(32)
                            With ``lines``: ``lines`` to ``count`` of :class:`.line_runs.LineRuns`.
    """

    def __init__(self, clock_hz, *, modes=False, skips=False, lines=False):
        self._clock_hz, self._modes, self._skips, self._lines = clock_hz, modes, skips, lines
        super().__init__({
            "start": In(1), "facts": In(LogFacts()), "journal": Out(JOURNAL.signature),
            "identify": Out(IDENTIFY.signature), "crc": Out(Crc32Port()), "crc_value": In(32), "crc_kept": In(32),
            "crc_busy": In(1), "memory": Out(SectorMemoryPort()), "done": Out(1),
            "has_order": In(1), "is_update": In(1), "order": In(OrderFacts()), "reads": Out(1),
            "address": Out(7), "field": In(64), "copied": Out(1),
            "line_count": In(48), "runs": In(range(LINE_RUNS + 1)), "run": Out(range(LINE_RUNS + 1)),
            "run_length": In(32), "run_count": In(32),
        })

    def elaborate(self, platform):
        m = Module()
        crc, memory, journal = self.crc, self.memory, self.journal
        index = Signal(7)           # of a field of the journal, then of a word of the log
        phase = Signal(2)
        word = Signal(32)
        address = Signal(range(LOG_BASE, LOG_BASE + LONG_LOG_SECTORS * SECTOR_WORDS))
        writes = Signal()
        journal_crc = Signal(32)
        upper = Signal(16)          # of the dword before
        copies_table = Signal()
        m.d.comb += [
            journal.address.eq(index),
            self.identify.address.eq(Mux(index >= LogWord.SERIAL, index - LogWord.SERIAL + _SERIAL,
                                         index - LogWord.MODEL + _MODEL + 1)),
            memory.data.eq(word), memory.write.eq(writes), memory.address.eq(Mux(writes, address, 0)),
            crc.word.eq(word), crc.add.eq(writes),
        ]
        identify = Signal(32)       # the dword that was requested two clocks ago
        m.d.sync += [phase.eq(phase + 1), writes.eq(0), identify.eq(self.identify.data)]
        has_table = self.has_order if self._modes else C(0)
        if self._modes:
            m.d.comb += [self.reads.eq(copies_table), self.address.eq(index)]
        if self._lines:
            m.d.comb += self.run.eq((index - LogWord.RUNS)[1:])
        selected = Signal()         # the words are those of the log
        field = self._field(m, selected, index, journal_crc, (identify, upper))
        entry = self._entry(m, selected, index, phase[0], copies_table)

        def put(place):
            m.d.sync += [word.eq(field | entry), address.eq(place), writes.eq(1)]

        with m.FSM() as fsm:
            m.d.comb += selected.eq(fsm.ongoing("FIELDS"))
            with m.State("IDLE"):
                m.d.sync += [index.eq(0), phase.eq(0), copies_table.eq(0), word.eq(0)]
                with m.If(self.start):
                    m.next = "TAKE"
            with m.State("TAKE"):
                m.d.comb += crc.keep.eq(1)
                m.d.sync += phase.eq(0)
                with m.If(~self.crc_busy):
                    m.d.comb += crc.clear.eq(1)
                    m.next = "JOURNAL"
            with m.State("JOURNAL"):
                # The field comes two clocks after its address.
                with m.If(phase[1]):
                    put(_JOURNAL_BASE + Cat(phase[0], index, copies_table))
                with m.If(phase == 3):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == 4 * _ENTRIES - 1):
                        # The table has as many fields.
                        m.d.sync += copies_table.eq(has_table)
                        with m.If(copies_table | ~has_table):
                            if self._modes:
                                m.d.comb += self.copied.eq(has_table)
                            m.next = "SUM"
            with m.State("SUM"):
                m.d.sync += copies_table.eq(0)
                m.d.sync += journal_crc.eq(self.crc_value)
                with m.If(phase == 3):
                    m.d.comb += crc.clear.eq(1)
                    m.next = "FIELDS"
            with m.State("FIELDS"):
                with m.If(phase == 1):
                    put(LOG_BASE + index)
                    m.d.sync += upper.eq(identify[16:])
                with m.If(phase == 2):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == SECTOR_WORDS - 1):
                        m.d.comb += self.done.eq(1)
                        m.next = "CLEAR" if self._modes else "IDLE"
            if self._modes:
                with m.State("CLEAR"):
                    m.d.comb += crc.clear.eq(1)
                    m.d.sync += word.eq(0)
                    m.next = "RESTORE"
                with m.State("RESTORE"):
                    m.d.comb += [crc.add.eq(1), crc.restore.eq(1)]
                    m.next = "IDLE"
        return m

    def _entry(self, m, selected, index, upper, copies_table):
        """Half of the field of the journal, or of the table of segments, at ``index``; 0 beyond their ends, and in
        the words of the log that are ``selected``."""
        of_journal = Signal()
        m.d.comb += of_journal.eq(~selected & ~copies_table & (index[2:] < self.journal.count))
        pairs = [(of_journal & ~upper, self.journal.data[:32]), (of_journal & upper, self.journal.data[32:])]
        if self._modes:
            of_table = Signal()
            m.d.comb += of_table.eq(copies_table & (index[3:] < self.order.segments))
            pairs += [(of_table & ~upper, self.field[:32]), (of_table & upper, self.field[32:])]
        return choice(pairs)

    def _field(self, m, selected, index, journal_crc, identified):
        """The word of the log at ``index``, which has been stable for two clocks; 0 unless ``selected``."""
        facts = self.facts
        identify, upper = identified
        flags = Signal(LogFlag.LINES + self._lines)
        m.d.comb += [
            flags[LogFlag.CRC].eq(facts.crc_is_known),
            flags[LogFlag.TIME].eq(facts.time.valid),
            flags[LogFlag.DRIVE].eq(1),
            flags[LogFlag.DATED].eq(facts.is_dated),
            flags[LogFlag.JOURNAL_FULL].eq((self.journal.count > _ENTRIES) | facts.is_partial),
            flags[LogFlag.IN_DOUBT].eq(facts.in_doubt),
        ]
        entries = Mux(self.journal.count > _ENTRIES, _ENTRIES, self.journal.count)
        values = {
            0: MAGIC, 1: LOG_MAGIC, 2: LogVersion.PLAIN,
            LogWord.NUMBER: facts.number,
            LogWord.BYTES: facts.bytes[:32], LogWord.BYTES + 1: facts.bytes[32:],
            LogWord.LBA: facts.lba[:32], LogWord.LBA + 1: facts.lba[32:],
            LogWord.FLAGS: flags,
            LogWord.CRC: self.crc_kept,
            LogWord.SECONDS: facts.time.seconds,
            LogWord.TIME_REST: Cat(facts.time.ten_ms, facts.time.offset),
            LogWord.CLOCK_HZ: C(round(self._clock_hz), 32),
            LogWord.ERROR: facts.error,
            LogWord.LOST_WORDS: facts.lost_words[:32],
            LogWord.LOST_WORDS + 1: facts.lost_words[32:],
            LogWord.HIGH_WATER: facts.high_water,
            LogWord.ENTRIES: entries,
            LogWord.JOURNAL_CRC: journal_crc,
            SECTOR_WORDS - 1: self.crc_value,
        }
        if self._modes:
            values[2] = Mux(self.has_order, Mux(self.is_update, LogVersion.UPDATE,
                                                LogVersion.ORDER), LogVersion.PLAIN)
        if self._skips:
            values |= {LogWord.SKIPPED: facts.skipped[:32], LogWord.SKIPPED + 1: facts.skipped[32:]}
        runs = []
        if self._lines:
            m.d.comb += flags[LogFlag.LINES].eq(1)
            values |= {LogWord.LINES: self.line_count[:32], LogWord.LINES + 1: self.line_count[32:],
                       LogWord.LINE_RUNS: self.runs}
            there = (index >= LogWord.RUNS) & (self.run < self.runs)
            runs = [(there & ~index[0], self.run_length), (there & index[0], self.run_count)]
        ordered = self._ordered() if self._modes else {}
        lower, swapped = _swapped(identify[:16]), _swapped(identify[16:])
        known = {LogWord.CRC: facts.crc_is_known, LogWord.SECONDS: facts.time.valid,
                 LogWord.TIME_REST: facts.time.valid}
        conditions = [
            *((index == int(place)) & known.get(place, 1) for place in values),
            *((index == int(place)) & self.has_order for place in ordered),
            (index >= LogWord.MODEL) & (index < LogWord.SERIAL),
            (index >= LogWord.SERIAL) & (index < LogWord.HIGH_WATER),
            *(there for there, _ in runs),
        ]
        # In a register, as this takes half as many LUTs.
        chosen = Signal(len(conditions))
        m.d.sync += chosen.eq(Mux(selected, Cat(conditions), 0))
        return choice(zip(chosen, [*values.values(), *ordered.values(),
                                     Cat(_swapped(upper), lower), Cat(lower, swapped),
                                     *(value for _, value in runs)]))

    def _ordered(self):
        """The words that only a log with the order of the sectors has."""
        order = self.order
        values = {LogWord.MODE: Cat(order.mode, C(0, 6), order.spare, C(0, 6), order.segments)}
        for place, value in ((LogWord.PART, order.part), (LogWord.WORDS, order.words),
                             (LogWord.WRITTEN, order.written), (LogWord.OLDEST, order.oldest)):
            values |= {place: value[:32], place + 1: value[32:]}
        return values


def _swapped(word):
    """A word of a string, its first character in bits 7:0 (ATA8-ACS, ATA string convention)."""
    return Cat(word[8:], word[:8])
