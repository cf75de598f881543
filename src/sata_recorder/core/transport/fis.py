"""Frame information structures (Serial ATA Revision 3.x, transport layer, FIS types)."""

import enum

from amaranth.hdl import C, Cat
from amaranth.lib import data

__all__ = ["FisType", "FIS_DWORDS", "MAX_DATA_WORDS", "ReceivedFis", "Status", "TaskFile",
           "register_fis"]


class FisType(enum.IntEnum):
    """The first byte of each FIS."""

    REGISTER_H2D = 0x27
    REGISTER_D2H = 0x34
    DMA_ACTIVATE = 0x39
    DMA_SETUP = 0x41
    DATA = 0x46
    BIST_ACTIVATE = 0x58
    PIO_SETUP = 0x5F
    SET_DEVICE_BITS = 0xA1


#: Length in dwords of each FIS of fixed length that a drive sends.
FIS_DWORDS = {
    FisType.REGISTER_D2H: 5,
    FisType.DMA_ACTIVATE: 1,
    FisType.DMA_SETUP: 7,
    FisType.BIST_ACTIVATE: 3,
    FisType.PIO_SETUP: 5,
    FisType.SET_DEVICE_BITS: 2,
}

#: Payload of the longest Data FIS in dwords.
MAX_DATA_WORDS = 2048


class TaskFile(data.Struct):
    """The registers of a command: the fields of its Register H2D FIS."""

    command: 8      # the command code
    features: 16
    lba: 48         # of a 28-bit command bits 23:0; its bits 27:24 are in ``device``
    device: 8
    count: 16


class Status(data.Struct):
    """The status register (ATA8-ACS, status field)."""

    err: 1          # the command ended with an error
    bits_2_1: 2     # without meaning here
    drq: 1          # the drive wants to move data
    bit_4: 1        # without meaning here
    df: 1           # device fault
    drdy: 1         # the drive is ready
    bsy: 1          # the drive is busy with a command


class ReceivedFis(data.Struct):
    """A received FIS, for one clock. At most one of the first six bits is set, and the fields are
    valid that the type of the FIS has."""

    register_d2h: 1         # a good Register D2H FIS
    dma_activate: 1         # a good DMA Activate FIS
    pio_setup: 1            # a good PIO Setup FIS
    other: 1                # a good DMA Setup, BIST Activate or Set Device Bits FIS
    data: 1                 # the end of a good Data FIS
    data_bad: 1             # the end of a Data FIS that was answered by R_ERR, or abandoned
    status: Status          # Register D2H, PIO Setup
    error: 8                # Register D2H, PIO Setup
    end_status: Status      # PIO Setup: E_Status, the status after the Data FIS that follows
    transfer_bytes: 16      # PIO Setup: the length of that Data FIS
    is_ata: 1               # Register D2H: the signature in it is that of an ATA device
    lba: 48                 # Register D2H
    device: 4               # Register D2H: bits 3:0 of the device register


def register_fis(task_file):
    """The dwords of the Register H2D FIS that issues the command in ``task_file``."""
    update_command = C(0x80, 8)     # bit C: the command register is written
    return [
        Cat(C(FisType.REGISTER_H2D, 8), update_command, task_file.command,
            task_file.features[0:8]),
        Cat(task_file.lba[0:24], task_file.device),
        Cat(task_file.lba[24:48], task_file.features[8:16]),
        Cat(task_file.count, C(0, 16)),
        C(0, 32),
    ]
