"""The stream that is played back, of any width and in a clock of its own."""

from .playback_stage import PlaybackStage

__all__ = ["PlaybackStage"]
