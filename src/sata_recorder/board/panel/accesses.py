"""Accesses anywhere within a span, as they are requested of a board."""

from dataclasses import dataclass

from ...pc.console.grammar import ACCESS_SECTORS, ACCESS_WAYS, NUMBER_BITS, PLACE_WAYS


class BadAccess(ValueError):
    """Accesses that cannot be made: one line with the name, the value and the limit."""


@dataclass(frozen=True)
class PlannedAccess:
    """``count`` accesses of ``size`` sectors within ``sectors`` from ``lba`` on, of a drive with ``capacity``
    sectors: ``way`` "read" or "write", ``order`` "random", drawn from ``seed``, or "sequential", at multiples of
    ``align`` sectors. Raises :class:`BadAccess`."""

    lba: int
    sectors: int
    size: int
    count: int
    capacity: int
    align: int = 8
    order: str = PLACE_WAYS[0]
    seed: int = 0
    way: str = ACCESS_WAYS[0]

    def __post_init__(self):
        most = (1 << NUMBER_BITS) - 1
        if not 0 <= self.lba < self.capacity:
            raise BadAccess(f"first sector = {self.lba}: 0 to {self.capacity - 1:,}, the drive's last one")
        if not 1 <= self.sectors <= self.capacity - self.lba:
            raise BadAccess(f"sectors = {self.sectors}: 1 to {self.capacity - self.lba:,}, to the drive's last one")
        if not 1 <= self.size <= min(ACCESS_SECTORS, self.sectors):
            raise BadAccess(f"sectors of an access = {self.size}: 1 to {min(ACCESS_SECTORS, self.sectors):,}"
                            + (", those of its span" if self.sectors < ACCESS_SECTORS else ""))
        if not 1 <= self.count <= most:
            raise BadAccess(f"accesses = {self.count}: 1 to {most:,}")
        if not 0 <= self.seed <= most:
            raise BadAccess(f"seed = {self.seed}: 0 to {most:,}")
        if self.order == "sequential" and self.size % self.align:
            raise BadAccess(f"sectors of an access = {self.size}: in order, a multiple of {self.align}")

    @property
    def places(self):
        """The request that sets where they go."""
        return f"places {self.align} {self.seed} {self.order}"

    @property
    def line(self):
        """The request that makes them."""
        return f"access {self.lba} {self.sectors} {self.size} {self.count} {self.way}"
