"""Sending FISes: Register H2D with repetition, and Data.

Serial ATA Revision 3.x, transport layer, host transport states.
"""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..link import SendSignature
from ..skid import Skid
from .fis import MAX_DATA_WORDS, FisType, TaskFile, register_fis

__all__ = ["DataFisSignature", "FisSender", "RegisterFisSignature", "TRIES"]

#: How many times a Register FIS is sent before the drive counts as refusing it.
TRIES = 16


class RegisterFisSignature(wiring.Signature):
    """Register H2D FISes, seen from the command layer.

    Members
    -------
    task_file : Out(TaskFile)
        The registers; stable from ``send`` to ``done`` or ``failed``.
    send : Out(1)
        Sends the FIS. A Data FIS that is being sent is forgotten.
    done : In(1)
        The drive has acknowledged the FIS by R_OK.
    failed : In(1)
        The drive has not acknowledged the last try of the FIS, or has cut it short and acknowledged that.
    """

    def __init__(self):
        super().__init__({
            "task_file": Out(TaskFile), "send": Out(1), "done": In(1), "failed": In(1),
        })


class DataFisSignature(wiring.Signature):
    """Data FISes to the drive, seen from the command layer.

    Members
    -------
    send : Out(1)
        Sends a Data FIS.
    words : Out(range(MAX_DATA_WORDS + 1))
        With ``send``: the payload of this FIS in dwords, 1 to 2048, and no fewer than were taken
        and not sent, which are 2 at most.
    cancel : Out(1)
        Withdraws a Data FIS that has not been begun on the line.
    payload : Out(stream 32)
        The payload. What was taken but not sent, because the drive ended the FIS, begins the next
        Data FIS, unless a Register FIS comes first.
    done : In(1)
        The Data FIS is over.
    failed : In(1)
        With ``done``: the drive has not acknowledged it by R_OK.
    moved : In(1)
        A dword of payload was sent in the clock before.
    starved : In(1)
        A Data FIS waits for payload.
    """

    def __init__(self):
        super().__init__({
            "send": Out(1), "words": Out(range(MAX_DATA_WORDS + 1)), "cancel": Out(1),
            "payload": Out(stream.Signature(32)),
            "done": In(1), "failed": In(1), "moved": In(1), "starved": In(1),
        })


