"""One cell of a sweep: what is measured, and the row that results, in any process."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast

from ...interface.configuration import Configuration
from ...firmware import Controller, unavailable
from ..measurement import (SOURCES, DriveOptions, HostOptions, Job, OutputOptions, Store, StreamOptions,
                           TransferOptions, as_row, execute, make_job)
from ...simulation import (EngineError, MissingTool, Profile, Rate, Stuck, available_engines, best_drive_model,
                          library)
from ...facts.units import CEILINGS, SECTOR_BYTES


class Stale(RuntimeError):
    """A worker runs another version of this program, or its files have changed in the meantime."""

    def __init__(self) -> None:
        super().__init__("a worker runs another version of sata-recorder than this process")


@dataclass(frozen=True, eq=False)
class Cell:
    """One measurement, of ``sectors`` of 512 bytes on a link of ``generation`` 1 to 3.

    ``rate`` of the sensor is in words a clock, None for a stream that is always ready;
    ``fifo_words`` are in front of the core, None for an endless FIFO; ``command_sectors``
    is the longest command; ``turnaround_us`` the pause of the host between two commands.
    A ``controller`` has its own pauses, and makes each command an operation. ``source_hz`` is the frequency
    of the stream's clock, None if that is the core's.
    """

    configuration: Configuration
    profile: Profile
    generation: int
    operation: Literal["record", "play"]
    lba28: bool
    rate: Fraction | None
    fifo_words: int | None
    command_sectors: int
    turnaround_us: float
    sectors: int
    controller: Controller | None = None
    source_hz: float | None = None

    @property
    def key(self) -> str:
        """The key of its result in a :class:`..measurement.Store`; a refusal is not kept there."""
        refusal = self.refusal()
        return Store.key("sweep", self.job.conditions() if refusal is None else refusal)

    @property
    def identity(self) -> tuple[Any, ...]:
        """What distinguishes it from the other cells of a sweep; there each profile has a name of its own."""
        return (self.profile.name, self.generation, self.operation, self.lba28, self.rate,
                self.fifo_words, self.command_sectors, self.turnaround_clocks, self.sectors, self.controller)

    @property
    def turnaround_clocks(self) -> int:
        """The pause in clocks, rounded."""
        return round(self.turnaround_us * 1e-6 * self.configuration.clock_hz)

    @property
    def bytes_per_second(self) -> float | None:
        """The rate of the sensor; None without one."""
        return None if self.rate is None else \
            float(4 * self.rate * Fraction(self.configuration.clock_hz))

    @property
    def clocks(self) -> int:
        """About how many clocks it takes, if the drive is as fast as its profile states at its best."""
        pace = CEILINGS[self.generation]
        side = self.profile.write if self.operation == "record" else self.profile.read
        if side.knots:
            pace = min(pace, 1e6 * self.profile.scale * max(rate for _, rate in side.knots))
        pace = min(pace, self.bytes_per_second or math.inf)
        commands = -(-self.sectors // self.command_sectors)
        seconds = SECTOR_BYTES * self.sectors / pace + 1e-6 * commands * (
            self.turnaround_us + side.command_us + side.completion_us)
        return round(seconds * self.configuration.clock_hz)

    @property
    def job(self) -> Job:
        """Its :class:`..measurement.Job`; raises :exc:`..measurement.JobError`."""
        configuration, rate, depth = self.configuration, None, None
        if self.controller is not None:
            configuration = configuration.model_copy(update={"pacing": "fixed",
                                                             "control": "axi-lite"})
        if self.rate is not None:
            rate = Rate(self.rate.numerator, self.rate.denominator)
            depth = "endless" if self.fifo_words is None else self.fifo_words
        return make_job(
            TransferOptions(operation=self.operation, sectors=self.sectors),
            DriveOptions(drive=self.profile, capacity=self.profile.capacity_sectors, lba28=self.lba28,
                         generation=cast(Literal[1, 2, 3], self.generation)),
            StreamOptions(input_rate=rate, fifo_words=depth, source_clock=self.source_hz),
            HostOptions(config=configuration, controller=self.controller or "hardwired",
                        command_limit=self.command_sectors, turnaround_us=self.turnaround_us),
            OutputOptions(samples=0))

    def refusal(self) -> str | None:
        """Why it cannot be measured, in one line; None if it can."""
        if self.sectors > self.profile.capacity_sectors:
            return (f"{self.sectors} sectors are more than the drive's "
                    f"{self.profile.capacity_sectors}")
        if self.controller is not None and (text := unavailable()):
            return f"{self.controller.processor} {text}"
        if self.turnaround_clocks >= 1 << 32:
            return f"a turn-around of {self.turnaround_us:g} us is more than 2^32 clocks"
        return None


def prepare(configuration: Configuration) -> str:
    """Builds what all cells share; returns the digest of the source that this process runs.

    Raises :exc:`...simulation.MissingTool` or :exc:`...simulation.EngineError`.
    """
    if available_engines()[0] != "icarus":
        library(configuration)
        best_drive_model()
    return SOURCES


def measured(cell: Cell, report: Callable[[str, int, int], object] | None = None) -> dict[str, Any]:
    """The measured columns of the row of ``cell``, ``sources`` (digest of the source that made
    them) and ``error`` (one line, None without one).

    ``report(phase, done, total)`` is called with the progress. Every failure of the measurement becomes
    such an error; none is raised.
    """
    try:
        error = cell.refusal()
        if error is not None:
            return {"error": error, "sources": SOURCES}
        measurement = execute(cell.job, "auto", report)
    except (EngineError, MissingTool, Stuck, OSError, ValueError) as fault:
        return {"error": _one_line(fault), "sources": SOURCES}
    except MemoryError:
        return {"error": f"{cell.sectors:,} sectors: memory ran out", "sources": SOURCES}
    except Exception as fault:
        return {"error": f"{type(fault).__name__}: {_one_line(fault)}", "sources": SOURCES}
    problems = measurement.problems
    return as_row(measurement) | {"error": _one_line("; ".join(problems)) if problems else None,
                                  "sources": SOURCES}


def _one_line(fault: object) -> str:
    return " ".join(str(fault).split()) or type(fault).__name__
