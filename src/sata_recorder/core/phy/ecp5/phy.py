# amaranth: UnusedElaboratable=no
"""The PHY on a channel of the ECP5's DCU, with its reference: ready for the dword port."""

from dataclasses import replace

from amaranth.hdl import Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..lanes import add_lanes, lane_members, lane_name, lane_pads
from ..phy import Phy
from ..timing import Timing
from .reference import PadReference, PllReference
from .serdes import Ecp5Serdes, word_domains

__all__ = ["Ecp5Phy"]


class Ecp5Phy(wiring.Component):
    """A :class:`.phy.Phy` with its SERDES, its reference and its clock domains, for each lane.

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
    port, status, transmitting, receiving, others
        As :func:`..lanes.lane_members` has them.
    reference_clk : In(1)
        With ``reference`` = ``pll`` only: the reference of the SERDES is made from this clock.
    """

    def __init__(self, clock_hz, back_end, pads, *, cell=Instance, timing=Timing(), **options):
        self._observed = back_end.observed
        timing = replace(timing, dwell=back_end.dwell_us / 1e6)
        clock = back_end.reference_clk_hz
        self._parts, self._references = [], []
        for lane, one in enumerate(back_end.each_lane()):
            self._parts.append((Phy(clock_hz, observed=self._observed, timing=timing),
                                Ecp5Serdes(clock_hz, one, *lane_pads(pads, lane), cell=cell, **options)))
            self._references.append(PllReference(clock, cell=cell) if clock else PadReference(
                *(pads[f"{lane_name('sata', lane)}_refclk_{pole}"] for pole in "pn"), cell=cell))
        super().__init__({**lane_members(back_end.lanes), **({"reference_clk": In(1)} if clock else {})})

    def elaborate(self, platform):
        m = Module()
        add_lanes(m, self, self._parts, word_domains, observed=self._observed)
        for lane, ((_, serdes), reference) in enumerate(zip(self._parts, self._references)):
            m.submodules[lane_name("clocking", lane)] = reference
            m.d.comb += [serdes.reference.eq(reference.output), serdes.referenced.eq(reference.locked)]
            if isinstance(reference, PllReference):
                m.d.comb += reference.clock.eq(self.reference_clk)
        return m
