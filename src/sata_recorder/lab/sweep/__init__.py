"""Many measurements as one table: every combination of drives, rates, sizes and turn-arounds.

A :class:`.Plan` (:mod:`.plan`) gives the cells; :class:`.Sweep` (:mod:`.runner`) calls
:func:`.measured` for those that have no result yet (:mod:`.cell`), on this machine or on a Dask cluster
(:mod:`.cluster`); :mod:`.table` makes the table and its files, :mod:`.picture` draws it.
"""

from .cell import Cell, Stale, measured, prepare
from .cluster import ClusterError, ClusterWorkers, is_scheduler
from .picture import picture
from .plan import Plan, PlanError
from .runner import Sweep
from .table import COLUMNS, as_csv, as_parquet, lasting_rate, table

__all__ = ["COLUMNS", "Cell", "ClusterError", "ClusterWorkers", "Plan", "PlanError", "Stale",
           "Sweep", "as_csv", "as_parquet", "is_scheduler", "lasting_rate", "measured",
           "picture", "prepare", "table"]
