"""From the dword port to primitives and data: ALIGN and CONT are removed.

Serial ATA Revision 3.x, link layer, primitive encoding, CONT and ALIGN.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .primitives import Primitive, RxPrimitive

__all__ = ["PrimitiveDecoder", "RxSignature"]

#: The bytes 0 and 1 of the primitives, ALIGN aside.
_K28_3 = 0x7C
_MIDDLE = (0x95, 0xAA, 0xB5)


class RxSignature(wiring.Signature):
    """What the drive is sending, seen from the decoder.

    Members
    -------
    current : Out(RxPrimitive)
        What the drive is sending. It stays until the next primitive or data dword arrives,
        through gaps, ALIGN and the junk that follows CONT.
    drive_idle : Out(1)
        ``current`` is SYNC or X_RDY: the drive is in no frame with us.
    ending : Out(1)
        ``current`` is SYNC, X_RDY, EOF or WTRM: no more data comes.
    strobe : Out(1)
        ``current`` arrived in this clock. ALIGN and junk do not count.
    word : Out(32)
        With ``strobe`` and ``current.data``: the data dword, as it was on the line.
    align : Out(1)
        An ALIGN arrived.
    error : Out(1)
        A dword arrived that could not be decoded. ``current`` stays.
    arrived : Out(1)
        A dword of any kind arrived.
    """

    def __init__(self):
        super().__init__({
            "current": Out(RxPrimitive), "drive_idle": Out(1), "ending": Out(1),
            "strobe": Out(1), "word": Out(32),
            "align": Out(1), "error": Out(1), "arrived": Out(1),
        })


class PrimitiveDecoder(wiring.Component):
    """Decodes received dwords.

    A dword with a code or disparity error, and a control character that begins no primitive, change
    nothing and are reported by ``rx.error``. Latency: 1 clock.

    Members
    -------
    dword : In(32)
        With ``valid``: the received dword. A control character is in byte 0.
    k : In(4)
        With ``valid``: which bytes of the dword are control characters.
    valid : In(1)
        A dword arrives in this clock.
    error : In(1)
        With ``valid``: the dword had a code or disparity error.
    link_up : In(1)
        The link is up. While it is low, nothing is decoded and ``rx.current`` is empty.
    rx : Out(RxSignature)
        What the drive is sending.
    """

    dword: In(32)
    k: In(4)
    valid: In(1)
    error: In(1)
    link_up: In(1)
    rx: Out(RxSignature())

    def elaborate(self, platform):
        m = Module()
        rx = self.rx

        # Each primitive but ALIGN is K28.3, then one of three bytes, then another byte twice. So the
        # first two are compared with constants once, and the last two with each other.
        control = Signal()
        regular = Signal()
        middle = {byte: Signal(name=f"middle_{byte:02x}") for byte in _MIDDLE}
        m.d.comb += [
            control.eq(self.k[0]),
            regular.eq((self.dword[0:8] == _K28_3) & (self.dword[16:24] == self.dword[24:32])),
            *(flag.eq(control & (self.dword[8:16] == byte)) for byte, flag in middle.items()),
        ]

        def is_(primitive):
            """Whether a dword that is ``regular`` is ``primitive``."""
            value = primitive.value
            return (middle[value >> 8 & 0xFF]
                    & (self.dword[16:20] == (value >> 16 & 0xF))
                    & (self.dword[20:24] == (value >> 20 & 0xF)))

        found = Signal(RxPrimitive)
        align = Signal()
        cont = Signal()
        known = Signal()
        m.d.comb += [
            align.eq(self.dword == Primitive.ALIGN.value),
            cont.eq(is_(Primitive.CONT)),
            found.dmat.eq(is_(Primitive.DMAT)),
            found.eof.eq(is_(Primitive.EOF)),
            found.hold.eq(is_(Primitive.HOLD)),
            found.holda.eq(is_(Primitive.HOLDA)),
            found.pmreq.eq(is_(Primitive.PMREQ_P) | is_(Primitive.PMREQ_S)),
            found.r_err.eq(is_(Primitive.R_ERR)),
            found.r_ok.eq(is_(Primitive.R_OK)),
            found.r_rdy.eq(is_(Primitive.R_RDY)),
            found.sof.eq(is_(Primitive.SOF)),
            found.sync.eq(is_(Primitive.SYNC)),
            found.wtrm.eq(is_(Primitive.WTRM)),
            found.x_rdy.eq(is_(Primitive.X_RDY)),
            found.other.eq(Cat(is_(Primitive.R_IP), is_(Primitive.PMACK),
                               is_(Primitive.PMNAK)).any()),
            known.eq(regular & found.as_value().any()),
            found.data.eq(~control),
        ]

        # Each flag is decided by itself, and not after the others: a dword is recognised late in the clock.
        junk = Signal()         # after CONT data characters continue the last primitive
        counts = Signal()       # the dword was received without error
        changes = Signal()      # it is what the drive is sending from now on
        m.d.comb += [
            counts.eq(self.link_up & self.valid & ~self.error),
            changes.eq(Mux(control, known, ~junk)),
        ]
        m.d.sync += [
            rx.arrived.eq(self.valid),
            rx.strobe.eq(counts & changes),
            rx.align.eq(counts & control & align),
            rx.error.eq(self.link_up & self.valid
                        & (self.error | (control & ~(known | align | (regular & cont))))),
        ]
        with m.If(self.valid):
            m.d.sync += rx.word.eq(self.dword)
        with m.If(~self.link_up):
            m.d.sync += [rx.current.eq(0), rx.drive_idle.eq(0), rx.ending.eq(0), junk.eq(0)]
        with m.Elif(counts):
            with m.If(changes):
                m.d.sync += [
                    rx.current.eq(found),
                    rx.drive_idle.eq(found.sync | found.x_rdy),
                    rx.ending.eq(found.sync | found.x_rdy | found.eof | found.wtrm),
                ]
            with m.If(control & (known | (regular & cont))):
                m.d.sync += junk.eq(cont)
        return m
