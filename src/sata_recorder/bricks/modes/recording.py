"""The modes of a recording: the stage that runs them through the queue of a core."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib.wiring import connect, flipped

from ...core.drive_port import COMING, LOOK_PORT, TRIM_PORT
from ...facts.units import LONG_SECTOR_SHIFT, SECTOR_SHIFT
from ...interface import ARRAY_STREAMS, CONTROL, LOOK, QUEUE, RECORDING, SECTOR, STATUS, STREAM_IN, TASK, TRIM
from ...interface.group import WORD
from ...interface.recording import RecordingMode, RecordingState, SegmentState
from ..inner import SUSPENSION
from ..stage import Stage, StageRow
from .course import Course
from .cycle_counter import CycleCounter
from .look import Look
from .segment_control import SegmentControl
from .segment_table import SegmentTable
from .span_source import SpanSource
from .suspension import Suspension
from .trim_ahead import RingTrim
from .word_gate import WordGate

__all__ = ["RecordingController"]


class RecordingController(Stage):
    """Runs recordings in the space that ``lba`` and ``sectors`` name, through the queue of a core.

    PLAY, FLUSH and COMMAND pass through. In all operations ``status`` is that of the core, except
    ``ready`` and ``busy``, which include the stage.
    Latency: a recording begins 10 clocks later than that of the core alone; if the logical sectors
    get another length meanwhile, because the drive becomes usable or is lost, 10 clocks after that. Words,
    ``stop`` and all that passes through take no clock. The last word that a mode wants ends the
    recording: ``stop`` follows it by 1 clock.

    Errors: those of the core. What is not a multiple of a logical sector ends with SECTOR_SIZE
    before the first word. A space beyond the drive ends a recording with OUT_OF_RANGE before
    its first word, if it is one extent; else where it leaves the drive. A part of 0 sectors, or a
    ``position`` after the last sector, is ZERO_SECTORS or OUT_OF_RANGE.

    With streams of more than 32 bits a beat has 2 or 4 words: a trigger and ``stop`` come between two beats, and
    ``words`` is rounded up to whole ones.

    The core must stall while its buffer is full: with ``on_overflow`` = ``drop`` words that the
    core takes may be lost, and the stage would count them.

    Parameters
    ----------
    configuration : Configuration   ``extents`` is "modes". With ``long_logical_sectors`` the space of a
                            number of words ends with a logical sector; the length of one is what it was when the core
                            began, until the next start. With ``files`` a recording can be interrupted.

    Members
    -------
    user : In(Face)         The user of a core that has modes; ``suspension`` with ``files``.
    core : Out(Face)        The core; it has a queue. ``coming``: it will be started for a recording that is
                            requested in this clock; a loss of the drive before that start counts as one
                            after it. An array has no such input: a drive that is away then has the start refused.
    """

    row = StageRow(
        "modes", adds={RECORDING, TRIM, LOOK, SUSPENSION}, takes={QUEUE, TRIM_PORT, LOOK_PORT, COMING},
        claims={STREAM_IN, *(beats for beats, _ in ARRAY_STREAMS.values()), CONTROL, STATUS, TASK, SECTOR},
        needs={QUEUE})

    def elaborate(self, platform):
        m = Module()
        user, core, recording = self.user, self.core, self.user.recording
        m.submodules.gate = gate = WordGate()
        suspendable = SUSPENSION in self.above
        m.submodules.source = source = SpanSource(rewinds=suspendable)
        beat_shift = (self.configuration.array_width // WORD).bit_length() - 1
        m.submodules.segments = segments = SegmentControl(beat_shift=beat_shift)
        m.submodules.table = table = SegmentTable()
        m.submodules.time = time = CycleCounter()
        m.submodules.course = course = Course()
        mode = Signal(RecordingMode)
        words = Signal(48)
        beats = (words + ((1 << beat_shift) - 1)) >> beat_shift if beat_shift else words
        ended = Signal()            # the last word of the last segment has passed
        triggered = Signal()        # the pin was high a clock ago
        self.hand_on(m, SECTOR)
        self.hand_on(m, STATUS, but=("ready", "busy"))
        is_command, commanded = self._command(m, course)
        connect(m, segments.segment, table.segment)
        over = ended | gate.closed
        between = Suspension(user.suspension if suspendable else None)
        begins = between.connect(m, core.status, course, over, source, segments)
        prepares = Signal()         # the space of a recording is being computed
        splits, changes = self._space(m, mode, words, source, segments, begins, between, prepares)
        before = between.sectors_before(m, course.starts)
        foreign = between.foreign(m, course)
        begun = before + core.queue.begun
        if TRIM in self.above:
            begun = between.held(m, foreign, begun) if suspendable else core.queue.begun
            begun = self._trim(m, mode, source, begins, course, begun, between if suspendable else None)
        if LOOK in self.above:
            self._look(m, source, segments, course.starts, between if suspendable else None)
        written = between.recorded(m, before + core.status.sectors_done + core.status.skipped_sectors)
        self._show(m, written, begun, foreign, source, segments)
        self._show_parts(m, segments, table, time)

        connect(m, flipped(user).control, course.user)
        connect(m, course.core, flipped(core).control)
        with m.If(user.control.start & course.idle):
            m.d.sync += core.queue.ahead.eq(self._ahead(recording))
        with m.If(begins):
            m.d.sync += [mode.eq(recording.mode), course.operation.eq(user.control.operation)]
        with m.If(between.takes):
            m.d.sync += [words.eq(recording.words), segments.extends.eq(recording.extend)]
        m.d.sync += [triggered.eq(recording.trigger), ended.eq(segments.ends)]
        m.d.comb += [
            recording.state.eq(course.state),
            course.recorded.eq(user.control.operation[0] & ~is_command),
            course.passes.eq(between.passes),
            course.resumes.eq(between.resumes),
            course.busy.eq(core.status.busy),
            course.done.eq(core.status.done),
            course.ended.eq(over),
            course.lba.eq(source.span.lba | splits if SECTOR in self.below else source.span.lba),
            course.sectors.eq(source.span.sectors),
            course.changes.eq(changes),
            course.vacant.eq(segments.state == SegmentState.NONE),
            prepares.eq(course.starting & ~between.resumes),
            gate.begin.eq(course.starts),
            gate.limit.eq(Mux(mode == RecordingMode.FIXED, beats, 0)),
            gate.passes.eq(core.i.valid & core.i.ready & ~between.direct & ~commanded),
            gate.close.eq(core.control.stop | segments.ends),
            core.i.payload.eq(user.i.payload),
            core.i.valid.eq(user.i.valid & (gate.open | between.direct | commanded)),
            user.i.ready.eq(core.i.ready & (gate.open | between.direct | commanded)),
            user.status.ready.eq(core.status.ready & (recording.state == RecordingState.IDLE)),
            user.status.busy.eq(core.status.busy | course.starting),
            core.queue.valid.eq(course.runs & source.valid & ~between.suspended & (
                (mode == RecordingMode.RING) | (mode == RecordingMode.TRIGGERED))),
            core.queue.lba.eq(source.span.lba),
            core.queue.sectors.eq(source.span.sectors),
            source.begin.eq(course.part),
            source.taken.eq(course.starts | (core.queue.valid & core.queue.ready)),
            segments.begin.eq(course.starts & ~between.resumes),
            segments.triggered.eq(mode == RecordingMode.TRIGGERED),
            segments.after.eq(beats),
            segments.passes.eq(gate.passes),
            segments.waits.eq((user.i.valid & gate.open & ~core.i.ready) | between.waits),
            segments.close.eq((course.runs & (core.control.stop | core.status.done) & ~between.keeps)
                              | between.ends),
            segments.trigger.eq(recording.trigger & ~triggered & (
                (recording.state == RecordingState.RUNNING) | between.goes_on)),
            segments.now.eq(time.now),
            table.begin.eq(course.starts & ~between.resumes),
        ]
        if COMING in self.below:
            m.d.comb += [core.coming.requested.eq(user.control.start), core.coming.recording.eq(course.coming)]
        return m

    def _ahead(self, recording):
        """By how much a command may be longer than what has come: by nothing in a ring of an array, where it would be
        unknown which old sectors the lanes have begun to write over."""
        if self.configuration.drives == 1:
            return recording.ahead
        rings = (recording.mode == RecordingMode.RING) | (recording.mode == RecordingMode.TRIGGERED)
        return Mux(rings, 0, recording.ahead)

    def _command(self, m, course):
        """Whether what is started in this clock is a COMMAND, and whether what runs is one."""
        if TASK not in self.below:
            return C(0, 1), C(0, 1)
        commanded = Signal()
        above, below = self.user.task, self.core.task
        self.hand_on(m, TASK, but=("operation",))
        # What a recording starts is no COMMAND, whatever the task file holds by then.
        m.d.comb += below.operation.eq(above.operation & ~course.starting)
        with m.If(self.core.status.done):
            m.d.sync += commanded.eq(0)
        with m.If(course.user.start & course.idle):
            m.d.sync += commanded.eq(above.operation)
        return above.operation, commanded

    def _space(self, m, mode, words, source, segments, begins, between, prepares):
        """Computes the parts of the space; returns whether they are to be refused for where they end, and
        whether they are to be computed again."""
        user, recording = self.user, self.user.recording
        space = Signal(48)
        part = Signal(48)           # the sectors of one, as the user sets them
        chunk = Signal(48)          # 0 where a part is one extent
        needed = Signal(48)         # sectors for the words
        splits = Signal()           # a part ends within a logical sector
        changes = C(0, 1)
        left = Signal(48)           # sectors after this part
        parts = Signal(16)          # segments that may follow; 0 with ``any_parts``: any number
        any_parts = Signal()
        with m.If(segments.next_part):
            m.d.sync += parts.eq(parts - 1)
        with m.If(begins):
            m.d.sync += [
                source.lba.eq(user.control.lba), space.eq(user.control.sectors),
                source.position.eq(recording.position), part.eq(recording.part),
                parts.eq(recording.segments), any_parts.eq(recording.segments == 0),
            ]
        with m.If(begins & ((recording.mode == RecordingMode.TRIGGERED) | between.whole)):
            m.d.sync += source.position.eq(0)
        with m.If(between.takes):
            m.d.sync += chunk.eq(recording.chunk)
        with m.If(begins & (recording.mode != RecordingMode.TRIGGERED)):
            m.d.sync += chunk.eq(0)
        sectors = words[SECTOR_SHIFT:] + words[:SECTOR_SHIFT].any()
        if SECTOR in self.below:
            # Without a drive it is not known: the recording keeps what the core found when it began.
            long, drive = Signal(), self.core.sector.long_sectors
            changes = prepares & (drive != long)
            with m.If(begins | prepares):
                m.d.sync += long.eq(drive)
            shift = LONG_SECTOR_SHIFT
            low = SECTOR_SHIFT + shift
            sectors = Mux(long, (words[low:] + words[:low].any()) << shift, sectors)
            # A later span would be refused only when it comes: so the first one is refused.
            m.d.sync += splits.eq(long & (source.lba | source.position | source.part
                                          | source.chunk)[:shift].any())
        m.d.sync += needed.eq(sectors + source.position)
        triggered = Signal()
        limited = Signal()
        used = Signal(48)           # sectors of a part, or of the words, where these need not be all of the space
        bounded = Signal()
        m.d.sync += [
            triggered.eq(mode == RecordingMode.TRIGGERED),
            limited.eq((mode == RecordingMode.FIXED) & words.any()),
            used.eq(Mux(triggered, part, needed)), bounded.eq(triggered | limited),
            source.part.eq(Mux(bounded & (used < space), used, space)),
            segments.last.eq((mode != RecordingMode.TRIGGERED) | (left < source.part)
                             | (~any_parts & (parts <= 1))),
        ]
        m.d.comb += [
            source.chunk.eq(chunk),
            source.next_part.eq(segments.next_part),
            segments.boundary.eq(source.boundary),
            segments.settled.eq(source.settled),
        ]
        with m.If(source.begin):
            m.d.sync += left.eq(space - source.part)
        with m.Elif(segments.next_part):
            m.d.sync += left.eq(left - source.part)
        return splits, changes

    def _trim(self, m, mode, source, begins, course, begun, between):
        """TRIM ahead of a ring. ``begun`` are the sectors of the recording for which a command has begun; returns those
        for which a command or a TRIM has. ``between`` is None where nothing interrupts the recording."""
        m.submodules.trim = trim = RingTrim(long_sectors=SECTOR in self.below)
        connect(m, flipped(self.user).trim, trim.user)
        connect(m, trim.port, flipped(self.core).trim)
        first, other = course.starts, course.user.start & course.idle & (~course.recorded | course.passes)
        if between is not None:
            first, other = first & ~between.resumes, other & ~between.keeps
        m.d.comb += [
            trim.take.eq(begins), trim.begin.eq(first), trim.ring.eq(mode == RecordingMode.RING),
            trim.lba.eq(source.lba), trim.sectors.eq(source.part), trim.position.eq(source.position),
            trim.runs.eq(course.runs), trim.begun.eq(begun), trim.other.eq(other),
        ]
        if SECTOR in self.below:
            m.d.comb += trim.long.eq(self.core.sector.long_sectors)
        return Mux(begun < trim.reached, trim.reached, begun)

    def _look(self, m, source, segments, starts, between):
        """A readback of what the recording that runs has written; ``between`` is None where nothing interrupts it."""
        recording = self.user.recording
        m.submodules.look = look = Look(sectors=self.configuration.look_sectors,
                                          long_sectors=SECTOR in self.below, pauses=between is not None)
        connect(m, flipped(self.user).look, look.user)
        connect(m, look.port, flipped(self.core).look)
        begins = starts
        if between is not None:
            begins = starts & ~between.resumes
            m.d.comb += look.pauses.eq(between.goes_on)
        m.d.comb += [
            look.begin.eq(begins), look.runs.eq(recording.state == RecordingState.RUNNING),
            look.lba.eq(source.lba), look.part.eq(source.part), look.position.eq(source.position),
            look.segment_state.eq(segments.state), look.first_sector.eq(segments.first_sector),
            look.oldest.eq(recording.oldest), look.newest.eq(recording.newest),
        ]
        if SECTOR in self.below:
            m.d.comb += look.long.eq(self.core.sector.long_sectors)

    def _show(self, m, written, reached, foreign, source, segments):
        """What is on the drive: ``written`` and ``reached`` are the sectors of the recording that are written, and for
        which a command, or a TRIM, has begun. ``foreign``: what the core reports is not about the recording, None
        where it always is."""
        recording = self.user.recording
        begun = Signal(48)
        end = Signal(48)            # sectors with which the part is full
        with m.If(C(1) if foreign is None else ~foreign):
            m.d.sync += [recording.newest.eq(written), begun.eq(reached)]
        m.d.sync += [
            end.eq(segments.first_sector + source.part),
            recording.oldest.eq(Mux(end < begun, begun - source.part, segments.first_sector)),
        ]

    def _show_parts(self, m, segments, table, time):
        """The segments, and the time."""
        recording = self.user.recording
        m.d.comb += [
            recording.segment_state.eq(segments.state),
            recording.triggers.eq(segments.triggers),
            recording.segment_count.eq(table.count),
            table.address.eq(recording.segment_address),
            recording.segment_data.eq(table.data),
            time.pps.eq(recording.pps),
            recording.time.eq(time.now),
            recording.pps_time.eq(time.pps_time),
            recording.pps_edges.eq(time.pps_edges),
        ]
