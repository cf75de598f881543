"""A memory behind AXI4 as the buffer of the recorder."""

from .memory_buffer import MemoryBuffer
from .shape import MemoryShape

__all__ = ["MemoryBuffer", "MemoryShape"]
