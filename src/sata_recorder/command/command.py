"""The command layer: one ATA command from its Register FIS to its status."""

import enum

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..transport import MAX_DATA_WORDS, TaskFile, Status, TransportSignature
from .activity import CommandActivity

__all__ = ["Command", "CommandSignature", "CommandSpec", "Protocol", "CommandResult"]


class Protocol(enum.IntEnum):
    """The command protocols (ACS, command protocols)."""

    NO_DATA = 0
    PIO_IN = 1
    DMA_IN = 2
    DMA_OUT = 3


class CommandResult(enum.IntEnum):
    """How a command ended."""

    SUCCESS = 0
    DRIVE_ERROR = 1         # status: ERR, DF, or not DRDY
    SHORT_DATA = 2          # good status, but less data moved than was asked for
    DATA_CRC = 3            # a Data FIS was answered by R_ERR, by either side
    PROTOCOL = 4            # a FIS that does not belong here, or too much data
    REFUSED = 5             # the drive acknowledged no Register FIS


#: A command: its registers, its protocol and the dwords of payload it moves (up to 2^23).
CommandSpec = data.StructLayout({"registers": TaskFile, "protocol": 2, "words": 24})


class CommandSignature(wiring.Signature):
    """What the command layer offers, seen from the sequencer.

    Members
    -------
    start : Out(1)          begin the command in ``spec``; ignored while one is in flight
    spec : Out(CommandSpec) ``words`` with ``start``; the rest from the clock after it until
                            ``done``
    clear : Out(1)          forget the command in flight
    done : In(1), result : In(CommandResult)       the command in flight has ended
    status : In(Status), error : In(8)      of the last status the drive sent
    error_lba : In(48), error_device : In(4)        LBA and bits 3:0 of the device register in
                            the last status with ERR or DF
    signature_received : In(1), is_ata : In(1)        a Register D2H FIS came while no command was in
                            flight, with BSY = 0; whether it has the signature of an ATA device
    needs_comreset : In(1)       with ``done``: the drive may still be in the command
    data : Out(stream 32)   payload of a DMA_OUT command
    payload : In(stream 32, always ready)       payload of a DMA_IN or PIO_IN command
    verified : In(1)        a Data FIS has ended well, two clocks ago: its ``payload`` is good
    hold : Out(1)           asks the drive to pause; see :class:`..link.ReceiveSignature`
    progress : In(1)        the drive, or the user it waits for, did something or may do it
    """

    def __init__(self):
        super().__init__({
            "start": Out(1), "spec": Out(CommandSpec), "clear": Out(1),
            "done": In(1), "result": In(CommandResult), "status": In(Status), "error": In(8),
            "error_lba": In(48), "error_device": In(4),
            "signature_received": In(1), "is_ata": In(1), "needs_comreset": In(1),
            "data": Out(stream.Signature(32)),
            "payload": In(stream.Signature(32, always_ready=True)), "verified": In(1),
            "hold": Out(1),
            "progress": In(1),
        })


