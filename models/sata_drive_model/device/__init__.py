"""The drive above its link: FISes, ATA commands, IDENTIFY DEVICE (ATA8-ACS)."""

from .commands import Completed
from .drive import Drive
from .health import Health
from .settings import PowerUp

__all__ = ["Completed", "Drive", "Health", "PowerUp"]
