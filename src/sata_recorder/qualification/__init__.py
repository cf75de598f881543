"""The timing of a drive, measured over the console of a board, as a profile.

| of interest | where |
| --- | --- |
| the sequence of operations, and what each of them tells | :mod:`.sequence` |
| rates and the places where they change, from words and clocks | :mod:`.fit` |
| the profile: its figures, and what they rest on | :mod:`.profile_text` |
| the logs of fio instead of a board | :mod:`.fio` |
"""

from .fio import BadLog, figures_of_logs
from .profile_text import profile_of, profile_text
from .sequence import DriveFigures, QualificationError, qualify

__all__ = ["BadLog", "DriveFigures", "QualificationError", "figures_of_logs", "profile_of",
           "profile_text", "qualify"]
