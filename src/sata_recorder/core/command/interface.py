"""What the command layer offers to the sequencer: commands, and how they end."""

import enum

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..transport import Status, TaskFile

__all__ = ["CommandResult", "CommandSignature", "CommandSpec", "FinalRegisters", "Protocol"]


class Protocol(enum.IntEnum):
    """The command protocols (ATA8-ACS, command protocols)."""

    NO_DATA = 0
    PIO_IN = 1
    DMA_IN = 2
    DMA_OUT = 3


class CommandResult(enum.IntEnum):
    """How a command ended."""

    SUCCESS = 0
    DRIVE_ERROR = 1         # status: ERR, DF, or not DRDY
    SHORT_DATA = 2          # good status, but less data moved than was requested
    DATA_CRC = 3            # a Data FIS was answered by R_ERR, by either side
    PROTOCOL = 4            # a FIS that does not belong here, or too much data
    REFUSED = 5             # the drive acknowledged no Register FIS


class CommandSpec(data.Struct):
    """A command."""

    registers: TaskFile     # its registers
    protocol: 2             # a Protocol
    words: 24               # the payload that it moves in dwords, up to 2^23


class FinalRegisters(data.Struct):
    """The registers in the last Register D2H or PIO Setup FIS, besides status and error."""

    lba: 48
    count: 16
    device: 8


class CommandSignature(wiring.Signature):
    """What the command layer offers, seen from the sequencer.

    Members
    -------
    start : Out(1)
        Begins the command in ``spec``. It has no effect while a command is in flight.
    spec : Out(CommandSpec)
        The command to be done. It is valid from the clock after ``start`` until ``done``.
    clear : Out(1)
        Forgets the command in flight.
    done : In(1)
        The command in flight has ended.
    succeeded : In(1)
        With ``done``: ``result`` is SUCCESS; from a flop, because much depends on it.
    result : In(CommandResult)
        With ``done``: how the command ended.
    needs_comreset : In(1)
        With ``done``: the drive may still be in the command.
    status : In(Status)
        This is the last status that the drive sent.
    error : In(8)
        This is the error register that came with ``status``.
    error_lba : In(48)
        This is the LBA that came with the last status that had ERR or DF.
    error_device : In(4)
        These are bits 3:0 of the device register that came with the last status that had ERR or DF.
    revoked : In(1)
        An error status came to which no command belonged, after a command that had been reported as
        a success: it was none. It falls with ``clear``, or when the next command ends, which it does
        with PROTOCOL.
    signature_received : In(1)
        A Register D2H FIS with BSY = 0 came while no command was in flight.
    is_ata : In(1)
        With ``signature_received``: the signature is that of an ATA device.
    write_data : Out(stream 32)
        Words that a DMA_OUT command takes from the sequencer and sends to the drive.
    read_data : In(stream 32, always ready)
        Words that a DMA_IN or PIO_IN command brings from the drive. They come before their CRC is
        known: see ``verified``.
    verified : In(1)
        A Data FIS ended without error two clocks ago: its words are good.
    hold : Out(1)
        Asks the drive to pause. :class:`..link.ReceiveSignature` states how many words still come.
    progress : In(1)
        In the clock before, the command got further, or the drive had to wait for the user. A
        FIS that moves nothing is no progress.
    locates : In(1)
        A status with ERR or DF has come: ``error_lba`` and ``error_device`` are those of this status
        from the next clock on.
    pio_out : Out(1)
        With a ``spec`` of the protocol DMA_OUT: its data go by PIO.
    final : In(FinalRegisters)
        These are the registers of the last Register D2H or PIO Setup FIS, from ``done`` on.
    """

    def __init__(self):
        super().__init__({
            "start": Out(1), "spec": Out(CommandSpec), "clear": Out(1),
            "done": In(1), "succeeded": In(1), "result": In(CommandResult), "needs_comreset": In(1),
            "status": In(Status), "error": In(8), "error_lba": In(48), "error_device": In(4),
            "revoked": In(1), "signature_received": In(1), "is_ata": In(1),
            "write_data": Out(stream.Signature(32)),
            "read_data": In(stream.Signature(32, always_ready=True)), "verified": In(1),
            "hold": Out(1), "progress": In(1), "locates": In(1),
            "pio_out": Out(1), "final": In(FinalRegisters),
        })
