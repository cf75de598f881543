"""A real drive's life on a board: its console writes the drive over and over, with SMART read at intervals.

:class:`.EnduranceRequest` is what is requested (:mod:`.request`), :func:`.begin` and :func:`.go_on` check
that it may be done (:mod:`.beginning`), :class:`.EnduranceRun` does it (:mod:`.run`), and
:class:`.EnduranceLog` keeps it in files from which a run resumes after any interruption (:mod:`.log`).
"""

from .beginning import begin, go_on
from .board import EnduranceError
from .log import COLUMNS, EnduranceLog, LogError, state_path
from .request import End, EnduranceRequest, size_text
from .run import EnduranceRun, Ending, Ways

__all__ = ["COLUMNS", "End", "EnduranceError", "EnduranceLog", "EnduranceRequest", "EnduranceRun", "Ending", "LogError",
           "Ways", "begin", "go_on", "size_text", "state_path"]
