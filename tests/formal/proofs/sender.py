"""FISes to the drive: what the payload of Data FISes is made of."""

from amaranth.hdl import Mux, Signal

from formal.order import order
from sata_recorder.transport.sender import Sender


def sender(h):
    """A link layer that takes words at any time and ends frames early; any payload stream."""
    m = h.m
    dut = h.dut(Sender())
    frame = dut.frame
    h.drive(dut.registers, dut.send_registers, dut.send_data, dut.cancel_data, dut.data_words,
            dut.data.valid, dut.data.payload, frame.ready, frame.done, frame.ok, frame.refused)
    kept = h.probe("dut.kept", 2)

    # The command layer's side of it: one request at a time, for no less than what was taken.
    busy, in_data = Signal(), Signal()
    registers = Signal()
    ends = frame.done & ~(registers & ~frame.ok)
    h.assume(
        ~(dut.send_registers & dut.send_data), ~(busy & dut.send_registers),
        ~dut.send_data | (~busy & (dut.data_words >= 1) & (dut.data_words <= 2048)
                          & (dut.data_words >= kept)),
        ~dut.cancel_data | (in_data & ~h.past(frame.ready)),
    )
    with m.If(dut.send_registers):
        m.d.sync += [busy.eq(1), registers.eq(1), in_data.eq(0)]
    with m.Elif(dut.send_data):
        m.d.sync += [busy.eq(1), registers.eq(0), in_data.eq(1)]
    with m.Elif(ends | dut.cancel_data):
        m.d.sync += [busy.eq(0), in_data.eq(0)]
    # The link layer's: the first word is asked for when X_RDY and its answer have passed.
    age = Signal(3)
    with m.If(dut.send_registers | dut.send_data | frame.done):
        m.d.sync += age.eq(0)
    with m.Elif(~age.all()):
        m.d.sync += age.eq(age + 1)
    h.assume(~frame.ready | (frame.valid & busy & (age >= 4)),
             ~frame.done | (busy & ~frame.ready))

    moved = frame.ready & frame.valid
    first = Signal(init=1)
    with m.If(frame.done | dut.send_data | dut.send_registers | dut.cancel_data):
        m.d.sync += first.eq(1)
    with m.Elif(moved):
        m.d.sync += first.eq(0)
    payload = moved & in_data & ~first
    inside = order(h, "payload", dut.data.valid & dut.data.ready, dut.data.payload, payload,
                   frame.payload.word, limit=2, clear=dut.send_registers | (frame.done & registers))
    count = Signal(12)
    with m.If(dut.send_data):
        m.d.sync += count.eq(dut.data_words)
    with m.Elif(payload):
        m.d.sync += count.eq(count - 1)
    after = Signal()        # the last word of the frame has gone
    with m.If(dut.send_data | dut.send_registers | frame.done):
        m.d.sync += after.eq(0)
    with m.Elif(moved & frame.payload.last):
        m.d.sync += after.eq(1)
    h.assume(~after | ~frame.ready, after | ~(frame.done & frame.ok & registers))
    h.check("what was taken and not sent is counted", ~in_data | (inside == kept))
    h.check("a Data FIS begins with its type",
            ~(moved & in_data & first) | (frame.payload.word == 0x46) & ~frame.payload.last)
    h.check("last with the last of the words that were asked for",
            ~payload | (frame.payload.last == (count == 1)))
    h.check("data_moved with each word of payload", dut.data_moved == payload)
    words = Signal(3)
    with m.If(frame.done | dut.send_registers):
        m.d.sync += words.eq(0)
    with m.Elif(moved & registers):
        m.d.sync += words.eq(words + 1)
    sends = moved & registers & ~in_data
    h.check("a Register FIS has five words",
            ~sends | (frame.payload.last == (words == 4)))
    h.check("each is as it must be", ~sends | (frame.payload.word == Mux(
        words == 0, (dut.registers.features[0:8] << 24) | (dut.registers.command << 16) | 0x8027,
        Mux(words == 1, (dut.registers.device << 24) | dut.registers.lba[0:24],
            Mux(words == 2, (dut.registers.features[8:16] << 24) | dut.registers.lba[24:48],
                Mux(words == 3, dut.registers.count, 0))))) | ~steady_registers(h, dut))
    h.cover("a Data FIS that ended early, and the next one begins with what was left",
            payload & h.past(first & moved) & h.ever(frame.done & in_data & (kept == 2)))
    h.cover("a Register FIS sent again", dut.registers_again & (words == 5))


def steady_registers(h, dut):
    """Whether ``registers`` has not changed since the request."""
    changed, before = Signal(), h.past(dut.registers)
    with h.m.If(dut.send_registers):
        h.m.d.sync += changed.eq(0)
    with h.m.Elif(dut.registers.as_value() != before):
        h.m.d.sync += changed.eq(1)
    return ~changed & ((dut.registers.as_value() == before) | dut.send_registers)
