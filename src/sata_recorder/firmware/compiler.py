"""The firmware of a controller: C, compiled by GCC for RISC-V, as the words of a memory."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

from .. import extras
from ..export import header
from .cheader import request_header
from .processors import PROCESSORS
from .program_memory import PROGRAM_BYTES

#: The driver, and the firmware of the simulated processor.
FIRMWARE_FOLDER = Path(__file__).with_name("c")
_GCC, _OBJCOPY = "riscv64-unknown-elf-gcc", "riscv64-unknown-elf-objcopy"
_FLAGS = ("-std=c99", "-O2", "-mabi=ilp32", "-mcmodel=medany", "-ffreestanding", "-fno-pic",
          "-nostdlib", "-nostartfiles", "-Wall", "-Wextra", "-Werror", "-ffunction-sections",
          "-Wl,--gc-sections", "-Wl,--build-id=none")


class FirmwareError(Exception):
    """The compiler refused the firmware; the text is what it printed."""


def unavailable():
    """Why no processor can operate the core on this machine, or None if one can."""
    if text := extras.missing("firmware"):
        return text
    if shutil.which(_GCC) and shutil.which(_OBJCOPY):
        return None
    return ("needs GCC for RISC-V: install the Debian package gcc-riscv64-unknown-elf "
            "(apt install gcc-riscv64-unknown-elf)")


@functools.cache
def compiler_identity():
    """The compiler and its version, as text."""
    return subprocess.run([_GCC, "--version"], capture_output=True, text=True, check=True).stdout


def program(processor):
    """The words of the firmware for ``processor``, from address 0 on.

    Raises :exc:`FirmwareError`.
    """
    source = PROCESSORS[processor]
    define = [f"-DSATA_{source.waits.upper()}"] if source.waits else []
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as name:
        folder = Path(name)
        (folder / "sata_recorder.h").write_text(header())
        (folder / "request.h").write_text(request_header())
        sources = [str(FIRMWARE_FOLDER / file) for file in ("start.S", "main.c", "sata_driver.c")]
        _run(_GCC, f"-march={source.march}", *_FLAGS, *define, f"-I{folder}",
             f"-I{FIRMWARE_FOLDER}", f"-Wl,--defsym=PROGRAM_BYTES={PROGRAM_BYTES}",
             "-T", str(FIRMWARE_FOLDER / "link.ld"), "-o", str(folder / "firmware.elf"), *sources)
        _run(_OBJCOPY, "-O", "binary", str(folder / "firmware.elf"), str(folder / "firmware.bin"))
        image = (folder / "firmware.bin").read_bytes()
    image += bytes(-len(image) % 4)
    return [int.from_bytes(image[at:at + 4], "little") for at in range(0, len(image), 4)]


def _run(*command):
    reply = subprocess.run(command, capture_output=True, text=True)
    if reply.returncode:
        raise FirmwareError(f"{command[0]} failed:\n{reply.stderr.strip()}")
