"""The recorder's buffer in a memory behind AXI4."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....interface import MEMORY, MEMORY_BUSES
from ....interface.memory import MemoryFailure
from ..buffer import buffer_members
from ..positions import Positions
from .memory_reader import MemoryReader
from .memory_writer import MemoryWriter

__all__ = ["MemoryBuffer"]

#: AXI4: a burst at rising addresses; Normal Non-cacheable Bufferable.
_INCR, _BUFFERABLE = 1, 3


class MemoryBuffer(wiring.Component):
    """As :class:`..buffer.Buffer`, with the same members, in a memory at an AXI4 port.

    Every word goes through the memory: a FIFO before it collects bursts, another one after it holds what was read
    ahead. What is kept for a replay is read again. Latency: what both ways through the memory take, and some 20
    clocks. Rate: a word a clock on both sides, if the memory has room for a beat of each in as many clocks as it has
    words.

    The port is used in the core's clock; whatever crosses to another one stands below it. All bursts have ID 0. No
    read is asked for before the write of its words has been answered.

    Parameters
    ----------
    shape : MemoryShape
    retain : bool           See :class:`..buffer.Buffer`. Words of a playback always wait until they are good.
    reserve : int           See there.
    silence_bits : int      The memory has failed after so many clocks without an answer, a power of two: 0.2 s at
                            75 MHz.

    Members
    -------
    bus : In(MEMORY_BUSES[width].signature)     The port.
    memory : In(MEMORY.signature)       What it reports.
    forget : In(1)          In a playback, forgets all words.
    active : In(1)          An operation moves words. Else a failure of the memory is no reason to end one.
    over : In(1)            One clock: a recording has ended; ``level`` are the words that it leaves.
    abandoned : In(1)       Its user has given them up.
    offered : In(1)         In a recording, a word would enter if there were room.
    crowded : Out(1)        The memory takes words more slowly than they come.
    broken : Out(1)         The memory has failed: what is still in it does not come, until ``begin``.
    """

    def __init__(self, shape, *, retain=False, reserve=0, silence_bits=24):
        self._silence_bits = silence_bits
        self._shape = shape
        self._retain = retain
        self._reserve = reserve
        super().__init__({
            **buffer_members(shape.depth),
            "bus": In(MEMORY_BUSES[shape.width].signature), "memory": In(MEMORY.signature),
            "forget": In(1), "active": In(1), "over": In(1), "abandoned": In(1), "offered": In(1), "crowded": Out(1),
            "broken": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        shape, output, depth = self._shape, self.o, self._shape.depth
        m.submodules.positions = positions = Positions(shape.ring, retain=self._retain, verify=True)
        m.submodules.writer = writer = MemoryWriter(shape, reserve=self._reserve)
        m.submodules.reader = reader = MemoryReader(shape)
        load = Signal()
        full = Signal()
        empty = Signal()
        forgets = Signal()
        filling = Signal()
        padding = Signal()              # at ``o`` is a zero of ``fill``
        back = positions.back
        m.d.comb += [
            forgets.eq(self.begin | self.forget), positions.begin.eq(forgets), positions.playing.eq(self.playing),
            positions.good.eq(self.good), positions.keep.eq(self.keep), positions.settle.eq(self.settle),
            positions.rewind.eq(self.rewind), positions.enters.eq(self.enters), positions.leaves.eq(self.leaves),
            self.level.eq(positions.level), self.held.eq(positions.held),
            writer.begin.eq(forgets), writer.mark.eq(positions.mark), writer.forth.eq(positions.forth),
            writer.settle.eq(self.settle & self.playing), writer.good.eq(self.good & self.playing),
            writer.hurry.eq(reader.hurry & self.go),
            writer.i.payload.eq(self.i.payload), writer.i.valid.eq(self.enters),
            self.i.ready.eq(writer.i.ready & ~full), self.enters.eq(self.i.valid & self.i.ready),
            reader.begin.eq(forgets), reader.back.eq(back), reader.mark.eq(positions.mark),
            reader.playing.eq(self.playing), reader.stored.eq(writer.stored),
            reader.moves.eq(writer.moves), reader.settled.eq(writer.settled),
            empty.eq(self.level == 0),
            load.eq(~output.valid | output.ready), reader.o.ready.eq(load & self.go),
            self.leaves.eq(output.valid & output.ready & ~padding),
            self.present.eq(reader.present | (output.valid & ~padding)),
        ]
        # It is a clock late, in which one more word may enter.
        m.d.sync += [full.eq(self.held >= depth - 1), filling.eq(self.fill & empty & ~back & ~forgets)]
        with m.If(forgets):
            m.d.sync += output.valid.eq(0)
        with m.Elif(load | back):
            m.d.sync += output.valid.eq(((reader.o.valid & self.go) | filling) & ~back)
        with m.If(load):
            m.d.sync += [output.payload.eq(Mux(filling, 0, reader.o.payload)), padding.eq(filling)]

        room = Signal()
        with m.If(self.level >= depth - self._reserve - 1):
            m.d.sync += room.eq(0)
        with m.Elif(self.level <= depth // 2):
            m.d.sync += room.eq(1)
        m.d.comb += [self.crowded.eq(writer.crowded), self.hold.eq(~room | writer.crowded)]
        self._connect_bus(m, writer, reader)
        self._report(m, writer, reader, full)
        return m

    def _connect_bus(self, m, writer, reader):
        bus = self.bus
        size = (self._shape.width // 8).bit_length() - 1
        m.d.comb += [
            bus.awaddr.eq(writer.aw.payload.address), bus.awlen.eq(writer.aw.payload.length), bus.awsize.eq(size),
            bus.awburst.eq(_INCR), bus.awcache.eq(_BUFFERABLE), bus.awvalid.eq(writer.aw.valid),
            writer.aw.ready.eq(bus.awready),
            bus.wdata.eq(writer.w.payload.data), bus.wstrb.eq(writer.w.payload.strobes),
            bus.wlast.eq(writer.w.payload.last), bus.wvalid.eq(writer.w.valid), writer.w.ready.eq(bus.wready),
            writer.b.payload.eq(bus.bresp), writer.b.valid.eq(bus.bvalid), bus.bready.eq(1),
            bus.araddr.eq(reader.ar.payload.address), bus.arlen.eq(reader.ar.payload.length), bus.arsize.eq(size),
            bus.arburst.eq(_INCR), bus.arcache.eq(_BUFFERABLE), bus.arvalid.eq(reader.ar.valid),
            reader.ar.ready.eq(bus.arready),
            reader.r.payload.data.eq(bus.rdata), reader.r.payload.response.eq(bus.rresp),
            reader.r.payload.last.eq(bus.rlast), reader.r.valid.eq(bus.rvalid), bus.rready.eq(1),
        ]

    def _report(self, m, writer, reader, full):
        """What the user sees, and whether the memory has failed."""
        bus, memory = self.bus, self.memory
        before = Signal.like(self.held)
        waits = Signal()
        silent = Signal()
        m.d.sync += [
            before.eq(Mux(self.begin, 0, self.held)),
            # In a playback words come when they are good, all at once.
            waits.eq(self.active & ((self.offered & ~writer.i.ready & ~full)
                                    | (reader.late & self.go & ~self.playing & ~self.o.valid))),
        ]
        m.d.comb += [
            memory.level.eq(self.level),
            self.broken.eq(memory.failure.matches(MemoryFailure.ERROR, MemoryFailure.SILENCE)),
            silent.eq(self._silent(m, "writes", writer.waits, (bus.awvalid & bus.awready) | (bus.wvalid & bus.wready)
                                   | bus.bvalid)
                      | self._silent(m, "reads", reader.waits, (bus.arvalid & bus.arready) | bus.rvalid)),
        ]
        with m.If(self.begin):
            m.d.sync += [memory.high_water.eq(0), memory.waits.eq(0), memory.failure.eq(0), memory.lost.eq(0),
                         waits.eq(0)]
        with m.Else():
            m.d.sync += memory.waits.eq(memory.waits + waits)
            with m.If(memory.high_water < before):
                m.d.sync += memory.high_water.eq(before)
            with m.If(self.over):
                m.d.sync += memory.lost.eq(self.level)
                with m.If(self.abandoned & ~self.broken & (self.level != 0)):
                    m.d.sync += memory.failure.eq(MemoryFailure.GIVEN_UP)
            with m.If(self.active & ~self.broken):
                with m.If(writer.failed | reader.failed):
                    m.d.sync += memory.failure.eq(MemoryFailure.ERROR)
                with m.Elif(silent):
                    m.d.sync += memory.failure.eq(MemoryFailure.SILENCE)

    def _silent(self, m, name, waits, moved):
        """Whether nothing has ``moved`` for too long though something ``waits``."""
        clocks = Signal(self._silence_bits, name=f"{name}_silent")
        with m.If(moved | ~waits | ~self.active | self.begin):
            m.d.sync += clocks.eq(0)
        with m.Elif(~clocks.all()):
            m.d.sync += clocks.eq(clocks + 1)
        return clocks.all()
