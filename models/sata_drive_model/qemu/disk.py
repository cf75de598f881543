"""The disk image of QEMU's ATA disk."""

import os
import tempfile

from ..medium.image import SECTOR, DiskImage
from .ahci import AhciDisk, Answer
from .process import QemuProcess, qemu_program


class QemuDisk(DiskImage):
    """An ATA disk that QEMU emulates, and its image, which can be read at the same time.

    Parameters: ``path`` of the raw image, None for a temporary file; ``sectors``, ``writable`` as
    of a `DiskImage`, but an existing image must have all ``sectors``: QEMU's disk does not grow;
    ``serial`` number, up to 20 characters; ``faults`` for QEMU's blkdebug driver, each a table
    such as ``{"event": "none", "iotype": "read", "errno": 5, "sector": 100}``. Where it is not
    ``writable``, what is written is kept next to the image and discarded at the end. Member: ``serial``.
    Raises ``ValueError``, and :exc:`QemuError` where QEMU is missing or refuses.
    """

    def __init__(self, path=None, *, sectors=None, writable=True, serial="QM00001", faults=()):
        qemu_program()
        self.serial = serial
        self._process = self._temporary = None
        if path is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="sata-image-")
            path = os.path.join(self._temporary.name, "disk.img")
        elif os.path.exists(path) and os.path.getsize(path) < (sectors or 1) * SECTOR:
            raise ValueError(f"QEMU's disk: {path} has {os.path.getsize(path) // SECTOR} sectors "
                             f"of the {sectors or 1} wanted")
        super().__init__(path, sectors=sectors, writable=writable)
        try:
            self._process = QemuProcess(path, sectors=self.sectors, serial=serial,
                                        writable=writable, faults=faults)
            self._ahci = AhciDisk(self._process)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """QEMU's process."""
        return self._process.pid

    def reset(self) -> bytes:
        """COMRESET; the Register D2H FIS with the signature."""
        return self._ahci.reset()

    def command(self, register_h2d: bytes, data: bytes = b"") -> Answer:
        """The `Answer` of the disk to a command FIS, with the ``data`` of the host."""
        return self._ahci.command(register_h2d, data)

    def close(self):
        """Ends QEMU and closes the image; a temporary one is removed."""
        if self._process is not None:
            self._process.close()
        super().close()
        if self._temporary is not None:
            self._temporary.cleanup()
