"""The stages around a core that a plan asks for: a source of its own width and clock, and a memory as the buffer.

They are those of :func:`..measurement.make_job`, so `measure` simulates what was planned. A
``requirement`` is a :class:`.requirement.Requirement`.
"""

from typing import Any, Literal, cast

from ...interface.configuration import Configuration
from ..measurement import (DriveOptions, HostOptions, Job, JobError, OutputOptions, StreamOptions, TransferOptions,
                           check_beats, has_source_stage, make_job)

__all__ = ["BUFFER_WORDS", "check_stages", "job_with", "options_of"]

#: The core's own buffer; the FIFO is in front of it, and a memory replaces both.
BUFFER_WORDS = Configuration.model_fields["buffer_words"].default

_Width = Literal[8, 16, 32, 64, 128]


def options_of(stream: StreamOptions, host: HostOptions) -> dict[str, Any]:
    """The fields of a requirement for ``width`` and ``source_clock`` of ``stream`` and ``memory`` of ``host``.

    Raises :exc:`..measurement.JobError` and :exc:`...interface.configuration.ConfigurationError`.
    """
    job = _job(stream, host)
    return {"width": stream.width, "source_hz": job.source_hz, "memory": job.configuration.memory or None}


def check_stages(requirement: Any, generation: int) -> None:
    """Checks that a core of this ``generation`` can have the stages, and that the beats of the source carry the rate.
    Raises as :func:`options_of` does."""
    if (requirement.width, requirement.source_hz, requirement.memory) == (None, None, None):
        return
    job = _job(_stream(requirement), HostOptions(memory=requirement.memory), generation)
    if has_source_stage(job.configuration):
        check_beats("rate", requirement.rate, job.configuration, job.source_hz)


def job_with(requirement: Any, transfer: TransferOptions, drive: DriveOptions, **stream: Any) -> Job:
    """The job of recording ``transfer`` on ``drive`` with the stages and commands that ``requirement`` asks for;
    ``stream`` has further options of the stream. Raises as :func:`options_of` does."""
    return make_job(transfer, drive, _stream(requirement, **stream), HostOptions(
        max_command=requirement.command_sectors, memory=requirement.memory,
        turnaround_us=requirement.turnaround_us), OutputOptions(samples=0))


def _stream(requirement: Any, **more: Any) -> StreamOptions:
    return StreamOptions(width=cast(_Width, requirement.width), source_clock=requirement.source_hz, **more)


def _job(stream: StreamOptions, host: HostOptions, generation: int = 2) -> Job:
    """A job that has these stages, and nothing else."""
    try:
        return make_job(TransferOptions(operation="record", sectors=1),
                        DriveOptions(generation=cast(Literal[1, 2, 3], generation)), stream, host)
    except JobError as error:
        raise JobError("source_clock" if error.field == "source_hz" else error.field, error.value,
                       *error.limit) from None
