"""What came of accesses: rate, latencies, and where the clocks went."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...facts.units import CEILINGS, SECTOR_BYTES
from ..measurement import Statistics
from .job import AccessJob

__all__ = ["PERCENTILES", "AccessResult", "percentile"]

#: Percentiles of the latencies that are shown.
PERCENTILES = (50.0, 90.0, 99.0, 99.9)
#: Sectors of a page of most file systems and flash maps, on which an access may begin and end.
_PAGE_SECTORS = 4096 // SECTOR_BYTES


def percentile(ordered: Sequence[int], percent: float) -> int:
    """The least of the ``ordered`` numbers that at least ``percent`` of them do not exceed (nearest rank)."""
    rank = -(-len(ordered) * round(1000 * percent) // 100_000)
    return ordered[max(1, rank) - 1]


@dataclass
class AccessResult:
    """What came of ``job``; ``problems`` is empty if everything is as it must be.

    ``model``, ``serial``, ``firmware``, ``capacity`` and ``lba48`` are the drive's as the core found them. ``lbas`` are
    the places of the accesses, in order; ``latencies``, in clocks of the dword port, go from the first X_RDY of an
    access to the end of its last status; ``starts`` are the clocks of these X_RDY, the first one 0. ``ledger`` has the
    clocks by account, ``between`` those between the operations of a read, each of which is one for the core, and
    ``total`` all of them. ``doubts`` are what keeps the figure from being known, ``caveats`` what it does not show:
    texts. ``skipped`` clocks of waits for the drive were left out of the simulation, and are in all figures but
    ``clocks``, those that were simulated. ``engine``, ``drive_compiled``, ``hash`` and ``wall_seconds`` as a
    measurement has them.
    """

    job: AccessJob
    model: str
    serial: str
    firmware: str
    capacity: int
    lba48: bool
    lbas: list[int]
    starts: list[int]
    latencies: list[int]
    ledger: dict[str, int]
    between: int
    problems: list[str]
    clocks: int
    skipped: int
    hash: int
    commands: int
    doubts: list[str] = field(default_factory=list)
    caveats: list[str] = field(default_factory=list)
    engine: str = ""
    drive_compiled: bool = False
    wall_seconds: float = 0.0

    @property
    def count(self) -> int:
        """The number of accesses."""
        return len(self.latencies)

    @property
    def total(self) -> int:
        """Clocks from the first X_RDY of the first access to the end of the last status."""
        return self.starts[-1] + self.latencies[-1] if self.latencies else 0

    @property
    def clock_hz(self) -> float:
        return self.job.configuration.clock_hz

    @property
    def seconds(self) -> float:
        return self.total / self.clock_hz

    @property
    def bytes(self) -> int:
        return SECTOR_BYTES * self.job.size * self.count

    @property
    def iops(self) -> float:
        """Accesses a second; 0 if there was none."""
        return self.count / self.seconds if self.count else 0.0

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return self.bytes / self.seconds if self.count else 0.0

    @property
    def percent(self) -> float:
        """The rate in percent of the link's ceiling."""
        return 100 * self.rate / CEILINGS[self.job.job.generation or 1]

    @property
    def late_iops(self) -> float | None:
        """Accesses a second in the last quarter of them; None of fewer than eight."""
        late = self.count // 4
        if late < 2:
            return None
        return late / ((self.total - self.starts[-late]) / self.clock_hz)

    @property
    def statistics(self) -> Statistics | None:
        """Those of the latencies, in clocks."""
        return Statistics.of(self.latencies)

    def percentiles(self) -> dict[float, int]:
        """The latency in clocks by percent."""
        ordered = sorted(self.latencies)
        return {percent: percentile(ordered, percent) for percent in PERCENTILES} if ordered else {}

    def split(self, sectors: int) -> int:
        """Accesses that do not begin and end at multiples of ``sectors``."""
        return sum(1 for lba in self.lbas if lba % sectors or (lba + self.job.size) % sectors)

    @property
    def unaligned(self) -> int:
        """Accesses that do not begin and end at multiples of 4096 bytes."""
        return self.split(_PAGE_SECTORS)

    @property
    def verdict(self) -> str:
        """"wrong"; "unknown" if it rests on what is not known about the drive; "limited" if more accesses may go
        otherwise; or "good"."""
        if self.problems:
            return "wrong"
        return "unknown" if self.doubts else "limited" if self.caveats else "good"
