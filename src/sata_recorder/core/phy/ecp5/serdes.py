"""The ECP5's SERDES as a back end of the PHY."""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Const, Instance, Module, Signal
from amaranth.lib import cdc, wiring
from amaranth.lib.wiring import In, Out

from ..serdes import SerdesPort
from .parameters import dcu_parameters
from .resets import Resets, ResetTimes
from .sci import HoldWriter

__all__ = ["Debounce", "Ecp5Serdes", "WORD_HZ", "WORD_NETS", "word_domains"]

#: The clock of the words: 20 bits of 3 Gb/s. The nets of both clocks, under their domains.
WORD_HZ = 150e6
WORD_NETS = {"tx": "serdes_tx_clk", "rx": "serdes_rx_clk"}
#: The two characters of a word on the 12 lines that each has at the DCU.
_LINES = [*range(10), *range(12, 22)]


def word_domains():
    """The clock domains ``tx`` and ``rx``, for the module that contains back end and PHY; the back
    end drives them."""
    return [ClockDomain(name, async_reset=True) for name in ("tx", "rx")]


class Debounce(wiring.Component):
    """Passes a level on once it has lasted for 3 clocks.

    Latency: 2 clocks for synchronisation and 3; the same for both edges.

    Members
    -------
    i : In(1)       This level is passed on. It may be asynchronous.
    o : Out(1)      This level has lasted. It is high after reset.
    """

    i: In(1)
    o: Out(1, init=1)

    def elaborate(self, platform):
        m = Module()
        now = Signal(init=1)
        m.submodules.synchronizer = cdc.FFSynchronizer(self.i, now, init=1)
        others = Signal(range(3))
        m.d.sync += others.eq(0)
        with m.If(now != self.o):
            m.d.sync += others.eq(others + 1)
            with m.If(others == 2):
                m.d.sync += [self.o.eq(now), others.eq(0)]
        return m


