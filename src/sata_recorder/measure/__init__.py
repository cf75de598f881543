"""The core against the drive model: simulation engines, experiments, reports."""

from .accounts import ACCOUNTS, WHOSE, Ledger
from .cxxrtl import Cxxrtl
from .engine import Engine, EngineError, State
from .scenario import Outcome, Session, Stuck
from .signals import Event, Hold

__all__ = ["ACCOUNTS", "WHOSE", "Cxxrtl", "Engine", "EngineError", "Event", "Hold", "Ledger",
           "Outcome", "Session", "State", "Stuck"]
