"""Judges a link by the dwords that arrive, which are better witnesses than a signal detector.

Serial ATA Revision 3.x, phy layer, host phy initialization: HP6 and HP7.
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["ALIGNS", "DwordMonitor", "GOOD", "HeardSignature", "OTHERS"]

#: ALIGN in a row, free of errors, that count as ALIGN detected.
ALIGNS = 4
#: Primitives other than ALIGN that end the negotiation (HP7: HR_SendAlign).
OTHERS = 3
#: Dwords in a row without an error that noise hardly has: about one dword of 200 in it seems good.
GOOD = 4


class HeardSignature(wiring.Signature):
    """What kind of dword arrived, each for one clock, seen from the receiver.

    Members
    -------
    align : Out(1)      ALIGN, received or dropped by the elastic buffer, perhaps next to another.
    primitive : Out(1)  A primitive other than ALIGN; all four bytes are its own.
    data : Out(1)       A dword without an error that is no primitive.
    bad : Out(1)        A dword with an error.
    """

    def __init__(self):
        super().__init__({"align": Out(1), "primitive": Out(1), "data": Out(1), "bad": Out(1)})


class DwordMonitor(wiring.Component):
    """Counts what arrives.

    Parameters
    ----------
    clocks : int
        Clocks without :data:`GOOD` good dwords in a row from one ``absent`` to the next.

    Members
    -------
    heard : In(HeardSignature)
        What arrives.
    expected : In(1)
        Dwords are expected. While it is low all counts are 0.
    negotiating : In(1)
        ALIGN goes out, or what follows it. While it is low no ``others`` are counted.
    aligned : Out(1)
        In this clock ALIGN arrives for the fourth time in a row.
    others_in_a_row : Out(1)
        In this clock the third primitive other than ALIGN arrives without anything between.
    others : Out(1)
        Three primitives other than ALIGN have arrived while ``negotiating``.
    arriving : Out(1)
        In this clock a good dword arrives for the fourth time in a row.
    absent : Out(1)
        In this clock no good dwords have arrived for too long, or for as long again.
    """

    heard: In(HeardSignature())
    expected: In(1)
    negotiating: In(1)
    aligned: Out(1)
    others_in_a_row: Out(1)
    others: Out(1)
    arriving: Out(1)
    absent: Out(1)

    def __init__(self, clocks):
        self._clocks = clocks
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        heard = self.heard
        good = heard.align | heard.primitive | heard.data
        left = Signal(range(self._clocks), init=self._clocks - 1)
        total = Signal(range(OTHERS + 1))
        m.d.comb += [
            self.aligned.eq(self._in_a_row(
                m, "aligns", heard.align, heard.primitive | heard.data | heard.bad, ALIGNS,
                restart=~self.expected)),
            self.others_in_a_row.eq(self._in_a_row(
                m, "primitives", heard.primitive, heard.align | heard.data | heard.bad, OTHERS,
                restart=~self.negotiating)),
            self.arriving.eq(self._in_a_row(
                m, "good", good, heard.bad, GOOD, restart=~self.expected)),
            self.others.eq(total == OTHERS),
            self.absent.eq(left == 0),
        ]
        with m.If(~self.negotiating):
            m.d.sync += total.eq(0)
        with m.Elif(heard.primitive & ~self.others):
            m.d.sync += total.eq(total + 1)
        with m.If(~self.expected | self.arriving | self.absent):
            m.d.sync += left.eq(self._clocks - 1)
        with m.Else():
            m.d.sync += left.eq(left - 1)
        return m

    @staticmethod
    def _in_a_row(m, name, wanted, unwanted, count, *, restart):
        """Whether ``wanted`` comes for the ``count``-th time without ``unwanted`` between."""
        seen = Signal(range(count), name=name)
        with m.If(restart | unwanted & ~wanted):
            m.d.sync += seen.eq(0)
        with m.Elif(wanted):
            m.d.sync += seen.eq(seen + 1)
        return wanted & (seen == count - 1)
