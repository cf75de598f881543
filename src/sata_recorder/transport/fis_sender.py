"""Sending FISes: Register H2D with repetition, and Data."""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..link import SendSignature, Skid
from .fis import MAX_DATA_WORDS, FisType, TaskFile, register_fis

__all__ = ["FisSender", "TRIES"]

#: How often a Register FIS is sent before the drive counts as refusing it.
TRIES = 16


class FisSender(wiring.Component):
    """Sends one FIS at a time (Serial ATA 3.x, transport layer, host transmit states).

    A Register FIS that is not acknowledged is sent again, up to ``TRIES`` times in all. A Data FIS
    is sent once; payload that was taken but not sent, because the drive ended the FIS, begins the
    next Data FIS, unless a command comes first. Latency: 1 clock from a request to the link.

    Members
    -------
    registers : In(TaskFile)  stable from ``send_registers`` to ``registers_done``
    send_registers : In(1)          request
    registers_done : Out(1)         acknowledged by R_OK
    registers_again : Out(1)        not acknowledged, it is being sent again
    registers_failed : Out(1)       not acknowledged for the last time
    send_data : In(1)               request
    cancel_data : In(1)             withdraw a Data FIS that has not been begun on the line
    data_words : In(12)             with ``send_data``, payload of this FIS, 1 to 2048 dwords
    data : In(stream 32)            the payload
    data_done : Out(1)              the Data FIS is over
    data_failed : Out(1)            with it: not acknowledged by R_OK
    data_moved : Out(1)             a dword of payload was sent
    starved : Out(1)                a Data FIS waits for payload
    frame : Out(SendSignature)
    """

    registers: In(TaskFile)
    send_registers: In(1)
    registers_done: Out(1)
    registers_again: Out(1)
    registers_failed: Out(1)
    send_data: In(1)
    cancel_data: In(1)
    data_words: In(range(MAX_DATA_WORDS + 1))
    data: In(stream.Signature(32))
    data_done: Out(1)
    data_failed: Out(1)
    data_moved: Out(1)
    starved: Out(1)
    frame: Out(SendSignature())

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        # Words go to the link layer through a register. The first one is announced before it is
        # there: it is asked for only when X_RDY was answered. The header of a Data FIS comes in
        # front of the register, in which words may be left of a FIS that ended with DMAT.
        skid = Skid(32)
        flush = Signal()
        m.submodules.skid = ResetInserter(flush)(skid)
        fetched = Signal()
        taken = Signal()
        kept = Signal(2)
        left = Signal(range(MAX_DATA_WORDS + 1))    # words of this FIS not yet taken
        fetch = Signal(range(MAX_DATA_WORDS + 1))   # ... and those not yet in the register
        more = Signal()                             # fetch != 0
        last = Signal()                             # left == 1
        heading = Signal()
        active = Signal()
        begins = Signal()
        ends = Signal()
        # Much depends on whether there is a word: a register says so.
        offers = Signal()
        m.d.sync += offers.eq(begins | (active & ~ends & (
            flush | (heading & ~frame.ready)
            | Mux(skid.o.valid & ~skid.o.ready, 1, skid.i.valid | ~skid.i.ready))))
        m.d.comb += [
            frame.payload.word.eq(Mux(heading, FisType.DATA.value, skid.o.payload)),
            frame.payload.last.eq(last & ~heading),
            frame.valid.eq(offers),
            skid.o.ready.eq(active & frame.ready & ~heading),
            taken.eq(skid.o.valid & skid.o.ready),
            fetched.eq(skid.i.valid & skid.i.ready),
        ]
        m.d.sync += flush.eq(0)
        m.d.sync += kept.eq(Mux(flush, 0, kept + fetched - taken))
        with m.If(fetched):
            m.d.sync += [fetch.eq(fetch - 1), more.eq(fetch != 1)]
        with m.If(taken):
            m.d.sync += [left.eq(left - 1), last.eq(left == 2)]
        with m.If(frame.ready):
            m.d.sync += heading.eq(0)

        registers = register_fis(self.registers)
        select = Signal(len(registers))     # the next one, one bit a dword
        in_data = Signal()
        source = Mux(in_data, self.data.payload, 0)
        for bit, dword in zip(select, registers):
            source |= Mux(bit, dword, 0)

        tries = Signal(range(TRIES))    # that are left
        exhausted = Signal()
        m.d.sync += exhausted.eq(tries == 0)

        def begin_registers():
            m.d.comb += begins.eq(1)
            m.d.sync += [
                flush.eq(1), heading.eq(0), select.eq(1), left.eq(len(registers)), last.eq(0),
            ]
            m.next = "REGISTERS"

        with m.FSM() as fsm:
            m.d.comb += [active.eq(~fsm.ongoing("IDLE")), in_data.eq(fsm.ongoing("DATA"))]

            with m.State("IDLE"):
                m.d.sync += tries.eq(TRIES - 1)
                with m.If(self.send_registers):
                    begin_registers()
                with m.Elif(self.send_data):
                    m.d.comb += begins.eq(1)
                    m.d.sync += [
                        left.eq(self.data_words), last.eq(self.data_words == 1),
                        fetch.eq(self.data_words - kept), more.eq(self.data_words != kept),
                        heading.eq(1),
                    ]
                    m.next = "DATA"

            with m.State("REGISTERS"):
                m.d.comb += skid.i.valid.eq(select.any() & ~flush)
                with m.If(fetched):
                    m.d.sync += select.eq(select << 1)
                with m.If(frame.done):
                    with m.If(frame.ok):
                        m.d.comb += [self.registers_done.eq(1), ends.eq(1)]
                        m.next = "IDLE"
                    with m.Elif(exhausted):
                        m.d.comb += [self.registers_failed.eq(1), ends.eq(1)]
                        m.next = "IDLE"
                    with m.Else():
                        m.d.comb += self.registers_again.eq(1)
                        m.d.sync += tries.eq(tries - 1)
                        begin_registers()

            with m.State("DATA"):
                m.d.comb += [
                    skid.i.valid.eq(more & self.data.valid),
                    self.data.ready.eq(more & skid.i.ready),
                    self.data_moved.eq(taken),
                    self.starved.eq(more & ~skid.o.valid & ~self.data.valid),
                ]
                with m.If(frame.done):
                    m.d.comb += [
                        self.data_done.eq(1),
                        self.data_failed.eq(~frame.ok),
                    ]
                with m.If(frame.done | self.cancel_data):
                    m.d.comb += ends.eq(1)
                    m.d.sync += heading.eq(0)
                    m.next = "IDLE"
                with m.If(self.send_registers):
                    begin_registers()
        m.d.comb += skid.i.payload.eq(source)
        return m
