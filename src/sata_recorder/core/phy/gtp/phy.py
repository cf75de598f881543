# amaranth: UnusedElaboratable=no
"""The PHY on a GTP of the 7-series, with the PLL of its Quad and its reference: ready for the dword port."""

from dataclasses import replace

from amaranth.hdl import Cat, Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..lanes import add_lanes, lane_members, lane_pads
from ..phy import Phy
from ..series7.clocking import MmcmReference, QuadReference
from ..timing import Timing
from .common import GtpCommon
from .serdes import GtpSerdes, word_domains

__all__ = ["GtpPhy"]


class GtpPhy(wiring.Component):
    """A :class:`.phy.Phy` with its SERDES and clock domains for each lane, and the PLL of all with its reference.

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
        self._parts = [
            (Phy(clock_hz, gearing=4, generations=generations, timing=timing, hard_oob=True, observed=self._observed),
             GtpSerdes(clock_hz, back_end, *lane_pads(pads, lane), cell=cell, **options))
            for lane in range(back_end.lanes)]
        clock = back_end.reference_clk_hz
        self._reference = (MmcmReference(clock, cell=cell) if clock else QuadReference(
            pads["sata_refclk_p"], pads["sata_refclk_n"], cell=cell))
        self._common = GtpCommon(back_end.pll_reference_hz, self._reference.SELECTED, cell=cell)
        super().__init__({**lane_members(back_end.lanes), "reference_clk": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.clocking = reference = self._reference
        m.submodules.common = common = self._common
        add_lanes(m, self, self._parts, word_domains, observed=self._observed)
        if isinstance(reference, MmcmReference):
            m.d.comb += reference.clock.eq(self.reference_clk)
        every = [serdes for _, serdes in self._parts]
        m.d.comb += common.reference.eq(reference.output)
        # A lane that starts over takes no PLL away from one that sends.
        m.d.sync += common.reset.eq(Cat(serdes.pll_reset for serdes in every).any()
                                    & ~Cat(serdes.transmitting for serdes in every).any())
        for serdes in every:
            m.d.comb += [
                serdes.clock.eq(common.clock),
                serdes.refclk.eq(common.refclk),
                serdes.pll_locked.eq(common.locked),
                serdes.referenced.eq(reference.locked),
            ]
        return m
