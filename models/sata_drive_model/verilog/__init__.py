"""The drive in Verilog, for simulators without Python: one module, ``sata_drive``, in ``sata_drive.v``."""

from pathlib import Path

__all__ = ["source"]


def source() -> str:
    """The text of ``sata_drive.v``: Verilog-2005, for simulation only; its head has what it does."""
    return Path(__file__).with_name("sata_drive.v").read_text(encoding="utf-8")
