"""The core for other tools: Verilog, and a description of it for programs."""

from .interface import description
from .netlist import verilog

__all__ = ["description", "verilog"]
