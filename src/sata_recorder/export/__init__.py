"""The core for other tools: Verilog, and descriptions of it for programs."""

from .cheader import header
from .description import description
from .netlist import verilog
from .svdfile import svd
from .top import AxiLiteRecorder

__all__ = ["AxiLiteRecorder", "description", "header", "svd", "verilog"]
