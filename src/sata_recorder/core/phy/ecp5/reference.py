# amaranth: UnusedElaboratable=no
"""Where the DCU gets its reference of 150 MHz from."""

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .pll import Pll

__all__ = ["REFERENCE_HZ", "PadReference", "PllReference", "REFERENCE_NET"]

#: The reference of the DCU: 3 Gb/s are 20 bits at 150 MHz.
REFERENCE_HZ = 150e6
#: The net behind the buffer of a :class:`PllReference`; no flop hangs on it.
REFERENCE_NET = "serdes_reference"


class PllReference(wiring.Component):
    """Makes the reference from a clock of the fabric, with a PLL that makes nothing else.

    A PLL whose oscillator also makes other clocks is reported to link worse (LiteSATA, pull
    request 38). The oscillator runs at 750 MHz.

    Parameters
    ----------
    input_hz : float
        Frequency of ``clock``; ``ValueError`` if no PLL makes 150 MHz from it.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    clock : In(1)           The PLL multiplies this clock.
    output : Out(1)         The reference leads to the DCU.
    locked : Out(1)         Asynchronous. ``output`` has its frequency.
    """

    def __init__(self, input_hz, *, cell=Instance):
        self._pll = Pll(input_hz, [REFERENCE_HZ], cell=cell)
        self._cell = cell
        super().__init__({"clock": In(1), "output": Out(1), "locked": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.pll = pll = self._pll
        # A name and `keep` let the build find it in the netlist.
        reference = Signal(name=REFERENCE_NET, attrs={"keep": 1})
        # Else the reference goes to the DCU through the general routing.
        m.submodules.buffer = self._cell("DCCA", i_CLKI=pll.outputs[0], i_CE=Const(1),
                                         o_CLKO=reference)
        m.d.comb += [pll.input.eq(self.clock), self.output.eq(reference),
                     self.locked.eq(pll.locked)]
        return m


class PadReference(wiring.Component):
    """Takes the reference from the pads that a dual has for it (Lattice FPGA-TN-02206, EXTREFB).

    Parameters
    ----------
    p, n : the pads, as ``Instance`` takes them
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    output : Out(1)         The reference leads to the DCU, without passing through the fabric.
    locked : Out(1)         1: there is no PLL that could lose its lock.
    """

    def __init__(self, p, n, *, cell=Instance):
        self._pads = p, n
        self._cell = cell
        super().__init__({"output": Out(1), "locked": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        p, n = self._pads
        m.submodules.buffer = self._cell(
            "EXTREFB", p_REFCK_PWDNB="0b1", p_REFCK_RTERM="0b1", p_REFCK_DCBIAS_EN="0b0",
            i_REFCLKP=p, i_REFCLKN=n, o_REFCLKO=self.output)
        return m
