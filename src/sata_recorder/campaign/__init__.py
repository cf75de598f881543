"""Random faults in random operations on many cores: does each end as it says?"""

from sata_drive_model.faults import kinds

from .campaign import Failure, Piece, Summary, campaign, prepare, replay, run_piece
from .configurations import CORES
from .plan import Plan, PlanError, Step, random_plan
from .run import ENDINGS, Result, execute
from .shrink import shrunk

__all__ = ["CORES", "ENDINGS", "Failure", "Piece", "Plan", "PlanError", "Result", "Step", "Summary",
           "campaign", "execute", "kinds", "prepare", "random_plan", "replay", "run_piece",
           "shrunk"]
