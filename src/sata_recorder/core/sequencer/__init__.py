"""The sequencer: operations on a drive as chains of commands."""

from .activity import SequencerActivity
from .between import InnerGroup, TrimRanges, interjections
from .sequencer import Sequencer

__all__ = ["InnerGroup", "Sequencer", "SequencerActivity", "TrimRanges", "interjections"]
