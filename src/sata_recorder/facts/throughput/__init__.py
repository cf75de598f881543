"""How fast a drive takes data, by arithmetic on its profile: the one place that computes it.

| question | where |
| --- | --- |
| the rate of the medium from byte to byte, with its stalls | :mod:`.course` |
| what the link and the gaps between commands leave of it | :mod:`.channel` |
| the rate that it sustains | :mod:`.sustained` |
| how much waits, and when the first word is lost | :mod:`.queue` |

``measure``, ``plan``, ``sweep`` and ``drives`` all ask here.
"""

from .channel import COMMAND_CLOCKS, FIS_CLOCKS, Channel, Host
from .course import MOST_STRETCHES
from .queue import Waiting, waiting
from .sustained import stalls_known, sustained_rate

__all__ = ["COMMAND_CLOCKS", "FIS_CLOCKS", "MOST_STRETCHES", "Channel", "Host", "Waiting",
           "stalls_known", "sustained_rate", "waiting"]
