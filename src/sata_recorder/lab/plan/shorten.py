"""A drive with short phases at the same rates: what is critical happens within few clocks."""

from dataclasses import replace
from typing import Any

from ...simulation import Profile
from ...facts.units import SECTOR_BYTES
from .requirement import Requirement

_MIB = 1 << 20
#: A cache and a period of dips are cut to these bytes, a stall and an access to these milliseconds.
CACHE, PERIOD, STALL_MS = 2 * _MIB, 16 * _MIB, 10.0
_BUFFER = 256 * 1024
#: Bytes recorded after the cache is full.
_AFTER = 3 * _MIB


def shortened(profile: Profile) -> Profile:
    """``profile`` with caches, buffers, stalls and dips of a few MiB and milliseconds.

    Rates, latencies below 10 ms, and the share of time and bytes that stalls and dips take stay the same.
    """
    plain = profile.model_dump(exclude_unset=True)
    plain["name"] = profile.name
    write, was = plain.setdefault("write", {}), profile.write
    write["buffer_bytes"] = min(was.buffer_bytes, _BUFFER)
    write["access_us"] = min(was.access_us, 1e3 * STALL_MS)
    if was.cache:
        write["cache"] |= {"bytes": min(was.cache.bytes, CACHE)}
        if was.cache.minimum_bytes is not None:
            write["cache"]["minimum_bytes"] = min(was.cache.minimum_bytes, CACHE)
    if was.stalls:
        write["stalls"] = [_stall(stall) for stall in was.stalls]
    if was.dips:
        write["dips"] = [{"every_bytes": PERIOD, "mb_per_s": dip.mb_per_s,
                          "bytes": max(8192, round(PERIOD * dip.bytes / dip.every_bytes))}
                         for dip in was.dips]
    plain["estimates"] = plain["fitted"] = {}
    return Profile.from_data(plain, profile.name)


def _stall(stall: Any) -> dict[str, Any]:
    """The stall with the same share of the time."""
    part = min(1.0, STALL_MS / stall.ms)
    first = stall.first_bytes or stall.every_bytes
    return {"ms": stall.ms * part, "every_bytes": max(8192, round(stall.every_bytes * part)),
            "first_bytes": max(8192, round(first * part)), "when": stall.when}


def critical(requirement: Requirement, profile: Profile) -> tuple[Requirement, Profile]:
    """(requirement, shortened profile) in which everything that the drive does happens at least once."""
    short, write = shortened(profile), shortened(profile).write
    size = short.write_cache_bytes + (_AFTER if write.cache else 2 * _MIB) + write.buffer_bytes
    for stall in write.stalls:
        first = (stall.first_bytes or stall.every_bytes) + (
            0 if stall.when == "always" else short.write_cache_bytes)
        size = max(size, first + stall.every_bytes // 2 + write.buffer_bytes)
    if write.dips:
        size = max(size, short.write_cache_bytes + PERIOD + _MIB)
    size = min(size, SECTOR_BYTES * short.capacity_sectors)
    return replace(requirement, seconds=None, size=size), short
