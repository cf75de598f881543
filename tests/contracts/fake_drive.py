"""A drive port with a memory: what a recorder can be tested on without SATA."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.core.drive_port import DrivePort, Error, JournalKind, Operation, SectorSpan
from sata_recorder.facts.units import SECTOR_SHIFT, SECTOR_WORDS

from .knobs import FAULT_NUMBERS, Knobs, Remedy

__all__ = ["FakeDrive"]

#: Clocks from the last word of a command to its end.
_GAP = 8
#: Clocks from ``rewind`` until what the recorder reports counts; the same after ``skip``.
_ASSESS = 5


class FakeDrive(wiring.Component):
    """Moves extents between the drive port and a memory, in commands of a few sectors.

    Latency: a word a clock; the next command begins with ``completed``.

    Parameters
    ----------
    sectors : int           The capacity.
    command_sectors : int   The longest command.
    held_words : int        Words that follow ``hold``.
    faulty : bool           ``knobs.fault`` is heard.
    queued : bool           A recording can continue with spans.

    Members
    -------
    port : In(DrivePort)    The recorder.
    knobs : In(Knobs)       The test.
    cached : Out(1)         Words were written since the last FLUSH CACHE.
    place : Out(48), count : Out(17)        The first sector of the command in flight, and its
                            sectors.
    """

    def __init__(self, *, sectors=64, command_sectors=4, held_words=5, faulty=False, queued=False):
        self.queued = queued
        self.sectors = sectors
        self.words = memory.MemoryData(shape=32, depth=sectors * SECTOR_WORDS, init=())
        self._longest = command_sectors
        self._held_words = held_words
        self._faulty = faulty
        super().__init__({"port": In(DrivePort(queued=queued)), "knobs": In(Knobs()),
                          "cached": Out(1),
                          "place": Out(48), "count": Out(17)})

    def _fault(self, name):
        """Whether it has this one of :data:`.faults.FAULTS`."""
        return (self.knobs.fault == FAULT_NUMBERS[name]) if self._faulty else C(0)

    def elaborate(self, platform):
        m = Module()
        port, knobs, fault = self.port, self.knobs, self._fault

        # The extent, and of it what is in no command yet.
        self._operation = operation = Signal(Operation)
        self._writes = writes = Signal()
        self._runs = runs = Signal()
        self._origin = Signal(48)
        self._sectors = sectors = Signal(48)
        self._moved = Signal(24)    # words of the command until now
        self._again = Signal()      # the next command is the same one
        self._failed = Signal()     # the extent ends with a failure
        self._clocks = Signal(range(32))
        self._moves, self._verify = Signal(), Signal()
        self._unverified = Signal(24)
        self._since_hold = Signal(range(self._held_words + 1))
        self._wanted = wanted = Signal(48)
        self._length = length = Signal(17)
        longest, flushes = Signal(17), Signal()
        self._crosses = Signal()    # the next command is the first one of the span
        self._more = Signal()       # there may be a command later, though there is none now
        self._lacking = Signal()    # a span could not be moved
        left = self._left = Signal(48)      # sectors for the next command, and those after it
        limits = Signal()           # it has no more than ``pending_sectors``
        stopped = port.stopped & ~fault("deaf")
        m.d.comb += [
            writes.eq(operation[0]),
            port.recording.eq(runs & writes),
            port.playing.eq(runs & (operation == Operation.PLAY) | flushes & fault("busy")),
            longest.eq(Mux((knobs.longest != 0) & (knobs.longest < self._longest),
                           knobs.longest, self._longest)),
            left.eq(sectors), limits.eq(stopped),
            wanted.eq(Mux(limits & (port.pending_sectors < left), port.pending_sectors, left)),
            length.eq(Mux(wanted < longest, wanted, longest)),
        ]
        # What a recording has given before it was stopped may be in the command that failed.
        with m.If(self._again):
            m.d.comb += [wanted.eq(sectors), length.eq(self.count)]
        m.d.sync += self._clocks.eq(self._clocks + ~self._clocks.all())
        with m.If(fault("fleeting")):
            m.d.sync += port.journal.valid.eq(0)
        self._memory(m)
        if self.queued:
            self._go_further(m, limits, stopped)
        with m.FSM() as fsm:
            m.d.comb += flushes.eq(fsm.ongoing("FLUSH") & (operation == Operation.FLUSH))
            self._begin(m)
            self._move(m)
            self._recover(m)
            self._end(m)
        return m

    def _go_further(self, m, limits, stopped):
        """The span after the extent, and what is in hand."""
        port, fault, queue = self.port, self._fault, self.port.queue
        span, waits, checks = self._span, self._waits, self._checks = (
            Signal(SectorSpan, name="span"), Signal(name="span_waits"), Signal(name="span_checks"))
        fits = (span.lba + span.sectors <= self.sectors) & (span.sectors != 0)
        lacking = self._lacking & ~fault("insatiable")
        takes = (port.recording | (port.playing & fault("obliging"))) & ~stopped
        m.d.comb += [
            queue.ready.eq(takes & ~waits & ~checks & ~lacking),
            port.extended.eq(checks & (fits | fault("unmeasured")) & ~fault("secretive")),
            self._crosses.eq((self._sectors == 0) & waits & ~self._again & self._writes),
            limits.eq(stopped | (port.gathers & self._writes & ~fault("greedier"))),
            self._more.eq((queue.ready & queue.valid) | checks
                          | (port.gathers & ~stopped & (self._left != 0)
                             & ~fault("impatient"))),
        ]
        with m.If(self._crosses):
            m.d.comb += self._left.eq(span.sectors)
        with m.If(queue.ready & queue.valid):
            m.d.sync += [span.eq(queue.payload), checks.eq(1)]
        with m.If(checks):
            m.d.sync += [checks.eq(0), waits.eq(fits | fault("unmeasured")),
                         self._lacking.eq(~fits)]

    def _cross(self, m):
        """A command begins, as the first one of the span if it is that."""
        m.d.sync += self.port.begun.eq(
            self.port.begun + Mux(self._fault("static"), 0, self._length))
        with m.If(self._crosses):
            m.d.sync += self._waits.eq(0)
            with m.If(~self._fault("linear")):
                m.d.sync += self.place.eq(self._span.lba)

    def _go(self, m, state):
        m.d.sync += self._clocks.eq(0)
        m.next = state

    def _go_on(self, m):
        """The next command, or what comes after the last one."""
        port = self.port
        with m.If((self._wanted != 0) & ~self._failed):
            retains = self._writes | self._fault("distrustful")
            m.d.comb += [port.command.eq(1),
                         port.retain.eq(self.knobs.retains & retains
                                        & ~self._fault("unretained"))]
            m.d.sync += [self._runs.eq(1), self._sectors.eq(self._left - self._length),
                         self.count.eq(self._length), self._moved.eq(0), self._again.eq(0)]
            if self.queued:
                self._cross(m)
            self._go(m, "MOVE")
        with m.Elif(self._writes & self._more & ~self._failed):
            m.d.sync += self._runs.eq(1)
            self._go(m, "GATHER")
        with m.Elif(self._operation == Operation.PLAY):
            self._go(m, "DELIVER")
        with m.Elif(self._operation[1] & ~self._failed):
            m.d.sync += self._runs.eq(0)
            self._go(m, "FLUSH")
        with m.Else():
            m.d.sync += self._runs.eq(0)
            self._go(m, "IDLE")

    def _begin(self, m):
        """From the extent to its first command."""
        port, fault, knobs, extent = self.port, self._fault, self.knobs, self.port.extent.payload
        with m.State("IDLE"):
            m.d.comb += port.extent.ready.eq(1)
            m.d.sync += [self._operation.eq(extent.operation), self._sectors.eq(extent.sectors),
                         self._origin.eq(extent.lba),
                         self.place.eq(extent.lba + fault("displaced")),
                         self._failed.eq(0), self._again.eq(0), self._lacking.eq(0)]
            if self.queued:
                m.d.sync += self._waits.eq(0)
            with m.If(port.extent.valid):
                if self.queued:
                    m.d.sync += port.begun.eq(0)
                with m.If(extent.operation == Operation.FLUSH):
                    self._go(m, "FLUSH")
                # The other extents that are left out are refused.
                with m.Elif(((extent.lba + extent.sectors <= self.sectors)
                             | fault("unchecked")) & (extent.sectors != 0)):
                    self._go(m, "OPEN")
        with m.State("OPEN"):
            m.d.comb += port.opening.eq(self._writes | fault("open"))
            with m.If((self._clocks >= 2) & ~knobs.waits):
                with m.If(fault("gaping")):
                    self._go(m, "GAPE")
                with m.Else():
                    self._go_on(m)
        with m.State("GAPE"):
            with m.If(self._clocks == 5):
                self._go_on(m)

    def _memory(self, m):
        """The words of the disk, and which of a playback are not known to be good yet."""
        port, knobs, moved = self.port, self.knobs, self._moved
        m.submodules.words = words = memory.Memory(self.words)
        read, write = words.read_port(domain="comb"), words.write_port()
        m.d.comb += [
            read.addr.eq((self.place << SECTOR_SHIFT) + moved), write.addr.eq(read.addr),
            write.data.eq(port.write_data.payload), write.en.eq(self._moves & self._writes),
            port.read_data.payload.eq(Mux(knobs.fails & (moved >= knobs.bad_from),
                                        ~read.data, read.data)),
        ]
        with m.If(write.en):
            m.d.sync += self.cached.eq(1)
        with m.If(self._verify | port.recovery.rewind):
            m.d.sync += self._unverified.eq(0)
        with m.Else():
            m.d.sync += self._unverified.eq(self._unverified + port.read_data.valid)
        with m.If(port.hold):
            m.d.sync += self._since_hold.eq(
                self._since_hold + (port.read_data.valid & (self._since_hold != self._held_words)))
        with m.Else():
            m.d.sync += self._since_hold.eq(0)

    def _move(self, m):
        """The words of a command."""
        port, knobs, fault = self.port, self.knobs, self._fault
        moved, moves, verify = self._moved, self._moves, self._verify
        complete, fails, bad = Signal(), Signal(), Signal()
        m.d.comb += [
            complete.eq(moved == (self.count << SECTOR_SHIFT) - fault("short")),
            fails.eq(knobs.fails & ((moved >= knobs.fail_after) | complete)),
            bad.eq(knobs.fails & (moved > knobs.bad_from)),
        ]
        with m.State("MOVE"):
            heard = port.lost & ~fault("careless")
            with m.If(knobs.stalls):
                pass
            with m.Elif(~self._writes & (self._unverified != 0) & ~bad
                      & (complete | fails | (self._unverified >= knobs.burst)
                         | (knobs.fails & (moved == knobs.bad_from)))):
                m.d.comb += [verify.eq(1), port.verified.eq(~fault("unverified"))]
            with m.Elif(fails):
                self._go(m, "FAIL")
            with m.Elif(complete):
                self._go(m, "COMPLETE")
            with m.Elif(self._writes):
                m.d.comb += [port.write_data.ready.eq(port.recording),
                             moves.eq(port.write_data.ready & port.write_data.valid)]
            with m.Else():
                m.d.comb += [moves.eq(~port.hold | (self._since_hold != self._held_words)),
                             port.read_data.valid.eq(moves)]
            with m.If(moves):
                m.d.sync += moved.eq(moved + 1)
                with m.If(heard):
                    self._go(m, "FAIL")
        with m.State("COMPLETE"):
            with m.If(self._clocks == _GAP - 1):
                m.d.comb += port.completed.eq(~fault("unfinished"))
                m.d.sync += self.place.eq(self.place + self.count)
                with m.If(fault("sluggish") & self._crosses):
                    self._go(m, "GATHER")
                with m.Else():
                    self._go_on(m)
        with m.State("GATHER"):
            with m.If((self._clocks != 0) & ((self._wanted != 0) | ~self._more)):
                self._go_on(m)

    def _recover(self, m):
        """What follows a command that has failed."""
        port, recovery, fault = self.port, self.port.recovery, self._fault
        offset = recovery.resume_offset
        gone, left = Signal(17), Signal(17)     # sectors that are not moved again, and the others
        skips, ends = Signal(), Signal()
        remedy = self.knobs.remedy
        room = port.journal_room | fault("roomless")
        m.d.comb += [
            left.eq(self.count - gone),
            gone.eq(Mux((self._writes | (remedy != Remedy.AGAIN) | fault("halfhearted"))
                        & ~fault("ignorant"), offset, 0)),
            skips.eq((remedy == Remedy.SKIP) & room),
            ends.eq((remedy == Remedy.END) | (remedy == Remedy.SKIP) & ~room
                    | (self._writes & (offset != 0) & ~room)
                    | (recovery.tainted & ~fault("trusting"))),
            recovery.skip_sectors.eq(left),
        ]

        def advance(sectors):
            m.d.sync += [self.place.eq(self.place + sectors),
                         self._sectors.eq(self._sectors + self.count - sectors)]
            if self.queued:
                m.d.sync += port.begun.eq(port.begun - self.count + sectors)

        with m.State("FAIL"):
            m.d.comb += recovery.rewind.eq(1)
            self._go(m, "ASSESS")
        with m.State("ASSESS"):
            with m.If(fault("restless")):
                m.d.comb += [port.read_data.valid.eq(~self._writes),
                             port.write_data.ready.eq(self._writes)]
            m.d.comb += [port.verified.eq(fault("belated")),
                         port.completed.eq(fault("undead"))]
            with m.If(self._clocks == Mux(fault("early"), 1, _ASSESS)):
                with m.If(ends):
                    m.d.sync += self._failed.eq(1)
                    doubt = Mux(self._writes | recovery.tainted | (offset == self.count),
                                0, offset)
                    self._enter(m, JournalKind.IN_DOUBT, self.place + doubt,
                                self.count - doubt, unless="doubtless")
                    self._go(m, "TELL")
                with m.Elif(skips):
                    m.d.comb += recovery.skip.eq(1)
                    first = Mux(self._writes, 0, gone)
                    self._enter(m, JournalKind.SKIPPED, self.place + first,
                                self.count - first, unless="silent")
                    advance(self.count - fault("greedy"))
                    self._go(m, "TELL")
                with m.Else():
                    m.d.comb += recovery.reread.eq(~self._writes & (remedy == Remedy.AGAIN))
                    self._enter(m, JournalKind.SKIPPED, self.place,
                                Mux(self._writes, offset, 0), unless="silent")
                    advance(gone)
                    m.d.sync += self._again.eq(Mux(self._writes, offset == 0,
                                                   (remedy == Remedy.AGAIN)
                                                   & ~fault("halfhearted")))
                    self._go(m, "TELL")
        with m.State("TELL"):
            with m.If(port.journal.ready):
                m.d.sync += port.journal.valid.eq(0)
            with m.If((self._clocks >= _ASSESS) & ~port.journal.valid & ~self.knobs.waits):
                # The words of sectors that are skipped come before the operation ends.
                with m.If(self._failed | fault("hasty") | recovery.settled & (
                        (self._wanted != 0) | ~self._writes | port.drained)):
                    self._go_on(m)

    def _enter(self, m, kind, position, length, *, unless):
        entry = self.port.journal.payload
        m.d.sync += [
            self.port.journal.valid.eq((length != 0) & ~self._fault(unless)),
            entry.kind.eq(kind), entry.cause.eq(Error.DATA_CRC),
            entry.position.eq(position), entry.length.eq(length),
        ]

    def _end(self, m):
        """What comes after the last command."""
        port, fault = self.port, self._fault
        with m.State("DELIVER"):
            m.d.comb += port.recovery.rewind.eq(fault("baseless"))
            with m.If(port.drained | port.recovery.tainted & self._failed
                      | fault("undrained")):
                m.d.sync += self._runs.eq(0)
                self._go(m, "IDLE")
        with m.State("FLUSH"):
            with m.If(self._clocks == _GAP):
                with m.If(self.knobs.flush_fails):
                    self._enter(m, JournalKind.UNFLUSHED, self._origin,
                                Mux(self._writes, self.place - self._origin, 0),
                                unless="unmarked")
                with m.Elif(~fault("flushless")):
                    m.d.sync += self.cached.eq(0)
                self._go(m, "CLOSE")
        with m.State("CLOSE"):
            with m.If(port.journal.ready):
                m.d.sync += port.journal.valid.eq(0)
            with m.If(~port.journal.valid):
                self._go(m, "IDLE")
