"""Many measurements as one table: every combination of drives, rates, sizes and turn-arounds."""

from .cell import Cell, Stale, measured, prepare
from .plan import Plan, PlanError
from .runner import Sweep
from .table import COLUMNS, table

__all__ = ["COLUMNS", "Cell", "Plan", "PlanError", "Stale", "Sweep", "measured", "prepare",
           "table"]
