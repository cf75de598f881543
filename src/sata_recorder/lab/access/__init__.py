"""Accesses through the core: extents of a few sectors anywhere on a drive, one after the other.

:class:`.AccessOptions` (:mod:`.options`) becomes an :class:`.AccessJob` (:mod:`.job`). :func:`.execute` does it
(:mod:`.access`, :mod:`.run`) at the :mod:`.places` that pattern and seed give, on an :mod:`.image` that knows what
belongs where, and returns an :class:`.AccessResult`. :mod:`.doubts` has what keeps a figure from being known.
"""

from .access import execute
from .data import as_data
from .job import AccessJob, make_job
from .options import AccessOptions, AccessOutputs
from .places import Places
from .result import AccessResult

__all__ = ["AccessJob", "AccessOptions", "AccessOutputs", "AccessResult", "Places", "as_data", "execute", "make_job"]
