"""The up-case table of exFAT, by which names are compared.

Microsoft, "exFAT file system specification", section 7.2 "Up-case Table Directory Entry". A volume
made here has the mandatory part, the first 128 characters, and maps all others to themselves: names
that differ only in the case of an accented letter are two files on it.
"""

import struct

from .malformed import Malformed

__all__ = ["UPCASE_TABLE", "expanded", "table_checksum"]

_CHARACTERS = 1 << 16
_IDENTITY = 0xFFFF              # a run of characters that map to themselves; its length follows

#: The compressed table (section 7.2.5): the mandatory characters, and the run of all others.
UPCASE_TABLE = struct.pack(
    "<130H", *(ord(chr(code).upper()) for code in range(128)), _IDENTITY, _CHARACTERS - 128)


def table_checksum(table: bytes) -> int:
    """TableChecksum (section 7.2.2)."""
    total = 0
    for byte in table:
        total = ((total << 31 | total >> 1) + byte) & 0xFFFFFFFF
    return total


def expanded(table: bytes) -> list[int]:
    """The up-cased character for each of 65,536. Raises :exc:`.malformed.Malformed`."""
    codes = iter(struct.unpack(f"<{len(table) // 2}H", table[:len(table) // 2 * 2]))
    found = []
    for code in codes:
        length = next(codes, None) if code == _IDENTITY else None
        if length is None:
            found.append(code)
        else:
            found += range(len(found), len(found) + length)
    if not 128 <= len(found) <= _CHARACTERS:
        raise Malformed(f"has an up-case table of {len(found)} characters")
    return found + list(range(len(found), _CHARACTERS))
