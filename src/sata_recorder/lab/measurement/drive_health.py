"""SMART of the simulated drive before and after what is measured, by the core's own COMMAND."""

from dataclasses import dataclass
from functools import cached_property

from ...core.drive_port import Error, Operation
from ...pc.maintenance import (NotOffered, ProcedureFailed, SmartReading, Task, identify_words, read_smart,
                           simulated_drive)
from ...facts.units import SECTOR_BYTES
from .job_error import JobError

#: Most bytes that can have been written to a drive before: attribute 241 counts sectors in 48 bits, and
#: what is measured comes on top.
MOST_WRITTEN = SECTOR_BYTES << 47


def check_smart(job):
    """Checks that the drive has SMART, and the core what queries it. Raises :exc:`.job_error.JobError`."""
    if not job.smart:
        if job.written_bytes:
            raise JobError("written_bytes", job.written_bytes, "needs ", ("smart",))
        return
    if job.controller is not None:
        raise JobError("smart", None, "not together with ", ("controller", job.controller.processor),
                       ", whose firmware issues no command but those of an operation")
    if not job.configuration.commands:
        raise JobError("smart", None, "needs ", ("commands", "true"))
    if not 0 <= job.written_bytes <= MOST_WRITTEN:
        raise JobError("written_bytes", job.written_bytes, f"must be 0 to {MOST_WRITTEN}")
    if job.written_bytes and job.backend == "qemu":
        raise JobError("written_bytes", job.written_bytes, "not together with ", ("backend", "qemu"),
                       ": QEMU's disk has figures of its own")


def smart_reading(session, simulated=True):
    """What the drive reports about itself now: a :class:`...pc.maintenance.SmartReading`. The core must be idle.
    ``simulated``: the drive is the drive model."""
    timeline, progress = session.timeline, session.progress
    session.timeline = session.progress = None
    # The drive model has the name of the drive whose timing it has, and attributes of its own.
    known = simulated_drive() if simulated else None
    procedure, answer = read_smart(identify_words(session.identify()), known), None
    try:
        while True:
            answer = _asked(session, Task.of_line(procedure.send(answer).line))
    except StopIteration as end:
        return SmartReading(*end.value)
    except (NotOffered, ProcedureFailed) as error:
        return SmartReading({}, None, str(error))
    finally:
        session.timeline, session.progress = timeline, progress


def _asked(session, task):
    reads = task.data != "none"
    return _Answer(session.command(
        Operation.PLAY if reads else Operation.FLUSH, lba=task.lba, blocks=1 if reads else 0,
        command=task.command, features=task.features, count=task.count, device=task.device,
        pio=task.data == "pio"))


@dataclass(frozen=True)
class _Answer:
    """The ``outcome`` of a COMMAND, as a board would report it."""

    outcome: object

    @cached_property
    def error(self):
        code = self.outcome.error
        return Error(code).name.lower().replace("_", "-") if code else None

    def fields(self):
        return {name: self.outcome.outputs[f"task_{name}"]
                for name in ("result_lba", "result_count", "result_device")}

    def data(self):
        return self.outcome.data
