# amaranth: UnusedElaboratable=no
"""The GTP of the 7-series as a back end of the PHY."""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Module, Signal
from amaranth.lib import cdc
from amaranth.lib.wiring import In, Out

from ..series7.clocking import HalfClock, Mmcm
from ..series7.rates import word_hz
from ..series7.serdes import Series7Serdes, raw
from .attributes import channel_attributes
from .channel import CONSTANTS
from .rates import CHARACTER_HZ

__all__ = ["GtpSerdes", "word_domains"]


def word_domains():
    """The clock domains of :class:`GtpSerdes`, which drives them, for the module that contains back end and PHY."""
    return [*(ClockDomain(name, async_reset=True) for name in ("tx", "rx")), ClockDomain("rxusr", reset_less=True)]


class GtpSerdes(Series7Serdes):
    """A :class:`.Series7Serdes` with a GTPE2_CHANNEL.

    Its own datapath has 20 bits (UG482, interface width). To the
    drive it takes 40 bits with two clocks of an MMCM, TXUSRCLK of 20 bits and TXUSRCLK2 of 40. From the drive it gives
    20 bits with the recovered clock; two of these words make one of the domain ``rx``, whose clock is every second
    pulse of it. So a restart of the receiver waits for no MMCM. ``sync`` is the clock of the DRP, too.
    It drives the domains of :func:`word_domains`. Latency: besides the cell's own 1 word to the drive, 1 from it.

    Parameters and members: as there, and

    clock, refclk : In(1)
        From the PLL of the Quad (:mod:`.common`).
    pll_locked : In(1)
        Asynchronous. The PLL is locked.
    pll_reset : Out(1)
        Resets the PLL.
    """

    narrow = True
    oob_domain, oob_words = "rxusr", 2

    def __init__(self, clock_hz, back_end, tx, rx, **options):
        super().__init__(clock_hz, back_end, tx, rx, {
            "clock": In(1), "refclk": In(1), "pll_locked": In(1), "pll_reset": Out(1)}, **options)

    def elaborate(self, platform):
        m = Module()
        generation = self._back_end.generation
        m.submodules.tx_clocking = tx_clocking = Mmcm(
            CHARACTER_HZ[generation], [CHARACTER_HZ[generation], word_hz(generation)], cell=self._cell)
        m.submodules.tx_buffer = self._cell("BUFG", i_I=(outclk := Signal(name="tx_outclk")), o_O=tx_clocking.input)
        m.submodules.rx_clocking = rx_clocking = HalfClock("rxusr", cell=self._cell)
        usrclk = tx_clocking.outputs[0]
        nets = self._clock_nets(m, {"tx": tx_clocking.outputs[1], "rx": rx_clocking.half})
        m.d.comb += ClockSignal("rxusr").eq(rx_clocking.full)

        parts = self._parts(m, pll_locked=self.pll_locked, clock_locked=tx_clocking.locked)
        m.d.comb += [self.pll_reset.eq(parts.resets.pll), tx_clocking.reset.eq(parts.resets.clock)]
        pma_done, drp = Signal(name="rxpmaresetdone"), parts.receiver.drp
        m.submodules.rx_pma_done = cdc.FFSynchronizer(pma_done, parts.receiver.pma_done)
        m.submodules.channel = self._cell(
            "GTPE2_CHANNEL",
            **{f"p_{name}": value for name, value in
               channel_attributes(generation, self._back_end.pll_reference_hz).items()},
            **{f"i_{name}": value for name, value in CONSTANTS.items()},
            o_GTPTXP=self._tx.p, o_GTPTXN=self._tx.n, i_GTPRXP=self._rx.p, i_GTPRXN=self._rx.n,
            i_PLL0CLK=self.clock, i_PLL0REFCLK=self.refclk, o_RXPMARESETDONE=pma_done,
            i_DRPADDR=drp.address, i_DRPEN=drp.enable, i_DRPWE=drp.write, i_DRPDI=drp.write_data,
            o_DRPDO=drp.read_data, o_DRPRDY=drp.ready,
            o_TXOUTCLK=outclk, i_TXUSRCLK=usrclk, i_TXUSRCLK2=nets["tx"],
            o_RXOUTCLK=rx_clocking.input, i_RXUSRCLK=rx_clocking.full, i_RXUSRCLK2=rx_clocking.full,
            **parts.links, **self._outgoing(m, 4), **self._received(m))
        return m

    def _received(self, m):
        """Two words of 20 bits become one of 40. Returns what the cell gets."""
        links, (data, *others) = self._incoming(4)
        newer, older = Signal(20), Signal(20)
        m.d.rxusr += [newer.eq(raw(data, *(one[:2] for one in others))), older.eq(newer)]
        # Both halves change at each edge of `rxusr`; at every second one `rx` takes them.
        m.d.comb += self.port.rx_data.eq(Cat(older, newer))
        return links
