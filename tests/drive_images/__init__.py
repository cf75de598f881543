"""Images of prepared drives that somebody has changed since, and the verdict on each.

Hardware, `recordings`, `verify` and `finalise` give the same one (docs/files.md, "Free"); a test of
each goes through :data:`CASES`.
"""

from . import folders, formats, table
from .cases import ALL, SECTORS, ImageCase, Unavailable, data_of, made, pc_of, prepared, record, saved
from .pc import Pc

__all__ = ["ALL", "CASES", "ImageCase", "Pc", "SECTORS", "Unavailable", "data_of", "made", "pc_of", "prepared",
           "record", "saved"]

#: Name to :class:`.cases.ImageCase`.
CASES = folders.CASES | table.CASES | formats.CASES
