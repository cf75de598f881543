"""The sequencer: operations on a drive as chains of commands."""

from .activity import SequencerActivity
from .between import TrimRanges, interjections
from .sequencer import Sequencer

__all__ = ["Sequencer", "SequencerActivity", "TrimRanges", "interjections"]
