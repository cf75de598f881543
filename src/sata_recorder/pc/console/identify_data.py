"""What the 512 bytes of IDENTIFY DEVICE state about a drive, for people (ATA8-ACS, IDENTIFY DEVICE)."""

import struct
from collections.abc import Iterator, Sequence

__all__ = ["identify_rows", "logical_sector_bytes"]

_MAJOR = {4: "ATA/ATAPI-4", 5: "ATA/ATAPI-5", 6: "ATA/ATAPI-6", 7: "ATA/ATAPI-7", 8: "ATA8-ACS",
          9: "ACS-2", 10: "ACS-3", 11: "ACS-4"}
_SPEEDS = {1: "1.5 Gbit/s", 2: "3 Gbit/s", 3: "6 Gbit/s"}
_NO_ROTATION = 1


def identify_rows(data: bytes) -> Iterator[tuple[str, str]]:
    """(name, value) of what a user asks about a drive; ``data`` are the 512 bytes, the lower byte
    of each word first. Raises ``ValueError`` for another length."""
    if len(data) != 512:
        raise ValueError(f"IDENTIFY DEVICE data: {len(data)} bytes, not 512")
    words = struct.unpack("<256H", data)

    def bit(word, number):
        return bool(words[word] >> number & 1)

    yield "speeds of the link", ", ".join(name for n, name in _SPEEDS.items() if bit(76, n)) or \
        "not reported"
    versions = [name for n, name in _MAJOR.items() if bit(80, n)]
    yield "newest standard", versions[-1] if versions else "not reported"
    yield "medium", _rotation(words[217])
    logical = logical_sector_bytes(words)
    yield "logical sector", f"{logical:,} bytes"
    yield "physical sector", _physical(words[106], logical)
    yield "48-bit commands", _yes(bit(83, 10))
    yield "queued commands (NCQ)", f"up to {(words[75] & 31) + 1}" if bit(76, 8) else "no"
    yield "write cache", _set(bit(82, 5), bit(85, 5))
    yield "read look-ahead", _set(bit(82, 6), bit(85, 6))
    yield "SMART", _set(bit(82, 0), bit(85, 0))
    yield "ATA Security", _security(words[128])
    yield "TRIM", _yes(bit(169, 0))
    yield "World Wide Name", "".join(f"{word:04x}" for word in words[108:112]) if bit(87, 8) \
        else "none"


def logical_sector_bytes(words: Sequence[int]) -> int:
    """The bytes of a logical sector by the 256 ``words`` (106, 117 and 118); 512 if they state
    nothing."""
    long = words[106] >> 14 == 0b01 and words[106] >> 12 & 1
    return 2 * (words[117] | words[118] << 16) if long else 512


def _yes(value):
    return "yes" if value else "no"


def _set(supported, enabled):
    return ("on" if enabled else "off") if supported else "not there"


def _security(word):
    if not word & 1:
        return "not there"
    told = "LOCKED: each read and write is refused" if word & 4 else \
        "a password is set: locked after the next loss of power" if word & 2 else "no password is set"
    return told + (", frozen" if word & 8 else "")


def _rotation(word):
    if word == _NO_ROTATION:
        return "solid state"
    return f"{word:,} rotations a minute" if 0x0401 <= word <= 0xFFFE else "not reported"


def _physical(word, logical):
    if word >> 14 != 1 or not word >> 13 & 1:
        return f"{logical:,} bytes"
    return f"{logical << (word & 15):,} bytes"
