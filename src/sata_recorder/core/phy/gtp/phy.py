# amaranth: UnusedElaboratable=no
"""The PHY on a GTP of the 7-series, with the PLL of its Quad and its reference: ready for the dword port."""

from dataclasses import replace
from types import SimpleNamespace

from amaranth.hdl import Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ....interface import PHY_STATUS
from ..phy import Phy
from ..port import DwordPort
from ..timing import Timing
from .clocking import QuadReference, MmcmReference
from .common import GtpCommon
from .serdes import GtpSerdes, word_domains

__all__ = ["GtpPhy"]


class GtpPhy(wiring.Component):
    """A :class:`.phy.Phy` with its SERDES, the PLL and the reference of that, and its clock domains.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``.
    back_end : :class:`.Gtp`
        The options.
    pads : dict
        Name of each of ``back_end.pins()`` to what ``Instance`` takes for it.
    cell : ``Instance``, or what replaces it in a test
    timing : Timing
        For :class:`.phy.Phy`; ``dwell`` is that of ``back_end``.
    options : dict
        For :class:`.GtpSerdes`.

    Members
    -------
    port : In(DwordPort)
        The dword port leads to the link layer.
    status : In(PHY_STATUS.signature)
        The PHY reports about itself here, see the table in :mod:`...interface`; all is 0 if not
        ``back_end.observed``. What is measured of bursts and gaps stays as after ``clear``, ``rx_active`` is 0.
    reference_clk : In(1)
        With ``reference`` = ``pll`` the reference of the SERDES is made from this clock; else it has no effect.
    transmitting : Out(1)
        The PLL is locked and the transmitter out of reset. It is for an indicator.
    receiving : Out(1)
        The receiver is out of reset. It is for an indicator.
    """

    def __init__(self, clock_hz, back_end, pads, *, cell=Instance, timing=Timing(), **options):
        self._observed = back_end.observed
        timing = replace(timing, dwell=back_end.dwell_us / 1e6)
        generations = back_end.generation, back_end.generation
        self._phy = Phy(clock_hz, gearing=4, generations=generations, timing=timing, hard_oob=True,
                        observed=self._observed)
        self._serdes = GtpSerdes(
            clock_hz, back_end, *(SimpleNamespace(p=pads[f"sata_{way}_p"], n=pads[f"sata_{way}_n"])
                                  for way in ("tx", "rx")), cell=cell, **options)
        clock = back_end.reference_clk_hz
        self._reference = (MmcmReference(clock, cell=cell) if clock else QuadReference(
            pads["sata_refclk_p"], pads["sata_refclk_n"], cell=cell))
        self._common = GtpCommon(back_end.pll_reference_hz, self._reference.SELECTED, self._reference.PORT, cell=cell)
        super().__init__({
            "port": In(DwordPort()), "status": In(PHY_STATUS.signature),
            "transmitting": Out(1), "receiving": Out(1), "reference_clk": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.domains += word_domains()
        m.submodules.phy = phy = self._phy
        m.submodules.serdes = serdes = self._serdes
        m.submodules.clocking = reference = self._reference
        m.submodules.common = common = self._common
        if isinstance(reference, MmcmReference):
            m.d.comb += reference.clock.eq(self.reference_clk)
        m.d.comb += [
            common.reference.eq(reference.output),
            common.reset.eq(serdes.pll_reset),
            serdes.clock.eq(common.clock),
            serdes.refclk.eq(common.refclk),
            serdes.pll_locked.eq(common.locked),
            serdes.referenced.eq(reference.locked),
            self.transmitting.eq(serdes.transmitting),
            self.receiving.eq(serdes.receiving),
        ]
        connect(m, phy.serdes, serdes.port)
        connect(m, flipped(self.port), phy.port)
        if self._observed:
            connect(m, flipped(self.status), phy.status)
        return m
