"""How long a drive lasts by its maker's rating: writes of flash, the workload of a hard disk."""

from dataclasses import dataclass

from ...facts.units import SECTOR_BYTES
from ...simulation import Profile
from .requirement import Requirement

_DAY = 86400
_YEAR = 365.25 * _DAY


@dataclass(frozen=True)
class Life:
    """The life of each drive of an answer. ``years`` until it has been written as much as it is rated for, from
    ``written_tb`` on; ``writes_per_day`` of its capacity that the recording needs, ``rated_per_day`` that it is rated
    for during its warranty; ``workload`` in 10^12 bytes a year that the recording needs, ``rated_workload`` that a
    hard disk is rated for. None: not published."""

    years: float | None
    written_tb: float
    writes_per_day: float
    rated_per_day: float | None
    workload: float
    rated_workload: float | None


def rated_tb(requirement: Requirement, profile: Profile) -> float | None:
    """10^12 bytes that may be written to a drive by its rating: as asked, or as its profile states; None: unknown."""
    if requirement.dwpd is not None:
        years = warranty(requirement, profile)
        return None if years is None else requirement.dwpd * _capacity_tb(profile) * 365 * years
    return profile.rated_writes_tb if requirement.rated_tb is None else requirement.rated_tb


def warranty(requirement: Requirement, profile: Profile) -> float | None:
    """Years of warranty: as asked, or as the profile states; None: unknown."""
    return profile.warranty_years if requirement.warranty_years is None else requirement.warranty_years


def life(requirement: Requirement, profile: Profile, drives: int) -> Life:
    """The :class:`Life` of each of ``drives`` side by side."""
    rated, years = rated_tb(requirement, profile), warranty(requirement, profile)
    rate = requirement.rate * requirement.duty / drives / 1e12
    left = None if rated is None else max(0.0, rated - requirement.written_tb)
    capacity = _capacity_tb(profile)
    return Life(None if left is None else left / (rate * _YEAR), requirement.written_tb, rate * _DAY / capacity,
                None if rated is None or years is None else rated / (capacity * 365 * years),
                rate * _YEAR, profile.workload_tb_per_year)


def _capacity_tb(profile: Profile) -> float:
    return SECTOR_BYTES * profile.capacity_sectors / 1e12
