"""The segments of a recording, in block RAM."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...core.block_memory import BlockMemory

__all__ = ["ENTRIES", "FIELDS", "Segment", "SegmentTable"]

#: Entries of the table.
ENTRIES = 16

#: The fields of an entry, in the order of their addresses.
FIELDS = {
    "first": "number of the first word in its part: 128 x the first sector",
    "trigger": "number of the first word after its trigger; valid with bit 0 of flags",
    "end": "number of the word after its last one",
    "first_time": "time of its first word",
    "trigger_time": "time of its trigger; valid with bit 0 of flags",
    "waited": "clocks in which a word waited, from the first word of the recording to the end",
    "gap_time": "time at which a word waited for the first time in it; valid with bit 2 of flags",
    "flags": "bit 0: there was a trigger; bit 1: it has all the words after its trigger; bit 2: a "
             "word had to wait; bits 31:16: triggers that made it longer, or were too many",
}

_WIDTH = 64
_NUMBER = 48


class Segment(data.Struct):
    """What is known of a segment; :data:`FIELDS` states what it means."""

    first: _NUMBER
    trigger: _NUMBER
    end: _NUMBER
    first_time: _WIDTH
    trigger_time: _WIDTH
    waited: _NUMBER
    gap_time: _WIDTH
    triggered: 1
    complete: 1
    gaps: 1
    #: Triggers that made it longer, or for which there is no segment.
    more: 16


class SegmentTable(wiring.Component):
    """Keeps the latest segments, each in as many fields as :data:`FIELDS` has.

    Latency: a segment is taken, and counts, 8 clocks after it was at ``segment``.

    Members
    -------
    begin : In(1)           A recording begins: there are no entries. The fields keep what they had.
    segment : In(stream Segment)    A segment that has ended; it stays the same until it is taken.
    count : Out(16)         Segments since ``begin``. Number n is entry n modulo :data:`ENTRIES`.
    address : In            8 x entry + field.
    data : Out(64)          The field at ``address``, 2 clocks later.
    """

    begin: In(1)
    segment: In(stream.Signature(Segment))
    count: Out(16)
    address: In(range(ENTRIES * len(FIELDS)))
    data: Out(_WIDTH)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = mem = BlockMemory(shape=_WIDTH, depth=ENTRIES * len(FIELDS))
        write = mem.write_port()
        address, stored = mem.late_port(m)
        meets = Signal()            # the field was written in the clock in which it was read
        field = Signal(range(len(FIELDS)))
        payload = self.segment.payload
        m.d.comb += [
            address.eq(self.address),
            write.en.eq(self.segment.valid),
            write.addr.eq(Cat(field, self.count[:(ENTRIES - 1).bit_length()])),
            self.segment.ready.eq(self.segment.valid & (field == len(FIELDS) - 1)),
        ]
        m.d.sync += [meets.eq(write.en & (write.addr == address)), self.data.eq(Mux(meets, 0, stored))]
        values = (payload.first, payload.trigger, payload.end, payload.first_time,
                  payload.trigger_time, payload.waited, payload.gap_time,
                  Cat(payload.triggered, payload.complete, payload.gaps, Signal(13, name="none"),
                      payload.more))
        with m.Switch(field):
            for number, value in enumerate(values):
                with m.Case(number):
                    m.d.comb += write.data.eq(value)
        with m.If(self.segment.valid):
            m.d.sync += field.eq(field + 1)
        with m.If(self.segment.valid & self.segment.ready):
            m.d.sync += self.count.eq(self.count + 1)
        with m.If(self.begin):
            m.d.sync += [field.eq(0), self.count.eq(0)]
        return m
