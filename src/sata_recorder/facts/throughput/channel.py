"""The link between a host and a drive: what it carries, and the gaps between two commands."""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ..ata import LBA28_COMMAND_SECTORS
from ..units import DWORD_HZ, SECTOR_BYTES

__all__ = ["COMMAND_CLOCKS", "FIS_BYTES", "FIS_CLOCKS", "Channel", "Host", "Profile"]

#: That of the drive model, :class:`sata_drive_model.Profile`, which nothing here imports.
Profile: TypeAlias = Any

FIS_BYTES = 8192
#: Clocks of the handshakes of a Data FIS, of this core with a drive that answers after one dword.
_HANDSHAKE_CLOCKS = 19.3
#: Clocks from one Data FIS to the next: 2,052 dwords, two ALIGN in every 256, and the handshakes.
FIS_CLOCKS = 2052 * 256 / 254 + _HANDSHAKE_CLOCKS
#: Clocks between two commands, of host and protocol (docs/reproduce.md, table 6-2).
COMMAND_CLOCKS = 54


@dataclass(frozen=True)
class Host:
    """The host's side: ``generation`` of its fastest link, ``command_sectors`` of its longest
    command, ``turnaround_us`` its pause between two commands. The defaults are those of the core.

    ``beat_bytes`` come in each clock of ``beat_hz`` (None: of the core) at most, through a buffer of ``buffer_bytes``
    after them; 0: what comes is not limited by that."""

    generation: int = 3
    command_sectors: int = 2048
    turnaround_us: float = 0.0
    beat_bytes: int = 0
    beat_hz: float | None = None
    buffer_bytes: int = 0


@dataclass(frozen=True)
class Channel:
    """``rate`` is what it carries within a command, ``gap`` the longest time in seconds between two
    commands in which it carries nothing, ``mean_gap`` that of all commands in the mean (a jitter is
    all of it, or half), ``command`` the bytes of the longest command, ``fis`` the seconds of a Data
    FIS: what waits may wait so much longer until one has begun.

    ``ram`` bytes of the drive surely take data, because it gives room for a FIS or a slice at once.
    A command that the medium throttles ends with ``full`` bytes in it, ``late`` seconds before. A byte of a stream that
    waits before the core comes after ``beat`` seconds at least, and up to ``buffer`` bytes after those that the drive
    has taken.
    """

    rate: float
    gap: float
    mean_gap: float
    command: int
    fis: float
    ram: int = 0
    full: int = 0
    late: float = 0.0
    beat: float = 0.0
    buffer: int = 0

    @classmethod
    def of(cls, host: Host, profile: Profile | None = None) -> "Channel":
        """That of ``host`` and a drive of ``profile``; None: one that never waits."""
        hz = DWORD_HZ[host.generation if profile is None else min(host.generation, profile.generation)]
        link = cls._link(host, profile, hz)
        if not host.beat_bytes:
            return link
        return replace(link, beat=1 / (host.beat_bytes * (host.beat_hz or hz)), buffer=host.buffer_bytes)

    @classmethod
    def _link(cls, host: Host, profile: Profile | None, hz: float) -> "Channel":
        """That with a link of ``hz`` dwords a second."""
        if profile is None:
            return cls._between(hz, host.command_sectors, host.turnaround_us)
        write = profile.write
        sectors = host.command_sectors if profile.lba48 else \
            min(host.command_sectors, LBA28_COMMAND_SECTORS)
        pause = host.turnaround_us + write.command_us + write.completion_us
        slices = {"activate": 1, "hold": write.hold_slices, "status": FIS_BYTES}[write.stall_shows]
        return cls._between(hz, sectors, pause, write.jitter_us, write.buffer_bytes - FIS_BYTES // slices,
                            write.buffer_bytes,
                            (FIS_CLOCKS if write.stall_shows == "activate" else _HANDSHAKE_CLOCKS) / hz)

    @classmethod
    def _between(cls, hz: float, sectors: int, pause: float, jitter: float = 0.0, *ram: Any) -> "Channel":
        """One of ``hz`` dwords a second, with a ``pause`` and a ``jitter`` in us."""
        gap = COMMAND_CLOCKS / hz + 1e-6 * pause
        return cls(FIS_BYTES * hz / FIS_CLOCKS, gap + 1e-6 * jitter, gap + 0.5e-6 * jitter,
                   SECTOR_BYTES * sectors, FIS_CLOCKS / hz, *ram)

    @property
    def supply(self) -> float:
        """Seconds a byte that has waited before the beats takes through them: in a gap they go on until the buffer is
        full, in which the drive has left up to what it takes at once. 0: they are no limit."""
        free = max(0, self.buffer - (self.full - self.ram))
        return self.beat and self.beat + max(0.0, self.gap - self.beat * free) / self.command

    @property
    def fills(self) -> float:
        """Seconds of a gap in which the beats go on."""
        return min(self.gap, self.beat * self.buffer)

    def cost(self, medium: float = 0.0, gap: float | None = None) -> float:
        """Seconds a byte, all commands and gaps in it: ``medium`` seconds a byte of the medium,
        ``gap`` seconds between two commands (None: the longest)."""
        gap, command = self.gap if gap is None else gap, self.command
        limited = command / self.rate + gap
        dry = max(0.0, gap - max(0.0, self.full * medium - self.late))
        return max(limited, command * medium + dry) / command
