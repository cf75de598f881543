"""The critical stretch of a plan, simulated clock by clock, next to the arithmetic for the same."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from ...interface.configuration import Configuration
from ..measurement import (DriveOptions, HostOptions, Job, JobError, OutputOptions, Store, StreamOptions,
                           TransferOptions, make_job, needed_fifo, words_per_clock)
from ...simulation import Profile, Rate
from ...facts.units import DWORD_HZ, SECTOR_BYTES
from .answer import BUFFER_WORDS, fifo_words
from .requirement import Requirement
from .shorten import critical

#: Arithmetic and simulation agree within this share, and these words.
NEAR, NEAR_WORDS = 0.05, 4096


@dataclass(frozen=True)
class Check:
    """``planned`` and ``simulated`` words of the FIFO for ``bytes`` of a shortened drive."""

    bytes: int
    planned: int
    simulated: int

    @property
    def agrees(self) -> bool:
        """The planned depth loses nothing, and is not much deeper than it must be."""
        return 0 <= self.planned - self.simulated <= NEAR * self.simulated + NEAR_WORDS


def job_of(requirement: Requirement, profile: Profile) -> Job:
    """The :class:`..measurement.Job` of recording ``requirement`` on ``profile``.

    Raises :exc:`..measurement.JobError` for a rate that no core takes.
    """
    generation = min(requirement.generation, profile.generation)
    hz = DWORD_HZ[generation]
    try:
        share = words_per_clock(requirement.rate, hz)
    except ValueError as error:
        raise JobError("rate", f"{requirement.rate:g}", str(error)) from None
    built = Configuration(clock_hz=hz, max_command_sectors=requirement.command_sectors,
                          buffer_words=BUFFER_WORDS, pacing="programmable")
    return make_job(
        TransferOptions(operation="record", sectors=requirement.bytes // SECTOR_BYTES),
        DriveOptions(drive=profile, capacity=profile.capacity_sectors,
                     generation=cast(Literal[1, 2, 3], generation)),
        StreamOptions(input_rate=Rate(*share.as_integer_ratio()), fifo_words="endless"),
        HostOptions(config=built, turnaround_us=requirement.turnaround_us), OutputOptions(samples=0))


def check(requirement: Requirement, profile: Profile, *, store: Store | None = None, engine: str = "auto",
          progress: Callable[..., object] | None = None) -> Check:
    """The :class:`Check` of the critical stretch of ``requirement`` with one drive of ``profile``.

    Raises as :func:`..measurement.needed_fifo` and :func:`job_of` do.
    """
    part, short = critical(requirement, profile)
    simulated = needed_fifo(job_of(part, short), store=store, engine=engine, progress=progress)
    return Check(part.bytes, fifo_words(part, short), simulated)
