"""Several narrow streams in one recording: packets of one after the other, which tell whose they are."""

from .channel_stage import ChannelStage

__all__ = ["ChannelStage"]
