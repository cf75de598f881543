"""What an answer would rest on that nobody has published: with any of it the answer is unknown, not yes."""

from collections.abc import Callable, Iterator
from typing import Any

from ...simulation import Profile
from .life import rated_tb
from .requirement import Requirement


def doubts(requirement: Requirement, profile: Profile, takes: Callable[[Profile], bool]) -> Iterator[str]:
    """Texts "what: why it is unknown" for all unknowns of ``profile``, which has the fill that was asked for, that
    ``requirement`` depends on. ``takes(changed)`` tells whether a drive of a changed profile is fast enough."""
    size, write = requirement.bytes, profile.write
    if "write" in profile.unknown_rates and size > profile.write_cache_bytes:
        yield ("its rate" + (" after the cache" if write.cache else "") + f": {profile.unknown_rates['write']}")
    if write.measured_bytes is not None and size > write.measured_bytes:
        yield (f"what it does after {write.measured_bytes:,} bytes: its rates were measured over so many of the "
               f"{size:,}")
    if requirement.fill and not profile.rotating:
        yield from _of_fill(requirement, profile, takes)
    rated = rated_tb(requirement, profile)
    if rated is not None and requirement.written_tb >= rated:
        yield (f"what it does when worn out: {requirement.written_tb:,.6g} TB have been written, and it is rated for "
               f"{rated:,.6g}")


def _of_fill(requirement: Requirement, profile: Profile, takes: Callable[[Profile], bool]) -> Iterator[str]:
    """What is unknown of a drive that was written before."""
    write, full = profile.write, f"{100 * (requirement.fill or 0):g} % full"
    known = profile.at_best()
    if write.cache and write.cache.minimum_bytes is None and not takes(_changed(known, cache=None)):
        yield f"how much of its cache is left when it is {full}: not published"
    if write.crowded is not None:
        return
    if write.dirty is None:
        yield f"its rate when it is {full} and was not trimmed: not published"
    elif not takes(_changed(known, cache=None, mb_per_s=write.dirty.mb_per_s, zones=None)):
        yield f"its rate when it is {full} and was not trimmed: {_of_dirty(write.dirty)}"


def _of_dirty(dirty: Any) -> str:
    """What was measured of a drive that was full and written at random."""
    text = f"written at random until no sector was free, it took {dirty.mb_per_s:g} MB/s"
    if dirty.recovered_mb_per_s is None:
        return text
    pause = "" if dirty.idle_minutes is None else f" and {dirty.idle_minutes:g} minutes"
    return f"{text}, and after TRIM{pause} {dirty.recovered_mb_per_s:g}; how it takes a stream is not published"


def _changed(profile: Profile, **values: object) -> Profile:
    return profile.model_copy(update={"write": profile.write.model_copy(update=values)})
