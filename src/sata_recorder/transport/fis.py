"""Frame information structures (Serial ATA 3.x, transport layer, FIS types)."""

import enum

from amaranth.hdl import C, Cat
from amaranth.lib import data

__all__ = ["FisType", "FIS_DWORDS", "MAX_DATA_WORDS", "TaskFile", "Status",
           "register_fis"]


class FisType(enum.IntEnum):
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

#: The fields of a Register H2D FIS that issues a command; ``lba`` as the 48-bit field.
TaskFile = data.StructLayout({
    "command": 8, "features": 16, "lba": 48, "device": 8, "count": 16,
})

#: The status register (ACS, status field).
Status = data.StructLayout({"err": 1, "_0": 2, "drq": 1, "_1": 1, "df": 1, "drdy": 1, "bsy": 1})


def register_fis(fields):
    """The dwords of the Register H2D FIS that issues the command in ``fields``."""
    update_command = C(0x80, 8)     # bit C: the command register is written
    return [
        Cat(C(FisType.REGISTER_H2D, 8), update_command, fields.command, fields.features[0:8]),
        Cat(fields.lba[0:24], fields.device),
        Cat(fields.lba[24:48], fields.features[8:16]),
        Cat(fields.count, C(0, 16)),
        C(0, 32),
    ]
