"""Above a core: what happens when power is about to fail."""

from .power_fail import PowerFail
from .recorder import PowerFailRecorder, recorder

__all__ = ["PowerFail", "PowerFailRecorder", "recorder"]
