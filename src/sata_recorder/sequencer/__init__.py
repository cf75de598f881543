"""The sequencer: operations on a drive as chains of commands."""

from .activity import SequencerActivity
from .sequencer import Sequencer
from .types import Error, Mark, MarkLayout, Operation, StreamSignature

__all__ = ["Error", "Mark", "MarkLayout", "Operation", "Sequencer", "SequencerActivity",
           "StreamSignature"]
