"""Accesses for the console: extents of a few sectors anywhere, one after the other, and how long each took."""

from typing import NamedTuple

from amaranth.hdl import Array, Const, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.facts.units import SECTOR_SHIFT
from sata_recorder.pc.console.grammar import ACCESS_SECTORS, NUMBER_BITS

from .access_places import AccessPlaces, Span
from .keywords import Choice, Running
from .messages import AccessFigure

#: Sectors by which a command may be longer than what is in the buffer: any number, for the words are certain to come.
_ANY_AHEAD = 1 << 16
#: Bits of a latency in clocks; a longer one counts as the longest.
_LATENCY = 40


class AccessMeter(wiring.Component):
    """How long accesses take, from the begin of an access's first command to the end of its last one."""

    clear: In(1)                    # High for one clock: no access has been made.
    start: In(1)                    # High for one clock: an operation of the core begins.
    size: In(range(ACCESS_SECTORS + 1))     # Sectors of an access.
    begun: In(NUMBER_BITS)          # Sectors of the operation for which a command has begun.
    done: In(NUMBER_BITS)           # Those that are done.
    count: Out(NUMBER_BITS)         # Accesses that have ended.
    least: Out(NUMBER_BITS)         # Clocks of the shortest; 2^48 - 1 without one.
    most: Out(NUMBER_BITS)          # Clocks of the longest.
    sum: Out(NUMBER_BITS)           # Clocks of all of them.

    def elaborate(self, platform):
        m = Module()
        before = Signal(NUMBER_BITS)    # sectors of the operation in accesses that have ended
        own = Signal()                  # the counts are those of this operation: they were 0 since its start
        runs = Signal()
        clocks = Signal(_LATENCY)
        with m.If(~own):
            m.d.sync += own.eq(self.begun == 0)
        with m.Elif(~runs):
            with m.If((self.begun > before) & (self.done <= before)):
                m.d.sync += [runs.eq(1), clocks.eq(1)]
        with m.Else():
            m.d.sync += clocks.eq(clocks + ~clocks.all())
            with m.If(self.done >= before + self.size):
                m.d.sync += [before.eq(before + self.size), runs.eq(0), self.count.eq(self.count + 1),
                             self.sum.eq(self.sum + clocks)]
                with m.If(clocks < self.least):
                    m.d.sync += self.least.eq(clocks)
                with m.If(clocks > self.most):
                    m.d.sync += self.most.eq(clocks)
        with m.If(self.start):
            m.d.sync += [before.eq(0), runs.eq(0), own.eq(0)]
        with m.If(self.clear):
            m.d.sync += [self.count.eq(0), self.sum.eq(0), self.most.eq(0), self.least.eq(~0)]
        return m


