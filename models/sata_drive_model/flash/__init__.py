"""The inside of a flash drive: a map of pages, garbage collection, an SLC cache, wear, and a whole life.

:class:`Translation` is what a host sees, unit by unit; :class:`Life` is a drive from new to its end; the parameters of
drives (:class:`FlashDrive`) come from files, each with its source.
"""

from ..medium.inside import KINDS
from .amplification import closed_law
from .cache import CachedTranslation
from .errors import REST_LAWS, WEAR_LAWS, missing_for_rest, outlooks
from .first_fill import Stretch, first_fill
from .life import PATTERNS, Life, Sample
from .pace import STATES, FlashPace, check_flash_rate, flash_medium, flash_profile
from .parameters import FlashDrive
from .parameters import load as load_flash_drive
from .parameters import names as flash_drive_names
from .rules import Rules, Work
from .slice import slice_of
from .timing import Timing
from .translation import ReadOnly, Translation, Unreadable

__all__ = ["CachedTranslation", "FlashDrive", "FlashPace", "KINDS", "Life", "PATTERNS", "REST_LAWS", "ReadOnly",
           "Rules", "STATES", "Sample", "Stretch", "Timing", "Translation", "Unreadable", "WEAR_LAWS", "Work",
           "check_flash_rate", "closed_law", "first_fill", "flash_drive_names", "flash_medium", "flash_profile",
           "load_flash_drive", "missing_for_rest", "outlooks", "slice_of"]
