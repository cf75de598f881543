"""The brick of recordings: the core's face below and above, and between them the modes."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..interface import UserSignature
from ..units import SECTOR_SHIFT
from .signature import RecordingMode, RecordingSignature, RecordingState
from .word_gate import WordGate

__all__ = ["RecordingController"]

#: Clocks from ``start`` to that of the core, in which the first extent is computed.
_PREPARE = 3


class RecordingController(wiring.Component):
    """Leads recordings in the space that ``lba`` and ``sectors`` name, through the queue of a core.

    PLAY and FLUSH pass through. In all operations ``status``, ``counters``, ``ledger`` and
    ``journal`` are those of the core, but for ``busy``, which rises with the brick.
    Latency: a recording begins 4 clocks later than that of the core alone; words, ``stop`` and all
    that passes through take no clock. A limit on the words ends the recording 2 clocks after the
    last one.

    Errors: those of the core. A space beyond the drive ends a recording with OUT_OF_RANGE before
    its first word.

    The core must stall while its buffer is full: with ``on_overflow`` = ``drop`` words that the
    core takes may be lost, and the brick would count them.

    Members
    -------
    user : In(UserSignature)            The user, as he sees a core.
    recording : In(RecordingSignature)  What the user wants of a recording.
    core : Out(UserSignature)           The core; it has a queue.
    """

    def __init__(self):
        super().__init__({
            "user": In(UserSignature()), "recording": In(RecordingSignature()),
            "core": Out(UserSignature(queue=True)),
        })

    def elaborate(self, platform):
        m = Module()
        user, core, recording = self.user, self.core, self.recording
        m.submodules.gate = gate = WordGate()
        mode = Signal(RecordingMode)
        operation = Signal(2)
        lba = Signal(48)
        space = Signal(48)
        words = Signal(48)
        first = Signal(48)          # sectors of the first extent
        clocks = Signal(range(_PREPARE))
        runs = Signal()
        stops = Signal()            # a stop came before the core had begun
        self._pass_through(m)
        self._show(m, space)

        writes = user.control.operation[0]
        with m.If(user.control.start & (recording.state == RecordingState.IDLE)):
            m.d.sync += [
                mode.eq(recording.mode), operation.eq(user.control.operation),
                lba.eq(user.control.lba), space.eq(user.control.sectors),
                words.eq(Mux(recording.mode == RecordingMode.FIXED, recording.words, 0)),
                core.queue.ahead.eq(recording.ahead),
            ]
        needed = Signal(48)
        m.d.sync += [
            needed.eq(words[SECTOR_SHIFT:] + words[:SECTOR_SHIFT].any()),
            first.eq(Mux((words != 0) & (needed < space), needed, space)),
            clocks.eq(clocks + 1),
        ]
        m.d.comb += [
            gate.limit.eq(words),
            gate.passes.eq(core.i.valid & core.i.ready),
            gate.close.eq(core.control.stop),
            core.i.payload.eq(user.i.payload),
            core.i.valid.eq(user.i.valid & gate.open),
            user.i.ready.eq(core.i.ready & gate.open),
            user.status.ready.eq(core.status.ready & (recording.state == RecordingState.IDLE)),
            user.status.busy.eq(core.status.busy | (recording.state == RecordingState.STARTING)),
            runs.eq((recording.state == RecordingState.RUNNING)
                    | (recording.state == RecordingState.CLOSING)),
            core.queue.valid.eq(runs & (mode == RecordingMode.RING)),
            core.queue.lba.eq(lba),
            core.queue.sectors.eq(space),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [
                    recording.state.eq(RecordingState.IDLE),
                    core.control.operation.eq(user.control.operation),
                    core.control.lba.eq(user.control.lba),
                    core.control.sectors.eq(user.control.sectors),
                    core.control.start.eq(user.control.start & ~writes),
                    core.control.stop.eq(user.control.stop),
                ]
                m.d.sync += [clocks.eq(0), stops.eq(0)]
                # The core may be busy with what has passed through.
                with m.If(user.control.start & writes & ~core.status.busy):
                    m.next = "STARTING"
            with m.State("STARTING"):
                m.d.comb += [
                    recording.state.eq(RecordingState.STARTING),
                    core.control.operation.eq(operation),
                    core.control.lba.eq(lba),
                    core.control.sectors.eq(first),
                ]
                m.d.sync += stops.eq(stops | user.control.stop)
                with m.If(clocks == _PREPARE - 1):
                    m.d.comb += [core.control.start.eq(1), gate.begin.eq(1)]
                    m.next = "RUNNING"
            with m.State("RUNNING"):
                m.d.comb += [
                    recording.state.eq(RecordingState.RUNNING),
                    core.control.stop.eq(user.control.stop | stops | gate.closed),
                ]
                with m.If(core.status.done):
                    m.next = "IDLE"
                with m.Elif(core.control.stop):
                    m.next = "CLOSING"
            with m.State("CLOSING"):
                m.d.comb += recording.state.eq(RecordingState.CLOSING)
                with m.If(core.status.done):
                    m.next = "IDLE"
        return m

    def _pass_through(self, m):
        """What is the same above and below."""
        user, core = flipped(self.user), flipped(self.core)
        connect(m, core.o, user.o)
        connect(m, user.counters, core.counters)
        connect(m, user.identify, core.identify)
        connect(m, user.ledger, core.ledger)
        connect(m, user.journal, core.journal)
        above, below = self.user.status, self.core.status
        m.d.comb += [
            self.user.last.eq(self.core.last),
            below.clear_unflushed.eq(above.clear_unflushed),
            above.done.eq(below.done), above.error.eq(below.error),
            above.drive_status.eq(below.drive_status), above.drive_error.eq(below.drive_error),
            above.capacity.eq(below.capacity), above.lba48.eq(below.lba48),
            above.sectors_done.eq(below.sectors_done), above.recovering.eq(below.recovering),
            above.cause.eq(below.cause), above.retries.eq(below.retries),
            above.error_lba.eq(below.error_lba),
            above.skipped_sectors.eq(below.skipped_sectors),
            above.unflushed.eq(below.unflushed), above.unflushed_lba.eq(below.unflushed_lba),
            above.unflushed_sectors.eq(below.unflushed_sectors),
        ]

    def _show(self, m, space):
        """What is on the drive."""
        recording, core = self.recording, self.core
        begun = Signal(48)
        wraps = Signal()
        m.d.sync += [
            recording.newest.eq(core.status.sectors_done + core.status.skipped_sectors),
            begun.eq(core.queue.begun),
            wraps.eq(space < core.queue.begun),
            recording.oldest.eq(Mux(wraps, begun - space, 0)),
        ]
