"""Frame information structures, built and parsed (Serial ATA Revision 3.x, transport layer, FIS
types)."""

import struct
from typing import NamedTuple

REGISTER_H2D = 0x27
REGISTER_D2H = 0x34
DMA_ACTIVATE = 0x39
DMA_SETUP = 0x41
DATA = 0x46
BIST_ACTIVATE = 0x58
PIO_SETUP = 0x5F
SET_DEVICE_BITS = 0xA1

#: Dwords of each FIS; of a Data FIS the header alone.
LENGTHS = {REGISTER_H2D: 5, REGISTER_D2H: 5, DMA_ACTIVATE: 1, DMA_SETUP: 7, DATA: 1,
           BIST_ACTIVATE: 3, PIO_SETUP: 5, SET_DEVICE_BITS: 2}
NAMES = {REGISTER_H2D: "Register H2D", REGISTER_D2H: "Register D2H", DMA_ACTIVATE: "DMA Activate",
         DMA_SETUP: "DMA Setup", DATA: "Data", BIST_ACTIVATE: "BIST Activate",
         PIO_SETUP: "PIO Setup", SET_DEVICE_BITS: "Set Device Bits"}
MAX_DATA_DWORDS = 2048

BSY, DRDY, DF, DRQ, ERR = 0x80, 0x40, 0x20, 0x08, 0x01
ICRC, UNC, IDNF, ABRT = 0x80, 0x40, 0x10, 0x04


class Command(NamedTuple):
    """A Register H2D FIS as the drive sees it; ``lba28`` takes bits 27:24 from the device
    register."""

    update: bool    # the C bit: the command register was written
    command: int
    features: int
    lba: int
    lba28: int
    device: int
    count: int      # type: ignore[assignment]
    control: int


def _registers(lba, device, count):
    return struct.pack("<IIHH", lba & 0xFFFFFF | device << 24, lba >> 24 & 0xFFFFFF, count, 0)


def register_h2d(command: int, lba: int = 0, count: int = 0, device: int = 0x40, features: int = 0, control: int = 0, *,
                 update: bool = True) -> bytes:
    """Register Host to Device, 5 dwords; ``device`` holds LBA 27:24 of a 28-bit command in bits
    3:0."""
    return struct.pack("<IIII", REGISTER_H2D | update << 15 | command << 16
                       | (features & 0xFF) << 24, lba & 0xFFFFFF | device << 24,
                       lba >> 24 & 0xFFFFFF | features >> 8 << 24,
                       count | control << 24) + bytes(4)


def parse_register_h2d(data: bytes) -> Command:
    """The fields of a Register Host to Device FIS."""
    first, low, high, count, _ = struct.unpack("<5I", data)
    device = low >> 24
    lba = low & 0xFFFFFF | (high & 0xFFFFFF) << 24
    return Command(bool(first >> 15 & 1), first >> 16 & 0xFF, first >> 24 | high >> 24 << 8, lba,
                   low & 0xFFFFFF | (device & 15) << 24, device, count & 0xFFFF, count >> 24)


def register_d2h(status: int, error: int = 0, lba: int = 0, count: int = 0, *, device: int = 0x40,
                 interrupt: bool = True) -> bytes:
    """Register Device to Host, 5 dwords."""
    return struct.pack("<I", REGISTER_D2H | interrupt << 14 | status << 16 | error << 24) + \
        _registers(lba, device, count) + bytes(4)


def pio_setup(status: int, end_status: int, size: int, *, error: int = 0, lba: int = 0, device: int = 0x40,
              count: int = 0, to_host: bool = True, interrupt: bool = True) -> bytes:
    """PIO Setup for ``size`` bytes to the host or from it, 5 dwords."""
    return struct.pack("<I", PIO_SETUP | to_host << 13 | interrupt << 14 | status << 16
                       | error << 24) + \
        struct.pack("<IIHBB", lba & 0xFFFFFF | device << 24, lba >> 24, count, 0, end_status) + \
        struct.pack("<I", size)


def dma_activate() -> bytes:
    """DMA Activate, 1 dword."""
    return struct.pack("<I", DMA_ACTIVATE)


def data(payload: bytes) -> bytes:
    """Data FIS."""
    return struct.pack("<I", DATA) + payload


def set_device_bits(status: int = 0x50, error: int = 0, active: int = 0) -> bytes:
    """Set Device Bits without interrupt, 2 dwords; BSY and DRQ are not part of it."""
    return struct.pack("<II", SET_DEVICE_BITS | (status & 0x77) << 16 | error << 24, active)


def dma_setup(size: int = 512) -> bytes:
    """DMA Setup, device to host, 7 dwords."""
    return struct.pack("<7I", DMA_SETUP | 1 << 13, 0, 0, 0, 0, size, 0)


def bist_activate() -> bytes:
    """BIST Activate with no test selected, 3 dwords."""
    return struct.pack("<3I", BIST_ACTIVATE, 0, 0)
