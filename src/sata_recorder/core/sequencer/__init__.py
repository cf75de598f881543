"""The sequencer: operations on a drive as chains of commands."""

from .activity import SequencerActivity
from .sequencer import Sequencer
from .trim_ranges import TrimRanges

__all__ = ["Sequencer", "SequencerActivity", "TrimRanges"]
