"""The driver in C, compiled for this machine; a test has its registers."""

import ctypes
import subprocess
from pathlib import Path

from sata_recorder.export import header
from sata_recorder.firmware import FIRMWARE_FOLDER
from sata_recorder.interface import REGISTERS

__all__ = ["INTERRUPTED", "NAME", "OFFSET", "CompiledDriver", "Sata", "compiled_library"]

#: Offsets of the registers, and their names.
OFFSET = {word.name: word.offset for register in REGISTERS for word in register.words
          if register.count == 1}
NAME = {offset: name for name, offset in OFFSET.items()}
#: SATA_INTERRUPTED.
INTERRUPTED = 16

_READ = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)
_WRITE = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)
_WAIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Sata(ctypes.Structure):
    _fields_ = [("registers", ctypes.c_void_p), ("wait_for_interrupt", _WAIT),
                ("context", ctypes.c_void_p), ("stop", ctypes.POINTER(ctypes.c_uint32)),
                ("operation_sectors", ctypes.c_uint32)]


class Result(ctypes.Structure):
    _fields_ = [("error", ctypes.c_int), ("sectors_done", ctypes.c_uint64)]


def compiled_library(folder):
    """The driver as a library for ctypes, compiled in ``folder``."""
    (folder / "sata_recorder.h").write_text(header())
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-fPIC",
                    "-shared", "-DSATA_SIMULATED_REGISTERS", f"-I{folder}", f"-I{FIRMWARE_FOLDER}",
                    "-o", str(folder / "driver.so"), str(FIRMWARE_FOLDER / "sata_driver.c"),
                    str(Path(__file__).with_name("driver_shim.c"))], check=True)
    found = ctypes.CDLL(str(folder / "driver.so"))
    found.sata_capacity.restype = ctypes.c_uint64
    found.sata_move.restype = Result
    found.sata_sectors_done.restype = ctypes.c_uint64
    for function in found.sata_start, found.sata_operate, found.sata_move:
        function.argtypes = [ctypes.POINTER(Sata), ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64]
    return found


class CompiledDriver:
    """The driver of ``library`` with the registers ``read(offset)`` and ``write(offset, value)``. It polls, or waits
    by ``wait(context)``, whose context is 4711. Errors and sectors are numbers."""

    def __init__(self, library, read, write, *, wait=None, operation_sectors=0, stop=None):
        self.library = library
        self._functions = _READ(read), _WRITE(write)
        library.shim(*self._functions)
        self.sata = Sata(None, _WAIT(wait) if wait else _WAIT(), 4711,
                         ctypes.pointer(stop) if stop is not None else None, operation_sectors)

    def call(self, name, *arguments):
        """What the function ``sata_<name>`` returns."""
        return getattr(self.library, f"sata_{name}")(ctypes.byref(self.sata), *arguments)

    def move(self, operation, lba, sectors):
        """Error and sectors of an extent."""
        result = self.call("move", operation, lba, sectors)
        return result.error, result.sectors_done
