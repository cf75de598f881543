# amaranth: UnusedElaboratable=no
"""The PHY on a channel of the ECP5's DCU, with its reference: ready for the dword port."""

from dataclasses import replace
from types import SimpleNamespace

from amaranth.hdl import Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ....interface import PHY_STATUS
from ..phy import Phy
from ..port import DwordPort
from ..timing import Timing
from .reference import PadReference, PllReference
from .serdes import Ecp5Serdes, word_domains

__all__ = ["Ecp5Phy"]


class Ecp5Phy(wiring.Component):
    """A :class:`.phy.Phy` with its SERDES, its reference and its clock domains ``tx`` and ``rx``.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``.
    back_end : :class:`.Ecp5`
        The options.
    pads : dict
        Name of each of ``back_end.pins()`` to what ``Instance`` takes for it.
    cell : ``Instance``, or what replaces it in a test
    timing : Timing
        For :class:`.phy.Phy`; ``dwell`` is that of ``back_end``.
    options : dict
        For :class:`.Ecp5Serdes`.

    Members
    -------
    port : In(DwordPort)
        The dword port leads to the link layer.
    status : In(PHY_STATUS.signature)
        The PHY reports about itself here, see the table in :mod:`...interface`; all is 0 if not
        ``back_end.observed``.
    reference_clk : In(1)
        With ``reference`` = ``pll`` only: the reference of the SERDES is made from this clock.
    transmitting : Out(1)
        The PLL is locked and the transmitter out of reset. It is for an indicator.
    receiving : Out(1)
        The clock recovery is locked and the receiver out of reset. It is for an indicator.
    """

    def __init__(self, clock_hz, back_end, pads, *, cell=Instance, timing=Timing(), **options):
        self._observed = back_end.observed
        timing = replace(timing, dwell=back_end.dwell_us / 1e6)
        self._phy = Phy(clock_hz, observed=self._observed, timing=timing)
        self._serdes = Ecp5Serdes(
            clock_hz, back_end, *(SimpleNamespace(p=pads[f"sata_{way}_p"], n=pads[f"sata_{way}_n"])
                                  for way in ("tx", "rx")), cell=cell, **options)
        clock = back_end.reference_clk_hz
        self._reference = (PllReference(clock, cell=cell) if clock else PadReference(
            pads["sata_refclk_p"], pads["sata_refclk_n"], cell=cell))
        super().__init__({
            "port": In(DwordPort()), "status": In(PHY_STATUS.signature),
            "transmitting": Out(1), "receiving": Out(1),
            **({"reference_clk": In(1)} if clock else {})})

    def elaborate(self, platform):
        m = Module()
        m.domains += word_domains()
        m.submodules.phy = phy = self._phy
        m.submodules.serdes = serdes = self._serdes
        m.submodules.clocking = reference = self._reference
        if isinstance(reference, PllReference):
            m.d.comb += reference.clock.eq(self.reference_clk)
        m.d.comb += [
            serdes.reference.eq(reference.output),
            serdes.referenced.eq(reference.locked),
            self.transmitting.eq(serdes.transmitting),
            self.receiving.eq(serdes.receiving),
        ]
        connect(m, phy.serdes, serdes.port)
        connect(m, flipped(self.port), phy.port)
        if self._observed:
            connect(m, flipped(self.status), phy.status)
        return m
