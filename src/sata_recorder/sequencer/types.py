"""The types by which the sequencer is controlled."""

import enum

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .identity import IDENTIFY_DWORDS

__all__ = ["Error", "Operation", "ControlSignature", "StreamSignature"]


class Operation(enum.IntEnum):
    """What an operation does; bit 0 writes, bit 1 ends with FLUSH CACHE."""

    PLAY = 0
    RECORD = 1
    FLUSH = 2
    RECORD_FLUSH = 3


class Error(enum.IntEnum):
    """How an operation, or the bring-up of a drive, ended."""

    NONE = 0
    NOT_READY = 1           # there is no identified drive
    ZERO_SECTORS = 2
    OUT_OF_RANGE = 3        # the extent ends beyond the capacity
    NO_DMA_LBA = 4          # a drive without DMA or LBA
    TIMEOUT = 5
    LINK_LOST = 6
    DRIVE_ERROR = 7         # status ERR, DF or not DRDY
    SHORT_DATA = 8          # the drive ended a command before all data had moved
    PROTOCOL = 9            # a FIS that does not belong, or too much data
    DATA_CRC = 10           # R_ERR to a Data FIS, by either side
    IDENTIFY_FAILED = 11
    SECTOR_SIZE = 12        # a drive whose logical sectors are longer than 512 bytes
    NOT_ATA = 13            # the signature of another kind of device


class ControlSignature(wiring.Signature):
    """Operations, seen from whoever starts them.

    Members
    -------
    start : Out(1)          begin ``operation``; ignored while ``busy``
    operation : Out(2)      an :class:`Operation`
    lba, sectors : Out(48)  the extent, with ``start``
    ready : In(1)           a drive is identified and no operation runs
    busy : In(1)            an operation runs
    done : In(1)            it has ended, for one clock; refused operations end too
    error : In(4)           an :class:`Error`, from ``done`` or the end of bring-up on
    drive_status, drive_error : In(8)       of the last status the drive sent (ACS, status and
                            error fields)
    capacity : In(48), lba48 : In(1)        of the drive
    identify_address : Out(7), identify_data : In(32)       IDENTIFY DEVICE data, 1 clock later
    sectors_done : In(48)   of this operation, in commands completed without error
    ledger_address : Out(5), ledger_data : In(48)           2 clocks later
    command_limit : Out(17) longest command in sectors, 0 for no limit of its own; and
    turnaround : Out(32)    clocks by which a command that follows another is delayed. Both only
                            where the configuration makes the pacing programmable; stable while
                            an operation runs
    """

    def __init__(self):
        super().__init__({
            "start": Out(1), "operation": Out(2), "lba": Out(48), "sectors": Out(48),
            "ready": In(1), "busy": In(1), "done": In(1), "error": In(4),
            "drive_status": In(8), "drive_error": In(8), "capacity": In(48), "lba48": In(1),
            "identify_address": Out(range(IDENTIFY_DWORDS)), "identify_data": In(32),
            "sectors_done": In(48), "ledger_address": Out(5), "ledger_data": In(48),
            "command_limit": Out(17), "turnaround": Out(32),
        })


class StreamSignature(wiring.Signature):
    """The data of an operation, seen from the recorder.

    Members
    -------
    begin : In(1)           an operation begins, perhaps only to be refused
    sectors : In(48)        with it, the length of its extent
    recording, playing : In(1)      which kind of operation runs, from the clock after ``begin``
                            until it ends or fails
    data : Out(stream 32)   to the drive; takes as many words as the commands move
    payload : In(stream 32, always ready)       from the drive
    hold : Out(1)           asks the drive to pause; up to 96 more words of ``payload`` follow
    lost : Out(1)           a word of ``payload`` could not be kept: there were more than that
    stopped : Out(1)        no command beyond the one in flight is wanted, except for
    pending_sectors : Out(17)       this many sectors whose words were accepted already
    drained : Out(1)        the recorder has delivered what it got
    """

    def __init__(self):
        super().__init__({
            "begin": In(1), "sectors": In(48), "recording": In(1), "playing": In(1),
            "data": Out(stream.Signature(32)),
            "payload": In(stream.Signature(32, always_ready=True)), "hold": Out(1), "lost": Out(1),
            "stopped": Out(1), "pending_sectors": Out(17), "drained": Out(1),
        })
