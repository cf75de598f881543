"""The timing of a drive, measured over the console of a board, as a profile.

| of interest | where |
| --- | --- |
| the sequence, and what each of its long operations shows | :mod:`.sequence` |
| what commands of a few sectors show | :mod:`.short` |
| operations of a board, and their points of words and clocks | :mod:`.operations` |
| rates and the places where they change, from words and clocks | :mod:`.fit` |
| times at which nothing moved | :mod:`.standstills` |
| how much a drive's RAM takes; what TRIM does | :mod:`.ram`, :mod:`.trim` |
| how deep a FIFO must be for a rate; the rate that lasts | :mod:`.curve` |
| the profile: its figures, and what they rest on | :mod:`.profile_text` |
| the logs of fio instead of a board | :mod:`.fio` |
"""

from .curve import block_times, curve_csv, fifo_bytes, lasting_rates
from .fio import BadLog, figures_of_logs
from .operations import QualificationError
from .profile_text import profile_of, profile_text
from .sequence import DriveFigures, qualify

__all__ = ["BadLog", "DriveFigures", "QualificationError", "block_times", "curve_csv",
           "fifo_bytes", "figures_of_logs", "lasting_rates", "profile_of", "profile_text", "qualify"]
