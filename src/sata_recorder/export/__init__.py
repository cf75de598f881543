"""The core for other tools: Verilog, and descriptions of it for programs."""

from ..core.phy import BACK_ENDS
from .cheader import header
from .crossings import crossing_constraints, stream_clocks
from .description import description
from .netlist import verilog
from .svdfile import svd
from .template import INSTANCE, instance, template

__all__ = ["BACK_ENDS", "INSTANCE", "description", "crossing_constraints", "header", "instance",
           "stream_clocks", "svd", "template", "verilog"]
