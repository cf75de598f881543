"""The inside of a flash drive: a map of pages, garbage collection, an SLC cache, wear."""

from .amplification import closed_law
from .cache import CachedTranslation
from .rules import Rules, Work
from .translation import ReadOnly, Translation, Unreadable

__all__ = ["CachedTranslation", "ReadOnly", "Rules", "Translation", "Unreadable", "Work", "closed_law"]
