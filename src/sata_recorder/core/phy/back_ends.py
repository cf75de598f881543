"""The PHYs that boards and the export can have, by name. A new one is a line here."""

from .ecp5 import Ecp5
from .gtp import Gtp
from .gtx import Gtx

__all__ = ["BACK_ENDS"]

BACK_ENDS = {one.name: one for one in (Ecp5, Gtp, Gtx)}
