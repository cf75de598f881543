"""Above a core: what happens when power is about to fail."""

from .power_fail import PowerFail

__all__ = ["PowerFail"]
