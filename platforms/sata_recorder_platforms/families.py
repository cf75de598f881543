"""The kinds of devices for which there are boards and tools. A new one is a line here."""

from . import ecp5

FAMILIES = (ecp5,)
