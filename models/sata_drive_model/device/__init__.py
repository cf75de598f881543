"""The drive above its link: FISes, ATA commands, IDENTIFY DEVICE (ATA8-ACS)."""

from .commands import Completed
from .drive import Drive

__all__ = ["Completed", "Drive"]
