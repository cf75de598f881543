"""Which simulation engines there are, and which of them work on this machine."""

import os

from . import compiler, drive_package, icarus
from .engine import EngineError, MissingTool

#: All of them, the fastest first: the core and the drive compiled; the core compiled by CXXRTL, the
#: drive in Python; the exported Verilog in Icarus, the drive in Python.
NAMES = ("compiled", "cxxrtl", "icarus")


def _compiler_reason():
    try:
        compiler.identity()
    except (EngineError, MissingTool) as error:
        return str(error)
    return None


#: Name of each to a function that returns why it does not work here, or None.
REASONS = {"compiled": drive_package.reason, "cxxrtl": _compiler_reason, "icarus": icarus.reason}


def available_engines():
    """The names of those that work here, the fastest first.

    Raises :exc:`.engine.MissingTool` if none does, or if CXX names a compiler that does not
    work, or CXXFLAGS is no list of words.
    """
    reasons = {name: REASONS[name]() for name in NAMES}
    found = [name for name in NAMES if reasons[name] is None]
    chosen = os.environ.get("CXX") or os.environ.get("CXXFLAGS")
    if not found or chosen and reasons["cxxrtl"]:
        raise MissingTool(reasons["cxxrtl"])
    return found
