"""The state machine that brings a link up.

Serial ATA Revision 3.x, phy layer, host phy initialization state machine.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .comreset_interval import ComresetInterval
from .dword_monitor import DwordMonitor, HeardSignature
from .hard_oob import HardOobGenerator, HardOobTxSignature
from .line_rate import LineRate
from .oob import Line, OobGenerator, OobSignature
from .states import Fall, PhyState
from .timing import Timing

__all__ = ["Initializer"]


class Seen(data.Struct):
    """What has lasted long enough, or has come."""

    settled: 1      # the back end runs at the line rate that is requested
    rested: 1       # our side was idle for a while, as it must be before each COMRESET
    silent: 1       # the drive's side was idle for longer than any gap of an OOB signal
    cominit_over: 1     # COMINIT lasts too long
    comwake_over: 1     # COMWAKE lasts too long
    cominit: 1      # COMINIT came, and no good dwords after it
    dwelt: 1        # ALIGN was sent for long enough, whatever the drive sends


class Initializer(wiring.Component):
    """The host's phy initialization state machine (states HP1 to HP8), without power management.

    Unless ``reset`` requests it, a COMRESET comes at the earliest ``timing.retry`` after the one before,
    and the interval doubles with each try that fails; COMINIT is answered at any time meanwhile. After a try in
    which the drive answered COMWAKE, but sent no ALIGN that could be received, the next lower of
    ``generations`` is tried, after the lowest the highest that ``limit`` allows. After a try in
    which ALIGN came, but no dwords followed, the next one has the other polarity.

    From HR_AwaitAlign on dwords are believed, not the signal detector: silence and COMINIT count
    only where no good dwords have come for ``timing.dword_loss``. Then the receiver is held at its
    reference for a moment, too, since a signal of another rate may have pulled it away; for longer after each
    try in which no ALIGN came.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync`` in Hz.
    timing : Timing
        The times of the start of a link.
    generations : (int, int)
        Lowest and highest generation that may be tried; ``ValueError`` unless 1 <= lowest <= highest <= 3.
    hard_oob : bool
        The SERDES sends OOB signals itself.

    Members
    -------
    reset : In(1)
        Requests COMRESET. While it is high, COMRESET is sent again and again.
    limit : In(2)
        No higher generation may be tried, but the lowest always may; 0 allows any.
    rate : In(2)
        This is the line rate at which the back end runs, 1 to 3; it is 0 while there is no line rate.
    generation : Out(2)
        This is the line rate that is requested from the back end, 1 to 3.
    oob : In(OobSignature)
        The OOB detector of the receiver reports what it sees.
    tx_com : Out(HardOobTxSignature)
        With ``hard_oob``, OOB signals are requested from the SERDES here.
    heard : In(HeardSignature)
        The receiver reports what kind of dword arrives.
    step : In(1)
        The line takes what ``line`` states.
    line : Out(Line)
        This is what the line takes next. DWORD is ALIGN until ``started``, then SYNC until
        ``ready``.
    inverted : Out(1)
        Dwords go out with P and N swapped.
    receive : Out(1)
        Dwords are expected, not only OOB signals.
    restart : Out(1)
        In this clock the receiver is to go back to its reference: nothing good has arrived, or a link or a try has
        ended.
    restarting : In(1)
        The receiver is on its way there. While it is high ``receive`` is low.
    started : Out(1)
        ALIGN was sent for long enough.
    ready : Out(1)
        The link is up (HP8: HR_Ready).
    state : Out(PhyState)
        The current state of the machine.
    fell : Out(1)
        In this clock a try or a link ends.
    fall : Out(Fall)
        With ``fell``, this is the reason.
    """

    def __init__(self, clock_hz, timing=Timing(), generations=(1, 2), *, hard_oob=False):
        def clocks(seconds):
            return max(2, round(seconds * clock_hz))

        self._rate = LineRate(*generations)
        self._generator = HardOobGenerator(clock_hz) if hard_oob else OobGenerator()
        self._hard_oob = hard_oob
        self._longest_retry = timing.longest_retry
        self._retry, self._align, self._align_loss = map(
            clocks, (timing.retry, timing.align, timing.align_loss))
        self._longest_reference = timing.longest_reference
        self._signal_loss, self._oob_end, self._comwake_end, self._reference, self._dword_loss = map(clocks, (
            timing.signal_loss, timing.oob_end, timing.comwake_end, timing.reference, timing.dword_loss))
        self._dwell = round(timing.dwell * clock_hz)
        super().__init__({
            "reset": In(1), "limit": In(2), "rate": In(2), "generation": Out(2),
            "oob": In(OobSignature()), "heard": In(HeardSignature()),
            "step": In(1), "line": Out(Line), "inverted": Out(1), "receive": Out(1),
            "restart": Out(1), "restarting": In(1),
            "started": Out(1), "ready": Out(1),
            "state": Out(PhyState, init=PhyState.HR_AwaitCOMINIT),
            "fell": Out(1), "fall": Out(Fall),
            **({"tx_com": Out(HardOobTxSignature())} if hard_oob else {}),
        })

    def elaborate(self, platform):
        m = Module()
        state, oob = self.state, self.oob
        m.submodules.generator = generator = self._generator
        if self._hard_oob:
            connect(m, generator.tx, flipped(self.tx_com))
        m.submodules.interval = interval = ComresetInterval(self._retry, self._longest_retry)
        m.submodules.line_rate = line_rate = self._rate
        m.submodules.monitor = monitor = DwordMonitor(self._dword_loss)
        connect(m, flipped(self.heard), monitor.heard)

        seen = Signal(Seen)
        timer = Signal(range(max(self._align, self._align_loss)))
        m.d.sync += timer.eq(timer - 1)
        with m.Switch(state):
            self._oob_states(m, seen, timer, generator, interval)
            self._dword_states(m, seen, timer, monitor, interval)
            with m.Default():
                m.d.sync += state.eq(PhyState.HR_AwaitCOMINIT)

        # What the states need to know.
        idle = state == PhyState.HR_AwaitCOMINIT
        sending_align = state == PhyState.HR_SendAlign
        negotiating = sending_align | (state == PhyState.HR_SendSync)
        ready = state == PhyState.HR_Ready
        expected = (state == PhyState.HR_AwaitAlign) | negotiating | ready
        m.d.comb += [
            seen.settled.eq(self.rate == line_rate.generation),
            seen.silent.eq(self._lasted(m, "silence", self._signal_loss, ~oob.active)),
            seen.rested.eq(self._lasted(m, "pause", self._signal_loss, idle)),
            seen.cominit_over.eq(self._lasted(m, "cominit", self._oob_end, state == PhyState.HR_AwaitNoCOMINIT)),
            seen.comwake_over.eq(self._lasted(m, "comwake", self._comwake_end, state == PhyState.HR_AwaitNoCOMWAKE)),
            seen.dwelt.eq(self._lasted(m, "dwell", self._dwell, sending_align)
                          if self._dwell else 0),
        ]
        cominit = Signal()
        m.d.comb += seen.cominit.eq(cominit)
        with m.If(~expected | monitor.arriving):
            m.d.sync += cominit.eq(0)
        with m.Elif(oob.cominit):
            m.d.sync += cominit.eq(1)

        # Where nothing good arrives the receiver starts over, and has three times as long for every
        # second attempt: it may lock slowly. Its time at the reference doubles with each try without ALIGN.
        held = Signal(range(self._reference * self._longest_reference + 1))
        doublings = Signal(range(self._longest_reference.bit_length()))
        failed = Signal()
        most = self._longest_reference.bit_length() - 1
        with m.If(failed & (state == PhyState.HR_AwaitAlign) & (doublings != most)):
            m.d.sync += doublings.eq(doublings + 1)
        turn = Signal(2)
        with m.If(held != 0):
            m.d.sync += held.eq(held - 1)
        with m.Elif(monitor.absent & ((turn == 0) | (turn == 3))):
            m.d.sync += held.eq(self._reference << doublings)
            m.d.comb += self.restart.eq(1)
        # Where COMINIT ends a try, COMWAKE follows: the receiver has to hear it.
        with m.If(expected & self.fell & (self.fall != Fall.COMINIT)):
            m.d.comb += self.restart.eq(1)
        with m.If(~expected | monitor.arriving):
            m.d.sync += turn.eq(0)
        with m.Elif(monitor.absent):
            m.d.sync += turn.eq(turn + 1)
        m.d.comb += [
            self.receive.eq(expected & (held == 0) & ~self.restarting),
            monitor.expected.eq(self.receive),
            monitor.negotiating.eq(negotiating),
            self.started.eq(ready | (state == PhyState.HR_SendSync)),
            self.ready.eq(ready),
            interval.succeeded.eq(ready),
        ]

        # COMRESET and another line rate end everything.
        m.d.comb += [
            line_rate.limit.eq(self.limit),
            line_rate.next_lower.eq(failed & (self.fall == Fall.NO_ALIGN)),
            self.generation.eq(line_rate.generation),
            generator.generation.eq(line_rate.generation),
            generator.step.eq(self.step),
            failed.eq(self.fell),
        ]
        with m.If(~state.matches(PhyState.HR_AwaitCOMINIT, PhyState.HR_Reset)):
            with m.If(self.reset | ~seen.settled):
                self._fall(m, Mux(self.reset, Fall.RESET, Fall.RATE))
                m.d.comb += failed.eq(0)
        # ALIGN came, but what went out was not understood: perhaps P and N are swapped.
        with m.If(negotiating & failed):
            m.d.sync += self.inverted.eq(~self.inverted)
        restarts = self.reset & (state != PhyState.HR_Reset) & ~generator.start
        m.d.comb += [interval.restart.eq(restarts),
                     line_rate.restart.eq(restarts | ready & failed)]
        return m

    def _oob_states(self, m, seen, timer, generator, interval):
        """HP1 to HP5B: nothing but OOB signals goes either way."""
        oob = self.oob

        # HP2: HR_AwaitCOMINIT. A try that fails ends here, unless COMINIT begins the next one.
        with m.Case(PhyState.HR_AwaitCOMINIT):
            with m.If(seen.settled & ~generator.busy):
                with m.If(interval.over & seen.rested):
                    m.d.comb += [generator.start.eq(1), interval.begin.eq(1)]
                    m.d.sync += self.state.eq(PhyState.HR_Reset)
                with m.Elif(oob.cominit & ~interval.over):
                    m.d.sync += self.state.eq(PhyState.HR_AwaitNoCOMINIT)

        # HP1: HR_Reset. COMRESET goes out.
        with m.Case(PhyState.HR_Reset):
            m.d.comb += [self.line.eq(generator.line), generator.start.eq(self.reset)]
            with m.If(~generator.busy & ~self.reset | ~seen.settled):
                m.d.sync += self.state.eq(PhyState.HR_AwaitCOMINIT)

        # HP2B: HR_AwaitNoCOMINIT. HP3: HR_Calibrate is not needed.
        with m.Case(PhyState.HR_AwaitNoCOMINIT):
            with m.If(~oob.cominit | seen.cominit_over):
                m.d.comb += [generator.start.eq(1), generator.wake.eq(1)]
                m.d.sync += self.state.eq(PhyState.HR_COMWAKE)

        # HP4: HR_COMWAKE. COMWAKE goes out.
        with m.Case(PhyState.HR_COMWAKE):
            m.d.comb += self.line.eq(generator.line)
            with m.If(~generator.busy):
                m.d.sync += self.state.eq(PhyState.HR_AwaitCOMWAKE)
            with m.Elif(interval.over):
                self._fall(m, Fall.NO_COMWAKE)

        # HP5: HR_AwaitCOMWAKE
        with m.Case(PhyState.HR_AwaitCOMWAKE):
            # From the drive's first burst on, GAP lets a slow transmitter leave electrical idle.
            m.d.comb += self.line.eq(Mux(seen.silent, Line.IDLE, Line.GAP))
            with m.If(oob.comwake):
                m.d.sync += self.state.eq(PhyState.HR_AwaitNoCOMWAKE)
            with m.Elif(interval.over):
                self._fall(m, Fall.NO_COMWAKE)
            with m.Elif(oob.cominit):
                self._fall(m, Fall.COMINIT, PhyState.HR_AwaitNoCOMINIT)

        # HP5B: HR_AwaitNoCOMWAKE
        with m.Case(PhyState.HR_AwaitNoCOMWAKE):
            m.d.comb += self.line.eq(Line.GAP)
            m.d.sync += timer.eq(self._align - 1)
            with m.If(~oob.comwake | seen.comwake_over):
                m.d.sync += self.state.eq(PhyState.HR_AwaitAlign)

    def _dword_states(self, m, seen, timer, monitor, interval):
        """HP6 to HP8: dwords go out."""
        gone = monitor.absent & seen.silent

        def begins_anew():
            """The drive began anew before there was a link, and awaits COMWAKE."""
            with m.If(gone & seen.cominit):
                self._fall(m, Fall.COMINIT, Mux(interval.over, PhyState.HR_AwaitCOMINIT,
                                                PhyState.HR_AwaitNoCOMINIT))

        def becomes_ready():
            m.d.sync += [timer.eq(self._align_loss - 1), self.state.eq(PhyState.HR_Ready)]

        def unanswered():
            with m.If(timer == 0):
                self._fall(m, Fall.NO_DWORDS)
            with m.Elif(gone):
                self._fall(m, Fall.SIGNAL)
            begins_anew()

        # HP6: HR_AwaitAlign. D10.2 goes out. A new try takes the place of HP11: HR_AdjustSpeed.
        with m.Case(PhyState.HR_AwaitAlign):
            m.d.comb += self.line.eq(Line.WAIT)
            with m.If(monitor.aligned):
                m.d.sync += self.state.eq(PhyState.HR_SendAlign)
            with m.If(timer == 0):
                self._fall(m, Fall.NO_ALIGN)
            begins_anew()

        # HP7: HR_SendAlign. ALIGN goes out.
        with m.Case(PhyState.HR_SendAlign):
            m.d.comb += self.line.eq(Line.DWORD)
            with m.If(monitor.others_in_a_row):
                becomes_ready()
            with m.Else():
                with m.If(seen.dwelt & self.heard.align):
                    m.d.sync += self.state.eq(PhyState.HR_SendSync)
                unanswered()

        # Not a state of the specification: SYNC goes out to a drive that continues with ALIGN.
        with m.Case(PhyState.HR_SendSync):
            m.d.comb += self.line.eq(Line.DWORD)
            with m.If(monitor.others):
                becomes_ready()
            with m.Else():
                unanswered()

        # HP8: HR_Ready
        with m.Case(PhyState.HR_Ready):
            m.d.comb += self.line.eq(Line.DWORD)
            with m.If(self.heard.align):
                m.d.sync += timer.eq(self._align_loss - 1)
            with m.If(timer == 0):
                self._fall(m, Fall.ALIGN_LOSS)
            with m.Elif(gone):
                self._fall(m, Mux(seen.cominit, Fall.COMINIT, Fall.SIGNAL))

    def _fall(self, m, reason, state=PhyState.HR_AwaitCOMINIT):
        """The try or the link ends."""
        m.d.comb += [self.fell.eq(1), self.fall.eq(reason)]
        m.d.sync += self.state.eq(state)

    @staticmethod
    def _lasted(m, name, clocks, condition):
        """Whether ``condition`` has held for this many clocks."""
        left = Signal(range(clocks), init=clocks - 1, name=f"{name}_left")
        with m.If(~condition):
            m.d.sync += left.eq(clocks - 1)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        return left == 0
