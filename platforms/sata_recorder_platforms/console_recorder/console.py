"""The console: requests become operations and pages."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.sequencer import Error, Operation

from .keywords import Choice, Running, Verb
from .messages import Flag, Mistake, Page
from .parser import Request

__all__ = ["Console"]

#: Clocks for which ``reset`` holds the core in reset.
_RESET_CLOCKS = 16
#: Clocks from the end of an operation until all that is told about it has been computed.
_SETTLE_CLOCKS = 40

_PAGES = {Verb.STATUS: Page.STATUS, Verb.COUNTERS: Page.COUNTERS, Verb.VERSION: Page.VERSION,
          Verb.HELP: Page.HELP, Verb.JOURNAL: Page.JOURNAL}
_OPERATIONS = {Verb.RECORD: (Running.RECORD, Operation.RECORD),
               Verb.PLAY: (Running.PLAY, Operation.PLAY),
               Verb.FLUSH: (Running.FLUSH, Operation.FLUSH),
               Verb.DUMP: (Running.DUMP, Operation.PLAY)}


class Console(wiring.Component):
    """Takes one request after the other, also while an operation runs.

    An answer is one page, that of ``journal`` one more for each entry; that of an operation comes
    when it has ended, those of lines that came meanwhile before it. Events are told between
    answers, each as it is at that time.

    Members
    -------
    request : In(stream of Request), typing : In(1)     a line has begun, no event comes in between
    link_up, ready, busy, done : In(1), error : In(4)   the core
    operation : Out(2), start, stop, restart : Out(1)   the same; ``restart`` resets it
    journal_count : In(6)           the same, at most 32
    entries : Out(6), entry : Out(6)    its value for one answer, and the entry that is printed
    different : In(1)               the checker has found wrong words
    rate_start : Out(1)             the speed is to be computed
    usable : Out(1)                 a drive is identified, even while an operation runs
    running : Out(Running)          the latest operation
    active : Out(1)                 it runs, or its answer is being printed
    stopped, decreasing : Out(1)    it was stopped; its pattern
    mistake : Out(Mistake)
    fault : Out(1)                  an operation or the bring-up of a drive has failed
    page : Out(Page), print : Out(1), printing : In(1), flags : Out     the printer
    """

    def __init__(self):
        super().__init__({
            "request": In(stream.Signature(Request)), "typing": In(1),
            "link_up": In(1), "ready": In(1), "busy": In(1), "done": In(1), "error": In(4),
            "operation": Out(2), "start": Out(1), "stop": Out(1), "restart": Out(1),
            "journal_count": In(6), "entries": Out(6), "entry": Out(6),
            "different": In(1), "rate_start": Out(1),
            "usable": Out(1), "running": Out(Running), "active": Out(1), "stopped": Out(1),
            "decreasing": Out(1), "mistake": Out(Mistake), "fault": Out(1),
            "page": Out(Page), "print": Out(1), "printing": In(1), "flags": Out(len(Flag)),
        })

    def elaborate(self, platform):
        m = Module()
        request = self.request.payload
        verb, active, running = request.verb, self.active, self.running

        ended = Signal()
        failed = Signal()
        aborted = Signal()
        clocks = Signal(range(max(_RESET_CLOCKS, _SETTLE_CLOCKS) + 1))
        moved = Signal()
        played = Signal()
        following = Signal.like(self.entry)
        m.d.comb += [
            played.eq(running == Running.PLAY),
            moved.eq(played | (running == Running.RECORD)),
            following.eq(self.entry + (self.page == Page.ENTRY)),
        ]
        conditions = {
            Flag.UP: self.link_up, Flag.DOWN: ~self.link_up,
            Flag.GOOD: ~failed & (self.mistake == Mistake.NONE),
            Flag.FAILED: failed, Flag.MISTAKEN: self.mistake != Mistake.NONE,
            Flag.MOVED: moved, Flag.PLAYED: played,
            Flag.DIFFERENT: played & self.different,
            Flag.FLUSHED: running == Running.FLUSH, Flag.DUMPED: running == Running.DUMP,
            Flag.MARKED: self.entries != 0,
        }
        m.d.comb += [self.flags[flag].eq(condition) for flag, condition in conditions.items()]

        # Events. What has been told, and what is so now.
        told_up = Signal()
        told_usable = Signal()
        told_error = Signal(4)
        bad_bring_up = Signal()
        with m.If(~self.link_up | self.restart):
            m.d.sync += self.usable.eq(0)
        with m.Elif(self.ready):
            m.d.sync += self.usable.eq(1)
        m.d.comb += bad_bring_up.eq(~active & ~self.usable & (self.error != Error.NONE)
                                    & (self.error != told_error))
        # The core keeps the error of an operation: only what is new is the bring-up's.
        with m.If(self.usable | active):
            m.d.sync += told_error.eq(self.error)

        with m.If(active & self.done):
            m.d.sync += ended.eq(1)
        m.d.sync += clocks.eq(clocks - 1)

        def show(page):
            m.d.sync += self.page.eq(page)
            m.next = "PRINT"

        def refuse(mistake):
            m.d.sync += [self.mistake.eq(mistake), failed.eq(0)]
            show(Page.MISTAKE)

        def obey():
            with m.Switch(verb):
                for one, page in _PAGES.items():
                    with m.Case(one):
                        show(page)
                with m.Case(Verb.IDENTIFY):
                    show(Page.IDENTIFY)
                    with m.If(request.choice == Choice.RAW):
                        show(Page.RAW)
                with m.Case(Verb.STOP):
                    m.d.comb += self.stop.eq(1)
                    m.d.sync += self.stopped.eq(1)
                    show(Page.DONE)
                with m.Case(Verb.RESET):
                    m.d.sync += clocks.eq(_RESET_CLOCKS)
                    m.next = "RESET"
                for one, (which, code) in _OPERATIONS.items():
                    with m.Case(one):
                        m.d.sync += [running.eq(which),
                                     self.operation.eq(code | request.flush << 1),
                                     self.decreasing.eq(request.choice == Choice.DEC32)]
                        m.next = "START"

        with m.FSM() as fsm:
            m.d.comb += self.print.eq(fsm.ongoing("PRINT"))
            m.d.comb += self.restart.eq(fsm.ongoing("RESET"))

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
                    with m.Elif(active & verb.matches(*_OPERATIONS)):
                        refuse(Mistake.BUSY)
                    with m.Elif(~active & (verb == Verb.STOP)):
                        refuse(Mistake.NOT_RUNNING)
                    with m.Elif(~self.usable & (verb == Verb.IDENTIFY)):
                        refuse(Mistake.NOT_READY)
                    with m.Else():
                        obey()
                with m.Elif(~self.typing):
                    with m.If(told_up != self.link_up):
                        m.d.sync += told_up.eq(self.link_up)
                        with m.If(~self.link_up):
                            m.d.sync += told_usable.eq(0)
                        show(Page.LINK_EVENT)
                    with m.Elif(self.usable & ~told_usable):
                        m.d.sync += told_usable.eq(1)
                        show(Page.READY_EVENT)
                    with m.Elif(bad_bring_up):
                        m.d.sync += told_error.eq(self.error)
                        m.d.comb += self.fault.eq(1)
                        show(Page.ERROR_EVENT)

            with m.State("START"):
                m.d.comb += self.start.eq(1)
                m.d.sync += [active.eq(1), self.stopped.eq(0)]
                m.next = "IDLE"

            with m.State("RESET"):
                with m.If(clocks == 0):
                    m.d.sync += [aborted.eq(active), told_usable.eq(0), told_error.eq(0)]
                    show(Page.DONE)

            with m.State("SETTLE"):
                m.d.comb += self.rate_start.eq(clocks == _SETTLE_CLOCKS)
                m.d.sync += [
                    self.entries.eq(self.journal_count), self.mistake.eq(Mistake.NONE),
                    failed.eq((self.error != Error.NONE) & ~aborted),
                ]
                with m.If(aborted):
                    m.d.sync += self.mistake.eq(Mistake.RESET)
                with m.Elif(played & self.different & (self.error == Error.NONE)):
                    m.d.sync += self.mistake.eq(Mistake.MISMATCH)
                with m.If(clocks == 0):
                    m.d.sync += [ended.eq(0), aborted.eq(0)]
                    m.d.comb += self.fault.eq(aborted | (self.error != Error.NONE)
                                              | (played & self.different))
                    show(Page.OPERATION)
                    # Of a sector that was passed over there is nothing to show.
                    with m.If((running == Running.DUMP) & (self.error == Error.NONE) & ~aborted
                              & (self.entries == 0)):
                        show(Page.SECTOR)

            with m.State("PRINT"):
                m.next = "PRINTING"
            with m.State("PRINTING"):
                with m.If(~self.printing):
                    with m.If((self.page == Page.OPERATION) | (self.page == Page.SECTOR)):
                        m.d.sync += active.eq(0)
                    m.next = "IDLE"
                    with m.If((self.page == Page.JOURNAL) | (self.page == Page.ENTRY)):
                        m.d.sync += self.entry.eq(following)
                        show(Page.ENTRY)
                        with m.If(following == self.entries):
                            show(Page.DONE)
        return m
