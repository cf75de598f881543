"""Above a core: its registers on AXI4-Lite."""

from .register_bank import RegisterBank
from .register_stage import RegisterStage

__all__ = ["RegisterBank", "RegisterStage"]
