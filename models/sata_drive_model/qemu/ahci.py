"""QEMU's AHCI controller with its disk, as far as commands need it (Serial ATA AHCI 1.3.1,
chapters 3 to 5)."""

import struct
import time
from typing import NamedTuple

from ..protocol import fis
from .process import QemuError

# The controller in a machine of the kind q35: PCI 00:1f.2.
_CONFIGURATION = 0x80000000 | 0x1F << 11 | 2 << 8
_BAR5, _PCI_COMMAND = 0x24, 0x04
_BASE = 0xE0000000
_GHC, _GHC_AE = 0x04, 1 << 31
# Registers of port 0.
_CLB, _FB, _IS, _CMD = 0x100, 0x108, 0x110, 0x118
_SCTL, _SERR, _SACT, _CI = 0x12C, 0x130, 0x134, 0x138
_ST, _FRE = 1 << 0, 1 << 4
_IS_ERROR = 1 << 30         # PxIS.TFES
# Where things are in memory.
_LIST, _RECEIVED, _TABLE, _DATA = 0x100000, 0x101000, 0x102000, 0x200000
# Places in the received FIS structure.
_PIO_SETUP, _D2H, _BITS = 0x20, 0x40, 0x58
_WRITES = 1 << 6            # command header: from host to device
_PRD_BYTES = 1 << 22        # most bytes of one entry of the table of regions
#: The most data of a command.
DATA_BYTES = 65536 * 512
_SECONDS = 60
#: EXECUTE DEVICE DIAGNOSTIC: QEMU 7.2 executes it at once, and its controller receives no FIS.
_UNANSWERED = (0x90,)


class Answer(NamedTuple):
    """What the controller has received for a command: FISes (None: that one did not come), and
    the data to the host."""

    pio_setup: bytes | None
    register_d2h: bytes | None
    set_device_bits: bytes | None
    data: bytes


class AhciDisk:
    """The disk at port 0. Parameter: ``process``, a `QemuProcess`."""

    def __init__(self, process):
        self._process = process
        for place, value in (_BAR5, _BASE), (_PCI_COMMAND, 6):      # memory space, bus master
            process.write_port(0xCF8, _CONFIGURATION | place)
            process.write_port(0xCFC, value)
        self._put(_GHC, _GHC_AE)
        self._put(_CLB, _LIST)
        self._put(_FB, _RECEIVED)
        self._put(_CMD, self._get(_CMD) | _FRE)

    def _get(self, register):
        return self._process.read_dword(_BASE + register)

    def _put(self, register, value):
        self._process.write_dword(_BASE + register, value)

    def reset(self) -> bytes:
        """COMRESET; the Register D2H FIS with the signature."""
        self._stop()
        self._process.write(_RECEIVED, bytes(256))
        self._put(_SCTL, 1)
        self._put(_SCTL, 0)
        return self._process.read(_RECEIVED + _D2H, 20)

    def _stop(self):
        self._put(_CMD, self._get(_CMD) & ~_ST)
        self._put(_SERR, 0xFFFFFFFF)
        self._put(_IS, 0xFFFFFFFF)

    def command(self, register_h2d: bytes, data: bytes = b"") -> Answer:
        """Executes a command FIS, with the ``data`` that the host sends. Queued commands must
        have the tag 0."""
        process = self._process
        self._stop()
        self._put(_CMD, self._get(_CMD) | _ST)
        regions, left = b"", len(data) or DATA_BYTES
        while left:
            size = min(left, _PRD_BYTES)
            place = _DATA + len(regions) // 16 * _PRD_BYTES
            regions += struct.pack("<4I", place, 0, 0, size - 1)
            left -= size
        process.write(_RECEIVED, bytes(256))
        process.write(_TABLE, register_h2d.ljust(128, b"\0") + regions)
        process.write(_LIST, struct.pack("<4I", 5 | (_WRITES if data else 0)
                                         | len(regions) // 16 << 16, 0, _TABLE, 0) + bytes(16))
        if data:
            process.write(_DATA, data)
        queued = register_h2d[2] in (0x60, 0x61)
        if queued:
            self._put(_SACT, 1)
        self._put(_CI, 1)
        if register_h2d[2] not in _UNANSWERED:
            self._wait(queued)
        found = process.read(_RECEIVED, 96)
        moved = struct.unpack("<I", process.read(_LIST + 4, 4))[0]
        if queued and register_h2d[2] == 0x60 and not self._get(_IS) & _IS_ERROR:
            # The controller does not count what a queued command moves.
            moved = 512 * ((register_h2d[3] | register_h2d[11] << 8) or 65536)
        received = b"" if data or not moved else process.read(_DATA, moved)
        return Answer(_fis(found, _PIO_SETUP, fis.PIO_SETUP, 20),
                      _fis(found, _D2H, fis.REGISTER_D2H, 20),
                      _fis(found, _BITS, fis.SET_DEVICE_BITS, 8), received)

    def _wait(self, queued):
        """Until the command has ended."""
        end = time.monotonic() + _SECONDS
        while not self._get(_IS) & _IS_ERROR:
            if not self._get(_CI) and not (queued and self._get(_SACT)):
                return
            if time.monotonic() > end:
                raise QemuError(f"QEMU's disk has not finished a command after {_SECONDS} s")
            time.sleep(0.0001)


def _fis(found, place, kind, size):
    return found[place:place + size] if found[place] == kind else None
