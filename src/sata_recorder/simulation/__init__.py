"""The core against the drive model: engines, sessions on them, and the streams at the core.

This is the only place where core and drive model meet.
"""

from .accounts import ACCOUNTS, WHOSE, Ledger
from .cxxrtl import Cxxrtl
from .engine import Engine, EngineError, MissingTool, State
from .session import Outcome, Session, Stuck
from .signals import Event, Hold, Rate

__all__ = ["ACCOUNTS", "WHOSE", "Cxxrtl", "Engine", "EngineError", "Event", "Hold", "Ledger",
           "MissingTool", "Outcome", "Rate", "Session", "State", "Stuck"]
