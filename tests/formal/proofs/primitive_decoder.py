"""The receiver's first stage, and both ends of a line together."""

from amaranth.hdl import Cat, Signal

from formal.harness import one_hot_or_none
from formal.line import CODE, LineRules
from formal.proofs.primitive_encoder import sent_code
from sata_recorder.core.link.primitive_decoder import PrimitiveDecoder
from sata_recorder.core.link.primitive_encoder import PrimitiveEncoder
from sata_recorder.core.link.primitives import RxPrimitive


def received_is(current, code):
    """Whether ``current`` is what the number ``code`` in CODE means; 0 is nothing yet."""
    meanings = {name.upper(): [name.upper()] for name in RxPrimitive.as_shape().members}
    meanings |= {"PMREQ": ["PMREQ_P", "PMREQ_S"], "OTHER": ["R_IP", "PMACK", "PMNAK"]}
    bits = [Cat(code == CODE[name] for name in meanings[member.upper()]).any()
            for member in RxPrimitive.as_shape().members]
    return current.as_value() == Cat(bits)


def decoder(h):
    """Any dwords, gaps, code errors and losses of the link; control characters in byte 0."""
    dut = h.dut(PrimitiveDecoder())
    h.drive(dut.dword, dut.k, dut.valid, dut.error, dut.link_up)
    h.assume(dut.k <= 1)
    rx = dut.rx
    arrives = dut.link_up & dut.valid
    good = arrives & ~dut.error
    line = LineRules(h, dut.dword, dut.k, good, reset=~dut.link_up)
    h.check("current is what the line means", received_is(rx.current, line.last))
    h.check("drive_idle", rx.drive_idle == line.was("SYNC", "X_RDY"))
    h.check("ending", rx.ending == line.was("SYNC", "X_RDY", "EOF", "WTRM"))
    h.check("strobe for all but ALIGN, CONT and junk", rx.strobe == h.past(good & line.strobe))
    h.check("the data dword",
            ~(rx.strobe & rx.current.data) | (rx.word == h.past(dut.dword)))
    h.check("align", rx.align == h.past(good & line.align))
    h.check("error for what cannot be decoded",
            rx.error == h.past(arrives & (dut.error | ~line.known)))
    h.cover("data after the junk of HOLD",
            h.ever(good & line.junk & line.was("HOLD")) & rx.strobe & rx.current.data)
    h.cover("an error within junk", rx.error & h.past(line.in_junk))


def wire(h):
    """What the encoder was asked for is what the decoder finds, with any gaps between dwords."""
    m = h.m
    encoder, decoder = h.dut(PrimitiveEncoder(), "encoder"), h.dut(PrimitiveDecoder(), "decoder")
    tx, rx = encoder.tx, decoder.rx
    h.drive(tx.send, tx.word, encoder.tx_ready)
    h.assume(one_hot_or_none(tx.send))
    m.d.comb += [
        decoder.dword.eq(encoder.tx_data), decoder.k.eq(encoder.tx_k),
        decoder.valid.eq(encoder.tx_ready), decoder.link_up.eq(1),
    ]
    send = tx.send
    asked, word = Signal(5, init=CODE["SYNC"]), Signal(32)
    came, came_word, fresh = Signal(5), Signal(32), Signal()
    with m.If(send.data & tx.take | ~send.data & tx.advance):
        m.d.sync += [asked.eq(sent_code(send)), word.eq(tx.word)]
    passes = encoder.tx_ready & ~encoder.align
    m.d.sync += fresh.eq(passes)
    with m.If(passes):
        m.d.sync += [came.eq(asked), came_word.eq(word)]
    h.check("the decoder finds what was asked for", received_is(rx.current, came))
    h.check("each data dword arrives once",
            (rx.strobe & rx.current.data) == (fresh & (came == CODE["DATA"])))
    h.check("each data dword is the one that was sent",
            ~(rx.strobe & rx.current.data) | (rx.word == came_word))
    h.check("nothing is an error", ~rx.error)
    h.cover("HOLD, junk, data", rx.current.data & h.ever(
        rx.current.hold & ~rx.strobe & h.past(fresh)))
    h.cover("an ALIGN arrives", rx.align, given=encoder.tx_ready & send.r_ip)
