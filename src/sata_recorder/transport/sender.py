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
    data_short : Out(1)             with it: the drive ended the frame before all of it was sent
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
    data_short: Out(1)
    starved: Out(1)
    frame: Out(SendSignature())

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        left = Signal(range(MAX_DATA_WORDS + 1))

        # One bit a dword of the Register FIS, the header of a Data FIS, and its payload.
        registers = register_fis(self.registers)
        select = Signal(len(registers) + 2)
        first, header, payload = 1, 1 << len(registers), 2 << len(registers)
        last_register = select[len(registers) - 1]
        in_payload = select[-1]
        next_word = 0
        for bit, dword in zip(select, [*registers, FisType.DATA.value, self.data.payload]):
            next_word |= Mux(bit, dword, 0)

        # The link layer gets its words from a register. The first one is announced before it is
        # there: it is asked for only when X_RDY has been answered.
        loaded = Signal()
        opening = Signal()
        offered = Signal()      # there is a next word
        load = Signal()
        m.d.comb += [
            frame.valid.eq(loaded | opening),
            load.eq(offered & (~loaded | frame.ready)),
        ]
        with m.If(frame.done):
            m.d.sync += [loaded.eq(0), opening.eq(0)]
        with m.Elif(load):
            m.d.sync += [frame.payload.word.eq(next_word), loaded.eq(1), opening.eq(0)]
        with m.Elif(frame.ready):
            m.d.sync += loaded.eq(0)

        def begin(which):
            m.d.sync += [select.eq(which), opening.eq(1)]

        with m.FSM():
            with m.State("IDLE"):
                with m.If(self.send_registers):
                    begin(first)
                    m.next = "REGISTERS"
                with m.Elif(self.send_data):
                    begin(header)
                    m.d.sync += left.eq(self.data_words)
                    m.next = "DATA"

            with m.State("REGISTERS"):
                m.d.comb += offered.eq(1)
                with m.If(load):
                    m.d.sync += [select.eq(select << 1), frame.payload.last.eq(last_register)]
                    with m.If(last_register):
                        m.next = "REGISTERS_END"
                with m.If(frame.done):
                    m.d.comb += self.registers_again.eq(1)
                    begin(first)
                    m.next = "REGISTERS"

            with m.State("REGISTERS_END"):
                with m.If(frame.done):
                    with m.If(frame.ok):
                        m.d.comb += self.registers_done.eq(1)
                        m.next = "IDLE"
                    with m.Else():
                        m.d.comb += self.registers_again.eq(1)
                        begin(first)
                        m.next = "REGISTERS"

            def end_data(short):
                with m.If(frame.done):
                    m.d.comb += [
                        self.data_done.eq(1),
                        self.data_refused.eq(frame.refused),
                        self.data_short.eq(short),
                    ]
                    m.next = "IDLE"

            with m.State("DATA"):
                m.d.comb += [
                    offered.eq(~in_payload | self.data.valid),
                    self.data.ready.eq(in_payload & (~loaded | frame.ready)),
                    self.starved.eq(~offered & ~loaded),
                ]
                with m.If(load):
                    m.d.sync += [
                        select.eq(payload),
                        left.eq(left - in_payload),
                        frame.payload.last.eq(in_payload & (left == 1)),
                    ]
                    with m.If(in_payload & (left == 1)):
                        m.next = "DATA_END"
                end_data(1)

            with m.State("DATA_END"):
                end_data(loaded)
        return m
