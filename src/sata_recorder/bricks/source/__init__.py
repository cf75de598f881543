"""The stream to be recorded, of any width and in a clock of its own, as the words of a recorder."""

from .source_stage import SourceStage

__all__ = ["SourceStage"]
