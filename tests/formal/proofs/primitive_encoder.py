"""The transmitter's last stage: what a receiver makes of the line is what was asked for."""

from amaranth.hdl import Mux, Signal

from formal.harness import one_hot_or_none
from formal.line import CODE, LineRules
from sata_recorder.core.link.primitive_encoder import PrimitiveEncoder
from sata_recorder.core.link.primitives import TxPrimitive

_CONTINUED = ("HOLD", "HOLDA", "R_ERR", "R_IP", "R_OK", "R_RDY", "SYNC", "WTRM", "X_RDY")


def sent_code(sent):
    """The number, in CODE, of what is set in ``sent``."""
    code = CODE["SYNC"]
    for name in TxPrimitive.as_shape().members:
        code ^= Mux(sent[name], CODE["SYNC"] ^ CODE[name.upper()], 0)
    return code


def encoder(h, send_cont=True, interval=256):
    """``tx.send``, ``tx.word`` and ``tx_ready`` are anything; ``tx.send`` is one thing."""
    m = h.m
    dut = h.dut(PrimitiveEncoder(send_cont=send_cont, align_interval=interval))
    tx = dut.tx
    h.drive(tx.send, tx.word, dut.tx_ready)
    h.assume(one_hot_or_none(tx.send))
    taken = dut.tx_ready
    line = LineRules(h, dut.tx_data, dut.tx_k, taken, first="SYNC")

    # What was asked for last. Data that is not taken has to be preceded by the primitive again.
    asked, word = Signal(5, init=CODE["SYNC"]), Signal(32)
    with m.If(tx.send.data & tx.take | ~tx.send.data & tx.advance):
        m.d.sync += [asked.eq(sent_code(tx.send)), word.eq(tx.word)]
    h.check("take and advance with tx_ready only",
            (taken | ~tx.advance) & (tx.advance | ~tx.take))
    h.check("each dword is a primitive or data", line.known)
    h.check("a receiver finds what was asked for", line.align | (line.code == asked))
    h.check("a receiver finds the data that was asked for",
            line.align | (asked != CODE["DATA"]) | (line.strobe & (dut.tx_data == word)))
    h.check("sent shows what the port means", line.align | (sent_code(dut.sent) == asked))
    h.check("align shows what the port means", dut.align == line.align)
    h.check("the port does not change without tx_ready", h.first | h.past(taken) | (
        (dut.tx_data == h.past(dut.tx_data)) & (dut.tx_k == h.past(dut.tx_k))))

    others, aligns = Signal(range(2 * interval)), Signal(2)
    with m.If(taken):
        m.d.sync += [
            others.eq(Mux(line.align, 0, others + 1)),
            aligns.eq(Mux(line.align, aligns + ~aligns.all(), 0)),
        ]
    started = h.ever(taken & line.align)
    # ALIGN is at the port in the last phase and in phase 0.
    phase, slot = h.probe("dut.phase", range(interval)), h.probe("dut.slot")
    h.lemma("the phase shows where the pair is",
            Mux(line.align, (phase == interval - 1) | ((phase == 0) & started),
                phase == (others + 1)[:len(others)])
            & (slot == (phase >= interval - 2)))
    most = interval - 2
    h.check(f"{most} dwords at most from reset or an ALIGN pair to the next pair",
            (others < most) | line.align)
    h.check(f"{most} dwords at least", ~line.align | (aligns == 1) | (others >= most))
    h.check("ALIGN in pairs", Mux(line.align, aligns < 2, aligns != 1))

    twice = Signal()        # the last dword, ALIGN aside, repeated the primitive before it
    with m.If(taken & ~line.align):
        m.d.sync += twice.eq(line.strobe & ~line.in_junk & (line.code == line.last))
    h.check("CONT after two equal primitives that it may continue",
            ~line.cont | (twice & line.was(*_CONTINUED) & ~line.in_junk))

    if send_cont:
        resumed = h.ever(taken & line.junk & line.was("HOLD"))
        h.cover("data after the junk of HOLD", resumed & line.is_("DATA") & line.strobe)
        h.cover("an ALIGN within junk", line.align & line.in_junk & line.was("HOLDA"),
                given=dut.tx_ready & tx.send.holda)
    else:
        h.cover("three HOLD, then data", h.past(line.is_("HOLD")) & line.is_("DATA"))
        h.check("no CONT", ~line.cont)
