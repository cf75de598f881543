"""Receiving FISes: type, length and fields.

Serial ATA Revision 3.x, transport layer, host transport states.
"""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..link import MAX_FRAME_WORDS, ReceiveSignature
from .fis import FIS_DWORDS, FisType, ReceivedFis

__all__ = ["FisParser", "ReceivedFisSignature", "ResultRegisters"]


class ResultRegisters(data.Struct):
    """More registers of a Register D2H or PIO Setup FIS, besides those of :class:`.ReceivedFis`."""

    count: 16       # Count
    device: 8       # Device


class ReceivedFisSignature(wiring.Signature):
    """The FISes of the drive, seen from the command layer.

    Members
    -------
    expect_data : Out(1)
        A Data FIS is accepted. Otherwise it is answered by R_ERR, and has no payload; one word may still come
        in the clock after it falls.
    hold : Out(1)
        Asks the drive to pause, see :class:`..link.ReceiveSignature`.
    fis : In(ReceivedFis)
        A FIS has arrived.
    payload : In(stream 32, always ready)
        The payload of Data FISes. It comes before the CRC is known; ``fis`` shows at the end of
        the FIS whether it was good.
    results : In(ResultRegisters)
        With ``fis``, of a Register D2H or PIO Setup FIS: the other registers in it.
    """

    def __init__(self):
        super().__init__({
            "expect_data": Out(1), "hold": Out(1),
            "fis": In(ReceivedFis), "payload": In(stream.Signature(32, always_ready=True)),
            "results": In(ResultRegisters),
        })


class FisParser(wiring.Component):
    """Decodes received FISes (states HT_ChkTyp, HT_RegFIS, HT_DMA_FIS, HT_PS_FIS, HT_DS_FIS,
    HT_DB_FIS, HT_RcvBIST, HT_DMAITrans, HT_PIOITrans1 and 2).

    A FIS of unknown type or of wrong length is answered by R_ERR, and so is Data while none is
    expected; a frame that is longer than any FIS is abandoned by SYNC. DMA Setup, BIST Activate and
    Set Device Bits are acknowledged and have no effect. Only Data payload is passed on before the
    CRC is known; if it was bad, that is reported at the end of the FIS.
    Latency: ``fis`` comes with ``frame.done``, payload with the dword after it at ``frame.word``.

    Parameters
    ----------
    results : bool
        Whether ``received.results`` counts.

    Members
    -------
    received : In(ReceivedFisSignature)
        To the command layer.
    pending : Out(1)
        A dword that may be payload or the CRC waits for the next one, which decides it.
    is_data : Out(1)
        The header of a Data FIS is at ``frame.word``.
    frame : Out(ReceiveSignature)
        Frames from the link layer.
    """

    def __init__(self, *, results=False):
        self._results = results
        super().__init__({
            "received": In(ReceivedFisSignature()), "pending": Out(1),
            "is_data": Out(1), "frame": Out(ReceiveSignature()),
        })

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        fis = self.received.fis
        expect_data = self.received.expect_data

        header = Signal()       # the next dword is the first one
        index = Signal(3)       # of the dword at frame.word, while it is small
        types = {kind: Signal(name=f"is_{kind.name.lower()}") for kind in
                 (FisType.DATA, *FIS_DWORDS)}

        with m.If(frame.start):
            m.d.sync += [header.eq(1), index.eq(0), self.pending.eq(0)]
        with m.If(frame.valid):
            m.d.sync += [header.eq(0), index.eq(Mux(index.all(), index, index + 1))]

        # The verdict must be there in the clock after the CRC.
        def within(low, high):
            """Whether this frame has ``low`` to ``high`` dwords, with the arriving one and the CRC."""
            def count_is(low, high):
                return (frame.count >= low) & (frame.count <= high)
            return Mux(frame.arrives, count_is(low - 1, high - 1), count_is(low, high))

        accept = C(0)
        for kind, flag in types.items():
            found = Signal(name=f"found_{kind.name.lower()}")
            m.d.comb += found.eq(Mux(frame.valid & header, frame.word[0:8] == kind,
                                     flag & ~frame.start))
            m.d.sync += flag.eq(found)
            if kind == FisType.DATA:
                fits = within(3, MAX_FRAME_WORDS + 1) & expect_data
            else:
                fits = within(FIS_DWORDS[kind] + 1, FIS_DWORDS[kind] + 1)
            accept |= found & fits
        m.d.sync += [
            frame.accept.eq(accept),
            frame.escape.eq(frame.count > MAX_FRAME_WORDS + 1),
        ]
        m.d.comb += [
            frame.hold.eq(self.received.hold),
            self.is_data.eq(frame.valid & header & (frame.word[0:8] == FisType.DATA)),
        ]

        with m.If(frame.valid):
            with m.Switch(index):
                with m.Case(0):
                    m.d.sync += [
                        fis.status.eq(frame.word[16:24]),
                        fis.error.eq(frame.word[24:32]),
                    ]
                with m.Case(1):
                    # LBA mid and high are 0 (ATA8-ACS, device signatures).
                    m.d.sync += [
                        fis.is_ata.eq(frame.word[8:24] == 0),
                        fis.lba[0:24].eq(frame.word[0:24]),
                        fis.device.eq(frame.word[24:28]),
                    ]
                with m.Case(2):
                    m.d.sync += fis.lba[24:48].eq(frame.word[0:24])
                with m.Case(3):
                    m.d.sync += fis.end_status.eq(frame.word[24:32])
                with m.Case(4):
                    m.d.sync += fis.transfer_bytes.eq(frame.word[0:16])

        if self._results:
            with m.If(frame.valid & (index == 1)):
                m.d.sync += self.received.results.device.eq(frame.word[24:32])
            with m.If(frame.valid & (index == 3)):
                m.d.sync += self.received.results.count.eq(frame.word[0:16])

        # The last dword of a frame is its CRC, so each payload dword waits for the next one.
        payload = self.received.payload
        kept = Signal(32)
        is_payload = Signal()
        follows = Signal()      # the next dword of this frame is payload, or the CRC after it
        m.d.comb += is_payload.eq(frame.valid & ~header & types[FisType.DATA])
        m.d.sync += follows.eq((is_payload | follows) & expect_data & ~frame.start)
        with m.If(is_payload):
            m.d.sync += [kept.eq(frame.word), self.pending.eq(1)]
        m.d.comb += [
            payload.payload.eq(kept),
            payload.valid.eq(frame.valid & follows),
        ]

        with m.If(frame.done):
            good = frame.ok
            m.d.comb += [
                fis.register_d2h.eq(good & types[FisType.REGISTER_D2H]),
                fis.dma_activate.eq(good & types[FisType.DMA_ACTIVATE]),
                fis.pio_setup.eq(good & types[FisType.PIO_SETUP]),
                fis.data.eq(good & types[FisType.DATA]),
                fis.data_bad.eq(~good & types[FisType.DATA]),
                fis.other.eq(good & (types[FisType.DMA_SETUP] | types[FisType.BIST_ACTIVATE]
                                          | types[FisType.SET_DEVICE_BITS])),
            ]
        return m
