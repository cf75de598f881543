"""Above a core: its registers behind AXI4-Lite."""

from .register_bank import RegisterBank
from .register_stage import RegisterStage

__all__ = ["RegisterBank", "RegisterStage"]
