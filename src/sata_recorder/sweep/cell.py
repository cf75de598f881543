"""One cell of a sweep: what is measured, and the row that comes of it, in whichever process."""

from dataclasses import dataclass
from fractions import Fraction

from sata_drive_model.medium.profile import Profile

from ..config import Configuration
from ..measurement.measurement import Job, execute
from ..measurement.source_rate import ENDLESS
from ..measurement.store import SOURCES, Store
from ..report.tables import as_data
from ..simulation import engines
from ..simulation.build import library
from ..simulation.drive_package import drive_model
from ..simulation.engine import EngineError, MissingTool
from ..simulation.pattern import Pattern
from ..simulation.session import Stuck
from ..simulation.signals import Rate
from ..units import CEILINGS, SECTOR_BYTES, SECTOR_WORDS

__all__ = ["Cell", "Stale", "measured", "prepare"]


class Stale(RuntimeError):
    """A worker runs another version of this program, or its files were changed meanwhile."""

    def __init__(self):
        super().__init__("a worker runs another version of sata-recorder than this process")


@dataclass(frozen=True, eq=False)
class Cell:
    """One measurement.

    ``rate`` of the sensor is in words a clock, None for a stream that is always ready;
    ``fifo_words`` stand in front of the core, None for a FIFO without an end; ``command_sectors``
    is the longest command; ``turnaround_us`` the pause of the host between two commands.
    """

    configuration: Configuration
    profile: Profile
    generation: int
    operation: str
    lba28: bool
    rate: Fraction | None
    fifo_words: int | None
    command_sectors: int
    turnaround_us: float
    sectors: int

    @property
    def conditions(self):
        """Everything that decides the result, as JSON can hold it."""
        rate = self.rate and [self.rate.numerator, self.rate.denominator]
        return {"configuration": self.configuration.model_dump(mode="json"),
                "profile": self.profile.model_dump(mode="json"), "generation": self.generation,
                "operation": self.operation, "lba28": self.lba28, "rate": rate,
                "fifo_words": self.fifo_words, "command_sectors": self.command_sectors,
                "turnaround_clocks": self.turnaround_clocks, "sectors": self.sectors}

    @property
    def key(self):
        """The key of its result in a :class:`~sata_recorder.measurement.store.Store`."""
        return Store.key("sweep", self.conditions)

    @property
    def turnaround_clocks(self):
        """The pause in clocks, rounded."""
        return round(self.turnaround_us * 1e-6 * self.configuration.clock_hz)

    @property
    def bytes_per_second(self):
        """The rate of the sensor; None without one."""
        return None if self.rate is None else \
            float(4 * self.rate * Fraction(self.configuration.clock_hz))

    @property
    def clocks(self):
        """About how many clocks it takes, if the drive is as fast as it says at its best."""
        pace = CEILINGS[self.generation]
        side = self.profile.write if self.operation == "record" else self.profile.read
        if side.knots:
            pace = min(pace, 1e6 * self.profile.scale * max(rate for _, rate in side.knots))
        if self.rate is not None:
            pace = min(pace, self.bytes_per_second)
        commands = -(-self.sectors // self.command_sectors)
        seconds = SECTOR_BYTES * self.sectors / pace + 1e-6 * commands * (
            self.turnaround_us + side.command_us + side.completion_us)
        return round(seconds * self.configuration.clock_hz)

    @property
    def job(self):
        """The :class:`~sata_recorder.measurement.measurement.Job` of it."""
        words = SECTOR_WORDS * self.sectors if self.rate is None else ENDLESS
        return Job(configuration=self.configuration, operation=self.operation, lba=0,
                   sectors=self.sectors, capacity=self.profile.capacity_sectors,
                   data=Pattern("random", 0, words), lba48=not self.lba28,
                   generation=self.generation, profile=self.profile,
                   samples=0,
                   command_limit=self.command_sectors, turnaround_clocks=self.turnaround_clocks,
                   input_rate=self.rate and Rate(self.rate.numerator, self.rate.denominator),
                   fifo_words=self.fifo_words)

    def refusal(self):
        """Why it cannot be measured, in one line; None where it can."""
        if self.sectors > self.profile.capacity_sectors:
            return (f"{self.sectors} sectors are more than the drive's "
                    f"{self.profile.capacity_sectors}")
        if self.turnaround_clocks >= 1 << 32:
            return f"a turn-around of {self.turnaround_us:g} us is more than 2^32 clocks"
        return None


def prepare(configuration):
    """Builds what all cells share; returns the digest of the source that this process runs.

    Raises :exc:`MissingTool` or :exc:`EngineError`.
    """
    engine = engines.available()[0]
    if engine != "icarus":
        library(configuration)
        drive_model(compiled=engine == "compiled")
    return SOURCES


def measured(cell, report=None):
    """The measured columns of the row of ``cell``, ``sources`` (digest of the source that made
    them) and ``error`` (one line, None without one).

    ``report(phase, done, total)`` is told how far it is. Every failure of the measurement is such
    an error; it never raises for one.
    """
    try:
        error = cell.refusal()
        if error is not None:
            return {"error": error, "sources": SOURCES}
        data = as_data(execute(cell.job, "auto", report))
    except (EngineError, MissingTool, Stuck, OSError, ValueError) as fault:
        return {"error": _one_line(fault), "sources": SOURCES}
    except MemoryError:
        return {"error": f"{cell.sectors:,} sectors: memory ran out", "sources": SOURCES}
    except Exception as fault:
        return {"error": f"{type(fault).__name__}: {_one_line(fault)}", "sources": SOURCES}
    row = _row(data) if data["transfers"] else {}
    return row | {"error": None if data["good"] else _one_line("; ".join(data["problems"])),
                  "sources": SOURCES}


def _one_line(fault):
    return " ".join(str(fault).split()) or type(fault).__name__


def _row(data):
    (transfer,) = data["transfers"]
    row = {"trace_hash": data["trace"]["hash"]}
    for name in ("bytes", "seconds", "bytes_per_second", "percent_of_ceiling", "commands",
                 "high_water", "held_cycles"):
        row[name] = transfer[name]
    row["clocks"] = transfer["total"]
    row |= {f"{entry['account']}_clocks": entry["clocks"] for entry in transfer["ledger"]}
    for part, statistics in transfer["overhead"].items():
        row[f"{part}_overhead_mean"] = statistics["mean"]
    if total := transfer["overhead"].get("total"):
        row["overhead_minimum"], row["overhead_maximum"] = total["minimum"], total["maximum"]
    if sensor := transfer["sensor"]:
        row |= {name: sensor[name] for name in ("arrived", "lost", "backlog_high")}
        row["gaps"] = sensor["gap_count"]
    return row