class AccessRunner(wiring.Component):
    """Lets the core make a number of accesses: a recording that the queue continues, or a playback for each read.

    A core that has ended a recording before all accesses were queued gets another one.
    """

    span: In(Span)                  # Stable from ``start`` until ``done``.
    count: In(NUMBER_BITS)          # Accesses, at least 1.
    writes: In(1)                   # They write; else they read.
    start: In(1)                    # High for one clock: they begin.
    stop: In(1)                     # High for one clock: none follows those that the core has.
    core_done: In(1)                # The operation of the core has ended.
    core_failed: In(1)              # ... with an error.
    core_start: Out(1)              # High for one clock: an operation of the core begins at ``lba``.
    lba: Out(NUMBER_BITS)           # The next place.
    queue_valid: Out(1)             # The recording shall continue there.
    queue_ready: In(1)              # The core takes it in this clock.
    moves: In(1)                    # A word of the stream moves in this clock.
    words_lba: Out(NUMBER_BITS)     # The place of the words that follow.
    words_load: Out(1)              # High for one clock: they begin.
    words_wait: Out(1)              # None may move: where they are is not known yet.
    words: Out(NUMBER_BITS)         # Words that have moved.
    runs: Out(1)                    # From the clock after ``start`` until ``done``.
    done: Out(1)                    # High for one clock: all have ended, or one has failed.

    def elaborate(self, platform):
        m = Module()
        m.submodules.places = places = AccessPlaces()
        m.submodules.word_places = words = AccessPlaces()
        sent = Signal(NUMBER_BITS)
        stopped = Signal()
        left = Signal(range((ACCESS_SECTORS << SECTOR_SHIFT) + 1))
        more = Signal()
        taken = Signal()
        m.d.comb += [
            more.eq((sent != self.count) & ~stopped & ~self.stop),
            taken.eq(self.core_start | (self.queue_valid & self.queue_ready)),
            places.span.eq(self.span), places.begin.eq(self.start), places.take.eq(taken),
            words.span.eq(self.span), words.begin.eq(self.start), words.take.eq(self.words_load),
            self.lba.eq(places.lba), self.words_lba.eq(words.lba),
            self.words_wait.eq(self.runs & (left == 0)),
            self.words_load.eq(self.words_wait & words.valid),
        ]
        m.d.sync += sent.eq(sent + taken)
        with m.If(self.stop):
            m.d.sync += stopped.eq(1)
        with m.If(self.words_load):
            m.d.sync += left.eq(self.span.size << SECTOR_SHIFT)
        with m.If(self.moves & self.runs):
            m.d.sync += [left.eq(left - 1), self.words.eq(self.words + 1)]
        with m.FSM() as fsm:
            m.d.comb += self.runs.eq(~fsm.ongoing("IDLE"))
            with m.State("IDLE"):
                m.d.sync += [sent.eq(0), stopped.eq(0), left.eq(0)]
                with m.If(self.start):
                    m.d.sync += self.words.eq(0)
                    m.next = "NEXT"
            with m.State("NEXT"):
                with m.If(~more):
                    m.d.comb += self.done.eq(1)
                    m.next = "IDLE"
                with m.Elif(places.valid):
                    m.d.comb += self.core_start.eq(1)
                    m.next = "MOVE"
            with m.State("MOVE"):
                m.d.comb += self.queue_valid.eq(self.writes & places.valid & more)
                with m.If(self.core_done):
                    m.next = "NEXT"
                    with m.If(self.core_failed):
                        m.next = "END"
            with m.State("END"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
        return m


class Accesses(NamedTuple):
    """What the console needs of accesses: whether the operation is one, and has not ended; when the core starts and
    all have ended; the first sector and the sectors of what it starts; the place of the words that follow, when they
    begin and whether they wait; the words so far; and a figure."""

    runs: Value
    busy: Value
    start: Value
    done: Value
    lba: Value
    size: Value
    words_lba: Value
    words_load: Value
    words_wait: Value
    words: Value
    figure: Value


#: Of a core without a queue at its pins.
NO_ACCESSES = Accesses(*[Const(0, 1)] * len(Accesses._fields))


def attach_access(m, user, console, numbers, index):
    """Accesses of a console recorder of these parts: what was typed as ``numbers``; ``index`` of the figure wanted."""
    runner = AccessRunner()
    # The operation that it waits for ends with the core.
    m.submodules.accesses = ResetInserter(console.restart)(runner)
    m.submodules.access_meter = meter = AccessMeter()
    seed = Signal(NUMBER_BITS)
    long = Signal(init=1)
    in_order = Signal()
    size, count = numbers[2], numbers[3]
    is_access = Signal()
    beyond = Signal()           # the span ends beyond the drive, or beyond what an address can be
    end = Signal(NUMBER_BITS + 1)
    m.d.sync += [end.eq(numbers[0] + numbers[1]),
                 beyond.eq(end[NUMBER_BITS] | (console.usable & (end > user.status.capacity)))]
    with m.If(console.places_set):
        m.d.sync += [long.eq(numbers[0] == 8), seed.eq(numbers[1]),
                     in_order.eq(console.request.payload.choice == Choice.SEQUENTIAL)]
    m.d.comb += [
        is_access.eq(console.running == Running.ACCESS),
        runner.span.lba.eq(numbers[0]), runner.span.sectors.eq(numbers[1]), runner.span.size.eq(size),
        runner.span.long.eq(long), runner.span.in_order.eq(in_order), runner.span.seed.eq(seed),
        runner.count.eq(count), runner.writes.eq(console.operation == Operation.RECORD),
        runner.start.eq(console.start & is_access), runner.stop.eq(console.stop),
        runner.core_done.eq(user.status.done), runner.core_failed.eq(user.status.error != Error.NONE),
        runner.queue_ready.eq(user.queue.ready),
        runner.moves.eq((user.i.valid & user.i.ready) | user.o.valid),
        user.queue.valid.eq(runner.queue_valid), user.queue.lba.eq(runner.lba),
        user.queue.sectors.eq(size), user.queue.ahead.eq(_ANY_AHEAD),
        meter.clear.eq(runner.start), meter.start.eq(runner.core_start), meter.size.eq(size),
        meter.begun.eq(user.queue.begun), meter.done.eq(user.status.sectors_done + user.status.skipped_sectors),
        console.access_bad.eq((size == 0) | (size > ACCESS_SECTORS) | (size > numbers[1]) | (count == 0) | beyond
                              | (in_order & long & size[:3].any())),
    ]
    figures = {AccessFigure.SIZE: size, AccessFigure.COUNT: count, AccessFigure.DONE: meter.count,
               AccessFigure.LEAST: meter.least, AccessFigure.SUM: meter.sum, AccessFigure.MOST: meter.most,
               AccessFigure.ALIGN: Mux(long, 8, 1), AccessFigure.SEED: seed,
               AccessFigure.SEQUENTIAL: in_order, AccessFigure.WORDS: runner.words}
    return Accesses(is_access, runner.runs, runner.core_start, runner.done, runner.lba, size, runner.words_lba,
                    runner.words_load, runner.words_wait, runner.words,
                    Array(figures[figure] for figure in AccessFigure)[index[:4]])
