"""Out-of-band signals: COMRESET and COMWAKE out, COMINIT and COMWAKE in.

Serial ATA Revision 3.x, phy layer, OOB signaling.
"""

import enum
from math import ceil, floor

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["OobDetector", "OobGenerator", "OobSignature", "Line", "window"]

#: Bursts of a signal. One that goes on has a multiple of these.
BURSTS = 6
#: Dwords of the Gen1 line in a burst (160 UI of 1.5 Gb/s: 106.7 ns), in the gap that follows it
#: in COMWAKE (the same), and in COMRESET (480 UI, 320 ns).
BURST, WAKE_GAP, RESET_GAP = 4, 4, 12
#: Before the first burst a gap of 853 ns: time for a transmitter to leave electrical idle (one is
#: known that takes up to 427 ns, and twice as long to its full level).
LEAD = 32

#: Gaps that may be taken for COMWAKE and COMINIT, in s.
WAKE_WINDOW = 35e-9, 175e-9
INIT_WINDOW = 175e-9, 525e-9
#: Gaps that must be: the nominal 106.7 and 320 ns, 5 % either way. The SATA-IO Unified Test Document
#: (OOB-06 and OOB-07) tests 155 and 165, 459 and 501 UI: 103.3 and 110, 306 and 334 ns.
WAKE_MUST = 101.3e-9, 112e-9
INIT_MUST = 304e-9, 336e-9
#: Gaps in a row that make a signal: four bursts of the six.
GAPS = 3


class Line(enum.IntEnum):
    """What is on the line for the time of a dword."""

    IDLE = 0        # nothing
    GAP = 1         # nothing, within an OOB signal
    BURST = 2       # OOB burst
    WAIT = 3        # D10.2
    DWORD = 4       # a dword


class OobSignature(wiring.Signature):
    """What is received out of band, seen from the detector.

    Members
    -------
    active : Out(1)     There is a signal on the line.
    cominit : Out(1)    COMINIT is being received.
    comwake : Out(1)    COMWAKE is being received.
    """

    def __init__(self):
        super().__init__({"active": Out(1), "cominit": Out(1), "comwake": Out(1)})


class OobGenerator(wiring.Component):
    """Sends COMRESET or COMWAKE: a long gap, then six bursts with a gap after each.

    Members
    -------
    start : In(1)
        Begins a signal while ``busy`` is low. If it is high at the end of the signal, six more
        bursts follow.
    wake : In(1)
        With ``start`` while ``busy`` is low, the signal is COMWAKE if this is high, else COMRESET.
    generation : In(2)
        This is the line rate, 1 to 3.
    step : In(1)
        The line takes what ``line`` states, for the time of a dword.
    busy : Out(1)
        A signal is being sent.
    line : Out(Line)
        This is what the line takes next: GAP or BURST while ``busy``, else IDLE.
    """

    start: In(1)
    wake: In(1)
    generation: In(2)
    step: In(1)
    busy: Out(1)
    line: Out(Line)

    def elaborate(self, platform):
        m = Module()
        most = 4 * max(BURST, WAKE_GAP, RESET_GAP, LEAD)
        left = Signal(range(most))
        bursts = Signal(range(BURSTS + 1))
        gap = Signal()
        short = Signal()

        def dwords(count):
            """``count`` dwords of Gen1 in dwords of this line, less 1."""
            return Mux(self.generation == 3, 4 * count - 1,
                       Mux(self.generation == 2, 2 * count - 1, count - 1))

        m.d.comb += self.line.eq(Mux(self.busy, Mux(gap, Line.GAP, Line.BURST), Line.IDLE))
        with m.If(~self.busy):
            with m.If(self.start):
                m.d.sync += [self.busy.eq(1), short.eq(self.wake), gap.eq(1),
                             left.eq(dwords(LEAD)), bursts.eq(BURSTS)]
        with m.Elif(self.step):
            m.d.sync += left.eq(left - 1)
            with m.If(left == 0):
                m.d.sync += gap.eq(~gap)
                with m.If(~gap):
                    m.d.sync += left.eq(Mux(short, dwords(WAKE_GAP), dwords(RESET_GAP)))
                with m.Else():
                    m.d.sync += [left.eq(dwords(BURST)), bursts.eq(bursts - 1)]
                    with m.If(bursts == 0):
                        m.d.sync += [bursts.eq(BURSTS - 1), self.busy.eq(self.start)]
        return m


def window(limits, must, clock_hz):
    """The fewest and the most clocks for which a gap may be seen that is certainly within ``limits``, in s.

    A gap of T s is seen for more than T * clock_hz - 1 and less than T * clock_hz + 1 clocks.
    Raises ``ValueError`` where some gap within ``must`` would be left out.
    """
    first, last = ceil(limits[0] * clock_hz) + 1, floor(limits[1] * clock_hz) - 1
    if first > floor(must[0] * clock_hz) or last < ceil(must[1] * clock_hz):
        raise ValueError(f"clock_hz is {clock_hz:g}, too slow to distinguish the gaps of OOB signals "
                         f"from each other: 37.5e6 or more is enough")
    return first, last


class OobDetector(wiring.Component):
    """Recognises COMINIT and COMWAKE by their gaps.

    A gap counts if it is within the window of the specification even if sampling made it longer or
    shorter by a clock. A signal is there from the end of the third gap in a row until a gap is too
    short, or the line stays active or idle for longer than the longest gap of the signal.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync`` in Hz; ``ValueError`` if it is too slow. 37.5e6 or more is enough.

    Members
    -------
    active : In(1)
        There is a signal on the line. It is synchronous to ``sync``.
    oob : Out(OobSignature)
        The members show what is received out of band.
    burst : Out(1)
        A burst ends in this clock. One that is longer than any gap of a signal is not reported.
    gap : Out(1)
        A gap ends in this clock. One that is longer than any gap of a signal is not reported.
    length : Out(8)
        With ``burst`` or ``gap``, this is its length in clocks, 255 if it is longer.
    """

    def __init__(self, clock_hz):
        self._wake_window = window(WAKE_WINDOW, WAKE_MUST, clock_hz)
        self._init_window = window(INIT_WINDOW, INIT_MUST, clock_hz)
        super().__init__({"active": In(1), "oob": Out(OobSignature()), "burst": Out(1),
                          "gap": Out(1), "length": Out(8)})

    def elaborate(self, platform):
        m = Module()
        longest = max(self._wake_window[1], self._init_window[1])
        before = Signal()
        run = Signal(range(longest + 2))        # clocks since the last edge
        edge = Signal()
        m.d.sync += before.eq(self.active)
        m.d.comb += edge.eq(self.active != before)
        with m.If(edge):
            m.d.sync += run.eq(1)
        with m.Elif(run <= longest):
            m.d.sync += run.eq(run + 1)

        def detected(name, first, last):
            gaps = Signal(range(GAPS + 1), name=f"{name}_gaps")
            with m.If(run > last):
                m.d.sync += gaps.eq(0)
            with m.Elif(edge & self.active):
                with m.If(run < first):
                    m.d.sync += gaps.eq(0)
                with m.Elif(gaps != GAPS):
                    m.d.sync += gaps.eq(gaps + 1)
            return gaps == GAPS

        ended = edge & (run <= longest)
        m.d.comb += [
            self.burst.eq(ended & before),
            self.gap.eq(ended & ~before),
            self.length.eq(Mux(run > 255, 255, run) if longest > 255 else run),
            self.oob.active.eq(self.active),
            self.oob.comwake.eq(detected("comwake", *self._wake_window)),
            self.oob.cominit.eq(detected("cominit", *self._init_window)),
        ]
        return m
