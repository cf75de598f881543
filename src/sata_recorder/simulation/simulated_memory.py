"""The memory of a core that has one, in a simulation: below the core's AXI4 port, in gateware."""

from amaranth.hdl import C, ClockSignal, Instance, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.fifo import SyncFIFO

from ..bricks.stage import Stage, StageRow
from ..interface.face import part
from ..interface.memory import LANE_BUSES, MEMORY_ADDRESS_BITS, MEMORY_BUSES

__all__ = ["SimulatedMemory", "cells_rtlil"]

#: DDR3 of 4 Gb (JESD79-3F, tREFI and tRFC): how often it is refreshed, and for how long it then does nothing else.
_REFRESH_EVERY, _REFRESH = 7.8e-6, 260e-9
#: Clocks from a read address to the first beat: an assumption.
_LATENCY = 24
#: Bursts of each kind that it queues.
_QUEUED = 8
_STAMP_BITS = 8


#: A lane of the memory, in RTLIL: Amaranth would write out the first value of each of its words.
_CELLS = r"""
module \simulated_cells
  wire width 1 input 1 \clk
  wire width {bits} input 2 \address
  wire width 32 input 3 \written
  wire width 1 input 4 \writes
  wire width 32 output 5 \read
  memory width 32 size {words} \cells
  cell $memwr_v2 \write
    parameter \MEMID "\\cells"
    parameter \ABITS {bits}
    parameter \WIDTH 32
    parameter \CLK_ENABLE 1
    parameter \CLK_POLARITY 1
    parameter \PORTID 0
    parameter \PRIORITY_MASK 0
    connect \ADDR \address
    connect \DATA \written
    connect \EN {{ {enable} }}
    connect \CLK \clk
  end
  cell $memrd_v2 \reads
    parameter \MEMID "\\cells"
    parameter \ABITS {bits}
    parameter \WIDTH 32
    parameter \TRANSPARENCY_MASK 1'0
    parameter \COLLISION_X_MASK 1'0
    parameter \ARST_VALUE 32'x
    parameter \SRST_VALUE 32'x
    parameter \INIT_VALUE 32'x
    parameter \CE_OVER_SRST 0
    parameter \CLK_ENABLE 0
    parameter \CLK_POLARITY 1
    connect \ADDR \address
    connect \DATA \read
    connect \ARST 1'0
    connect \SRST 1'0
    connect \EN 1'1
    connect \CLK 1'0
  end
end
"""


def cells_rtlil(configuration):
    """The RTLIL that a :class:`SimulatedMemory` needs besides its own; an empty text without a memory."""
    beats = configuration.memory_region // (configuration.memory_width // 8)
    return _CELLS.format(bits=(beats - 1).bit_length(), words=beats, enable=r"\writes " * 32) if beats else ""


