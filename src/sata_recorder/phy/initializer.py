"""The state machine that brings a link up."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .oob import Line, OobGenerator
from .timing import Timing

__all__ = ["ALIGNS", "Initializer", "OTHERS"]

#: ALIGN in a row, free of errors, that count as ALIGN detected.
ALIGNS = 4
#: Primitives other than ALIGN in a row that end the negotiation (HP7:HR_SendAlign).
OTHERS = 3


class Initializer(wiring.Component):
    """The host's phy initialization state machine (Serial ATA 2.6, 8.4.1, HP1 to HP8), without
    power management.

    A COMRESET comes at the earliest ``timing.retry`` after the one before, and the interval
    doubles with each try that fails; COMINIT is answered at any time meanwhile. After a try in
    which the drive answered COMWAKE, but sent no ALIGN that could be received, the next lower of
    ``generations`` is tried, after the lowest the highest that ``limit`` allows.

    Parameters
    ----------
    clock_hz : float    of ``sync``
    timing : Timing
    generations : (int, int)    lowest and highest generation that may be tried

    Members
    -------
    reset : In(1)           COMRESET is asked for, and sent again and again while it is high
    limit : In(2)           highest generation that may be tried, 0 for any; the lowest always may
    rate : In(2)            line rate of the back end, 0 while it has none
    generation : Out(2)     line rate asked for
    active, cominit, comwake : In(1)    from the receiver's OOB detection
    align, primitive, other : In(1)     received: ALIGN (seen or dropped), another primitive,
        anything else
    step : In(1)            the line takes a dword
    line : Out(Line)        what it takes; DWORD is ALIGN until ``ready``
    receive : Out(1)        data is expected
    ready : Out(1)          HP8:HR_Ready
    """

    reset: In(1)
    limit: In(2)
    rate: In(2)
    active: In(1)
    cominit: In(1)
    comwake: In(1)
    align: In(1)
    primitive: In(1)
    other: In(1)
    step: In(1)
    generation: Out(2)
    line: Out(Line)
    receive: Out(1)
    ready: Out(1)

    def __init__(self, clock_hz, timing=Timing(), generations=(1, 2)):
        lowest, highest = generations
        if not 1 <= lowest <= highest <= 3:
            raise ValueError(f"generations is {generations}, it must be lowest and highest of 1 "
                             f"to 3")
        self._lowest, self._highest = lowest, highest
        self._timing = timing
        self._retry, self._align, self._align_loss, self._signal_loss = (
            max(2, round(seconds * clock_hz)) for seconds in (
                timing.retry, timing.align, timing.align_loss, timing.signal_loss))
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.oob = oob = OobGenerator()
        generation = Signal(2, init=self._highest)
        highest = Signal(2)
        if self._lowest != self._highest:
            limit = Mux(self.limit < self._lowest, self._lowest, self.limit)
            m.d.comb += highest.eq(
                Mux((self.limit == 0) | (limit > self._highest), self._highest, limit))
        else:
            m.d.comb += highest.eq(self._highest)
        m.d.comb += [
            self.generation.eq(generation),
            oob.generation.eq(generation),
            oob.step.eq(self.step),
        ]

        # Time since the last COMRESET: so many whole intervals, and clocks, are left.
        longest = self._timing.longest_retry
        tries = Signal(range(longest + 1), init=1)      # intervals until the next try but one
        intervals = Signal(range(longest + 1))
        clocks = Signal(range(self._retry))
        with m.If(intervals != 0):
            m.d.sync += clocks.eq(clocks - 1)
            with m.If(clocks == 0):
                m.d.sync += [clocks.eq(self._retry - 1), intervals.eq(intervals - 1)]

        timer = Signal(range(max(self._align, self._align_loss)))
        silence = Signal(range(self._signal_loss))
        aligns = Signal(range(ALIGNS))
        others = Signal(range(OTHERS))
        lost = Signal()
        m.d.comb += lost.eq((timer == 0) | (silence == 0) | self.cominit)
        m.d.sync += timer.eq(timer - 1)
        with m.If(self.active):
            m.d.sync += silence.eq(self._signal_loss - 1)
        with m.Elif(silence != 0):
            m.d.sync += silence.eq(silence - 1)

        # The line is idle for a while before a COMRESET.
        pause = Signal(range(self._signal_loss), init=self._signal_loss - 1)
        m.d.sync += pause.eq(self._signal_loss - 1)

        def unsolicited():
            with m.If(self.cominit):
                m.next = "AWAIT_NO_COMINIT"

        def interrupted():
            with m.If(self.reset | (self.rate != generation)):
                m.next = "AWAIT_COMINIT"

        with m.FSM() as fsm:
            with m.State("AWAIT_COMINIT"):              # HP2, and where all tries end
                with m.If(pause != 0):
                    m.d.sync += pause.eq(pause - 1)
                with m.Else():
                    m.d.sync += pause.eq(0)
                with m.If((self.rate == generation) & ~oob.busy):
                    with m.If((intervals == 0) & (pause == 0)):
                        m.d.comb += oob.start.eq(1)
                        m.d.sync += [intervals.eq(tries), clocks.eq(self._retry - 1)]
                        with m.If(tries != longest):
                            m.d.sync += tries.eq(tries << 1)
                        m.next = "RESET"
                    with m.Elif(self.cominit & (intervals != 0)):
                        m.next = "AWAIT_NO_COMINIT"

            with m.State("RESET"):                      # HP1
                m.d.comb += [self.line.eq(oob.line), oob.start.eq(self.reset)]
                with m.If(~oob.busy & ~self.reset | (self.rate != generation)):
                    m.next = "AWAIT_COMINIT"

            with m.State("AWAIT_NO_COMINIT"):           # HP2B
                with m.If(~self.cominit):
                    m.d.comb += [oob.start.eq(1), oob.wake.eq(1)]
                    m.next = "COMWAKE"
                interrupted()

            with m.State("COMWAKE"):                    # HP4
                m.d.comb += self.line.eq(oob.line)
                with m.If(~oob.busy):
                    m.next = "AWAIT_COMWAKE"
                interrupted()

            with m.State("AWAIT_COMWAKE"):              # HP5
                # With the first burst a slow transmitter begins to leave electrical idle.
                m.d.comb += self.line.eq(Mux(silence == 0, Line.IDLE, Line.GAP))
                with m.If(self.comwake):
                    m.next = "AWAIT_NO_COMWAKE"
                with m.Elif(intervals == 0):
                    m.next = "AWAIT_COMINIT"
                with m.Else():
                    unsolicited()
                interrupted()

            with m.State("AWAIT_NO_COMWAKE"):           # HP5B
                m.d.comb += self.line.eq(Line.GAP)
                m.d.sync += [timer.eq(self._align - 1), aligns.eq(0)]
                with m.If(~self.comwake):
                    m.next = "AWAIT_ALIGN"
                interrupted()

            with m.State("AWAIT_ALIGN"):                # HP6
                m.d.comb += [self.line.eq(Line.WAIT), self.receive.eq(1)]
                m.d.sync += others.eq(0)
                with m.If(self.align):
                    m.d.sync += aligns.eq(aligns + 1)
                    with m.If(aligns == ALIGNS - 1):
                        m.next = "SEND_ALIGN"
                with m.Elif(self.primitive | self.other):
                    m.d.sync += aligns.eq(0)
                with m.If(timer == 0):
                    if self._lowest != self._highest:
                        with m.If(generation == self._lowest):
                            m.d.sync += generation.eq(highest)
                        with m.Else():
                            m.d.sync += generation.eq(generation - 1)
                    m.next = "AWAIT_COMINIT"
                unsolicited()
                interrupted()

            with m.State("SEND_ALIGN"):                 # HP7
                m.d.comb += [self.line.eq(Line.DWORD), self.receive.eq(1)]
                with m.If(self.primitive):
                    m.d.sync += others.eq(others + 1)
                    with m.If(others == OTHERS - 1):
                        m.d.sync += [tries.eq(1), timer.eq(self._align_loss - 1)]
                        m.next = "READY"
                with m.Elif(self.align | self.other):
                    m.d.sync += others.eq(0)
                with m.If(timer == 0):
                    m.next = "AWAIT_COMINIT"
                unsolicited()
                interrupted()

            with m.State("READY"):                      # HP8
                m.d.comb += [self.line.eq(Line.DWORD), self.receive.eq(1), self.ready.eq(1)]
                with m.If(self.align):
                    m.d.sync += timer.eq(self._align_loss - 1)
                with m.If(lost):
                    m.d.sync += generation.eq(highest)
                    m.next = "AWAIT_COMINIT"
                interrupted()

        with m.If(self.reset & ~fsm.ongoing("RESET") & ~oob.start):
            m.d.sync += [intervals.eq(0), tries.eq(1), generation.eq(highest)]
        return m
