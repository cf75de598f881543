"""The link between a host and a drive: what it carries, and the gaps between two commands."""

from dataclasses import dataclass

from ..ata import LBA28_COMMAND_SECTORS
from ..units import DWORD_HZ, SECTOR_BYTES

__all__ = ["COMMAND_CLOCKS", "FIS_BYTES", "FIS_CLOCKS", "Channel", "Host"]

FIS_BYTES = 8192
#: Clocks from one Data FIS to the next: 2,052 dwords, two ALIGN in every 256, and the handshakes of
#: this core with a drive that answers after one dword.
FIS_CLOCKS = 2052 * 256 / 254 + 19.3
#: Clocks between two commands, of host and protocol (docs/reproduce.md, table 6-2).
COMMAND_CLOCKS = 54


@dataclass(frozen=True)
class Host:
    """The host's side: ``generation`` of its fastest link, ``command_sectors`` of its longest
    command, ``turnaround_us`` its pause between two commands. The defaults are those of the core."""

    generation: int = 3
    command_sectors: int = 2048
    turnaround_us: float = 0.0


@dataclass(frozen=True)
class Channel:
    """``rate`` is what it carries within a command, ``gap`` the longest time in seconds between two
    commands in which it carries nothing, ``mean_gap`` that of all commands in the mean (a jitter is
    all of it, or half), ``command`` the bytes of the longest command, ``fis`` the seconds of a Data
    FIS: what waits may wait so much longer until one has begun. ``ram`` bytes of the drive surely
    take data while the medium has no time."""

    rate: float
    gap: float
    mean_gap: float
    command: int
    fis: float
    ram: int

    @classmethod
    def of(cls, host, profile=None):
        """That of ``host`` and a drive of ``profile``; None: one that never waits."""
        if profile is None:
            hz, sectors, own, jitter, ram = DWORD_HZ[host.generation], host.command_sectors, 0, 0, 0
        else:
            write = profile.write
            hz = DWORD_HZ[min(host.generation, profile.generation)]
            sectors = host.command_sectors if profile.lba48 else \
                min(host.command_sectors, LBA28_COMMAND_SECTORS)
            own, jitter, ram = write.command_us + write.completion_us, write.jitter_us, _ram(write)
        gap = COMMAND_CLOCKS / hz + 1e-6 * (host.turnaround_us + own)
        return cls(FIS_BYTES * hz / FIS_CLOCKS, gap + 1e-6 * jitter, gap + 0.5e-6 * jitter,
                   SECTOR_BYTES * sectors, FIS_CLOCKS / hz, ram)

    def cost(self, medium=0.0, gap=None):
        """Seconds a byte, all commands and gaps in it: ``medium`` seconds a byte of the medium,
        ``gap`` seconds between two commands (None: the longest)."""
        gap, command = self.gap if gap is None else gap, self.command
        limited = command / self.rate + gap
        return max(limited, command * medium + max(0.0, gap - self.ram * medium)) / command


def _ram(write):
    """Bytes of the drive's RAM that surely take data: room is given for a FIS, or a slice, at once."""
    slices = {"activate": 1, "hold": write.hold_slices, "status": FIS_BYTES}[write.stall_shows]
    return write.buffer_bytes - FIS_BYTES // slices