class SimulatedMemory(Stage):
    """Memories, one at each AXI4 port, like one behind a DDR3 controller: a beat in each clock, in one direction at a
    time, and pauses.

    Reads and writes take turns, a burst each. All bytes are 0 at first.

    Latency: 24 clocks or more from a read request to its first beat. Rate: a beat of ``memory_width`` bits in each
    clock of a burst. It answers each burst with OKAY.

    Parameters
    ----------
    configuration : Configuration   ``memory`` is not 0.

    Members
    -------
    user : In(Face)     The user of the core.
    core : Out(Face)    The core, with its AXI4 ports.
    """

    row = StageRow("simulated_memory", takes={*MEMORY_BUSES.values(), *LANE_BUSES.values()})

    @classmethod
    def exists(cls, configuration):
        """Whether a core of this ``configuration`` has a memory."""
        return bool(configuration.memory)

    def wrong(self, data):
        """Whether a beat with ``data`` is an error when it is written, and when it is read."""
        return C(0), C(0)

    def rests(self, m):
        """A signal that is high while no beat moves: here during refreshes."""
        config = self.configuration
        since = Signal(range(config.clocks(_REFRESH_EVERY)))
        rests = Signal()
        m.d.sync += [since.eq(Mux(since == config.clocks(_REFRESH_EVERY) - 1, 0, since + 1)),
                     rests.eq(since < config.clocks(_REFRESH))]
        return rests

    def elaborate(self, platform):
        m = Module()
        for group in self.below:
            m.submodules[group.name] = memory = Module()
            self._serve(memory, part(self.core, group))
        return m

    def _serve(self, m, bus):
        """The memory at one ``bus``."""
        config = self.configuration
        lanes = config.memory_width // 32
        beat_bits = (4 * lanes).bit_length() - 1
        beats = config.memory_region >> beat_bits
        entry = data.StructLayout({"stamp": _STAMP_BITS, "length": 8, "address": MEMORY_ADDRESS_BITS})
        m.submodules.writes = writes = SyncFIFO(width=entry.size, depth=_QUEUED)
        m.submodules.reads = reads = SyncFIFO(width=entry.size, depth=_QUEUED)

        now = Signal(_STAMP_BITS)
        rests = self.rests(m)
        writing, reading = Signal(), Signal()       # a burst is under way
        address, left = Signal(range(beats)), Signal(8)
        m.submodules.answers = answers = SyncFIFO(width=1, depth=_QUEUED)
        wrong = Signal()                            # a beat of the burst that is being written
        wrong_write, wrong_read = self.wrong(bus.wdata)[0], self.wrong(bus.rdata)[1]
        moves, ends = Signal(), Signal()
        turn = Signal()                             # the next burst is one of writes, if both wait
        new_write = data.View(entry, writes.w_data)
        new_read = data.View(entry, reads.w_data)
        asked = data.View(entry, reads.r_data)
        written = data.View(entry, writes.r_data)
        may_write, may_read = Signal(), Signal()
        m.d.sync += [
            now.eq(now + 1),
            wrong.eq(writing & ~ends & (wrong | (moves & wrong_write))),
        ]
        m.d.comb += [
            bus.awready.eq(writes.w_rdy), writes.w_en.eq(bus.awvalid),
            bus.arready.eq(reads.w_rdy), reads.w_en.eq(bus.arvalid),
            new_write.address.eq(bus.awaddr), new_write.length.eq(bus.awlen),
            new_read.address.eq(bus.araddr), new_read.length.eq(bus.arlen), new_read.stamp.eq(now),
            answers.w_en.eq(ends & writing), answers.w_data.eq(wrong | wrong_write),
            bus.bvalid.eq(answers.r_rdy), bus.bresp.eq(answers.r_data << 1), answers.r_en.eq(bus.bready),
            bus.rresp.eq(wrong_read << 1),
            bus.wready.eq(writing & ~rests), bus.rvalid.eq(reading & ~rests), bus.rlast.eq(left == 0),
            moves.eq((bus.wready & bus.wvalid) | (bus.rvalid & bus.rready)),
            ends.eq(moves & (left == 0)),
            may_write.eq(writes.r_rdy & bus.wvalid & answers.w_rdy),
            may_read.eq(reads.r_rdy & ((now - asked.stamp)[:_STAMP_BITS] >= _LATENCY)),
        ]
        with m.If(moves):
            m.d.sync += [address.eq(address + 1), left.eq(left - 1)]
        with m.If(ends):
            m.d.sync += [writing.eq(0), reading.eq(0)]
        with m.If(~(writing | reading) | ends):
            with m.If(may_write & ~(ends & writing) & (turn | ~may_read)):
                m.d.comb += writes.r_en.eq(1)
                m.d.sync += [
                    writing.eq(1), address.eq(written.address >> beat_bits), left.eq(written.length), turn.eq(0)]
            with m.Elif(may_read):
                m.d.comb += reads.r_en.eq(1)
                m.d.sync += [reading.eq(1), address.eq(asked.address >> beat_bits), left.eq(asked.length), turn.eq(1)]

        for lane in range(lanes):
            word = Signal(32, name=f"read{lane}")
            m.submodules[f"lane{lane}"] = Instance(
                "simulated_cells", i_clk=ClockSignal(), i_address=address, i_written=bus.wdata.word_select(lane, 32),
                i_writes=bus.wready & bus.wvalid & bus.wstrb[4 * lane], o_read=word)
            m.d.comb += bus.rdata.word_select(lane, 32).eq(word)
