# amaranth: UnusedElaboratable=no
"""Clocks of the words, and the reference: cells of the 7-series outside the transceiver."""

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .rates import mmcm

__all__ = ["HalfClock", "Mmcm", "QuadReference", "MmcmReference", "REFERENCE_HZ"]

#: What a :class:`MmcmReference` makes.
REFERENCE_HZ = 150e6


class Mmcm(wiring.Component):
    """Multiplies and divides a clock, with the cell MMCME2_BASE; each output has a global buffer (Xilinx UG472).

    Parameters
    ----------
    input_hz : float
        Frequency of ``input``.
    output_hz : list of float
        Frequencies of ``outputs``, one or two; ``ValueError`` if they cannot all be made exactly.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    input : In(1)
        This clock is multiplied. It is on a clock net.
    reset : In(1)
        Asynchronous. The cell starts over; it must be high whenever ``input`` was interrupted.
    outputs : Out(len(output_hz))
        These are the clocks, the first one in bit 0; their rising edges coincide.
    locked : Out(1)
        Asynchronous. The outputs have their frequencies.
    """

    def __init__(self, input_hz, output_hz, *, cell=Instance):
        self._input_hz = input_hz
        self._plan = mmcm(input_hz, output_hz)
        self._cell = cell
        super().__init__({"input": In(1), "reset": In(1), "outputs": Out(len(output_hz)), "locked": Out(1)})

    def elaborate(self, platform):
        m = Module()
        multiplier, divider, outputs = self._plan
        feedback = Signal()
        made = [Signal(name=f"made{n}") for n in range(len(outputs))]
        # The first output has a divider of its own kind.
        dividers = {"CLKOUT0_DIVIDE_F": float(outputs[0]),
                    **{f"CLKOUT{n}_DIVIDE": value for n, value in enumerate(outputs) if n}}
        m.submodules.mmcm = self._cell(
            "MMCME2_BASE",
            p_BANDWIDTH="OPTIMIZED", p_CLKFBOUT_MULT_F=float(multiplier), p_CLKFBOUT_PHASE=0.0,
            p_CLKIN1_PERIOD=1e9 / self._input_hz, p_DIVCLK_DIVIDE=divider, p_REF_JITTER1=0.01,
            p_STARTUP_WAIT="FALSE",
            **{f"p_{name}": value for name, value in dividers.items()},
            **{f"p_CLKOUT{n}_{name}": value for n in range(len(outputs))
               for name, value in (("DUTY_CYCLE", 0.5), ("PHASE", 0.0))},
            i_CLKIN1=self.input, i_CLKFBIN=feedback, o_CLKFBOUT=feedback, i_PWRDWN=Const(0), i_RST=self.reset,
            o_LOCKED=self.locked, **{f"o_CLKOUT{n}": clock for n, clock in enumerate(made)})
        for n, clock in enumerate(made):
            m.submodules[f"buffer_{n}"] = self._cell("BUFG", i_I=clock, o_O=self.outputs[n])
        return m


class HalfClock(wiring.Component):
    """A clock, and every second pulse of it, with the cells BUFG and BUFGCE; their rising edges coincide.

    An MMCM would do, too, but it needs up to 100 us to lock again (Xilinx DS181) when its input, the recovered clock,
    was away; a drive sends ALIGN for 54.6 us at a speed.

    Parameters
    ----------
    domain : str            The domain of the faster clock, without a reset.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    input : In(1)           This clock comes from the transceiver.
    full : Out(1)           It is ``input``, on a clock net.
    half : Out(1)           It is every second pulse of it, so it is high for a quarter of the time.
    """

    def __init__(self, domain, *, cell=Instance):
        self._domain = domain
        self._cell = cell
        super().__init__({"input": In(1), "full": Out(1), "half": Out(1)})

    def elaborate(self, platform):
        m = Module()
        enable = Signal()
        m.d[self._domain] += enable.eq(~enable)
        m.submodules.all = self._cell("BUFG", i_I=self.input, o_O=self.full)
        m.submodules.second = self._cell("BUFGCE", i_I=self.input, i_CE=enable, o_O=self.half)
        return m


class QuadReference(wiring.Component):
    """Takes the reference from the pads that a Quad has for it (UG482, UG476, IBUFDS_GTE2).

    Parameters
    ----------
    p, n : the pads, as ``Instance`` takes them
    half : bool             ``half`` is needed.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    output : Out(1)         The reference leads to the transceiver, without passing through the fabric.
    half : Out(1)           With ``half``, this is half its frequency, on a clock net; otherwise 0.
    locked : Out(1)         1: there is no PLL that could lose its lock.
    """

    #: What selects the input of the transceiver to which ``output`` leads (PLL0REFCLKSEL, CPLLREFCLKSEL).
    SELECTED = 0b001

    def __init__(self, p, n, *, half=False, cell=Instance):
        self._pads = p, n
        self._half = half
        self._cell = cell
        super().__init__({"output": Out(1), "locked": Out(1, init=1), "half": Out(1)})

    def elaborate(self, platform):
        m = Module()
        p, n = self._pads
        divided = Signal()
        m.submodules.buffer = self._cell(
            "IBUFDS_GTE2", p_CLKCM_CFG="TRUE", p_CLKRCV_TRST="TRUE", p_CLKSWING_CFG=Const(0b11, 2),
            i_I=p, i_IB=n, i_CEB=Const(0), o_O=self.output, **({"o_ODIV2": divided} if self._half else {}))
        if self._half:
            m.submodules.half_buffer = self._cell("BUFG", i_I=divided, o_O=self.half)
        return m


class MmcmReference(wiring.Component):
    """Makes the reference from a clock of the fabric, with an MMCM that makes nothing else.

    UG482 and UG476 reserve this way (GTGREFCLK) for tests, because of its jitter, and a check of Vivado complains.
    Boards without another oscillator link this way nevertheless (LiteSATA, issue 22 and its bench for the KC705).

    Parameters
    ----------
    input_hz : float
        Frequency of ``clock``; ``ValueError`` if no MMCM makes 150 MHz from it.
    half : bool
        ``half`` is needed.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    clock : In(1)           The MMCM multiplies this clock.
    output : Out(1)         The reference leads to the transceiver.
    half : Out(1)           With ``half``, this is half its frequency, on a clock net; otherwise 0.
    locked : Out(1)         Asynchronous. ``output`` has its frequency.
    """

    SELECTED = 0b111

    def __init__(self, input_hz, *, half=False, cell=Instance):
        self._half = half
        self._mmcm = Mmcm(input_hz, [REFERENCE_HZ, *[REFERENCE_HZ / 2] * half], cell=cell)
        super().__init__({"clock": In(1), "output": Out(1), "locked": Out(1), "half": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.mmcm = made = self._mmcm
        m.d.comb += [made.input.eq(self.clock), self.output.eq(made.outputs[0]), self.locked.eq(made.locked)]
        if self._half:
            m.d.comb += self.half.eq(made.outputs[1])
        return m
