"""What the recorder's user wants, as the firmware reads it, and what the firmware answers."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..facts.described_enum import DescribedEnum
from ..interface import CONTROL
from .bus import BusSignature


class RequestWord(DescribedEnum):
    """The words of the request on the processor's bus, by their index."""

    STATE = 0, "what is to be done now"
    STOP = 1, "1: the request is to end early"
    LBA_LOW = 2, "first sector, bits 31:0"
    LBA_HIGH = 3, "first sector, bits 47:32"
    SECTORS_LOW = 4, "sectors, bits 31:0"
    SECTORS_HIGH = 5, "sectors, bits 47:32"
    RESULT = 6, "write the error, or 0: the request is over"
    READY = 7, "write 1: the firmware takes requests"
    OPERATION_SECTORS = 8, "longest operation in sectors; 0: the request is one operation"
    INTERRUPTS = 9, "1: wait for irq, where the processor can; 0: poll"


class RequestState(data.Struct):
    """The word STATE."""

    #: There is a request.
    pending: 1
    #: With ``pending``: CONTROL.OPERATION of the request.
    operation: 2


class Request(wiring.Component):
    """The user's request, which the firmware carries out."""

    bus: In(BusSignature())         # The processor; :class:`RequestWord` has the words.
    tick: In(1)                     # The processor's clock ticks.
    control: In(CONTROL.signature)  # The user: ``start`` makes a request, unless ``busy``.
    operation_sectors: In(17)       # With ``control.start``: the longest operation, or 0.
    interrupts: In(1)               # With ``control.start``: the firmware is to wait for irq.
    busy: In(1)                     # A request is not over for the user.
    pending: Out(1)                 # There is a request.
    stopping: Out(1)                # The request is to end early; wakes a processor that waits.
    begins: Out(1)                  # One clock: a request is made.
    ends: Out(1)                    # One clock, the last one of ``pending``.
    result: Out(4)                  # The firmware's answer to the latest request, from the clock after ``ends`` on.
    ready: Out(1)                   # The firmware runs and takes requests.

    def elaborate(self, platform):
        m = Module()
        bus, control = self.bus, self.control
        state = Signal(RequestState)
        lba = Signal(48)
        sectors = Signal(48)
        operation_sectors = Signal(17)
        interrupts = Signal()
        word = bus.address[2:6]
        write = Signal()
        m.d.comb += [
            write.eq(bus.valid & bus.ready & bus.strobes.any() & self.tick),
            self.begins.eq(control.start & ~self.busy),
            self.ends.eq(write & (word == RequestWord.RESULT)),
            self.pending.eq(state.pending),
        ]
        with m.If(self.tick):
            m.d.sync += bus.ready.eq(bus.valid & ~bus.ready)
        with m.Switch(word):
            for index, value in {
                    RequestWord.STATE: state, RequestWord.STOP: self.stopping,
                    RequestWord.LBA_LOW: lba[:32], RequestWord.LBA_HIGH: lba[32:],
                    RequestWord.SECTORS_LOW: sectors[:32], RequestWord.SECTORS_HIGH: sectors[32:],
                    RequestWord.OPERATION_SECTORS: operation_sectors,
                    RequestWord.INTERRUPTS: interrupts}.items():
                with m.Case(index):
                    m.d.comb += bus.read_data.eq(value)
        with m.If(control.stop & state.pending):
            m.d.sync += self.stopping.eq(1)
        with m.If(self.begins):
            m.d.sync += [state.pending.eq(1), self.stopping.eq(0),
                         state.operation.eq(control.operation), lba.eq(control.lba),
                         sectors.eq(control.sectors),
                         operation_sectors.eq(self.operation_sectors),
                         interrupts.eq(self.interrupts)]
        with m.If(self.ends):
            m.d.sync += [state.pending.eq(0), self.stopping.eq(0),
                         self.result.eq(bus.write_data)]
        with m.If(write & (word == RequestWord.READY)):
            m.d.sync += self.ready.eq(bus.write_data[0])
        return m
