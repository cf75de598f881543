"""What keeps a figure of accesses from being known, and what it does not show."""

from collections.abc import Iterator
from typing import Any

from ...facts.units import SECTOR_BYTES
from ..measurement import inside_caveats

__all__ = ["caveats", "doubts"]

#: The last quarter of the accesses is as fast as all of them within this share.
_NEAR = 0.02
#: What decides, if the profile has it.
_DECIDE = ("access_us", "command_us", "completion_us", "misaligned_us")


def doubts(result: Any) -> list[str]:
    """What the figure rests on that the profile of the drive does not have, as texts; none without a profile, or if
    the figure follows from what is inside the drive."""
    job = result.job
    profile = job.job.profile
    if profile is None or profile.name == "ideal" or job.job.medium is not None:
        return []
    side = profile.write if job.writes else profile.read
    found = []

    def missing(field):
        return field not in side.model_fields_set

    elsewhere = job.pattern == "random" and not missing("access_us")
    if job.pattern == "random" and not elsewhere:
        found.append(f"how long an access elsewhere takes ({job.operation}.access_us)")
    if not elsewhere and missing("command_us") and missing("completion_us"):
        found.append(f"how long each command takes ({job.operation}.command_us)")
    if job.writes and missing("misaligned_us"):
        physical = profile.physical_sector // SECTOR_BYTES
        if physical > 1 and result.split(physical):
            found.append("what writing a part of a physical sector costs (write.misaligned_us)")
        elif not profile.rotating and result.unaligned:
            found.append("what writing a part of 4096 bytes costs (write.misaligned_us)")
    return found


def caveats(result: Any) -> list[str]:
    """What more accesses, or those of a real drive, may meet that these did not, as texts; none if nothing is known."""
    job, profile = result.job, result.job.job.profile
    if profile is None or not result.count:
        return []
    if job.job.medium is not None:
        return [*inside_caveats(job.job, result.bytes),
                *((*of_memory(result, profile), *_of_room(result)) if job.writes else ())]
    return [*_of_estimates(job, profile), *(of_memory(result, profile) if job.writes else ())]


def _of_estimates(job, profile):
    """Figures that nobody has published."""
    name, side = ("write", profile.write) if job.writes else ("read", profile.read)
    if name in profile.assumed:
        yield f"its rate of {side.mb_per_s:g} MB/s is assumed by you: nobody has published that of a {profile.name}"
    for field in _DECIDE:
        name = f"{job.operation}.{field}"
        if name in profile.estimates:
            yield f"{name} is an estimate: {profile.estimates[name]}"
    span = SECTOR_BYTES * job.job.sectors
    if profile.rotating and job.pattern == "random" and 2 * job.job.sectors < profile.capacity_sectors:
        yield (f"the time of an access is one for all of the disk: within {span:,} bytes of it the head moves less, "
               "and a real one is faster")


def _of_room(result):
    """Whether the flash had no need to move anything."""
    base = result.job.job
    if base.medium.WHAT == "flash" and result.job.pattern == "random" and base.medium_state != "steady":
        flash = base.medium.physical
        room = flash.flash_bytes - (0 if base.medium_state == "new" else flash.user_bytes)
        if result.bytes < room:
            yield (f"its flash had {room:,} bytes free, room for all of it; after that random writes are slower, as "
                   "--medium-state steady shows")


def of_memory(result: Any, profile: Any) -> Iterator[str]:
    """Whether RAM or cache took the first accesses, so that later ones differ from them."""
    ram, cache = profile.write.buffer_bytes, profile.write_cache_bytes
    if result.bytes <= ram:
        yield f"what was written fits into the drive's RAM of {ram:,} bytes"
    elif result.late_iops and abs(result.late_iops / result.iops - 1) > _NEAR:
        late = f"the last quarter of them ran at {result.late_iops:,.{0 if result.late_iops >= 1000 else 2}f} IOPS"
        slower = result.late_iops < result.iops
        yield f"the drive's RAM of {ram:,} bytes took the first accesses: {late}" if slower else \
            f"{late}: more of them give a steadier mean"
    if cache and result.bytes <= cache:
        yield f"what was written fits into the drive's cache of {cache:,} bytes and does not show what comes after it"
