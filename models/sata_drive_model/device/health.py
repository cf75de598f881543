"""What a drive knows of its own state: SMART data and logs (ATA8-ACS, SMART feature set and General
Purpose Logging feature set; SFF-8035i, attributes)."""

import struct
from dataclasses import dataclass

_GIB = 1 << 30
_SECTOR = 512

#: What SMART RETURN STATUS puts into LBA 23:8: all is well, or an attribute is at its threshold.
GOOD, EXCEEDED = 0xC24F, 0x2CF4
#: Logs that READ LOG EXT has: address and pages of 512 bytes.
_LOGS = {0x00: 1, 0x04: 8, 0x10: 1}
#: Those of SMART READ LOG: directory, summary error log, self-test log.
_SMART_LOGS = {0x00: 1, 0x01: 1, 0x06: 1}

_PREFAIL, _OLD_AGE = 0x0003, 0x0032


@dataclass
class Health:
    """What a drive keeps of itself over resets and losses of power; with it the drive has the SMART,
    General Purpose Logging and APM feature sets, READ and WRITE BUFFER, and TRIM.

    ``endurance_bytes`` may be written to the flash before it is worn; beyond that the spare blocks go, over a tenth of
    the same again, and without any the drive is read-only. ``amplification`` bytes reach the flash for each that the
    host writes. ``celsius`` is the temperature in degrees, and ``celsius_limit`` the specified maximum; with each
    ``bytes_per_degree`` that the host writes from now on it is a degree hotter, 0: it stays; ``temperatures``: the
    Device Statistics log has the page with both. ``trim_blocks`` of 512 bytes of ranges may come with one DATA SET
    MANAGEMENT, 0: there is no TRIM; ``trim_dwords`` dword times of the line are what it takes. Once the host has
    written ``fails_after`` bytes, attribute 5 is at its threshold; None: it never is. ``sanitize_dwords`` dword times
    are what SANITIZE DEVICE takes, 0: none. ``hours`` of power and ``power_cycles`` are what they are at the beginning.
    The other members count: ``written_bytes``, ``read_bytes``; ``trimmed`` sectors of 512 bytes; ``write_commands``,
    ``read_commands``; ``uncorrectable`` errors reported to the host, and data that the line has damaged,
    ``crc_errors``; ``reallocated`` sectors; ``misaligned`` write commands that begin or end within a physical sector.
    """

    endurance_bytes: int = 70 * 10**12
    amplification: float = 1.0
    celsius: int = 35
    celsius_limit: int = 70
    bytes_per_degree: int = 0
    temperatures: bool = True
    trim_blocks: int = 8
    trim_dwords: int = 0
    sanitize_dwords: int = 0
    fails_after: int | None = None
    hours: int = 0
    power_cycles: int = 1
    enabled: bool = True
    written_bytes: int = 0
    read_bytes: int = 0
    trimmed: int = 0
    write_commands: int = 0
    read_commands: int = 0
    uncorrectable: int = 0
    crc_errors: int = 0
    reallocated: int = 0
    misaligned: int = 0

    def __post_init__(self):
        self.begun = self.written_bytes

    @property
    def temperature(self) -> int:
        """Degrees Celsius now."""
        gained = self.written_bytes - self.begun
        return self.celsius + (gained // self.bytes_per_degree if self.bytes_per_degree else 0)

    @property
    def written(self) -> int:
        """Sectors that the host has written."""
        return self.written_bytes // _SECTOR

    @property
    def read(self) -> int:
        """Sectors that the host has read."""
        return self.read_bytes // _SECTOR

    @property
    def flash_bytes(self) -> int:
        """Bytes that were written to the flash."""
        return round(self.written_bytes * self.amplification)

    @property
    def used(self) -> float:
        """The share of the endurance that is used up; more than 1 beyond it."""
        return self.flash_bytes / self.endurance_bytes

    @property
    def spare(self) -> int:
        """Per cent of the spare blocks that are left."""
        return max(0, min(100, round(100 - 1000 * (self.used - 1))))

    @property
    def read_only(self) -> bool:
        """No write is taken any more."""
        return self.spare == 0

    # The pages ------------------------------------------------------------------------------------

    def attributes(self) -> tuple:
        """Each attribute: number, flags, normalised value, threshold, raw value."""
        percent = min(100, int(100 * self.used))
        return (
            (5, _PREFAIL, 5 if self._fails else 100, 10, self.reallocated),
            (9, _OLD_AGE, 100, 0, self.hours),
            (12, _OLD_AGE, 100, 0, self.power_cycles),
            (187, _OLD_AGE, max(1, 100 - self.uncorrectable), 0, self.uncorrectable),
            (194, 0x0022, max(1, 100 - max(0, self.temperature)), 0, self.temperature & 0xFFFF),
            (199, _OLD_AGE, 100, 0, self.crc_errors),
            (232, _PREFAIL, max(1, self.spare), 10, self.spare),
            (233, _OLD_AGE, max(1, 100 - percent), 0, percent),
            (241, _OLD_AGE, 100, 0, self.written),
            (242, _OLD_AGE, 100, 0, self.read),
            (249, _OLD_AGE, 100, 0, self.flash_bytes // _GIB),
        )

    @property
    def _fails(self):
        return self.fails_after is not None and self.written_bytes >= self.fails_after

    def failing(self) -> bool:
        """Whether an attribute that predicts a failure is at its threshold."""
        return any(flags & 1 and value <= threshold
                   for _, flags, value, threshold, _ in self.attributes())

    def data(self) -> bytes:
        """The page of SMART READ DATA."""
        page = bytearray(struct.pack("<H", 0x0010))
        for number, flags, value, _, raw in self.attributes():
            page += struct.pack("<BHBB", number, flags, value, value) + raw.to_bytes(6, "little")
            page += b"\0"
        page = page.ljust(512, b"\0")
        # Self-tests are not there; attributes are saved, by themselves too. Error logging is there.
        page[368:371] = struct.pack("<HB", 0x0003, 0x01)
        return _summed(page)

    def thresholds(self) -> bytes:
        """The page of SMART READ THRESHOLDS."""
        page = struct.pack("<H", 0x0010) + b"".join(
            struct.pack("<BB10x", number, threshold)
            for number, _, _, threshold, _ in self.attributes())
        return _summed(bytearray(page.ljust(512, b"\0")))

    def log(self, address: int, page: int, count: int, blocks: int = 1) -> bytes | None:
        """``count`` pages of the log at ``address`` from ``page`` on, None where they are not there; a logical sector
        is ``blocks`` of 512 bytes."""
        pages = _LOGS.get(address, 0)
        if not count or page + count > pages:
            return None
        if address == 0x04 and page + count > 5 >= page and not self.temperatures:
            return None
        return b"".join(self._page(address, number, blocks) for number in range(page, page + count))

    def smart_log(self, address: int, count: int) -> bytes | None:
        """The log at ``address`` of SMART READ LOG, ``count`` sectors of 512 bytes from its beginning, None where it
        is not there."""
        if not 1 <= count <= _SMART_LOGS.get(address, 0):
            return None
        if address == 0:
            return struct.pack("<256H", 1, *(_SMART_LOGS.get(n, 0) for n in range(1, 256)))
        return _summed(bytearray(b"\1".ljust(512, b"\0")))     # version 1, no entries

    def _page(self, address, number, blocks):
        if address == 0x00:
            return struct.pack("<256H", 1, *(_LOGS.get(n, 0) for n in range(1, 256)))
        if address == 0x10:
            # NQ: no queued command has failed.
            return _summed(bytearray(b"\x80".ljust(512, b"\0")))
        return self._statistics(number, blocks)

    def _statistics(self, number, blocks):
        """A page of the Device Statistics log: quadwords with flags in bits 63:56. It counts logical
        sectors."""
        found = {
            1: (self.power_cycles, self.hours, self.written // blocks, self.write_commands,
                self.read // blocks, self.read_commands),
            4: (self.uncorrectable,),
            # Now, at offset 8, and the specified maximum, at 88; the averages between are not there.
            5: (self.temperature & 0xFF, *[None] * 9, self.celsius_limit & 0xFF),
            6: (None, None, self.crc_errors),
            7: (min(255, int(100 * self.used)),),
        }
        if number == 0:
            return struct.pack("<Q", 1).ljust(8, b"\0") + bytes(
                (1 + len(found), 0, *found)).ljust(504, b"\0")
        page = struct.pack("<Q", number << 16 | 1)
        for value in found.get(number, ()):
            page += struct.pack("<Q", 0 if value is None else 0xC0 << 56 | value)
        return page.ljust(512, b"\0") if number in found else bytes(512)

    def words(self, apm: int) -> dict:
        """What IDENTIFY DEVICE reports about all this: word to the bits that are set; ``apm`` the level
        that is set, 0: APM is disabled."""
        return {
            82: 0x3001, 85: 0x3000 | self.enabled,      # READ and WRITE BUFFER, SMART
            83: 1 << 3, 86: (apm != 0) << 3, 91: apm,
            84: 1 << 5 | 1 << 0, 87: 1 << 5 | 1 << 0,   # General Purpose Logging, error logging
            # READ and WRITE LOG DMA EXT, of which the latter is for no log here.
            119: 0x4008, 120: 0x4008,
            # READ and WRITE BUFFER DMA. Sectors that were trimmed read as zeros.
            69: 0x0C00 | (0x4020 if self.trim_blocks else 0),
            # SANITIZE, block erase and crypto scramble.
            **({59: 0xB000} if self.sanitize_dwords else {}),
            **({105: self.trim_blocks, 169: 1} if self.trim_blocks else {}),
        }


def _summed(page):
    """512 bytes whose last one makes their sum zero."""
    page[511] = -sum(page[:511]) & 0xFF
    return bytes(page)
