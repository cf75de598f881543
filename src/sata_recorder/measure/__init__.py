"""The core against the drive model: simulation engines, experiments, reports."""

from .accounts import ACCOUNTS, WHOSE, Ledger
from .cxxrtl import Cxxrtl
from .engine import Engine, EngineError, MissingTool, State
from .experiment import Job, Measurement, execute
from .scenario import Outcome, Session, Stuck
from .signals import Event, Hold

__all__ = ["ACCOUNTS", "WHOSE", "Cxxrtl", "Engine", "EngineError", "Event", "Hold", "Job",
           "Ledger", "Measurement", "MissingTool", "Outcome", "Session", "State", "Stuck",
           "execute"]
