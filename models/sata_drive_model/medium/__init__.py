"""What the drive keeps its data on: images, and the timing of a drive's profile."""

from .generated import GeneratedImage
from .image import DiskImage
from .medium import Instant, Medium
from .profile import Profile, ProfileError
from .volatile import VolatileImage

__all__ = ["DiskImage", "GeneratedImage", "Instant", "Medium", "Profile", "ProfileError",
           "VolatileImage"]
