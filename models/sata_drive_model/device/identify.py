"""The IDENTIFY DEVICE page (ATA8-ACS, IDENTIFY DEVICE)."""

import struct
from typing import TYPE_CHECKING

from .settings import MAX_MULTIPLE, PowerUp, Settings

if TYPE_CHECKING:
    from .health import Health


def _text(words, first, last, text):
    """Byte-swapped ASCII, padded with spaces."""
    raw = text.encode("ascii").ljust(2 * (last - first + 1))
    if len(raw) > 2 * (last - first + 1):
        raise ValueError(f"IDENTIFY words {first} to {last}: {text!r} is longer than {len(raw)}")
    for number in range(first, last + 1):
        high, low = raw[2 * (number - first):2 * (number - first) + 2]
        words[number] = high << 8 | low


def checksum(page: bytes) -> int:
    """Word 255 for the first 510 bytes: A5h, and the byte that makes the sum of all 512 zero."""
    return 0xA5 | (-(sum(page[:510]) + 0xA5) & 0xFF) << 8


def identify_page(*, sectors: int, model: str, serial: str, firmware: str, lba48: bool = True, dma: bool = True,
                  lba: bool = True, logical_sector: int = 512, physical_sector: int | None = None,
                  alignment: int = 0, speeds: int = 3, wwn: int | None = None, fua: bool = False,
                  general: int = 0x0040, power_up: PowerUp | None = None, asleep: bool = False,
                  settings: Settings = Settings(), health: "Health | None" = None, locked: bool = False) -> bytes:
    """512 bytes; ``sectors`` are logical ones, ``physical_sector`` bytes of the physical ones if they
    are longer, and ``alignment`` how many logical ones before LBA 0 the first of them begins;
    ``speeds`` the fastest generation, ``wwn`` the World Wide Name of 64 bits, None without one;
    ``fua`` there is WRITE DMA FUA EXT; ``general`` word 0; ``power_up`` a :class:`.settings.PowerUp`
    of a drive with Power-Up In Standby, which may be ``asleep``; ``settings`` what the host has set;
    ``health`` a :class:`.health.Health` where there is one; ``locked`` by ATA Security."""
    words = [0] * 256
    words[0] = general
    words[1], words[3], words[6] = 16383, 16, 63
    _text(words, 10, 19, serial)
    _text(words, 23, 26, firmware)
    _text(words, 27, 46, model)
    words[47] = 0x8000 | 512 * MAX_MULTIPLE // logical_sector     # a Data FIS of 8192 bytes
    words[49] = 0x2C00 | dma << 8 | lba << 9
    words[50] = 0x4000
    words[53] = 0x0006
    if lba:
        words[60], words[61] = divmod(min(sectors, 0x0FFFFFFF), 0x10000)[::-1]
    words[59] = 0x0100 | settings.multiple if settings.multiple else 0
    kind, mode = settings.dma_mode & 0xF8, settings.dma_mode & 7
    words[63] = 0x0007 | (kind == 0x20) << 8 + mode if dma else 0
    words[64] = 0x0003
    words[65:69] = [120] * 4
    words[76] = sum(1 << speed for speed in range(1, speeds + 1))
    words[80] = 0x01F0                              # ATA/ATAPI-4 to ATA8-ACS
    words[82] = 0x0068                              # power management, write cache, look-ahead
    words[85] = 0x0008 | settings.write_cache << 5 | settings.look_ahead << 6
    features = 1 << 12 | (lba48 << 10 | lba48 << 13)
    words[83] = 0x4000 | features
    words[84] = words[87] = 0x4000 | (wwn is not None) << 8 | fua << 6
    words[86] = features
    words[88] = 0x007F | (kind == 0x40) << 8 + mode if dma else 0
    if lba48:
        for number in range(4):
            words[100 + number] = sectors >> 16 * number & 0xFFFF
    words[106] = 0x4000
    if logical_sector != 512:
        words[106] = 0x5000
        words[117], words[118] = divmod(logical_sector // 2, 0x10000)[::-1]
    if physical_sector is not None:
        words[106] |= 1 << 13 | (physical_sector // logical_sector).bit_length() - 1
        words[209] = 0x4000 | alignment
    if wwn is not None:
        for number in range(4):
            words[108 + number] = wwn >> 16 * (3 - number) & 0xFFFF
    if locked:
        words[82] |= 1 << 1
        words[85] |= 1 << 1
        words[128] = 0x0007                         # Security is there, enabled, locked
    words[217] = 1
    # Serial ATA 1.0a; with the second generation II: Extensions, 2.5 and 2.6; with the third 3.0.
    words[222] = 0x1000 | {1: 0x0002, 2: 0x001E, 3: 0x003E}[speeds]
    if power_up is not None:
        _power_up(words, power_up, asleep)
    if health is not None:
        for number, bits in health.words(settings.apm).items():
            words[number] |= bits
    if asleep and power_up is not None and power_up.incomplete:
        words = [words[0] | 1 << 2, 0, words[2], *[0] * 253]
    page = struct.pack("<256H", *words)
    return page[:510] + struct.pack("<H", checksum(page))


def _power_up(words, power_up, asleep):
    """Word 2, and the bits of the feature set: it is there and enabled, and SET FEATURES is needed."""
    words[2] = power_up.word if asleep or power_up.keeps else 0xC837
    needed = power_up.word in (0x37C8, 0x738C)
    for number in (83, 86):
        words[number] |= 1 << 5 | needed << 6
