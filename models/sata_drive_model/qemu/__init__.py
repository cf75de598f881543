"""QEMU's ATA disk as the drive: what answers the commands was written by nobody who wrote the
drive model."""

from .ahci import Answer
from .disk import QemuDisk
from .drive import QemuDrive
from .process import PACKAGE, QemuError, qemu_program

__all__ = ["Answer", "PACKAGE", "QemuDisk", "QemuDrive", "QemuError", "qemu_program"]
