"""The PHY of a host, without the SERDES (Serial ATA Revision 3.x, phy layer)."""

from math import ceil

from amaranth.hdl import Array, Cat, DomainRenamer, Module, Mux, Signal
from amaranth.lib import cdc, fifo, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...interface import PHY_STATUS
from ...facts.units import DWORD_HZ
from .bist import Bist
from .dword_source import DwordSource
from .dwords import ALIGN, CONT, PRIMITIVES, X_RDY
from .elastic import ElasticBuffer
from .hard_oob import HardOobDetector
from .initializer import Initializer
from .observer import BIST_BLOCKS, RECENT, Observer
from .oob import Line, OobDetector
from .pcs_receiver import PcsReceiver
from .pcs_transmitter import PcsTransmitter, TxDword
from .port import DwordPort
from .serdes import SerdesPort
from .timing import Timing

__all__ = ["Phy"]

#: Depth of the queue from ``sync`` to ``tx``: the least that passes a dword in every clock.
TX_DEPTH = 8


class Phy(wiring.Component):
    """Everything between the dword port and a SERDES that sends and receives raw characters.

    Uses the domains ``sync`` (the core's), ``tx`` and ``rx`` (the back end's), which need not be
    related. ``sync`` runs at the dword rate of the line or faster. Serial ATA Revision 3.x, phy layer: 8b/10b,
    OOB signals, speed negotiation.

    Latency: in simulation at Gen2, 7 dwords from ``port.tx_ready`` to the drive's link layer with words of 20 bits, 9
    with 40; 7 and 11 back to ``port.rx_valid``; 2 to 3 of them are those of the drive's PHY and the line.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``, at least 37.5e6.
    gearing : int
        Characters per word of the back end, 2 or 4.
    generations : (int, int)
        Lowest and highest line rate of the back end; equal where it cannot be switched.
    timing : Timing
        The times of the start of a link.
    hard_oob : bool
        The back end sends and recognises OOB signals itself.
    observed : bool
        There are a ``status`` and a loop-back test. With ``hard_oob`` bursts and gaps are not seen.
    recent : int
        Dwords of the error meter, a power of two.
    bist_blocks : int
        Blocks of the loop-back test, of 256 dwords each.

    Members
    -------
    port : In(DwordPort)
        The dword port leads to the link layer.
    serdes : Out(SerdesPort)
        This port leads to the back end.
    status : In(PHY_STATUS.signature)
        The PHY reports about itself here, see the table in :mod:`...interface`. It is there if
        ``observed``.
    """

    def __init__(self, clock_hz, *, gearing=2, generations=(2, 2), timing=Timing(),
                 hard_oob=False, observed=True, recent=RECENT, bist_blocks=BIST_BLOCKS):
        self._clock_hz = clock_hz
        self._gearing = gearing
        self._generations = generations
        self._timing = timing
        self._hard_oob = hard_oob
        self._observed = observed
        self._recent = recent
        self._bist_blocks = bist_blocks
        super().__init__({"port": In(DwordPort()),
                          "serdes": Out(SerdesPort(gearing, hard_oob=hard_oob)),
                          **({"status": In(PHY_STATUS.signature)} if observed else {})})

    def _limit(self, generation):
        """Dwords on the way to the transmitter, as the writing side of the queue sees them, that
        keep it busy: the time until a dword is seen there and its removal is seen here, about
        two clocks of ``tx`` and five of ``sync``."""
        ratio = DWORD_HZ[generation] / self._clock_hz
        return min(TX_DEPTH, ceil(self._gearing / 2 + 5 * ratio + 0.5))

    def elaborate(self, platform):
        m = Module()
        port, serdes = self.port, self.serdes
        m.submodules.start = start = Initializer(
            self._clock_hz, self._timing, self._generations, hard_oob=self._hard_oob)
        detector = self._detect_oob(m, start)
        m.d.comb += [
            start.reset.eq(port.reset),
            start.limit.eq(port.limit),
            start.rate.eq(serdes.rate),
            serdes.generation.eq(start.generation),
            port.generation.eq(start.generation),
            port.link_up.eq(start.ready),
        ]
        receive = Signal()
        m.d.comb += receive.eq(start.receive)
        m.d.sync += serdes.rx_enable.eq(receive)
        m.d.comb += [start.restarting.eq(serdes.rx_restarting), serdes.rx_restart.eq(start.restart)]
        outgoing, room = self._send(m, start)
        elastic, align, rx_inverted = self._receive(m, start)
        if self._observed:
            bist = self._loop_back_test(m, start, receive, outgoing, room, elastic, align)
            observer = self._observe(m, start, detector, elastic, bist)
            m.submodules.inverted = cdc.FFSynchronizer(rx_inverted, observer.rx_inverted)
        return m

    def _send(self, m, start):
        """The path to the drive. Returns what goes into its queue, and whether that is taken."""
        port, serdes = self.port, self.serdes
        m.submodules.source = source = DwordSource()
        m.submodules.transmitter = transmitter = DomainRenamer("tx")(PcsTransmitter(self._gearing))
        m.submodules.tx_queue = queue = fifo.AsyncFIFO(
            width=TxDword.as_shape().size, depth=TX_DEPTH, w_domain="sync", r_domain="tx")
        outgoing = Signal(TxDword)
        odd = Signal()
        burst = Cat(start.generation, odd)
        # The line stays idle by itself: an empty queue brings what comes next sooner.
        quiet = Signal()
        # Whatever is in the queue beyond what the crossing needs is delay.
        room = Signal()
        limits = [self._limit(generation) for generation in range(1, 4)]
        m.d.comb += [
            room.eq(queue.w_rdy & (queue.w_level < Array([limits[0], *limits])[start.generation])),
            source.started.eq(start.started),
            source.ready.eq(start.ready),
            source.tx_data.eq(port.tx_data),
            source.tx_k.eq(port.tx_k[0]),
            source.step.eq(room),
            outgoing.line.eq(start.line),
            outgoing.data.eq(Mux(start.line == Line.BURST, burst, source.data)),
            outgoing.k.eq(source.k),
            outgoing.inverted.eq(start.inverted),
            queue.w_data.eq(outgoing),
            queue.w_en.eq(room & ~(quiet & (outgoing.line == Line.IDLE))),
            start.step.eq(room),
            port.tx_ready.eq(source.taken),
            transmitter.i.eq(queue.r_data),
            transmitter.valid.eq(queue.r_rdy),
            queue.r_en.eq(transmitter.ready),
            serdes.tx_data.eq(transmitter.data),
            serdes.tx_idle.eq(transmitter.idle),
        ]
        if not self._hard_oob:
            m.d.comb += serdes.tx_oob.eq(transmitter.oob)
        with m.If(room):
            m.d.sync += [odd.eq(~odd), quiet.eq(outgoing.line == Line.IDLE)]
        return outgoing, room

    def _receive(self, m, start):
        """The path from the drive. Returns the elastic buffer, whether its dword is ALIGN, and
        whether the receiver swaps P and N."""
        port, serdes = self.port, self.serdes
        m.submodules.receiver = receiver = DomainRenamer("rx")(PcsReceiver(self._gearing))
        m.submodules.elastic = elastic = ElasticBuffer()
        expected = Signal()
        m.d.comb += expected.eq(serdes.rx_enable & serdes.rx_locked)
        m.submodules.enable = cdc.FFSynchronizer(expected, receiver.enable, o_domain="rx")
        dword, heard = elastic.o, start.heard
        control = (dword.k == 1) & ~dword.error
        align = control & (dword.data == ALIGN)
        primitive = control & Cat(dword.data == one for one in PRIMITIVES).any()
        with m.If(elastic.valid):
            m.d.sync += [
                heard.align.eq(align | elastic.dropped),
                heard.primitive.eq(primitive),
                heard.data.eq(~align & ~primitive & ~dword.error),
                heard.bad.eq(dword.error),
            ]
        with m.Else():
            m.d.sync += [heard.align.eq(0), heard.primitive.eq(0), heard.data.eq(0),
                         heard.bad.eq(0)]
        # A drive may offer its first frame before there is a link, and go on with junk, which means X_RDY then.
        offered = Signal()          # the last primitive before the link
        junk = offered & ~dword.k[0]
        with m.If(elastic.valid & primitive & (dword.data != CONT)):
            m.d.sync += offered.eq(~start.ready & (dword.data == X_RDY))
        m.d.comb += [
            receiver.i.eq(serdes.rx_data),
            elastic.write.eq(receiver.write),
            elastic.i.eq(receiver.o),
            port.rx_data.eq(Mux(junk, X_RDY, dword.data)),
            port.rx_k.eq(dword.k | junk),
            port.rx_error.eq(dword.error),
            port.rx_valid.eq(elastic.valid & start.ready),
        ]
        return elastic, align, receiver.inverted

    def _detect_oob(self, m, start):
        """What the state machine hears out of band, and what it has the SERDES send."""
        serdes = self.serdes
        if self._hard_oob:
            m.submodules.detector = detector = HardOobDetector(self._clock_hz)
            connect(m, detector.rx, flipped(serdes.rx_com))
            connect(m, start.tx_com, flipped(serdes.tx_com))
        else:
            m.submodules.detector = detector = OobDetector(self._clock_hz)
            active = Signal()
            m.submodules.active = cdc.FFSynchronizer(serdes.rx_active, active)
            m.d.comb += detector.active.eq(active)
        connect(m, detector.oob, start.oob)
        return detector

    def _loop_back_test(self, m, start, receive, outgoing, room, elastic, align):
        """The test takes the back end from the state machine, which waits until it is back."""
        serdes = self.serdes
        m.submodules.bist = bist = Bist(self._bist_blocks)
        m.d.comb += [
            bist.start.eq(self.status.bist_start),
            bist.step.eq(room),
            bist.valid.eq(elastic.valid),
            bist.dword.eq(elastic.o),
            bist.align.eq(align),
        ]
        with m.If(bist.running):
            m.d.comb += [
                start.rate.eq(0),
                receive.eq(bist.receive & ~serdes.rx_restarting),
                serdes.rx_restart.eq(start.restart | serdes.rx_enable & ~bist.receive),
                outgoing.line.eq(Line.DWORD),
                outgoing.data.eq(bist.data),
                outgoing.k.eq(bist.k),
                outgoing.inverted.eq(0),
            ]
        return bist

    def _observe(self, m, start, detector, elastic, bist):
        """What is reported about all of it."""
        serdes = self.serdes
        m.submodules.observer = observer = Observer(self._recent)
        m.submodules.locked = cdc.FFSynchronizer(serdes.rx_locked, observer.rx_locked)
        connect(m, flipped(self.status), observer.status)
        m.d.comb += [
            observer.state.eq(start.state),
            observer.fell.eq(start.fell),
            observer.fall.eq(start.fall),
            observer.tx_inverted.eq(start.inverted),
            observer.rate.eq(serdes.rate),
            observer.expected.eq(serdes.rx_enable),
            observer.rx_active.eq(detector.oob.active),
            observer.valid.eq(elastic.valid),
            observer.dword.eq(elastic.o),
            observer.bist.eq(bist.state),
            observer.bist_errors.eq(bist.errors),
        ]
        if not self._hard_oob:
            m.d.comb += [
                observer.burst.eq(detector.burst),
                observer.gap.eq(detector.gap),
                observer.length.eq(detector.length),
            ]
        return observer
