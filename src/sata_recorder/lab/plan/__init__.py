"""Which drive, which FIFO: arithmetic on drive profiles, and a simulation that checks it.

:class:`.Requirement` is the question (:mod:`.requirement`), :func:`.plan` and :func:`.plans` answer
it (:mod:`.answer`) by the arithmetic of :mod:`...facts.throughput`, and state why (:mod:`.reasons`), what
the answer rests on (:mod:`.inputs`), what of that nobody has published (:mod:`.doubts`), and how long the drive
will live (:mod:`.life`). :func:`.check` runs the critical stretch clock by clock
(:mod:`.check`), with a drive whose long phases are cut short (:mod:`.shorten`) and the stages around the core that
were asked for (:mod:`.stages`).
"""

from .answer import BUFFER_WORDS, DrivePlan, fifo_words, least_memory, plan, plans, share
from .check import Check, check
from .inputs import Input
from .life import Life
from .requirement import Requirement, parse_duration
from .shorten import critical, shortened
from .stages import check_stages, job_with

__all__ = ["BUFFER_WORDS", "Check", "DrivePlan", "Input", "Life", "Requirement", "check", "check_stages",
           "critical", "fifo_words", "job_with", "least_memory", "parse_duration", "plan", "plans", "share",
           "shortened"]
