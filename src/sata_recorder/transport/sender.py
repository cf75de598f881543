"""Sending FISes: Register H2D with repetition, and Data."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..link import SendSignature
from .fis import MAX_DATA_WORDS, FisType, RegisterFields, register_fis

__all__ = ["Sender"]


class Sender(wiring.Component):
    """Sends one FIS at a time (Serial ATA 3.x, transport layer, host transmit states).

    A Register FIS that is not acknowledged is sent again until it is; whoever waits for it
    decides for how long. A Data FIS is sent once. Latency: 1 clock from a request to the link.

    Members
    -------
    registers : In(RegisterFields)  stable from ``send_registers`` to ``registers_done``
    send_registers : In(1)          request
    registers_done : Out(1)         acknowledged by R_OK
    registers_again : Out(1)        not acknowledged, it is being sent again
    send_data : In(1)               request
    data_words : In(12)             with it, payload of this FIS, 1 to 2048 dwords
    data : In(stream 32)            the payload
    data_done : Out(1)              the Data FIS is over
    data_refused : Out(1)           with it: R_ERR
    starved : Out(1)                a Data FIS waits for payload
    frame : Out(SendSignature)
    """

    registers: In(RegisterFields)
    send_registers: In(1)
    registers_done: Out(1)
    registers_again: Out(1)
    send_data: In(1)
    data_words: In(range(MAX_DATA_WORDS + 1))
    data: In(stream.Signature(32))
    data_done: Out(1)
    data_refused: Out(1)
    starved: Out(1)
    frame: Out(SendSignature())

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        left = Signal(range(MAX_DATA_WORDS + 1))
        taken = Signal()
        m.d.comb += taken.eq(frame.valid & frame.ready)

        # One bit a dword of the Register FIS, the header of a Data FIS, and its payload.
        registers = register_fis(self.registers)
        select = Signal(len(registers) + 2)
        first, header, payload = 1, 1 << len(registers), 2 << len(registers)
        last_register = select[len(registers) - 1]
        word = 0
        for bit, dword in zip(select, [*registers, FisType.DATA.value, self.data.payload]):
            word |= Mux(bit, dword, 0)
        m.d.comb += frame.payload.word.eq(word)

        with m.FSM():
            with m.State("IDLE"):
                with m.If(self.send_registers):
                    m.d.sync += select.eq(first)
                    m.next = "REGISTERS"
                with m.Elif(self.send_data):
                    m.d.sync += [select.eq(header), left.eq(self.data_words)]
                    m.next = "HEADER"

            with m.State("REGISTERS"):
                m.d.comb += [frame.payload.last.eq(last_register), frame.valid.eq(1)]
                with m.If(taken):
                    m.d.sync += select.eq(select << 1)
                    with m.If(last_register):
                        m.next = "REGISTERS_END"
                with m.If(frame.done):
                    m.d.comb += self.registers_again.eq(1)
                    m.d.sync += select.eq(first)

            with m.State("REGISTERS_END"):
                m.d.sync += select.eq(first)
                with m.If(frame.done):
                    with m.If(frame.ok):
                        m.d.comb += self.registers_done.eq(1)
                        m.next = "IDLE"
                    with m.Else():
                        m.d.comb += self.registers_again.eq(1)
                        m.next = "REGISTERS"

            def end_data():
                with m.If(frame.done):
                    m.d.comb += [self.data_done.eq(1), self.data_refused.eq(frame.refused)]
                    m.next = "IDLE"

            with m.State("HEADER"):
                m.d.comb += frame.valid.eq(1)
                with m.If(taken):
                    m.d.sync += select.eq(payload)
                    m.next = "DATA"
                end_data()

            with m.State("DATA"):
                m.d.comb += [
                    frame.payload.last.eq(left == 1),
                    frame.valid.eq(self.data.valid),
                    self.data.ready.eq(frame.ready),
                    self.starved.eq(~self.data.valid),
                ]
                with m.If(taken):
                    m.d.sync += left.eq(left - 1)
                    with m.If(frame.payload.last):
                        m.next = "DATA_END"
                end_data()

            with m.State("DATA_END"):
                end_data()
        return m
