"""Random faults in random operations on many cores: does each end as it reports?

A :class:`.FaultPlan` (:mod:`.plan`, with the faults of :mod:`.fault_generator`) is one run on a
core of :mod:`.configurations`; :func:`.execute` (:mod:`.run`) makes it and checks everything:
what the core reported (:mod:`.journal`) against the disk and the stream (:mod:`.scoreboard`), and the
rules of the link except for what a fault explains (:mod:`.waivers`). :func:`.campaign` makes thousands
on all processors, and :mod:`.shrink` makes those that fail small.
"""

from sata_drive_model.faults import kinds

from .campaign import Failure, Piece, Summary, campaign, prepare, replay, run_piece
from .configurations import CORES, core_called, drawn_pairs
from .plan import FaultPlan, FaultPlanError, Step, random_plan
from .run import ENDINGS, Result, execute
from .shrink import shrunk

__all__ = ["CORES", "ENDINGS", "Failure", "FaultPlan", "FaultPlanError", "Piece", "Result", "Step",
           "Summary", "campaign", "core_called", "drawn_pairs", "execute", "kinds", "prepare", "random_plan", "replay",
           "run_piece", "shrunk"]
