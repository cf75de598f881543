"""From the dword port to the stream of primitives and data: ALIGN and CONT are removed."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .primitives import Primitive, RxPrimitive

__all__ = ["PrimitiveDecoder"]


class PrimitiveDecoder(wiring.Component):
    """Decodes received dwords (Serial ATA 3.x, link layer, CONT and ALIGN).

    A primitive stays current until the next one or a data dword, through gaps, ALIGN and the
    junk that follows CONT. A dword with a code error, and a control character that begins no
    primitive, changes nothing and is reported by ``error``. Latency: 1 clock.

    Members
    -------
    rx_data, rx_k, rx_valid, rx_error, link_up : In     from the dword port
    current : Out(RxPrimitive)     what the drive is sending
    drive_idle : Out(1)               ``current`` is SYNC or X_RDY: the drive is in no frame with us
    ending : Out(1)             ``drive_idle``, or EOF or WTRM
    strobe : Out(1)             ``current`` arrived in this clock (neither ALIGN nor junk)
    word : Out(32)              the data dword, with ``current.data & strobe``
    align : Out(1)              an ALIGN arrived
    error : Out(1)              a dword arrived that could not be decoded
    arrived : Out(1)            a dword of any kind arrived
    """

    rx_data: In(32)
    rx_k: In(4)
    rx_valid: In(1)
    rx_error: In(1)
    link_up: In(1)

    current: Out(RxPrimitive)
    drive_idle: Out(1)
    ending: Out(1)
    strobe: Out(1)
    word: Out(32)
    align: Out(1)
    error: Out(1)
    arrived: Out(1)

    def elaborate(self, platform):
        m = Module()

        junk = Signal()
        found = Signal(RxPrimitive)
        control = Signal()
        m.d.comb += control.eq(self.rx_k[0])

        def is_(primitive):
            return self.rx_data == primitive.value

        align = Signal()
        cont = Signal()
        m.d.comb += [align.eq(is_(Primitive.ALIGN)), cont.eq(is_(Primitive.CONT))]
        for name in RxPrimitive.members:
            if name not in ("data", "other", "pmreq"):
                m.d.comb += found[name].eq(is_(Primitive[name.upper()]))
        m.d.comb += [
            found.pmreq.eq(is_(Primitive.PMREQ_P) | is_(Primitive.PMREQ_S)),
            found.other.eq(Cat(is_(p) for p in (Primitive.R_IP, Primitive.PMACK,
                                                Primitive.PMNAK)).any()),
        ]

        m.d.sync += [
            self.arrived.eq(self.rx_valid),
            self.strobe.eq(0),
            self.align.eq(0),
            self.error.eq(0),
        ]
        with m.If(~self.link_up):
            m.d.sync += [self.current.eq(0), self.drive_idle.eq(0), self.ending.eq(0), junk.eq(0)]
        with m.Elif(self.rx_valid):
            m.d.sync += self.word.eq(self.rx_data)
            with m.If(self.rx_error):
                m.d.sync += self.error.eq(1)
            with m.Elif(~control):
                with m.If(~junk):
                    m.d.sync += [
                        self.current.eq(RxPrimitive.const({"data": 1})),
                        self.drive_idle.eq(0),
                        self.ending.eq(0),
                        self.strobe.eq(1),
                    ]
            with m.Elif(align):
                m.d.sync += self.align.eq(1)
            with m.Elif(cont):
                m.d.sync += junk.eq(1)
            with m.Elif(found.as_value().any()):
                m.d.sync += [
                    self.current.eq(found),
                    self.drive_idle.eq(found.sync | found.x_rdy),
                    self.ending.eq(found.sync | found.x_rdy | found.eof | found.wtrm),
                    self.strobe.eq(1),
                    junk.eq(0),
                ]
            with m.Else():
                m.d.sync += self.error.eq(1)
        return m