class FisSender(wiring.Component):
    """Sends one FIS at a time (states HT_CmdFIS, HT_CmdTransStatus, HT_DMAOTrans1 and 2, HT_DMAEnd).

    A Register FIS that is not acknowledged is sent again, up to ``TRIES`` times in all; not if the
    drive has acknowledged a part of it, which is another command. A Data FIS is sent once.
    Latency: 1 clock from a request to the link.

    Members
    -------
    registers : In(RegisterFisSignature)
        The Register H2D FISes.
    registers_again : Out(1)
        The Register FIS was not acknowledged and is being sent again.
    data : In(DataFisSignature)
        The Data FISes.
    frame : Out(SendSignature)
        Frames to the link layer.
    """

    registers: In(RegisterFisSignature())
    registers_again: Out(1)
    data: In(DataFisSignature())
    frame: Out(SendSignature())

    def elaborate(self, platform):
        m = Module()
        frame, registers, data = self.frame, self.registers, self.data
        # Words go to the link layer through a register. The first one is announced before it is
        # there: it is requested only when X_RDY was answered. The header of a Data FIS bypasses the
        # register, in which words may be left of a FIS that ended with DMAT.
        skid = Skid(32)
        flush = Signal()
        m.submodules.skid = ResetInserter(flush)(skid)
        fetched = Signal()
        taken = Signal()
        kept = Signal(2)                            # words in the register
        kept_next = Signal(2)
        fetch = Signal(range(MAX_DATA_WORDS + 1))   # words of this FIS that are not yet in it
        more = Signal()                             # fetch != 0
        more_next = Signal()
        heading = Signal()
        active = Signal()
        begins = Signal()
        ends = Signal()
        # Much depends on whether there is a word: a register shows it.
        offers = Signal()
        m.d.sync += offers.eq(begins | (active & ~ends & (
            flush | (heading & ~frame.ready)
            | Mux(skid.o.valid & ~skid.o.ready, 1, skid.i.valid | ~skid.i.ready))))
        m.d.comb += [
            frame.payload.word.eq(Mux(heading, FisType.DATA.value, skid.o.payload)),
            frame.payload.last.eq(~more & (kept == 1) & ~heading),
            frame.valid.eq(offers),
            skid.o.ready.eq(active & frame.ready & ~heading),
            taken.eq(skid.o.valid & skid.o.ready),
            fetched.eq(skid.i.valid & skid.i.ready),
        ]
        m.d.sync += [flush.eq(0), data.moved.eq(0)]
        m.d.comb += [
            kept_next.eq(Mux(flush, 0, kept + fetched - taken)),
            more_next.eq(Mux(fetched, fetch != 1, more)),
        ]
        m.d.sync += [kept.eq(kept_next), more.eq(more_next)]
        with m.If(fetched):
            m.d.sync += fetch.eq(fetch - 1)
        with m.If(frame.ready):
            m.d.sync += heading.eq(0)

        # The payload comes a long way: a register shows whether a word is taken.
        accepts = Signal()
        enters_data = Signal()
        in_data = Signal()
        m.d.sync += accepts.eq(
            (enters_data | (in_data & ~frame.done & ~data.cancel))
            & more_next & (kept_next != 2))
        m.d.comb += data.payload.ready.eq(accepts & ~flush)     # in HT_DMAOTrans1 alone

        dwords = register_fis(registers.task_file)
        m.d.comb += skid.i.payload.eq(
            Mux(in_data, data.payload.payload, self._next_of(m, dwords, fetch)))

        tries = Signal(range(TRIES))    # that are left
        exhausted = Signal()
        m.d.sync += exhausted.eq(tries == 0)

        def begin_registers():
            # The rest comes a clock later, with ``flush``: that a FIS is to be sent is known late.
            m.d.comb += begins.eq(1)
            m.d.sync += flush.eq(1)
            m.next = "HT_CmdFIS"

        with m.FSM() as fsm:
            m.d.comb += [
                active.eq(~fsm.ongoing("HT_HostIdle")),
                in_data.eq(fsm.ongoing("HT_DMAOTrans1")),
            ]

            # HT_HostIdle
            with m.State("HT_HostIdle"):
                m.d.comb += more_next.eq(data.words != kept)
                m.d.sync += [tries.eq(TRIES - 1), fetch.eq(data.words - kept), heading.eq(data.send)]
                with m.If(registers.send):
                    begin_registers()
                with m.Elif(data.send):
                    m.d.comb += [begins.eq(1), enters_data.eq(1)]
                    m.next = "HT_DMAOTrans1"

            # HT_CmdFIS and HT_CmdTransStatus
            with m.State("HT_CmdFIS"):
                m.d.comb += skid.i.valid.eq(more & ~flush)
                with m.If(flush):
                    m.d.comb += more_next.eq(1)
                    m.d.sync += [heading.eq(0), fetch.eq(len(dwords))]
                with m.If(frame.done):
                    with m.If(frame.ok & (kept == 0)):      # none are left, as DMAT would have it
                        m.d.comb += [registers.done.eq(1), ends.eq(1)]
                        m.next = "HT_HostIdle"
                    with m.Elif(exhausted | frame.ok):
                        m.d.comb += [registers.failed.eq(1), ends.eq(1)]
                        m.next = "HT_HostIdle"
                    with m.Else():
                        m.d.comb += self.registers_again.eq(1)
                        m.d.sync += tries.eq(tries - 1)
                        begin_registers()

            # HT_DMAOTrans1, HT_DMAOTrans2 and HT_DMAEnd
            with m.State("HT_DMAOTrans1"):
                m.d.sync += data.moved.eq(taken)
                m.d.comb += [
                    skid.i.valid.eq(accepts & data.payload.valid),
                    data.starved.eq(more & ~skid.o.valid & ~data.payload.valid),
                ]
                with m.If(frame.done):
                    m.d.comb += [
                        data.done.eq(1),
                        data.failed.eq(~frame.ok),
                    ]
                with m.If(frame.done | data.cancel):
                    m.d.comb += ends.eq(1)
                    m.d.sync += heading.eq(0)
                    m.next = "HT_HostIdle"
                with m.If(registers.send):
                    begin_registers()
        return m

    def _next_of(self, m, dwords, fetch):
        """The next of the ``dwords`` of a Register FIS, with ``fetch`` of them to come."""
        dword = Signal(32)
        with m.Switch(fetch[0:3]):
            for index, value in enumerate(dwords):
                with m.Case(len(dwords) - index):
                    m.d.comb += dword.eq(value)
        return dword
