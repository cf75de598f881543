"""Which accesses are simulated, checked when the job is made."""

from dataclasses import dataclass, replace
from functools import cached_property

from ...facts.sizes import parse_bytes
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from ...interface.configuration import Configuration
from ...simulation import Pattern
from ..measurement import DriveOptions, Job, JobError, StreamOptions, TransferOptions, reason
from ..measurement import make_job as measurement_job
from .options import AccessOptions
from .places import MOST_SEED, Places

__all__ = ["AccessJob", "make_job"]

_MOST_SIZE = 1 << 20
_ALIGNS = (512, 4096)
_MOST_COMMANDS = 1_000_000
_COMMANDS = 1000
_SECONDS = (1e-6, 86_400.0)


@dataclass(frozen=True)
class AccessJob:
    """Accesses of ``size`` sectors each in the extent of ``job``, a :class:`..measurement.Job`; ``align`` sectors are
    between two places, ``pattern`` as :class:`.places.Places` has it. They end after ``commands`` of them, or with the
    first that would begin after ``seconds`` (None: no such limit).

    Raises :exc:`..measurement.JobError`, which names the field of :class:`.options.AccessOptions`."""

    job: Job
    size: int
    align: int
    pattern: str
    commands: int | None
    seconds: float | None

    def __post_init__(self) -> None:
        size, span, align = (SECTOR_BYTES * number for number in (self.size, self.job.sectors, self.align))
        if size > span:
            raise JobError("size", size, "is more than ", ("span", span))
        if self.pattern == "sequential" and self.size % self.align:
            raise JobError("align", align, f"accesses of {size} bytes that follow each other do not begin at such "
                           "places: not together with ", ("pattern", self.pattern))
        if self.commands is None and self.seconds is None:
            raise JobError("commands", None, "is missing, and so is ", ("seconds",))
        if self.commands is not None and not 1 <= self.commands <= _MOST_COMMANDS:
            raise JobError("commands", self.commands, f"must be 1 to {_MOST_COMMANDS}")
        if self.seconds is not None and not _SECONDS[0] <= self.seconds <= _SECONDS[1]:
            raise JobError("seconds", f"{self.seconds:g}", f"must be {_SECONDS[0]:g} to {_SECONDS[1]:g}")
        if not 0 <= self.job.seed <= MOST_SEED:
            raise JobError("seed", self.job.seed, f"must be 0 to {MOST_SEED}")

    @cached_property
    def configuration(self) -> Configuration:
        """The core's: that of ``job`` with the queue of extents, which a measurement of one extent does not have."""
        return Configuration(**(self.job.configuration.model_dump() | {"extents": "queued"}))

    @property
    def writes(self) -> bool:
        return self.job.operation == "record"

    @property
    def operation(self) -> str:
        """"write" or "read"."""
        return "write" if self.writes else "read"

    def places(self) -> Places:
        """The first sectors of the accesses, from the first one on."""
        return Places(self.job.lba, self.job.sectors, self.size, self.align, self.pattern, self.job.seed)


def make_job(options: AccessOptions) -> AccessJob:
    """The job that is asked for. Raises :exc:`..measurement.JobError`, and what the measurement's own does."""
    if options.read and options.write:
        raise JobError("read", None, "not together with ", ("write",))
    if not 0 <= options.seed <= MOST_SEED:
        raise JobError("seed", options.seed, f"must be 0 to {MOST_SEED}")
    size = _sectors("size", options.size)
    if not 1 <= size <= _MOST_SIZE // SECTOR_BYTES:
        raise JobError("size", options.size, f"must be {SECTOR_BYTES} to {_MOST_SIZE} bytes")
    span = _sectors("span", options.span)
    base = measurement_job(
        transfer=TransferOptions(operation="record" if options.write else "play", lba=options.lba, sectors=1),
        drive=DriveOptions(drive=options.drive, medium=options.medium, medium_state=options.medium_state,
                           generation=options.generation, assume_rate=options.assume_rate),
        stream=StreamOptions(seed=options.seed))
    if base.backend != "model":
        raise JobError("drive", options.drive, "has no timing: accesses need a profile")
    if options.lba + span > (base.capacity or 0):
        raise JobError("span", options.span, "ends beyond the drive, which has ",
                       f"{SECTOR_BYTES * ((base.capacity or 0) - options.lba):,} bytes from ", ("lba", options.lba),
                       " on")
    base = replace(base, sectors=span, data=Pattern("random", options.seed, SECTOR_WORDS * span))
    limited = options.commands is not None or options.seconds is not None
    return AccessJob(base, size, _align(options.align, size), options.pattern,
                     options.commands if limited else _COMMANDS, options.seconds)


def _align(given, size):
    if given is None:
        return 1 if size * SECTOR_BYTES % _ALIGNS[-1] else _ALIGNS[-1] // SECTOR_BYTES
    align = _bytes("align", given)
    if align not in _ALIGNS:
        raise JobError("align", given, f"must be {' or '.join(map(str, _ALIGNS))} bytes")
    return align // SECTOR_BYTES


def _sectors(field, given):
    size = _bytes(field, given)
    if size < SECTOR_BYTES or size % SECTOR_BYTES:
        raise JobError(field, given, f"must be whole sectors of {SECTOR_BYTES} bytes, at least one")
    return size // SECTOR_BYTES


def _bytes(field, given):
    if isinstance(given, int):
        return given
    try:
        size = parse_bytes(given)
    except ValueError as error:
        raise JobError(field, given, reason(error, given)) from None
    if size.denominator != 1:
        raise JobError(field, given, "must be whole bytes")
    return int(size)
