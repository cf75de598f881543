"""The state machine that brings a link up.

Serial ATA Revision 3.x, phy layer, host phy initialization state machine.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .comreset_interval import ComresetInterval
from .line_rate import LineRate
from .oob import Line, OobGenerator, OobSignature
from .timing import Timing

__all__ = ["ALIGNS", "Initializer", "OTHERS"]

#: ALIGN in a row, free of errors, that count as ALIGN detected.
ALIGNS = 4
#: Primitives other than ALIGN in a row that end the negotiation (HP7: HR_SendAlign).
OTHERS = 3


class Initializer(wiring.Component):
    """The host's phy initialization state machine (states HP1 to HP8), without power management.

    A COMRESET comes at the earliest ``timing.retry`` after the one before, and the interval
    doubles with each try that fails; COMINIT is answered at any time meanwhile. After a try in
    which the drive answered COMWAKE, but sent no ALIGN that could be received, the next lower of
    ``generations`` is tried, after the lowest the highest that ``limit`` allows.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``.
    timing : Timing
        The times of the start of a link.
    generations : (int, int)
        Lowest and highest generation that may be tried; ``ValueError`` if there are none such.

    Members
    -------
    reset : In(1)
        Asks for COMRESET. While it is high, COMRESET is sent again and again.
    limit : In(2)
        No higher generation may be tried, but the lowest always may; 0 allows any.
    rate : In(2)
        This is the line rate at which the back end runs, 1 to 3; it is 0 while there is none.
    generation : Out(2)
        This is the line rate that the back end is asked for, 1 to 3.
    oob : In(OobSignature)
        The OOB detector of the receiver says what it sees.
    align : In(1)
        An ALIGN was received, or dropped by the elastic buffer.
    primitive : In(1)
        A primitive other than ALIGN was received.
    other : In(1)
        A dword was received that is no primitive.
    step : In(1)
        The line takes what ``line`` says.
    line : Out(Line)
        This is what the line takes next. DWORD is ALIGN until ``ready``.
    receive : Out(1)
        Data is expected, not only OOB signals.
    ready : Out(1)
        The link is up (HP8: HR_Ready).
    """

    def __init__(self, clock_hz, timing=Timing(), generations=(1, 2)):
        self._rate = LineRate(*generations)
        self._longest_retry = timing.longest_retry
        self._retry, self._align, self._align_loss, self._signal_loss = (
            max(2, round(seconds * clock_hz)) for seconds in (
                timing.retry, timing.align, timing.align_loss, timing.signal_loss))
        super().__init__({
            "reset": In(1), "limit": In(2), "rate": In(2), "generation": Out(2),
            "oob": In(OobSignature()),
            "align": In(1), "primitive": In(1), "other": In(1),
            "step": In(1), "line": Out(Line), "receive": Out(1), "ready": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        oob = self.oob
        m.submodules.generator = generator = OobGenerator()
        m.submodules.interval = interval = ComresetInterval(self._retry, self._longest_retry)
        m.submodules.line_rate = line_rate = self._rate
        settled = Signal()          # the back end runs at the line rate that is asked for
        m.d.comb += [
            line_rate.limit.eq(self.limit),
            self.generation.eq(line_rate.generation),
            generator.generation.eq(line_rate.generation),
            generator.step.eq(self.step),
            settled.eq(self.rate == line_rate.generation),
        ]

        timer = Signal(range(max(self._align, self._align_loss)))
        m.d.sync += timer.eq(timer - 1)
        silent = Signal()           # the drive's side of the line, for too long
        rested = Signal()           # our side was idle for a while, as before each COMRESET
        aligned = Signal()
        negotiated = Signal()

        with m.FSM() as fsm:
            # HP2: HR_AwaitCOMINIT. All tries that fail end here.
            with m.State("HR_AwaitCOMINIT"):
                with m.If(settled & ~generator.busy):
                    with m.If(interval.over & rested):
                        m.d.comb += [generator.start.eq(1), interval.begin.eq(1)]
                        m.next = "HR_Reset"
                    with m.Elif(oob.cominit & ~interval.over):
                        m.next = "HR_AwaitNoCOMINIT"

            # HP1: HR_Reset. COMRESET goes out.
            with m.State("HR_Reset"):
                m.d.comb += [self.line.eq(generator.line), generator.start.eq(self.reset)]
                with m.If(~generator.busy & ~self.reset | ~settled):
                    m.next = "HR_AwaitCOMINIT"

            # HP2B: HR_AwaitNoCOMINIT. HP3: HR_Calibrate is not needed.
            with m.State("HR_AwaitNoCOMINIT"):
                with m.If(~oob.cominit):
                    m.d.comb += [generator.start.eq(1), generator.wake.eq(1)]
                    m.next = "HR_COMWAKE"
                self._interrupted(m)

            # HP4: HR_COMWAKE. COMWAKE goes out.
            with m.State("HR_COMWAKE"):
                m.d.comb += self.line.eq(generator.line)
                with m.If(~generator.busy):
                    m.next = "HR_AwaitCOMWAKE"
                self._interrupted(m)

            # HP5: HR_AwaitCOMWAKE
            with m.State("HR_AwaitCOMWAKE"):
                # With the first burst a slow transmitter begins to leave electrical idle.
                m.d.comb += self.line.eq(Mux(silent, Line.IDLE, Line.GAP))
                with m.If(oob.comwake):
                    m.next = "HR_AwaitNoCOMWAKE"
                with m.Elif(interval.over):
                    m.next = "HR_AwaitCOMINIT"
                with m.Else():
                    self._unsolicited(m)
                self._interrupted(m)

            # HP5B: HR_AwaitNoCOMWAKE
            with m.State("HR_AwaitNoCOMWAKE"):
                m.d.comb += self.line.eq(Line.GAP)
                m.d.sync += timer.eq(self._align - 1)
                with m.If(~oob.comwake):
                    m.next = "HR_AwaitAlign"
                self._interrupted(m)

            # HP6: HR_AwaitAlign. D10.2 goes out. HP11: HR_AdjustSpeed is a new try.
            with m.State("HR_AwaitAlign"):
                m.d.comb += [self.line.eq(Line.WAIT), self.receive.eq(1)]
                with m.If(aligned):
                    m.next = "HR_SendAlign"
                with m.If(timer == 0):
                    m.d.comb += line_rate.next_lower.eq(1)
                    m.next = "HR_AwaitCOMINIT"
                self._unsolicited(m)
                self._interrupted(m)

            # HP7: HR_SendAlign. ALIGN goes out.
            with m.State("HR_SendAlign"):
                m.d.comb += [self.line.eq(Line.DWORD), self.receive.eq(1)]
                with m.If(negotiated):
                    m.d.comb += interval.succeeded.eq(1)
                    m.d.sync += timer.eq(self._align_loss - 1)
                    m.next = "HR_Ready"
                with m.If(timer == 0):
                    m.next = "HR_AwaitCOMINIT"
                self._unsolicited(m)
                self._interrupted(m)

            # HP8: HR_Ready
            with m.State("HR_Ready"):
                m.d.comb += [self.line.eq(Line.DWORD), self.receive.eq(1), self.ready.eq(1)]
                with m.If(self.align):
                    m.d.sync += timer.eq(self._align_loss - 1)
                with m.If((timer == 0) | silent | oob.cominit):
                    m.d.comb += line_rate.restart.eq(1)
                    m.next = "HR_AwaitCOMINIT"
                self._interrupted(m)

        m.d.comb += [
            silent.eq(self._lasted(m, "silence", self.oob.active)),
            rested.eq(self._lasted(m, "pause", ~fsm.ongoing("HR_AwaitCOMINIT"),
                                   init=self._signal_loss - 1)),
            aligned.eq(self._in_a_row(m, "aligns", self.align, self.primitive | self.other,
                                      ALIGNS, restart=~self.receive)),
            negotiated.eq(self._in_a_row(m, "others", self.primitive, self.align | self.other,
                                         OTHERS, restart=~fsm.ongoing("HR_SendAlign"))),
        ]
        with m.If(self.reset & ~fsm.ongoing("HR_Reset") & ~generator.start):
            m.d.comb += [interval.restart.eq(1), line_rate.restart.eq(1)]
        return m

    def _unsolicited(self, m):
        """In a state in which the drive may begin anew with COMINIT."""
        with m.If(self.oob.cominit):
            m.next = "HR_AwaitNoCOMINIT"

    def _interrupted(self, m):
        """In a state that COMRESET and another line rate end."""
        with m.If(self.reset | (self.rate != self.generation)):
            m.next = "HR_AwaitCOMINIT"

    def _lasted(self, m, name, broken, init=0):
        """Whether ``broken`` has been low for the time of ``signal_loss``."""
        left = Signal(range(self._signal_loss), init=init, name=name)
        with m.If(broken):
            m.d.sync += left.eq(self._signal_loss - 1)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        return left == 0

    def _in_a_row(self, m, name, wanted, unwanted, count, *, restart):
        """Whether ``wanted`` comes for the ``count``-th time without ``unwanted`` between."""
        seen = Signal(range(count), name=name)
        with m.If(restart | unwanted & ~wanted):
            m.d.sync += seen.eq(0)
        with m.Elif(wanted):
            m.d.sync += seen.eq(seen + 1)
        return wanted & (seen == count - 1)
