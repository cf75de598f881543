"""What a run asks of a real drive, as its state file keeps it."""

from dataclasses import asdict, dataclass
from typing import Any, Self

__all__ = ["End", "EnduranceRequest", "size_text"]

_UNITS = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("bytes", 1))


def size_text(size: float) -> str:
    """Bytes for people."""
    unit, scale = next((name, scale) for name, scale in _UNITS if size >= scale or scale == 1)
    return f"{size / scale:,.6g} {unit}"


@dataclass(frozen=True)
class End:
    """When a run ends: ``kind`` is mean "erases" of a block, "bytes" written, "seconds" of writing, or "read-only";
    ``limit`` is the number, None for the last kind. The drive may become read-only before that."""

    kind: str
    limit: float | None = None

    def __str__(self) -> str:
        limit = self.limit or 0
        texts = {"erases": f"{limit:,.0f} erases in the mean", "bytes": f"{size_text(limit)} are written",
                 "seconds": f"{limit / 86400:,.6g} days of writing are over"}
        return texts.get(self.kind, "it is read-only")


@dataclass(frozen=True)
class EnduranceRequest:
    """``sectors`` from ``lba`` on of the drive with this ``serial`` number are written over and over, in order, at
    ``rate`` bytes a second (None: as fast as possible), with SMART read ``every`` so many seconds. ``pattern``:
    "ring", or "sequential", which trims the span before each lap. ``verify``: all is read back and compared."""

    serial: str
    lba: int
    sectors: int
    pattern: str
    rate: float | None
    every: float
    end: End
    verify: bool = False

    def as_data(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The request whose :meth:`as_data` is ``data``. Raises ``TypeError`` or ``KeyError`` for other data."""
        return cls(**data | {"end": End(**data["end"])})
