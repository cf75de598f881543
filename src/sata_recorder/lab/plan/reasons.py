"""Why one drive takes a recording, or why not: texts for people."""

from collections.abc import Iterator

from ...facts.throughput import Channel, Waiting, stalls_known
from ...facts.units import SECTOR_BYTES
from ...simulation import Profile
from .requirement import Requirement


def reasons(requirement: Requirement, profile: Profile, found: Waiting, link_rate: float, depth: int,
            lasts: float | None) -> Iterator[str]:
    """Texts why one drive of ``profile`` takes the ``requirement``, or why not.

    ``found`` is its :class:`.Waiting`, ``depth`` the bytes of the FIFO that it needs, ``lasts`` the
    seconds until the first word is lost.
    """
    rate, capacity = requirement.rate, SECTOR_BYTES * profile.capacity_sectors
    too_deep, too_small = depth > requirement.fifo_bytes, requirement.bytes > capacity
    if too_small:
        yield f"capacity: {requirement.bytes:,} bytes do not fit into its {capacity:,}"
    beats = _of_beats(requirement, profile)
    if beats is not None and rate <= beats < link_rate and found.peak > requirement.host.buffer_bytes:
        yield (f"beats: they bring {_mb(beats)} MB/s at most, so a FIFO before them empties by only "
               f"{_mb(beats - rate)} MB/s; a memory is after them")
    if rate > link_rate:
        yield f"link: {_mb(rate, '.6g')} MB/s are more than the {_mb(link_rate)} that it carries"
    if too_deep:
        yield (f"rate: after {lasts:.4g} s the FIFO is full and the first word is lost; at the end the "
               f"drive takes {_mb(found.last)} MB/s without stalls, {_mb(found.mean)} on average over "
               "the whole recording")
        return
    if profile.write_cache_bytes:
        yield _of_cache(requirement, profile, found)
    if found.mean < rate:
        yield (f"rate: the drive takes {_mb(found.mean)} MB/s on average, slower than "
               f"they come: the rest waits in a FIFO, which becomes {depth:,} bytes deep")
        return
    if not too_small:
        yield (f"rate: the drive takes {_mb(found.mean)} MB/s on average, with its "
               "commands and " + ("stalls" if stalls_known(profile) else
                                  "without stalls, of which none is published"))
    if found.longest:
        yield f"FIFO: stalls of {1e3 * found.longest:g} ms make it {depth:,} bytes deep"


def _of_beats(requirement: Requirement, profile: Profile) -> float | None:
    """The most bytes a second that the beats of the source bring; None: they are no limit."""
    beat = Channel.of(requirement.host, profile).beat
    return 1 / beat if beat else None


def _of_cache(requirement: Requirement, profile: Profile, found: Waiting) -> str:
    rate, cache, after = requirement.rate, profile.write_cache_bytes, found.uncached
    if after is None:
        return f"cache: all of it fits into {cache:,} bytes"
    told = f"cache: full after {cache / rate:.4g} s; after it the drive takes "
    if after >= rate:
        return f"{told}{_mb(after)} MB/s, which is enough"
    return (f"{told}only {_mb(after)} MB/s of {_mb(rate, '.6g')}, and the rest waits in the FIFO: it does "
            "not last")


def _mb(rate: float, form: str = ".2f") -> str:
    return f"{rate / 1e6:{form}}"
