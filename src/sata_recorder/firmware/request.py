"""What the recorder's user wants, as the firmware reads it, and what the firmware answers."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..interface import group
from .bus import BusSignature

__all__ = ["REQUEST_WORDS", "Request"]

#: Word of the bus: its name and what it is for the firmware. ``c/main.c`` has them, too.
REQUEST_WORDS = {
    0: ("REQUEST", "bit 0: there is a request; bit 1: it is to end early; bits 9:8: operation"),
    1: ("LBA_LOW", "first sector, bits 31:0"),
    2: ("LBA_HIGH", "first sector, bits 47:32"),
    3: ("SECTORS_LOW", "sectors, bits 31:0"),
    4: ("SECTORS_HIGH", "sectors, bits 47:32"),
    5: ("RESULT", "write: the error, or 0; the request is over"),
    6: ("READY", "write 1: the firmware takes requests"),
    7: ("OPERATION_SECTORS", "longest operation in sectors; 0: the request is one operation"),
    8: ("INTERRUPTS", "1: wait for irq, where the processor can; 0: poll"),
}


class Request(wiring.Component):
    """The user's request, which the firmware carries out.

    Members
    -------
    bus : In(BusSignature)          The processor; :data:`REQUEST_WORDS` has the words.
    tick : In(1)                    The processor's clock ticks.
    control : In(group("control"))  The user: ``start`` makes a request, unless ``busy``.
    operation_sectors : In(17)      With ``control.start``: the longest operation, or 0.
    interrupts : In(1)              With ``control.start``: the firmware is to wait for irq.
    busy : In(1)                    A request is not over for the user.
    pending : Out(1)                There is a request.
    begins : Out(1)                 One clock: a request is made.
    ends : Out(1)                   One clock, the last one of ``pending``.
    result : Out(4)                 The firmware's answer to the latest request, from the clock
                                    after ``ends`` on.
    ready : Out(1)                  The firmware runs and takes requests.
    """

    def __init__(self):
        super().__init__({
            "bus": In(BusSignature()), "tick": In(1), "control": In(group("control")),
            "operation_sectors": In(17), "interrupts": In(1), "busy": In(1), "pending": Out(1), "begins": Out(1), "ends": Out(1), "result": Out(4), "ready": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        bus, control = self.bus, self.control
        stopping = Signal()
        operation = Signal(2)
        lba = Signal(48)
        sectors = Signal(48)
        operation_sectors = Signal(17)
        interrupts = Signal()
        word = bus.address[2:6]
        write = Signal()
        m.d.comb += [
            write.eq(bus.valid & bus.ready & bus.strobes.any() & self.tick),
            self.begins.eq(control.start & ~self.busy),
            self.ends.eq(write & (word == 5)),
        ]
        with m.If(self.tick):
            m.d.sync += bus.ready.eq(bus.valid & ~bus.ready)
        with m.Switch(word):
            for index, value in {0: self.pending | stopping << 1 | operation << 8,
                                 1: lba[:32], 2: lba[32:], 3: sectors[:32], 4: sectors[32:],
                                 7: operation_sectors, 8: interrupts}.items():
                with m.Case(index):
                    m.d.comb += bus.read_data.eq(value)
        with m.If(control.stop & self.pending):
            m.d.sync += stopping.eq(1)
        with m.If(self.begins):
            m.d.sync += [self.pending.eq(1), stopping.eq(0), operation.eq(control.operation),
                         lba.eq(control.lba), sectors.eq(control.sectors),
                         operation_sectors.eq(self.operation_sectors),
                         interrupts.eq(self.interrupts)]
        with m.If(self.ends):
            m.d.sync += [self.pending.eq(0), self.result.eq(bus.write_data)]
        with m.If(write & (word == 6)):
            m.d.sync += self.ready.eq(bus.write_data[0])
        return m
