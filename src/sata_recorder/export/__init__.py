"""The core for other tools: Verilog, and descriptions of it for programs."""

from ..core.phy import BACK_ENDS
from .bench import BENCH, bench, bench_obstacle
from .cheader import header
from .crossings import crossing_constraints
from .description import description
from .netlist import verilog
from .rdlfile import rdl
from .svdfile import svd
from .template import INSTANCE, instance, template
from .wrapper import system_verilog, vivado_wrapper

__all__ = ["BACK_ENDS", "BENCH", "INSTANCE", "bench", "bench_obstacle", "crossing_constraints", "description", "header",
           "instance", "rdl", "svd", "system_verilog", "template", "verilog", "vivado_wrapper"]