class Ecp5Serdes(wiring.Component):
    """Sends and receives raw words of 20 bits at 3 Gb/s (Gen2), with one channel of a DCU.

    The other channel is unused. The DCU takes and gives characters as they are (10BSER): alignment
    and 8b/10b are the PHY's. Its way out of electrical idle takes 213 to 427 ns (measured in
    LiteICLink's bring-up record on an ECPIX-5), so idle is asserted only where ``tx_idle`` is high
    and ``tx_oob`` is not; gaps of OOB signals are words without a transition. While ``rx_enable``
    is low the clock recovery is held at the reference: OOB bursts would lead it astray. Latency: 1
    word in each direction besides the DCU's own. It drives the domains of :func:`word_domains`.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``.
    back_end : :class:`.Ecp5`
        The options: which channel, and how the board connects it. The PHY finds out by itself that P and N are
        swapped; to know it saves it the first try. For the second DCU ``select_dual`` is reported to be
        needed, though the guide does not call for it.
    tx, rx : objects with ``p`` and ``n``
        The pins, as ``platform.request(..., dir="-")`` gives them.
    times : ResetTimes
        How long the steps of the reset last.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    port : In(SerdesPort(2))
        This port leads to the PHY.
    reference : In(1)
        This is a clock of 150 MHz, on a net that may lead to the DCU (:mod:`.reference`).
    referenced : In(1)
        Asynchronous. ``reference`` runs at its frequency.
    transmitting : Out(1)
        The PLL is locked and the transmitter out of reset. It is for an indicator.
    receiving : Out(1)
        The clock recovery is locked and the receiver out of reset. It is for an indicator.
    """

    def __init__(self, clock_hz, back_end, tx, rx, *, times=ResetTimes(), cell=Instance):
        self._clock_hz = clock_hz
        self._back_end = back_end
        self._tx, self._rx = tx, rx
        self._times = times
        self._cell = cell
        super().__init__({"port": In(SerdesPort(2)), "reference": In(1), "referenced": In(1),
                          "transmitting": Out(1), "receiving": Out(1)})

    def elaborate(self, platform):
        m = Module()
        port, back_end = self.port, self._back_end

        # Clocks. A name and `keep` let a constraint find them in the netlist.
        clocks = {domain: Signal(name=net, attrs={"keep": 1})
                  for domain, net in WORD_NETS.items()}
        for name, clock in clocks.items():
            m.d.comb += ClockSignal(name).eq(clock)
            if platform is not None:
                platform.add_clock_constraint(clock, WORD_HZ)

        # Resets, and the clock recovery.
        m.submodules.resets = resets = Resets(self._clock_hz, self._times)
        m.submodules.referenced = cdc.FFSynchronizer(self.referenced, resets.referenced)
        m.submodules.writer = writer = HoldWriter()
        lost = {}
        for name in "PLOL", "RLOL", "RLOS":
            lost[name] = Signal(name=name.lower())
            m.submodules[name.lower()] = debounce = Debounce()
            m.d.comb += debounce.i.eq(lost[name])
            lost[name, "clean"] = debounce.o
        m.d.comb += [
            resets.tx_unlocked.eq(lost["PLOL", "clean"]),
            resets.rx_unlocked.eq(lost["RLOL", "clean"]),
            resets.held.eq(writer.ready),
            writer.enable.eq(resets.tx_ready),
            writer.hold.eq(~port.rx_enable),
            self.transmitting.eq(resets.tx_ready),
            self.receiving.eq(resets.rx_ready),
            port.rx_active.eq(~lost["RLOS", "clean"]),
            port.rx_locked.eq(resets.rx_ready),
        ]
        m.d.sync += port.rate.eq((resets.tx_ready & writer.ready) << 1)
        for name, ready in ("tx", resets.tx_ready), ("rx", resets.rx_ready):
            m.submodules[f"{name}_reset"] = cdc.ResetSynchronizer(~ready, domain=name)

        # Words, through registers next to the cell.
        tx_bus = Signal(24)
        rx_bus = Signal(24)
        tx_word = Signal(20)
        idle = Signal(init=1)
        rx_word = Signal(20)
        tx_swap, rx_swap = ((1 << 20) - 1 if inverted else 0
                            for inverted in (back_end.tx_inverted, back_end.rx_inverted))
        m.d.tx += [tx_word.eq(port.tx_data ^ tx_swap), idle.eq(port.tx_idle & ~port.tx_oob)]
        m.d.rx += rx_word.eq(Cat(rx_bus[line] for line in _LINES) ^ rx_swap)
        m.d.comb += [tx_bus[line].eq(tx_word[n]) for n, line in enumerate(_LINES)]
        m.d.comb += port.rx_data.eq(rx_word)

        sci = writer.sci
        dual_select = sci.select if back_end.select_dual else Const(0)
        channel = {
            "i_FF_TXI_CLK": clocks["tx"], "o_FF_TX_PCLK": clocks["tx"],
            "i_FF_RXI_CLK": clocks["rx"], "o_FF_RX_PCLK": clocks["rx"],
            "i_RX_REFCLK": self.reference,
            "o_HDOUTP": self._tx.p, "o_HDOUTN": self._tx.n,
            "i_HDINP": self._rx.p, "i_HDINN": self._rx.n,
            "i_FFC_TXPWDNB": Const(1), "i_FFC_RXPWDNB": Const(1),
            "i_FFC_SIGNAL_DETECT": Const(1),
            "i_FFC_EI_EN": idle,
            "i_FFC_LANE_TX_RST": resets.tx_pcs, "i_FFC_LANE_RX_RST": resets.rx_pcs,
            "i_FFC_RRST": resets.rx_serdes,
            "o_FFS_RLOS": lost["RLOS"], "o_FFS_RLOL": lost["RLOL"],
            "i_SCIEN": sci.select, "i_SCISEL": sci.select,
            **{f"i_FF_TX_D_{n}": tx_bus[n] for n in range(24)},
            **{f"o_FF_RX_D_{n}": rx_bus[n] for n in range(24)},
        }
        m.submodules.dcu = self._cell(
            "DCUA", a_LOC=f"DCU{back_end.dual}", a_CHAN=f"CH{back_end.channel}",
            **{f"p_{name}": value for name, value in dcu_parameters(back_end.channel, back_end.los_level).items()},
            **{f"{name[:2]}CH{back_end.channel}_{name[2:]}": value for name, value in channel.items()},
            i_D_REFCLKI=self.reference, i_D_FFC_MACROPDB=Const(1),
            i_D_FFC_MACRO_RST=resets.dual, i_D_FFC_DUAL_RST=resets.dual,
            i_D_FFC_TRST=resets.tx_serdes, o_D_FFS_PLOL=lost["PLOL"],
            i_D_SCIENAUX=dual_select, i_D_SCISELAUX=dual_select,
            i_D_SCIRD=sci.read, i_D_SCIWSTN=~sci.write,
            **{f"i_D_SCIADDR{n}": sci.address[n] for n in range(6)},
            **{f"i_D_SCIWDATA{n}": sci.write_data[n] for n in range(8)},
            **{f"o_D_SCIRDATA{n}": sci.read_data[n] for n in range(8)})
        return m
