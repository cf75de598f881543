"""Above a core: a count of all words that it has ever taken."""

from .count import WordCount

__all__ = ["WordCount"]
