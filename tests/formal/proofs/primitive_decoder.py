"""The receiver's first stage, and both ends of a line together."""

from amaranth.hdl import Cat, Signal

from formal.harness import one_hot_or_none
from formal.line import CODE, Line
from formal.proofs.primitive_encoder import sent_code
from sata_recorder.link.primitive_decoder import PrimitiveDecoder
from sata_recorder.link.primitive_encoder import PrimitiveEncoder
from sata_recorder.link.primitives import RxPrimitive


def received_is(current, code):
    """Whether ``current`` says what the number ``code`` in CODE means; 0 is nothing yet."""
    meanings = {name.upper(): [name.upper()] for name in RxPrimitive.members}
    meanings |= {"PMREQ": ["PMREQ_P", "PMREQ_S"], "OTHER": ["R_IP", "PMACK", "PMNAK"]}
    bits = [Cat(code == CODE[name] for name in meanings[member.upper()]).any()
            for member in RxPrimitive.members]
    return current.as_value() == Cat(bits)


def decoder(h):
    """Any dwords, gaps, code errors and losses of the link; control characters in byte 0."""
    dut = h.dut(PrimitiveDecoder())
    h.drive(dut.rx_data, dut.rx_k, dut.rx_valid, dut.rx_error, dut.link_up)
    h.assume(dut.rx_k <= 1)
    arrives = dut.link_up & dut.rx_valid
    line = Line(h, dut.rx_data, dut.rx_k, arrives & ~dut.rx_error, reset=~dut.link_up)
    good = arrives & ~dut.rx_error
    h.check("current is what the line stands for", received_is(dut.current, line.last))
    h.check("drive_idle", dut.drive_idle == line.was("SYNC", "X_RDY"))
    h.check("ending", dut.ending == line.was("SYNC", "X_RDY", "EOF", "WTRM"))
    h.check("strobe for all but ALIGN, CONT and junk", dut.strobe == h.past(good & line.strobe))
    h.check("the data dword",
            ~(dut.strobe & dut.current.data) | (dut.word == h.past(dut.rx_data)))
    h.check("align", dut.align == h.past(good & line.align))
    h.check("error for what cannot be decoded",
            dut.error == h.past(arrives & (dut.rx_error | ~line.known)))
    h.cover("data after the junk of HOLD",
            h.ever(good & line.junk & line.was("HOLD")) & dut.strobe & dut.current.data)
    h.cover("an error within junk", dut.error & h.past(line.in_junk))


def wire(h):
    """What the encoder was asked for is what the decoder finds, with any gaps between dwords."""
    m = h.m
    encoder, decoder = h.dut(PrimitiveEncoder(), "encoder"), h.dut(PrimitiveDecoder(), "decoder")
    h.drive(encoder.send, encoder.word, encoder.keystream, encoder.tx_ready)
    h.assume(one_hot_or_none(encoder.send))
    m.d.comb += [
        decoder.rx_data.eq(encoder.tx_data), decoder.rx_k.eq(encoder.tx_k),
        decoder.rx_valid.eq(encoder.tx_ready), decoder.link_up.eq(1),
    ]
    send = encoder.send
    asked, word = Signal(5, init=CODE["SYNC"]), Signal(32)
    came, came_word, fresh = Signal(5), Signal(32), Signal()
    with m.If(send.data & encoder.take | ~send.data & encoder.advance):
        m.d.sync += [asked.eq(sent_code(send)), word.eq(encoder.word ^ encoder.keystream)]
    passes = encoder.tx_ready & ~encoder.align
    m.d.sync += fresh.eq(passes)
    with m.If(passes):
        m.d.sync += [came.eq(asked), came_word.eq(word)]
    h.check("the decoder finds what was asked for", received_is(decoder.current, came))
    h.check("each data dword arrives once",
            (decoder.strobe & decoder.current.data) == (fresh & (came == CODE["DATA"])))
    h.check("each data dword is the one that was sent",
            ~(decoder.strobe & decoder.current.data) | (decoder.word == came_word))
    h.check("nothing is an error", ~decoder.error)
    h.cover("HOLD, junk, data", decoder.current.data & h.ever(
        decoder.current.hold & ~decoder.strobe & h.past(fresh)))
    h.cover("an ALIGN arrives", decoder.align, given=encoder.tx_ready & send.r_ip)