class Command(wiring.Component):
    """Executes one command at a time (Serial ATA 3.x, device command layer protocol, host view).

    Register D2H ends a command when BSY and DRQ are 0 or it reports an error; PIO data ends with
    the E_Status of the last PIO Setup. Success needs DRDY without ERR and DF, and all payload
    moved. After R_ERR to a Data FIS the drive's status is awaited, then DATA_CRC reported.
    Latency: ``done`` 3 clocks after EOF of the status was at the dword port.

    Members
    -------
    user : In(CommandSignature)
    transport : Out(TransportSignature)
    activity : Out(CommandActivity)
    """

    user: In(CommandSignature())
    transport: Out(TransportSignature())
    activity: Out(CommandActivity)

    def elaborate(self, platform):
        m = Module()
        user = self.user
        transport = self.transport
        received = transport.received
        spec = user.spec

        # Payload still to be moved, by the whole command and by the PIO data block.
        remaining = Signal(24)
        block = Signal(15)
        complete = Signal()
        data_failed = Signal()
        broken = Signal()       # too much payload, or too little in a PIO data block
        moved = Signal()
        inward = Signal()
        outward = Signal()
        pio = Signal()
        m.d.comb += [
            outward.eq(spec.protocol == Protocol.DMA_OUT),
            pio.eq(spec.protocol == Protocol.PIO_IN),
            inward.eq(pio | (spec.protocol == Protocol.DMA_IN)),
        ]

        connect(m, flipped(user.data), flipped(transport.data))
        m.d.comb += [
            user.payload.payload.eq(transport.payload.payload),
            # Nothing that comes behind a bad Data FIS is where it belongs.
            user.payload.valid.eq(transport.payload.valid & ~complete & ~data_failed),
            transport.registers.eq(spec.registers),
            transport.clear.eq(user.clear),
            # The status may come in the place of a Data FIS that we were about to send.
            transport.cancel_data.eq(user.done),
            transport.data_words.eq(Mux(remaining >= MAX_DATA_WORDS, MAX_DATA_WORDS, remaining)),
            moved.eq(transport.payload.valid | transport.data_moved),
        ]
        # Once all payload is here nothing needs to wait, least of all the status.
        m.d.sync += transport.hold.eq(user.hold & ~complete & ~data_failed)
        with m.If(moved):
            m.d.sync += block.eq(block - block.any())
            with m.If(~complete):
                m.d.sync += [remaining.eq(remaining - 1), complete.eq(remaining == 1)]
        with m.If(transport.payload.valid & (complete | (pio & (block == 0)))):
            m.d.sync += broken.eq(1)

        event = Signal()
        m.d.comb += [
            event.eq(received.register_d2h | received.dma_activate | received.pio_setup
                     | received.data),
        ]
        m.d.sync += user.verified.eq(received.data & ~data_failed)
        m.d.sync += user.progress.eq(event | moved | transport.registers_done
                                     | transport.data_done | transport.starved | user.hold)

        # The status that ends the command: of a Register FIS, or of the last PIO data block.
        end_status = Signal(Status)
        end_error = Signal(8)
        open_block = Signal()       # PIO Setup has announced a Data FIS
        status = Signal(Status)
        failed = Signal()
        verdict = Signal(CommandResult)
        m.d.comb += [
            status.eq(Mux(received.data, end_status, received.status)),
            failed.eq(status.err | status.df | ~status.drdy),
        ]
        with m.If(data_failed):
            m.d.comb += verdict.eq(CommandResult.DATA_CRC)
        with m.Elif(failed):
            m.d.comb += verdict.eq(CommandResult.DRIVE_ERROR)
        with m.Elif(~complete):
            m.d.comb += verdict.eq(CommandResult.SHORT_DATA)
        with m.Else():
            m.d.comb += verdict.eq(CommandResult.SUCCESS)

        with m.If(received.register_d2h):
            m.d.sync += [user.status.eq(received.status), user.error.eq(received.error)]
            with m.If(status.err | status.df):
                m.d.sync += [
                    user.error_lba.eq(received.lba), user.error_device.eq(received.device),
                ]

        final = Signal()
        m.d.sync += [user.done.eq(0), transport.send_data.eq(0)]

        def finish(result, needs_comreset):
            m.d.sync += [
                user.done.eq(1), user.result.eq(result), user.needs_comreset.eq(needs_comreset),
            ]
            m.next = "IDLE"

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [
                    user.signature_received.eq(received.register_d2h & ~received.status.bsy),
                    user.is_ata.eq(received.is_ata),
                ]
                with m.If(user.start):
                    m.d.comb += transport.send_registers.eq(1)
                    m.d.sync += [
                        remaining.eq(spec.words),
                        complete.eq(spec.words == 0),
                        open_block.eq(0),
                        data_failed.eq(0),
                        broken.eq(0),
                    ]
                    m.next = "ISSUE"

            with m.State("ISSUE"):
                # A status that comes now still belongs to what was before.
                with m.If(transport.registers_done):
                    m.next = "EXECUTE"
                with m.If(transport.registers_failed):
                    finish(CommandResult.REFUSED, 1)
                with m.If(user.clear):
                    m.next = "IDLE"

            with m.State("EXECUTE"):
                m.d.comb += [
                    transport.expect_data.eq(inward & (~pio | open_block)),
                    final.eq(received.register_d2h & ~status.bsy
                             & (~status.drq | status.err | status.df)),
                ]
                with m.If((received.data_bad & inward)
                          | (transport.data_done & transport.data_failed)):
                    m.d.sync += [data_failed.eq(1), broken.eq(0)]
                with m.If(received.data & pio):
                    m.d.sync += [
                        open_block.eq(0),
                        user.status.eq(end_status),
                        user.error.eq(end_error),
                    ]

                with m.If(user.clear):
                    m.next = "IDLE"
                # How many words there were is known once the FIS was found good.
                with m.Elif(broken & received.data):
                    finish(CommandResult.PROTOCOL, 1)
                with m.Elif(final):
                    finish(verdict, status.drq)
                with m.Elif(received.dma_activate):
                    with m.If(outward & ~complete & ~data_failed):
                        m.d.sync += transport.send_data.eq(1)
                    with m.Else():
                        finish(CommandResult.PROTOCOL, 1)
                with m.Elif(received.pio_setup):
                    with m.If(pio):
                        m.d.sync += [
                            open_block.eq(1),
                            block.eq(received.transfer_bytes >> 2),
                            end_status.eq(received.end_status),
                            end_error.eq(received.error),
                        ]
                    with m.Else():
                        finish(CommandResult.PROTOCOL, 1)
                with m.Elif(received.data & pio):
                    with m.If(block != 0):
                        finish(CommandResult.PROTOCOL, 1)
                    with m.Elif(complete):
                        finish(verdict, status.bsy | status.drq)

        m.d.comb += [
            self.activity.outward.eq(outward),
            self.activity.complete.eq(complete),
            self.activity.last.eq(remaining == 1),
            self.activity.final.eq(final),
            self.activity.success.eq(verdict == CommandResult.SUCCESS),
        ]
        return m
