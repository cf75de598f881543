# amaranth: UnusedElaboratable=no
"""The PHY on a GTX of the 7-series, with its reference: ready for the dword port."""

from dataclasses import replace

from amaranth.hdl import Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..lanes import add_lanes, lane_members, lane_pads
from ..phy import Phy
from ..series7.clocking import MmcmReference, QuadReference
from ..timing import Timing
from .rates import oob_clock_hz
from .serdes import GtxSerdes, raw_word_domains

__all__ = ["GtxPhy"]


class GtxPhy(wiring.Component):
    """A :class:`.phy.Phy` with its SERDES and clock domains for each lane, and the reference of all.

    Each channel has a PLL of its own, so no lane depends on another one.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``.
    back_end : :class:`.Gtx`
        The options.
    pads : dict
        Name of each of ``back_end.pins()`` to what ``Instance`` takes for it.
    cell : ``Instance``, or what replaces it in a test
    timing : Timing
        For :class:`.phy.Phy`; ``dwell`` is that of ``back_end``.
    options : dict
        For :class:`.GtxSerdes`.

    Members
    -------
    port, status, transmitting, receiving, others
        As :func:`..lanes.lane_members` has them. What is measured of bursts and gaps stays as after ``clear``, and
        ``rx_active`` is 0.
    reference_clk : In(1)
        With ``reference`` = ``pll`` the reference of the SERDES is made from this clock; else it has no effect.
    """

    def __init__(self, clock_hz, back_end, pads, *, cell=Instance, timing=Timing(), **options):
        self._observed = back_end.observed
        timing = replace(timing, dwell=back_end.dwell_us / 1e6)
        generations = back_end.generation, back_end.generation
        reference_hz, clock = back_end.pll_reference_hz, back_end.reference_clk_hz
        self._half = oob_clock_hz(back_end.generation, reference_hz) != reference_hz
        self._reference = (MmcmReference(clock, half=self._half, cell=cell) if clock else QuadReference(
            pads["sata_refclk_p"], pads["sata_refclk_n"], half=self._half, cell=cell))
        self._parts = [
            (Phy(clock_hz, gearing=4, generations=generations, timing=timing, hard_oob=True, observed=self._observed),
             GtxSerdes(clock_hz, back_end, *lane_pads(pads, lane), self._reference.SELECTED, cell=cell, **options))
            for lane in range(back_end.lanes)]
        super().__init__({**lane_members(back_end.lanes), "reference_clk": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.clocking = reference = self._reference
        add_lanes(m, self, self._parts, raw_word_domains, observed=self._observed)
        if isinstance(reference, MmcmReference):
            m.d.comb += reference.clock.eq(self.reference_clk)
        for _, serdes in self._parts:
            m.d.comb += [serdes.reference.eq(reference.output), serdes.referenced.eq(reference.locked)]
            if self._half:
                m.d.comb += serdes.oob_clock.eq(reference.half)
        return m
