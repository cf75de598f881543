"""The core for other tools: Verilog, and descriptions of it for programs."""

from .cheader import header
from .description import description
from .netlist import verilog
from .svdfile import svd
from .template import instance, template
from .top import AxiLiteRecorder

__all__ = ["AxiLiteRecorder", "description", "header", "instance", "svd", "template", "verilog"]
