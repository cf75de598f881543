"""FISes to the drive: what the payload of Data FISes is made of."""

from amaranth.hdl import Array, Mux, Signal

from formal.order import order
from sata_recorder.core.transport.fis_sender import TRIES, FisSender


def fis_sender(h):
    """A link layer that takes words at any time and ends frames early; any payload stream."""
    m = h.m
    dut = h.dut(FisSender())
    frame, data, task_file = dut.frame, dut.data, dut.registers.task_file
    send_registers = dut.registers.send
    h.drive(task_file, send_registers, data.send, data.cancel, data.words,
            data.payload.valid, data.payload.payload,
            frame.ready, frame.done, frame.ok)
    kept = h.probe("dut.kept", 2)

    # The command layer's side of it: one request at a time, data only within a command, and for
    # no less than what was taken.
    busy, in_data, commanded = Signal(), Signal(), Signal()
    registers = Signal()
    tries = Signal(range(TRIES + 1))    # of this Register FIS
    words = Signal(3)                   # of this Register FIS, sent so far
    refused = registers & frame.done & ~frame.ok
    cut = registers & frame.done & frame.ok & (words != 5)
    fails = (refused & (tries == TRIES - 1)) | cut
    ends = frame.done & (~refused | fails)
    h.assume(
        ~(send_registers & data.send), ~(busy & send_registers),
        ~data.send | (~busy & commanded & (data.words >= 1) & (data.words <= 2048)
                          & (data.words >= kept)),
        ~data.cancel | (in_data & ~h.past(frame.ready)),
    )
    with m.If(send_registers):
        m.d.sync += [busy.eq(1), registers.eq(1), in_data.eq(0), commanded.eq(0), tries.eq(0)]
    with m.Elif(data.send):
        m.d.sync += [busy.eq(1), registers.eq(0), in_data.eq(1)]
    with m.Elif(ends | data.cancel):
        m.d.sync += [busy.eq(0), in_data.eq(0), commanded.eq(commanded | (registers & ~fails))]
    with m.Elif(refused):
        m.d.sync += tries.eq(tries + 1)
    h.check("registers_done with R_OK to all of them",
            dut.registers.done == (registers & frame.done & frame.ok & ~cut))
    h.check(f"registers_failed with the refusal of try {TRIES}, or R_OK to a part of them",
            dut.registers.failed == fails)
    h.check("registers_again with the other refusals", dut.registers_again == (refused & ~fails))
    # The link layer's: the first word is asked for when X_RDY and its answer have passed.
    age = Signal(3)
    with m.If(send_registers | data.send | frame.done):
        m.d.sync += age.eq(0)
    with m.Elif(~age.all()):
        m.d.sync += age.eq(age + 1)
    h.assume(~frame.ready | (frame.valid & busy & (age >= 4)),
             ~frame.done | (busy & ~frame.ready & (age >= 2)))

    moved = frame.ready & frame.valid
    first = Signal(init=1)
    with m.If(frame.done | data.send | send_registers | data.cancel):
        m.d.sync += first.eq(1)
    with m.Elif(moved):
        m.d.sync += first.eq(0)
    payload = moved & in_data & ~first
    inside = order(h, "payload", data.payload.valid & data.payload.ready, data.payload.payload, payload,
                   frame.payload.word, limit=2, clear=send_registers | (frame.done & registers))
    count = Signal(12)
    with m.If(data.send):
        m.d.sync += count.eq(data.words)
    with m.Elif(payload):
        m.d.sync += count.eq(count - 1)
    with m.If(frame.done | send_registers):
        m.d.sync += words.eq(0)
    with m.Elif(moved & registers):
        m.d.sync += words.eq(words + 1)
    registers_fis = Array([
        (task_file.features[0:8] << 24) | (task_file.command << 16) | 0x8027,
        (task_file.device << 24) | task_file.lba[0:24],
        (task_file.features[8:16] << 24) | task_file.lba[24:48],
        task_file.count, 0, 0, 0, 0])
    stable = steady_registers(h, dut)
    in_registers = busy & registers & ~h.probe("dut.flush")
    fetch, more = h.probe("dut.fetch", 12), h.probe("dut.more")
    # IDLE, DATA and REGISTERS, in the order of the calls of ongoing.
    h.lemma("the state",
            h.probe("dut.fsm_state", 2) == Mux(in_data, 1, Mux(busy & registers, 2, 0)))
    h.lemma("valid shows whether there is a word, or will be", frame.valid == (
        busy & ((registers & (words == 0)) | h.probe("dut.heading")
                | h.probe("dut.skid.o__valid"))))
    h.lemma("what is in the register", kept == h.probe("dut.skid.o__valid")
            + h.probe("dut.skid.spare_valid"))
    h.lemma("words to come", ~in_data | (
        (fetch == count - kept) & (count >= kept) & (count <= 2048) & (more == (fetch != 0))))
    h.lemma("a register shows whether a word is taken",
            data.payload.ready == (in_data & more & ~h.probe("dut.skid.spare_valid")))
    h.lemma("registers: words to come", ~in_registers | (
        (words <= 5) & (fetch <= 5) & (more == (fetch != 0)) & (fetch == 5 - words - kept)))
    h.lemma("registers: the words", ~in_registers | ~stable | (
        ((kept < 1) | (h.probe("dut.skid.o__payload", 32) == registers_fis[words]))
        & ((kept < 2) | (h.probe("dut.skid.spare", 32) == registers_fis[(words + 1)[:3]]))))
    after = Signal()        # the last word of the frame has gone
    with m.If(data.send | send_registers | frame.done):
        m.d.sync += after.eq(0)
    with m.Elif(moved & frame.payload.last):
        m.d.sync += after.eq(1)
    h.assume(~after | ~frame.ready)
    h.check("what was taken and not sent is counted", ~in_data | (inside == kept))
    h.check("a Data FIS begins with its type",
            ~(moved & in_data & first) | (frame.payload.word == 0x46) & ~frame.payload.last)
    h.check("last with the last of the words that were asked for",
            ~payload | (frame.payload.last == (count == 1)))
    h.check("data_moved after each word of payload", data.moved == h.past(payload))
    sends = moved & registers & ~in_data
    h.check("a Register FIS has five words",
            ~sends | (frame.payload.last == (words == 4)))
    h.check("each is as it must be",
            ~sends | ~stable | (frame.payload.word == registers_fis[words]))
    h.cover("a Data FIS that ended early, and the next one begins with what was left",
            payload & h.past(first & moved) & h.ever(frame.done & in_data & (kept == 2)))
    h.cover("a Register FIS sent again", dut.registers_again & (words == 5))
    always = ~frame.ok & (frame.done == ((age >= 2) & busy)) & ~frame.ready
    h.cover("a Register FIS given up", dut.registers.failed, given=always)
    h.hint("refused", always)


def steady_registers(h, dut):
    """Whether the task file has not changed since the request."""
    task_file = dut.registers.task_file.as_value()
    changed, before = Signal(), h.past(task_file)
    with h.m.If(dut.registers.send):
        h.m.d.sync += changed.eq(0)
    with h.m.Elif(task_file != before):
        h.m.d.sync += changed.eq(1)
    return ~changed & ((task_file == before) | dut.registers.send)
