"""What the SERDES on a GTP and on a GTX have in common: resets, OOB signals, where the bits of the words are."""

from types import SimpleNamespace

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Signal
from amaranth.lib import cdc, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..serdes import SerdesPort
from .oob import OobPorts
from .resets import ReceiverResets, TransceiverResetTimes, TransmitterResets

__all__ = ["WORD_NETS", "Series7Serdes", "raw"]

#: The nets of the clocks of the words of 40 bits, under their domains.
WORD_NETS = {"tx": "serdes_tx_clk", "rx": "serdes_rx_clk"}


def raw(data, eights, nines):
    """Characters of 10 bits of the ports that they have where 8b/10b is bypassed (UG482, UG476, tables 3-2 and RX
    data)."""
    return Cat(bit for n in range(len(eights))
               for bit in (data.word_select(n, 8), eights[n], nines[n]))


class Series7Serdes(wiring.Component):
    """Sends and receives raw words of 40 bits at one line rate, with a channel that sends and recognises OOB signals
    itself. While ``rx_enable`` is low RXCDRHOLD freezes the clock recovery (Xilinx Answer Record 63869); after
    ``rx_restart`` the receiver goes through its whole reset.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``.
    back_end : :class:`.Series7BackEnd`
        The options.
    tx, rx : objects with ``p`` and ``n``
        The pads, as ``Instance`` takes them.
    members : dict
        What there is besides the members below.
    times : TransceiverResetTimes
        How long the steps of the resets last.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    port : In(SerdesPort(4, hard_oob=True))
        This port leads to the PHY. Its ``generation`` has no effect.
    referenced : In(1)
        Asynchronous. The reference of the PLL runs.
    transmitting, receiving : Out(1)
        The transmitter, the receiver is out of reset. They are for indicators.
    """

    #: The receiver is that of a GTP (:class:`.ReceiverResets`).
    narrow = False
    #: The domain of RXUSRCLK2, and how many of its words are one dword.
    oob_domain, oob_words = "rx", 1

    def __init__(self, clock_hz, back_end, tx, rx, members, *, times=TransceiverResetTimes(), cell=Instance):
        self._clock_hz = clock_hz
        self._back_end = back_end
        self._tx, self._rx = tx, rx
        self._times = times
        self._cell = cell
        super().__init__({"port": In(SerdesPort(4, hard_oob=True)), "referenced": In(1), "transmitting": Out(1),
                          "receiving": Out(1), **members})

    def _parts(self, m, *, pll_locked, clock_locked):
        """Adds resets and OOB ports. Returns both sequences, and what the cell gets of them and gives to them.

        ``pll_locked`` and ``clock_locked`` are asynchronous.
        """
        port = self.port
        m.submodules.resets = resets = TransmitterResets(self._clock_hz, self._times)
        m.submodules.receiver_resets = receiver = ReceiverResets(self._clock_hz, self._times, narrow=self.narrow)
        done = {name: Signal(name=name.lower()) for name in ("TXRESETDONE", "RXRESETDONE")}
        for name, asynchronous, level in (
                ("referenced", self.referenced, resets.referenced), ("pll_locked", pll_locked, resets.pll_locked),
                ("clock_locked", clock_locked, resets.clock_locked), ("tx_done", done["TXRESETDONE"], resets.done),
                ("rx_done", done["RXRESETDONE"], receiver.done)):
            m.submodules[name] = cdc.FFSynchronizer(asynchronous, level)
        for name, ready in ("tx", resets.ready), ("rx", receiver.ready):
            m.submodules[f"{name}_reset"] = cdc.ResetSynchronizer(~ready, domain=name)
        m.d.sync += port.rate.eq(resets.ready * self._back_end.generation)
        m.d.comb += [
            receiver.enable.eq(resets.ready), receiver.restart.eq(port.rx_restart),
            receiver.follow.eq(port.rx_enable),
            port.rx_restarting.eq(receiver.busy), port.rx_locked.eq(receiver.ready),
            self.transmitting.eq(resets.ready), self.receiving.eq(receiver.ready),
        ]
        m.submodules.oob = oob = OobPorts(self.oob_domain, self.oob_words)
        connect(m, flipped(port.tx_com), oob.tx)
        connect(m, flipped(port.rx_com), oob.rx)
        links = {
            "i_TXPOLARITY": Const(self._back_end.tx_inverted), "i_RXPOLARITY": Const(self._back_end.rx_inverted),
            "i_GTTXRESET": resets.transmitter, "i_TXUSERRDY": resets.stable, "o_TXRESETDONE": done["TXRESETDONE"],
            "i_GTRXRESET": receiver.receiver, "i_RXUSERRDY": receiver.stable, "o_RXRESETDONE": done["RXRESETDONE"],
            "i_RXCDRHOLD": receiver.hold, "i_DRPCLK": ClockSignal(),
            "i_TXCOMINIT": oob.txcominit, "i_TXCOMWAKE": oob.txcomwake, "o_TXCOMFINISH": oob.txcomfinish,
            "o_RXCOMINITDET": oob.rxcominitdet, "o_RXCOMWAKEDET": oob.rxcomwakedet}
        return SimpleNamespace(resets=resets, receiver=receiver, links=links)

    def _clock_nets(self, m, clocks):
        """The clock of each domain; a name and `keep` let a constraint find them in the netlist. Returns the nets."""
        nets = {domain: Signal(name=net, attrs={"keep": 1}) for domain, net in WORD_NETS.items()}
        for domain, net in nets.items():
            m.d.comb += [net.eq(clocks[domain]), ClockSignal(domain).eq(net)]
        return nets

    def _outgoing(self, m, characters):
        """The word that goes out, through registers next to the cell, whose ports have so many ``characters``."""
        word = Signal(40)
        idle = Signal(init=1)
        m.d.tx += [word.eq(self.port.tx_data), idle.eq(self.port.tx_idle)]
        ports = {name: Signal(width * characters, name=name.lower())
                 for name, width in (("TXDATA", 8), ("TXCHARDISPVAL", 1), ("TXCHARDISPMODE", 1))}
        data, *others = ports.values()
        m.d.comb += raw(data, *(one[:4] for one in others)).eq(word)
        return {**{f"i_{name}": value for name, value in ports.items()}, "i_TXELECIDLE": idle}

    def _incoming(self, characters):
        """The ports that the word from the drive comes from, and where data and the other bits are."""
        ports = {name: Signal(width * characters, name=name.lower())
                 for name, width in (("RXDATA", 8), ("RXCHARISK", 1), ("RXDISPERR", 1))}
        return {f"o_{name}": value for name, value in ports.items()}, [*ports.values()]
