"""The console: requests become operations and pages."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.pc.console.grammar import EVERY_BITS, TRIM_SECTORS
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.health import HealthVerdict
from sata_recorder.interface.histogram import HistogramKind
from sata_recorder.interface.temperature import HeatVerdict
from sata_recorder.facts.units import LONG_SECTOR_BLOCKS

from .events import Events
from .keywords import Choice, Running, Verb, periodic
from .messages import Flag, Mistake, Page
from .parser import Request
from .printer import PrintSignature

#: Clocks for which `reset` holds the core in reset.
_RESET_CLOCKS = 16
#: Clocks from the end of an operation until all that is reported about it has been computed.
_SETTLE_CLOCKS = 40

_PAGES = {Verb.STATUS: Page.STATUS, Verb.COUNTERS: Page.COUNTERS, Verb.VERSION: Page.VERSION,
          Verb.HELP: Page.HELP, Verb.JOURNAL: Page.JOURNAL, Verb.TIME: Page.DONE,
          Verb.TRIGGER: Page.DONE, Verb.FRAMES: Page.DONE}
_OPERATIONS = {Verb.RECORD: (Running.RECORD, Operation.RECORD),
               Verb.PLAY: (Running.PLAY, Operation.PLAY),
               Verb.FLUSH: (Running.FLUSH, Operation.FLUSH),
               Verb.FILE: (Running.FILE, Operation.RECORD),
               Verb.RING: (Running.RING, Operation.RECORD),
               Verb.SEGMENTS: (Running.SEGMENTS, Operation.RECORD),
               Verb.RING_AT: (Running.RING_AT, Operation.RECORD),
               Verb.SEGMENTS_AT: (Running.SEGMENTS_AT, Operation.RECORD),
               Verb.DUMP: (Running.DUMP, Operation.PLAY),
               Verb.COMMAND: (Running.COMMAND, Operation.FLUSH),
               Verb.TRIM: (Running.TRIM, Operation.RECORD)}
#: Those of a board with accesses, and its pages.
_ACCESS = {Verb.ACCESS: (Running.ACCESS, Operation.PLAY)}
_ACCESS_PAGES = {Verb.PLACES: Page.DONE}
#: Those of a board with an array.
_LANE_PAGES = {Verb.LANE: Page.LANE}
#: The verbs whose lines may have `every`.
_PERIODIC = tuple(filter(periodic, Verb))
#: Those whose answer is the page of COMMAND.
_TASKS = (Running.COMMAND, Running.TRIM)
#: Those whose answer is the page of a file.
FILED = (Running.FILE, Running.RING, Running.SEGMENTS)
#: Those that can have frames.
FRAMED = (Running.FILE, Running.RING, Running.RECORD, Running.RING_AT)
#: The pages that end an operation.
_ANSWERS = (Page.OPERATION, Page.SECTOR, Page.TASK, Page.FILE)


class Console(wiring.Component):
    """Takes one request after the other, also while an operation runs.

    An answer is one page, that of `journal` one more for each entry. The answer to an operation
    comes when it has ended, after the answers to lines that came meanwhile. Events are reported between
    answers.

    Parameters: what core and PHY have. The requests of other things are answered by an error.
    """

    request: In(stream.Signature(Request))  # Lines. One is taken when the answer before it is printed.
    typing: In(1)                           # A line has begun: no event is printed.
    link_up: In(1)                          # The PHY communicates with a drive.
    ready: In(1)                            # A drive is identified, and no operation runs.
    done: In(1)                             # High for one clock: the operation has ended.
    error: In(4)                            # Result of the last operation or of the bring-up.
    time_set: Out(1)                        # High for one clock: the first number is the time of the next file.
    trigger: Out(1)                         # High for one clock: the trigger of a segment.
    frames_set: Out(1)                      # High for one clock: the first number is the stream identifier of the
                                            # next recording, 0: it has no frames.
    framed: In(1)                           # The latest operation was a recording with frames.
    file_mistake: In(Mistake)               # What is wrong with the latest file.
    file_caused: In(1)                      # ... for an error of the core.
    journal_count: In(6)                    # Entries of the core's journal, at most 32.
    health: In(HealthVerdict)               # What the drive has reported about its health.
    heat: In(HeatVerdict)                   # How hot the drive has reported that it is.
    warm: In(1)                             # Its temperature is known, and not below zero.
    different: In(1)                        # Words came back that are not those of the pattern.
    access_bad: In(1)                       # The numbers of the line are no accesses.
    places_set: Out(1)                      # High for one clock: the first two numbers and the choice are where the
                                            # next accesses go.
    lane_set: Out(1)                        # High for one clock: the choice is the lane that is shown from now on.
    stream_id: In(48)                       # The first number of the line.
    sectors: In(48)                         # The second number of the line.
    seconds: In(48)                         # The number after `every`, 0 in a line without it.
    operation: Out(2)                       # What ``start`` starts, an `Operation`.
    start: Out(1)                           # High for one clock: an operation begins.
    stop: Out(1)                            # High for one clock: the operation shall end early.
    restart: Out(1)                         # While it is high, the core is in reset.
    running: Out(Running)                   # The latest operation.
    active: Out(1)                          # It runs, or its answer is being printed.
    stopped: Out(1)                         # `stop` came while it ran.
    decreasing: Out(1)                      # Its pattern is dec32, not inc32.
    pio: Out(1)                             # Its data come by PIO.
    rate_start: Out(1)                      # High for one clock: it has ended, its speed shall be computed.
    mistake: Out(Mistake)                   # Why the answer is an error that is not the core's.
    entries: Out(6)                         # Entries of the journal when the answer began.
    entry: Out(6)                           # The entry that is printed.
    usable: Out(1)                          # A drive is identified, even while an operation runs.
    fault: Out(1)                           # High for one clock: an operation, a verification or the bring-up of a
                                            # drive has failed.
    histogram: Out(1)                       # The `HistogramKind` that is printed.
    histogram_clear: Out(1)                 # High for one clock: the histograms shall start over.
    phy_clear: Out(1)                       # High for one clock: the counts of the PHY shall start over.
    phy_bist: Out(1)                        # High for one clock: the loop-back test of the PHY shall begin.
    print: Out(PrintSignature())            # The printer.
    long_sectors: In(1)                     # The drive's logical sectors have 4096 bytes: `trim` must not split
                                            # one, and `identify` reports that.

    def __init__(self, *, phy_status=False, commands=False, files=False, modes=False, histograms=False,
                 frames=False, accesses=False, lanes=False):
        self._accesses = accesses
        self._operations = _OPERATIONS | (_ACCESS if accesses else {})
        self._pages = _PAGES | (_ACCESS_PAGES if accesses else {}) | (_LANE_PAGES if lanes else {})
        self._phy_status = phy_status
        self._commands = commands
        self._files = files
        self._modes = modes
        self._histograms = histograms
        self._frames = frames
        super().__init__()

    def _flags(self, failed):
        """The conditions of lines, by flag; ``failed``: the core's error ends the answer."""
        running = self.running
        played = self._compares()
        recorded = running.matches(Running.RECORD, Running.RING_AT, Running.SEGMENTS_AT)
        return {
            Flag.UP: self.link_up, Flag.DOWN: ~self.link_up,
            Flag.GOOD: ~failed & (self.mistake == Mistake.NONE),
            Flag.FAILED: failed, Flag.MISTAKEN: self.mistake != Mistake.NONE,
            Flag.MOVED: played | recorded, Flag.PLAYED: played,
            Flag.SPANNED: played | (recorded & (running != Running.SEGMENTS_AT)),
            Flag.PLACED: running == Running.SEGMENTS_AT,
            Flag.DIFFERENT: played & self.different,
            Flag.FLUSHED: running == Running.FLUSH, Flag.DUMPED: running == Running.DUMP,
            Flag.MARKED: self.entries != 0,
            Flag.CAUSED: self.file_caused, Flag.FILED: running == Running.FILE,
            Flag.RECORDED: recorded | running.matches(*FILED) | self._accessing(Operation.RECORD),
            Flag.WARM: (recorded | running.matches(*FILED)) & self.warm,
            Flag.REPEATED: self.seconds != 0, Flag.FRAMED: self.framed,
            Flag.LONG: self.long_sectors,
            Flag.RINGED: running == Running.RING, Flag.SEGMENTED: running == Running.SEGMENTS,
            Flag.COMMANDED: running == Running.COMMAND, Flag.TRIMMED: running == Running.TRIM,
            Flag.BROUGHT: (running == Running.COMMAND) & (self.operation == Operation.PLAY)
                          & ~failed & (self.mistake == Mistake.NONE),
        }

    def _accessing(self, operation):
        """Whether the latest operation are accesses that do this."""
        return (self.running == Running.ACCESS) & (self.operation == operation) if self._accesses else Const(0, 1)

    def _compares(self):
        """Whether its words are compared with the pattern."""
        played = self.running == Running.PLAY
        return played | self._accessing(Operation.PLAY) if self._accesses else played

    def _refusals(self, request):
        """What a good line must not request now, by the error that answers it."""
        verb = request.verb
        return {
            Mistake.NO_PHY: (verb == Verb.PHY) & (not self._phy_status),
            Mistake.NO_COMMANDS: verb.matches(Verb.COMMAND, Verb.TRIM) & (not self._commands),
            Mistake.NO_HISTOGRAMS: (verb == Verb.HISTOGRAM) & (not self._histograms),
            Mistake.NO_FRAMES: (verb == Verb.FRAMES) & (not self._frames),
            Mistake.NO_FILES: verb.matches(Verb.FILE, Verb.TIME) & (not self._files),
            Mistake.NO_MODES: (verb.matches(Verb.RING, Verb.SEGMENTS)
                               & (not (self._files and self._modes)))
                              | (verb.matches(Verb.RING_AT, Verb.SEGMENTS_AT, Verb.TRIGGER)
                                 & (not self._modes)),
            Mistake.BUSY: (self.active | request.late) & (
                verb.matches(*self._operations, Verb.TIME, Verb.FRAMES, *self._accesses * [Verb.PLACES])
                | (request.choice == Choice.BIST)),
            Mistake.RANGE: ((verb == Verb.TRIM) & (
                (self.sectors == 0) | (self.sectors > TRIM_SECTORS) | self._splits()))
                | (verb.matches(*_PERIODIC) & (self.seconds[EVERY_BITS:] != 0))
                | ((verb == Verb.FRAMES) & (self.stream_id[32:] != 0)) | self._bad_access(verb),
            Mistake.NOT_RUNNING: ~self.active & verb.matches(Verb.STOP, Verb.TRIGGER),
            Mistake.NOT_READY: ~self.usable & (verb == Verb.IDENTIFY),
        }

    def _bad_access(self, verb):
        """Whether the numbers of a line about accesses are none that can be."""
        if not self._accesses:
            return Const(0, 1)
        return (verb == Verb.PLACES) & ~self.stream_id.matches(1, LONG_SECTOR_BLOCKS) | \
            (verb == Verb.ACCESS) & self.access_bad

    def _splits(self):
        """Whether the extent begins or ends within a logical sector; its LBA is the first number."""
        low = (LONG_SECTOR_BLOCKS - 1).bit_length()
        return self.long_sectors & (self.stream_id[:low] | self.sectors[:low]).any()

    def _histogram(self, m, choice):
        """What `histogram` requests; the page that answers it."""
        clears = choice == Choice.CLEAR
        m.d.comb += self.histogram_clear.eq(clears)
        m.d.sync += self.histogram.eq(Mux(choice == Choice.STALLS, HistogramKind.STALLS,
                                          HistogramKind.COMMANDS))
        return Mux(clears, Page.DONE, Page.HISTOGRAM)

    def _answer(self, whole):
        """The page that ends the operation. Of a sector that was skipped, so that not all was read ``whole``,
        there is nothing to show."""
        running = self.running
        page = Mux(running.matches(*_TASKS), Page.TASK, Mux(
            running.matches(*FILED), Page.FILE, Mux(
                (running == Running.DUMP) & whole, Page.SECTOR, Page.OPERATION)))
        return Mux(running == Running.ACCESS, Page.ACCESS, page) if self._accesses else page

    def elaborate(self, platform):
        m = Module()
        m.submodules.events = events = Events()
        request = self.request.payload
        verb, active, page = request.verb, self.active, self.print.page
        ended = Signal()
        failed = Signal()
        aborted = Signal()
        wrong = Signal()            # the operation was a playback, and words were wrong
        clocks = Signal(range(max(_RESET_CLOCKS, _SETTLE_CLOCKS) + 1))
        following = Signal.like(self.entry)
        m.d.sync += [clocks.eq(clocks - 1), ended.eq(ended | (active & self.done))]
        m.d.comb += [
            wrong.eq(self._compares() & self.different),
            following.eq(self.entry + (page == Page.ENTRY)), self.usable.eq(events.usable),
            events.link_up.eq(self.link_up), events.ready.eq(self.ready), events.error.eq(self.error),
            events.failing.eq(self.health == HealthVerdict.FAILING), events.active.eq(active),
            events.hot.eq(self.heat == HeatVerdict.TOO_HOT), events.restart.eq(self.restart),
            *(self.print.flags[flag].eq(condition)
              for flag, condition in self._flags(failed).items()),
        ]

        def show(which):
            m.d.sync += page.eq(which)
            m.next = "PRINT"

        def refuse(mistake):
            m.d.sync += [self.mistake.eq(mistake), failed.eq(0)]
            show(Page.MISTAKE)

        def obey():
            with m.Switch(verb):
                for one, which in self._pages.items():
                    with m.Case(one):
                        m.d.comb += [self.time_set.eq(one == Verb.TIME), self.places_set.eq(one == Verb.PLACES),
                                     self.frames_set.eq(one == Verb.FRAMES),
                                     self.trigger.eq(one == Verb.TRIGGER), self.lane_set.eq(one == Verb.LANE)]
                        show(which)
                with m.Case(Verb.IDENTIFY):
                    show(Mux(request.choice == Choice.RAW, Page.RAW, Page.IDENTIFY))
                with m.Case(Verb.STOP):
                    m.d.comb += self.stop.eq(1)
                    m.d.sync += self.stopped.eq(1)
                    show(Page.DONE)
                with m.Case(Verb.PHY):
                    m.d.comb += [self.phy_clear.eq(request.choice == Choice.CLEAR),
                                 self.phy_bist.eq(request.choice == Choice.BIST)]
                    show(Mux(request.choice == Choice.NONE, Page.PHY, Page.DONE))
                with m.Case(Verb.HISTOGRAM):
                    show(self._histogram(m, request.choice))
                with m.Case(Verb.RESET):
                    m.d.sync += clocks.eq(_RESET_CLOCKS)
                    m.next = "RESET"
                for one, (which, code) in self._operations.items():
                    with m.Case(one):
                        m.d.sync += [self.running.eq(which),
                                     self.operation.eq(_operation(one, code, request)),
                                     self.pio.eq(request.choice == Choice.PIO),
                                     self.decreasing.eq(request.choice == Choice.DEC32)]
                        m.next = "START"

        with m.FSM() as fsm:
            m.d.comb += [self.print.start.eq(fsm.ongoing("PRINT")),
                         self.restart.eq(fsm.ongoing("RESET"))]

            with m.State("IDLE"):
                m.d.sync += [self.entries.eq(self.journal_count), self.entry.eq(0)]
                with m.If(ended | aborted):
                    m.d.sync += clocks.eq(_SETTLE_CLOCKS)
                    m.next = "SETTLE"
                with m.Elif(self.request.valid):
                    m.d.comb += self.request.ready.eq(1)
                    m.d.sync += [self.mistake.eq(Mistake.NONE), failed.eq(0)]
                    with m.If(request.mistake != Mistake.NONE):
                        refuse(request.mistake)
                    for mistake, condition in self._refusals(request).items():
                        with m.Elif(condition):
                            refuse(mistake)
                    with m.Else():
                        obey()
                with m.Elif(events.valid & ~self.typing):
                    m.d.comb += [events.take.eq(1), self.fault.eq(events.failed)]
                    show(events.page)

            with m.State("START"):
                m.d.comb += self.start.eq(1)
                m.d.sync += [active.eq(1), self.stopped.eq(0)]
                m.next = "IDLE"

            with m.State("RESET"):
                with m.If(clocks == 0):
                    m.d.sync += aborted.eq(active)
                    show(Page.DONE)

            with m.State("SETTLE"):
                m.d.comb += self.rate_start.eq(clocks == _SETTLE_CLOCKS)
                filed = self.running.matches(*FILED)
                good = filed | (self.error == Error.NONE)
                mistake = Mux(filed, self.file_mistake,
                              Mux(wrong & good, Mistake.MISMATCH, Mistake.NONE))
                m.d.sync += [
                    self.entries.eq(self.journal_count), failed.eq(~good & ~aborted),
                    self.mistake.eq(Mux(aborted, Mistake.RESET, mistake)),
                ]
                with m.If(clocks == 0):
                    m.d.sync += [ended.eq(0), aborted.eq(0)]
                    m.d.comb += self.fault.eq(aborted | ~good | wrong | (mistake != Mistake.NONE))
                    show(self._answer(good & ~aborted & (self.entries == 0)))

            with m.State("PRINT"):
                m.next = "PRINTING"
            with m.State("PRINTING"):
                with m.If(~self.print.busy):
                    with m.If(page.matches(*_ANSWERS, *([Page.ACCESS] if self._accesses else []))):
                        m.d.sync += active.eq(0)
                    m.next = "IDLE"
                    with m.If(page.matches(Page.JOURNAL, Page.ENTRY)):
                        m.d.sync += self.entry.eq(following)
                        show(Mux(following == self.entries, Page.DONE, Page.ENTRY))
        return m


def _operation(verb, code, request):
    """What ``start`` starts for a ``request`` of ``verb``, which is ``code`` without more words."""
    if verb == Verb.COMMAND:
        return Mux(request.choice != Choice.NONE, Operation.PLAY, code)
    if verb == Verb.ACCESS:
        return Mux(request.choice == Choice.WRITE, Operation.RECORD, code)
    return code | request.flush << 1
