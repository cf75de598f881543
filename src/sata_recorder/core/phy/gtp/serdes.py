"""The GTP of the 7-series as a back end of the PHY."""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Const, Instance, Module, Signal
from amaranth.lib import cdc, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..serdes import SerdesPort
from .attributes import channel_attributes
from .channel import CONSTANTS
from .clocking import HalfClock, Mmcm
from .oob import OobPorts
from .rates import CHARACTER_HZ, word_hz
from .resets import ReceiverResets, GtpResetTimes, TransmitterResets

__all__ = ["GtpSerdes", "WORD_NETS", "word_domains"]

#: The nets of the clocks of the words of 40 bits, under their domains.
WORD_NETS = {"tx": "serdes_tx_clk", "rx": "serdes_rx_clk"}


def word_domains():
    """The clock domains of :class:`GtpSerdes`, which drives them, for the module that contains back end and PHY."""
    return [*(ClockDomain(name, async_reset=True) for name in ("tx", "rx")), ClockDomain("rxusr", reset_less=True)]


def _raw(data, eights, nines):
    """Characters of 10 bits of the ports that they have where 8b/10b is bypassed (UG482, tables 3-2 and RX data)."""
    return Cat(bit for n in range(len(eights))
               for bit in (data.word_select(n, 8), eights[n], nines[n]))


