"""QEMU as a process that runs no guest: its memory and ports by the qtest protocol (QEMU, "QTest
Device Emulation Testing Framework")."""

import json
import mmap
import os
import shutil
import socket
import subprocess
import tempfile
import weakref
from pathlib import Path

PROGRAM = "qemu-system-x86_64"
PACKAGE = "qemu-system-x86"
#: Guest memory: room for the data of the longest command, 32 MiB, and what the controller reads.
MEMORY_MIB = 64
_SECONDS = 60           # for QEMU to start, and for each answer


class QemuError(RuntimeError):
    """QEMU is missing, does not start, or has ended; the text is for the user."""


def qemu_program():
    """The path of QEMU. Raises :exc:`QemuError`, which names the Debian package, where there is
    none."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise QemuError(f"no {PROGRAM} found in PATH: install QEMU (Debian: {PACKAGE})")
    return found


class QemuProcess:
    """QEMU with one ATA disk at its AHCI controller, stopped before the first instruction.

    Parameters: ``image`` path of the raw image; ``sectors`` the disk's capacity, at most what the
    image has; ``serial`` number of the disk; ``writable``: false leaves the image as it is, what is
    written goes to a temporary file; ``faults`` for QEMU's blkdebug driver, each a table such as
    ``{"event": "none", "iotype": "read", "errno": 5, "sector": 100}``. Raises :exc:`QemuError`.
    """

    def __init__(self, image, *, sectors, serial, writable=True, faults=()):
        program = qemu_program()
        self._folder = tempfile.mkdtemp(prefix="sata-qemu-")
        self._process = None
        # QEMU's memory is a file that both have mapped.
        memory = os.path.join(self._folder, "memory")
        with open(memory, "w+b") as file:
            file.truncate(MEMORY_MIB << 20)
            self._memory = mmap.mmap(file.fileno(), 0)
        self._rest = b""
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_SECONDS)
        try:
            with theirs:
                self._start(program, theirs.fileno(), serial,
                            _drive_option(image, sectors, writable, faults))
            self._ask("endianness")     # the first answer comes when QEMU is up
        except BaseException:
            _end(self._process, self._socket, self._folder)
            raise
        self._end = weakref.finalize(self, _end, self._process, self._socket, self._folder)

    def _start(self, program, handle, serial, drive):
        order = [program, "-machine", "q35,memory-backend=memory", "-accel", "tcg", "-S",
                 "-m", str(MEMORY_MIB), "-object",
                 f"memory-backend-file,id=memory,size={MEMORY_MIB}M,share=on,"
                 f"mem-path={_value(self._folder)}/memory",
                 "-nodefaults", "-no-user-config", "-display", "none",
                 "-chardev", f"socket,id=qtest,fd={handle}",
                 "-object", "qtest,id=qtest0,chardev=qtest,log=none", "-drive", drive,
                 "-device", f"ide-hd,bus=ide.0,drive=disk,serial={_value(serial)}"]
        with open(os.path.join(self._folder, "stderr"), "wb") as errors:
            self._process = subprocess.Popen(order, stdin=subprocess.DEVNULL, stdout=errors,
                                             stderr=errors, start_new_session=True,
                                             pass_fds=[handle])

    def _ended(self):
        text = Path(self._folder, "stderr").read_text(errors="replace").strip()
        return QemuError(f"{PROGRAM} ended with status {self._process.wait()}: "
                         f"{text or 'no message'}")

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def close(self):
        """Ends QEMU; what was written is in the image."""
        self._end()

    # The protocol ---------------------------------------------------------------------------------

    def write_port(self, port: int, value: int) -> None:
        """A dword to an I/O port."""
        self._ask(f"outl {port:#x} {value:#x}")

    def read_dword(self, address: int) -> int:
        """A dword from an address of the bus."""
        return int(self._ask(f"readl {address:#x}"), 16)

    def write_dword(self, address: int, value: int) -> None:
        """A dword to an address of the bus."""
        self._ask(f"writel {address:#x} {value:#x}")

    def read(self, address: int, size: int) -> bytes:
        """``size`` bytes of memory."""
        return self._memory[address:address + size]

    def write(self, address: int, data: bytes) -> None:
        """``data`` to the memory."""
        self._memory[address:address + len(data)] = data

    def _ask(self, order):
        """What follows OK in the answer to ``order``."""
        try:
            self._socket.sendall(order.encode() + b"\n")
            while b"\n" not in self._rest:
                got = self._socket.recv(4096)
                if not got:
                    raise self._ended()
                self._rest += got
        except TimeoutError:
            raise QemuError(f"{PROGRAM} did not answer within {_SECONDS} s") from None
        except OSError:
            raise self._ended() from None
        line, _, self._rest = self._rest.partition(b"\n")
        words = line.decode().split()
        if not words or words[0] != "OK":
            raise QemuError(f"{PROGRAM} refused `{order[:60]}`: {line.decode()}")
        return words[1] if len(words) > 1 else ""


def _value(text):
    """``text`` as a value in an option of QEMU: commas are doubled."""
    return str(text).replace(",", ",,")


def _drive_option(image, sectors, writable, faults):
    """The value of QEMU's option -drive."""
    file = {"driver": "file", "filename": str(image)}
    if faults:
        file = {"driver": "blkdebug", "inject-error": list(faults), "image": file}
    text = _value(json.dumps({"driver": "raw", "size": 512 * sectors, "file": file}))
    snapshot = "" if writable else "snapshot=on,"
    return (f"if=none,id=disk,{snapshot}cache=writeback,discard=unmap,werror=report,rerror=report,"
            f"file=json:{text}")


def _end(process, connection, folder):
    """Ends the process and removes what it left."""
    connection.close()
    if process is not None:
        process.terminate()     # QEMU closes the image
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    shutil.rmtree(folder, ignore_errors=True)
