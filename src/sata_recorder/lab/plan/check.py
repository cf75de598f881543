"""The critical stretch of a plan, simulated clock by clock, next to the arithmetic for the same stretch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from ..measurement import (DriveOptions, Job, JobError, Store, TransferOptions, needed_fifo, probe,
                           words_per_clock)
from ...simulation import Profile, Rate
from ...facts.throughput import Channel, waiting
from ...facts.units import DWORD_HZ, SECTOR_BYTES, WORD_BYTES
from .answer import fifo_words
from .requirement import Requirement
from .shorten import critical
from .stages import BUFFER_WORDS, job_with

#: Arithmetic and simulation agree within this share plus these words.
NEAR, NEAR_WORDS = 0.05, 4096


@dataclass(frozen=True)
class Check:
    """``planned`` and ``simulated`` words of the FIFO for ``bytes`` of a shortened drive; if a memory is the buffer,
    words of the memory. They agree within 5 % plus ``near_words``."""

    bytes: int
    planned: int
    simulated: int
    near_words: int = NEAR_WORDS

    @property
    def agrees(self) -> bool:
        """Whether the planned depth loses nothing and is not much deeper than it must be."""
        return 0 <= self.planned - self.simulated <= NEAR * self.simulated + self.near_words


def job_of(requirement: Requirement, profile: Profile) -> Job:
    """The :class:`..measurement.Job` of recording ``requirement`` on ``profile``, with the stages that it asks for.

    Raises :exc:`..measurement.JobError` for a rate that no core takes.
    """
    generation = min(requirement.generation, profile.generation)
    try:
        share = words_per_clock(requirement.rate, DWORD_HZ[generation])
    except ValueError as error:
        raise JobError("rate", f"{requirement.rate:g}", str(error)) from None
    return job_with(
        requirement, TransferOptions(operation="record", sectors=requirement.bytes // SECTOR_BYTES),
        DriveOptions(drive=profile, capacity=profile.capacity_sectors, generation=cast(Literal[1, 2, 3], generation)),
        input_rate=Rate(*share.as_integer_ratio()), fifo_words="endless")


def near_words(requirement: Requirement, profile: Profile) -> int:
    """Words by which the plan may be too deep. For a source with beats of its own the plan assumes that each stall
    finds little room in the drive, that no gap between commands falls into a stall, and that there is one gap more."""
    link = Channel.of(requirement.host, profile)
    if not link.beat:
        return NEAR_WORDS
    size = requirement.bytes
    stalls = waiting(requirement.host, profile, requirement.rate, size, size).stalls
    many = requirement.rate * (link.gap + (link.supply - link.beat) * size) + stalls * (link.full - link.ram)
    return NEAR_WORDS + round(many / WORD_BYTES)


def check(requirement: Requirement, profile: Profile, *, store: Store | None = None, engine: str = "auto",
          progress: Callable[..., object] | None = None) -> Check:
    """The :class:`Check` of the critical stretch of ``requirement`` with one drive of ``profile``.

    Raises as :func:`..measurement.needed_fifo` and :func:`job_of` do.
    """
    part, short = critical(requirement, profile)
    job, planned = job_of(part, short), fifo_words(part, short)
    if requirement.memory is None:
        return Check(part.bytes, planned, needed_fifo(job, store=store, engine=engine, progress=progress),
                     near_words(part, short))
    found = probe(job, store=store, engine=engine, progress=progress)
    # What a memory that is full, or too slow, does not take waits before it.
    return Check(part.bytes, planned + BUFFER_WORDS, found.high_water + found.backlog_high)
