"""The port and the register of the count of all words."""

from .group import SUM, Group, output_row

__all__ = ["COUNT"]

_TABLE = (output_row("count_words", SUM, "words that were taken since reset", at=0x0C8, unit="words"),)

COUNT = Group("count", _TABLE, exists=lambda configuration: configuration.count)
