"""Receiving FISes: type, length and fields."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..link import MAX_FRAME_WORDS, ReceiveSignature
from .fis import FIS_DWORDS, FisType, Status

__all__ = ["FisParser", "ReceivedFis"]


#: A good FIS, reported for one clock: one of the first five bits is set, and the fields that its
#: type has are valid. ``status`` and ``error`` belong to Register D2H and PIO Setup, ``lba`` and
#: ``device`` (its bits 3:0) to Register D2H;
#: ``end_status`` (E_Status) and ``transfer_bytes`` to PIO Setup; ``is_ata`` to Register D2H: the
#: signature there is that of an ATA device. ``data_bad`` is the end of a Data FIS answered by
#: R_ERR or abandoned.
ReceivedFis = data.StructLayout({
    "register_d2h": 1, "dma_activate": 1, "pio_setup": 1, "other": 1, "data": 1, "data_bad": 1,
    "status": Status, "error": 8, "end_status": Status, "transfer_bytes": 16, "is_ata": 1,
    "lba": 48, "device": 4,
})


class FisParser(wiring.Component):
    """Takes received FISes apart (Serial ATA 3.x, transport layer, host receive states).

    A FIS of unknown type or of wrong length is answered by R_ERR, and so is Data while none is
    expected; a longer frame than any FIS is abandoned by SYNC. DMA Setup, BIST Activate and Set
    Device Bits are acknowledged and have no effect. Nothing but Data payload gets out of a FIS
    before its CRC was found good; payload is reported bad afterwards.
    Latency: ``received`` comes with ``frame.done``, payload 1 clock after the dword behind it.

    Members
    -------
    expect_data : In(1)     a Data FIS is welcome
    hold : In(1)            asks the drive to pause, see :class:`..link.ReceiveSignature`
    received : Out(ReceivedFis)
    payload : Out(stream 32, always ready)      payload of Data FISes
    payload_next : Out(1)   the dword arriving now is payload, or the CRC: the next one tells
    pending : Out(1)        a dword that may be payload or the CRC waits for the next one
    is_data : Out(1)        the header of a Data FIS is at ``frame.word``
    frame : Out(ReceiveSignature)
    """

    expect_data: In(1)
    hold: In(1)
    received: Out(ReceivedFis)
    payload: Out(stream.Signature(32, always_ready=True))
    pending: Out(1)
    is_data: Out(1)
    frame: Out(ReceiveSignature())

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        received = self.received

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
            """The dwords of this frame, the arriving one and the CRC included, are so many."""
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
                fits = within(3, MAX_FRAME_WORDS + 1) & self.expect_data
            else:
                fits = within(FIS_DWORDS[kind] + 1, FIS_DWORDS[kind] + 1)
            accept |= found & fits
        m.d.sync += [
            frame.accept.eq(accept),
            frame.escape.eq(frame.count > MAX_FRAME_WORDS + 1),
        ]
        m.d.comb += [
            frame.hold.eq(self.hold),
            self.is_data.eq(frame.valid & header & (frame.word[0:8] == FisType.DATA)),
        ]

        with m.If(frame.valid):
            with m.Switch(index):
                with m.Case(0):
                    m.d.sync += [
                        received.status.eq(frame.word[16:24]),
                        received.error.eq(frame.word[24:32]),
                    ]
                with m.Case(1):
                    # LBA mid and high are 0 (ACS, device signatures).
                    m.d.sync += [
                        received.is_ata.eq(frame.word[8:24] == 0),
                        received.lba[0:24].eq(frame.word[0:24]),
                        received.device.eq(frame.word[24:28]),
                    ]
                with m.Case(2):
                    m.d.sync += received.lba[24:48].eq(frame.word[0:24])
                with m.Case(3):
                    m.d.sync += received.end_status.eq(frame.word[24:32])
                with m.Case(4):
                    m.d.sync += received.transfer_bytes.eq(frame.word[0:16])

        # The last dword of a frame is its CRC, so each payload dword waits for the next one.
        kept = Signal(32)
        is_payload = Signal()
        m.d.comb += is_payload.eq(frame.valid & ~header & types[FisType.DATA])
        with m.If(is_payload):
            m.d.sync += [kept.eq(frame.word), self.pending.eq(1)]
        m.d.comb += [
            self.payload.payload.eq(kept),
            self.payload.valid.eq(is_payload & self.pending & self.expect_data),
        ]

        with m.If(frame.done):
            good = frame.ok
            m.d.comb += [
                received.register_d2h.eq(good & types[FisType.REGISTER_D2H]),
                received.dma_activate.eq(good & types[FisType.DMA_ACTIVATE]),
                received.pio_setup.eq(good & types[FisType.PIO_SETUP]),
                received.data.eq(good & types[FisType.DATA]),
                received.data_bad.eq(~good & types[FisType.DATA]),
                received.other.eq(good & (types[FisType.DMA_SETUP] | types[FisType.BIST_ACTIVATE]
                                          | types[FisType.SET_DEVICE_BITS])),
            ]
        return m
