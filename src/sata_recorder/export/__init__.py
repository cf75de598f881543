"""The core for other tools: Verilog, and descriptions of it for programs."""

from ..core.phy import BACK_ENDS
from .axil import AxiLiteSignature, RegisterBank
from .cheader import header
from .description import description
from .netlist import verilog
from .svdfile import svd
from .template import INSTANCE, instance, template
from .top import AxiLiteRecorder

__all__ = ["AxiLiteRecorder", "AxiLiteSignature", "BACK_ENDS", "INSTANCE", "RegisterBank",
           "description", "header", "instance", "svd", "template", "verilog"]
