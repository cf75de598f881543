"""Above a core: the AXI4-Lite port to its registers, which are defined in :mod:`...interface`."""

from .register_bank import RegisterBank
from .register_stage import RegisterStage

__all__ = ["RegisterBank", "RegisterStage"]
