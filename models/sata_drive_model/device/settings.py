"""What a host has set in a drive: SET FEATURES, SET MULTIPLE MODE, the power mode (ATA8-ACS)."""

from dataclasses import dataclass
from typing import Literal

#: What CHECK POWER MODE answers in Count.
STANDBY_MODE, IDLE_MODE, ACTIVE_MODE = 0x00, 0x80, 0xFF
#: The subcommand of SET FEATURES with which a drive spins up that has powered up in standby.
SPIN_UP = 0x07
#: Most sectors of a block of READ MULTIPLE and WRITE MULTIPLE.
MAX_MULTIPLE = 16
#: Fastest mode of each kind: PIO with flow control, Multiword DMA, Ultra DMA.
_FASTEST = {0x08: 4, 0x20: 2, 0x40: 6}


@dataclass(frozen=True)
class PowerUp:
    """What a drive reports about its start in word 2 of IDENTIFY DEVICE, and what it does (ATA8-ACS, Power-Up In
    Standby).

    ``word``: word 2, from power-on. ``keeps``: it stays so when the drive has spun up; else it is C837h
    then. ``asleep``: it powers up in standby, and moves no data before SET FEATURES, spin-up.
    ``incomplete``: until then its IDENTIFY DEVICE data are words 0 and 2, and word 0 shows that. ``answer`` to
    that command: good status, an abort, or a device fault, which leaves it asleep.
    """

    word: int = 0x738C
    keeps: bool = True
    asleep: bool = True
    incomplete: bool = False
    answer: Literal["good", "abort", "fault"] = "good"


@dataclass
class Settings:
    """``write_cache``, ``look_ahead``: enabled; ``dma_mode`` as SET FEATURES has it in Count, 20h +
    Multiword DMA mode or 40h + Ultra DMA mode; ``multiple`` sectors of a block, 0 for none;
    ``power`` mode as CHECK POWER MODE reports it; ``apm`` the level of Advanced Power Management, 0
    while that is disabled."""

    write_cache: bool = True
    look_ahead: bool = True
    dma_mode: int = 0x46
    multiple: int = 0
    power: int = ACTIVE_MODE
    apm: int = 0

    def set_feature(self, feature, count, dma):
        """SET FEATURES; False for what this drive does not have. ``dma``: it has DMA modes."""
        if feature in (0x02, 0x82):
            self.write_cache = feature == 0x02
        elif feature in (0xAA, 0x55):
            self.look_ahead = feature == 0xAA
        elif feature == 0x03:
            return self._set_mode(count & 0xFF, dma)
        else:
            return False
        return True

    def _set_mode(self, mode, dma):
        kind, number = (mode & 0xF8, mode & 7)
        if mode in (0x00, 0x01):
            return True             # the default PIO mode, with IORDY or without
        if number > _FASTEST.get(kind, -1) or kind != 0x08 and not dma:
            return False
        if kind != 0x08:
            self.dma_mode = mode
        return True

    def set_multiple(self, count):
        """SET MULTIPLE MODE; False for a block of another size than these."""
        if count not in (0, 1, 2, 4, 8, MAX_MULTIPLE):
            return False
        self.multiple = count
        return True
