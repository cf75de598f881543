"""The modules of benchmarks/, which is no package: its programs import each other by name."""

import sys
from contextlib import contextmanager
from pathlib import Path

__all__ = ["BENCHMARKS", "importing_benchmarks"]

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@contextmanager
def importing_benchmarks():
    """Within it they can be imported."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield
    finally:
        sys.path.remove(str(BENCHMARKS))
