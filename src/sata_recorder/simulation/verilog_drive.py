"""The drive in Verilog, for benches without Python."""

from sata_drive_model.verilog import source

from .. import __version__

__all__ = ["verilog_drive"]


def verilog_drive():
    """Text of the file with the module ``sata_drive``, which the testbench of :func:`..export.bench` has."""
    return f"// sata_recorder {__version__}: a drive for benches in Verilog.\n{source()}"