class GtpSerdes(wiring.Component):
    """Sends and receives raw words of 40 bits at one line rate, with a GTPE2_CHANNEL.

    The cell sends and recognises OOB signals itself. Its own datapath has 20 bits (UG482, interface width). To the
    drive it takes 40 bits with two clocks of an MMCM, TXUSRCLK of 20 bits and TXUSRCLK2 of 40. From the drive it gives
    20 bits with the recovered clock; two of these words make one of the domain ``rx``, whose clock is every second
    pulse of it. So a restart of the receiver waits for no MMCM. While ``rx_enable`` is low RXCDRHOLD freezes the clock
    recovery (Xilinx Answer Record 63869); after ``rx_restart`` the receiver goes through its whole reset.
    It drives the domains of :func:`word_domains`. Latency: besides the cell's own 1 word to the drive, 1 from it.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``, which is the clock of the DRP, too.
    back_end : :class:`.Gtp`
        The options.
    tx, rx : objects with ``p`` and ``n``
        The pads, as ``Instance`` takes them.
    times : GtpResetTimes
        How long the steps of the resets last.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    port : In(SerdesPort(4, hard_oob=True))
        This port leads to the PHY. Its ``generation`` has no effect.
    clock, refclk : In(1)
        From the PLL of the Quad (:mod:`.common`).
    pll_locked : In(1)
        Asynchronous. The PLL is locked.
    pll_reset : Out(1)
        Resets the PLL.
    referenced : In(1)
        Asynchronous. The reference of the PLL runs.
    transmitting, receiving : Out(1)
        The transmitter, the receiver is out of reset. They are for indicators.
    """

    def __init__(self, clock_hz, back_end, tx, rx, *, times=GtpResetTimes(), cell=Instance):
        self._clock_hz = clock_hz
        self._back_end = back_end
        self._tx, self._rx = tx, rx
        self._times = times
        self._cell = cell
        super().__init__({
            "port": In(SerdesPort(4, hard_oob=True)), "clock": In(1), "refclk": In(1), "pll_locked": In(1),
            "pll_reset": Out(1), "referenced": In(1), "transmitting": Out(1), "receiving": Out(1)})

    def elaborate(self, platform):
        m = Module()
        port = self.port
        generation = self._back_end.generation
        m.submodules.resets = resets = TransmitterResets(self._clock_hz, self._times)
        m.submodules.receiver_resets = receiver = ReceiverResets(self._clock_hz, self._times)
        m.submodules.tx_clocking = tx_clocking = Mmcm(
            CHARACTER_HZ[generation], [CHARACTER_HZ[generation], word_hz(generation)], cell=self._cell)
        m.submodules.tx_buffer = self._cell("BUFG", i_I=(outclk := Signal(name="tx_outclk")), o_O=tx_clocking.input)
        m.submodules.rx_clocking = rx_clocking = HalfClock("rxusr", cell=self._cell)

        # Clocks. A name and `keep` let a constraint find them in the netlist.
        clocks = {domain: Signal(name=net, attrs={"keep": 1}) for domain, net in WORD_NETS.items()}
        usrclk = tx_clocking.outputs[0]
        m.d.comb += [
            clocks["tx"].eq(tx_clocking.outputs[1]), clocks["rx"].eq(rx_clocking.half),
            ClockSignal("tx").eq(clocks["tx"]), ClockSignal("rx").eq(clocks["rx"]),
            ClockSignal("rxusr").eq(rx_clocking.full),
        ]

        # Resets.
        answers = {name: Signal(name=name.lower()) for name in ("TXRESETDONE", "RXRESETDONE", "RXPMARESETDONE")}
        for name, asynchronous, level in (
                ("referenced", self.referenced, resets.referenced), ("pll_locked", self.pll_locked, resets.pll_locked),
                ("clock_locked", tx_clocking.locked, resets.clock_locked),
                ("tx_done", answers["TXRESETDONE"], resets.done), ("rx_done", answers["RXRESETDONE"], receiver.done),
                ("rx_pma_done", answers["RXPMARESETDONE"], receiver.pma_done)):
            m.submodules[name] = cdc.FFSynchronizer(asynchronous, level)
        for name, ready in ("tx", resets.ready), ("rx", receiver.ready):
            m.submodules[f"{name}_reset"] = cdc.ResetSynchronizer(~ready, domain=name)
        m.d.sync += port.rate.eq(resets.ready * generation)
        m.d.comb += [
            self.pll_reset.eq(resets.pll), tx_clocking.reset.eq(resets.clock),
            receiver.enable.eq(resets.ready), receiver.restart.eq(port.rx_restart),
            receiver.follow.eq(port.rx_enable),
            port.rx_restarting.eq(receiver.busy), port.rx_locked.eq(receiver.ready),
            self.transmitting.eq(resets.ready), self.receiving.eq(receiver.ready),
        ]

        m.submodules.oob = oob = OobPorts()
        connect(m, flipped(port.tx_com), oob.tx)
        connect(m, flipped(port.rx_com), oob.rx)
        words = self._words(m, rx_clocking)
        m.submodules.channel = self._cell(
            "GTPE2_CHANNEL",
            **{f"p_{name}": value for name, value in
               channel_attributes(generation, self._back_end.pll_reference_hz).items()},
            **{f"i_{name}": value for name, value in CONSTANTS.items()},
            o_GTPTXP=self._tx.p, o_GTPTXN=self._tx.n, i_GTPRXP=self._rx.p, i_GTPRXN=self._rx.n,
            i_TXPOLARITY=Const(self._back_end.tx_inverted), i_RXPOLARITY=Const(self._back_end.rx_inverted),
            i_PLL0CLK=self.clock, i_PLL0REFCLK=self.refclk,
            i_GTTXRESET=resets.transmitter, i_TXUSERRDY=resets.stable, o_TXRESETDONE=answers["TXRESETDONE"],
            i_GTRXRESET=receiver.receiver, i_RXUSERRDY=receiver.stable, o_RXRESETDONE=answers["RXRESETDONE"],
            o_RXPMARESETDONE=answers["RXPMARESETDONE"], i_RXCDRHOLD=receiver.hold,
            i_DRPCLK=ClockSignal(), i_DRPADDR=receiver.drp.address, i_DRPEN=receiver.drp.enable,
            i_DRPWE=receiver.drp.write, i_DRPDI=receiver.drp.write_data, o_DRPDO=receiver.drp.read_data,
            o_DRPRDY=receiver.drp.ready,
            o_TXOUTCLK=outclk, i_TXUSRCLK=usrclk, i_TXUSRCLK2=clocks["tx"],
            o_RXOUTCLK=rx_clocking.input, i_RXUSRCLK=rx_clocking.full, i_RXUSRCLK2=rx_clocking.full,
            i_TXCOMINIT=oob.txcominit, i_TXCOMWAKE=oob.txcomwake, o_TXCOMFINISH=oob.txcomfinish,
            o_RXCOMINITDET=oob.rxcominitdet, o_RXCOMWAKEDET=oob.rxcomwakedet, **words)
        return m

    def _words(self, m, rx_clocking):
        """Words through registers next to the cell; two of 20 bits become one of 40. Returns what the cell gets."""
        port = self.port
        tx_word = Signal(40)
        idle = Signal(init=1)
        m.d.tx += [tx_word.eq(port.tx_data), idle.eq(port.tx_idle)]
        tx = {name: Signal(width, name=name.lower())
              for name, width in (("TXDATA", 32), ("TXCHARDISPVAL", 4), ("TXCHARDISPMODE", 4))}
        m.d.comb += _raw(*tx.values()).eq(tx_word)
        rx = {name: Signal(width, name=name.lower())
              for name, width in (("RXDATA", 32), ("RXCHARISK", 4), ("RXDISPERR", 4))}
        newer, older = Signal(20), Signal(20)
        data, *others = rx.values()
        m.d.rxusr += [newer.eq(_raw(data[:16], *(one[:2] for one in others))), older.eq(newer)]
        # Both halves change at each edge of `rxusr`; at every second one `rx` takes them.
        m.d.comb += port.rx_data.eq(Cat(older, newer))
        return {**{f"i_{name}": value for name, value in tx.items()},
                **{f"o_{name}": value for name, value in rx.items()}, "i_TXELECIDLE": idle}
