"""What a drive has reported about itself by SMART: in a form that JSON can hold, and two readings side by side."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Self

from .health import DriveVerdict, Health, health_words
from .smart import Attribute

__all__ = ["SmartReading", "compared_attributes", "compared_health"]


@dataclass(frozen=True)
class SmartReading:
    """``attributes`` by number and ``health``; if the drive has not reported them, none and None, and
    ``failure`` states why in one line."""

    attributes: dict
    health: Health | None
    failure: str | None = None

    def data(self) -> dict[str, Any]:
        """All of it, in a form that JSON can hold."""
        health = None if self.health is None else asdict(self.health) | {
            "exceeded": list(self.health.exceeded), "verdict": self.health.verdict.value,
            "reasons": list(self.health.reasons)}
        return {"failure": self.failure, "health": health,
                "attributes": [one._asdict() for one in self.attributes.values()]}

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The reading whose :meth:`data` is ``data``."""
        health = data["health"]
        if health is not None:
            erased = health.get("erased")
            health = Health(**health | {"exceeded": tuple(health["exceeded"]),
                                        "erased": None if erased is None else tuple(erased),
                                        "verdict": DriveVerdict(health["verdict"]),
                                        "reasons": tuple(health["reasons"])})
        found = {one["number"]: Attribute(**one | {"fields": tuple(map(tuple, one.get("fields", ())))})
                 for one in data["attributes"]}
        return cls(found, health, data["failure"])


def compared_health(before: SmartReading | None, after: SmartReading | None) -> Iterator[tuple[str, str, str]]:
    """(name, text before, text after) of what is known about a drive's health in two readings (None: it
    was not queried); what it does not report is "unknown"."""
    told = [dict(pair for pair in health_words(one.health) if pair[0]) if one and one.health else {}
            for one in (before, after)]
    for name in dict.fromkeys([*told[0], *told[1]]):
        yield name, told[0].get(name, "unknown"), told[1].get(name, "unknown")


def compared_attributes(before: SmartReading | None,
                        after: SmartReading | None) -> Iterator[tuple[Attribute | None, Attribute | None]]:
    """(:class:`.smart.Attribute` before, the same after) in order of their numbers; None if one of the
    two readings does not have it."""
    found = [one.attributes if one else {} for one in (before, after)]
    for number in sorted({*found[0], *found[1]}):
        yield found[0].get(number), found[1].get(number)
