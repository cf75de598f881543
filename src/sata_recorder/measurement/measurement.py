"""The measurement: record, play back, compare, and say where the cycles went."""

import time
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sata_drive_model

from ..ata import FIRMWARE_WORDS, MODEL_WORDS, SERIAL_WORDS
from ..config import Configuration
from ..sequencer import Error
from ..simulation import engines
from ..simulation.accounts import Ledger
from ..simulation.build import library
from ..simulation.cxxrtl import Cxxrtl
from ..simulation.drive_package import drive_model, drive_port
from ..simulation.engine import Engine
from ..simulation.icarus import simulate
from ..simulation.pattern import Gapped
from ..simulation.session import Session
from ..simulation.signals import Hold, Rate
from ..simulation.streams import MOST_GAPS
from ..simulation.timeline import Timeline, course, split
from ..units import CEILINGS, DWORD_HZ, SECTOR_BYTES, SECTOR_WORDS
from .comparison import Comparison, Tally
from .statistics import Statistics

__all__ = ["Job", "Measurement", "Transfer", "execute", "measure"]

#: Commands whose course a measurement keeps.
COMMANDS = 4096
#: Clocks between the first samples of a timeline.
_STRIDE = 2048
#: Beyond the longest silence that the core itself permits the drive.
_PATIENCE_SECONDS = 5


@dataclass(frozen=True)
class Job:
    """What is measured.

    ``operation`` is "record", "play" or "both". ``data`` is a producer (see :mod:`.pattern`) of
    what is recorded, whole sectors of it; when playing alone, what the disk holds from ``lba`` on:
    that of ``image`` must begin with it (None: anything), one in memory is filled with it.
    ``image`` names a raw disk image, None keeps the disk in memory. ``hostile`` makes the drive do
    everything the standard permits, at random from ``seed``. ``profile`` is the drive's timing, a
    :class:`sata_drive_model.Profile`, None for a drive that never waits.

    ``turnaround_clocks`` delay each command that follows another, and ``command_limit`` is the
    longest command in sectors (0: that of the configuration); both need programmable pacing.
    ``input_rate`` makes the stream a sensor that cannot wait, with a FIFO of ``fifo_words`` in
    front of the core (None: one that is never full). ``samples`` is the number of points in the
    timeline.
    """

    configuration: Configuration
    operation: str
    lba: int
    sectors: int
    capacity: int
    data: Any = field(default=None, repr=False)
    image: str | None = None
    lba48: bool = True
    generation: int = 2
    profile: Any = None
    drive_hold: Hold = Hold()
    host_hold: Hold = Hold()
    hostile: bool = False
    seed: int = 0
    flush: bool = False
    turnaround_clocks: int = 0
    command_limit: int = 0
    input_rate: Rate | None = None
    fifo_words: int | None = 1
    samples: int = 200
    trace: str | None = None
    vcd: str | None = None

    def line_rate(self):
        """(line dwords, clocks): how much slower than ``clk`` the line is."""
        ratio = Fraction(DWORD_HZ[self.generation] / self.configuration.clock_hz)
        return ratio.limit_denominator(1000).as_integer_ratio()

    def drive(self, model, image):
        """The drive on ``image``, from the package ``model``."""
        behaviour = model.Behaviour.random(self.seed) if self.hostile else model.Behaviour()
        if self.drive_hold.off:
            behaviour.throttle = behaviour.underrun = tuple(self.drive_hold)
        if self.profile is None:
            return model.Drive(image, behaviour=behaviour, lba48=self.lba48)
        return model.Drive(image, behaviour=behaviour, lba48=self.lba48, model=self.profile.model,
                           medium=model.Medium(self.profile, DWORD_HZ[self.generation]))


@dataclass(frozen=True)
class Sensor:
    """What became of a stream that cannot wait.

    ``rate`` bytes a second; words ``arrived`` and ``lost``; ``gaps`` pairs of (index of the first
    lost word, words lost) of the first 10,000 of the ``gap_count`` gaps; ``backlog_high`` most
    words that waited in the FIFO of ``fifo_words`` (None: endless) in front of the core.
    """

    rate: float
    arrived: int
    lost: int
    gaps: list
    gap_count: int
    backlog_high: int
    fifo_words: int | None


@dataclass
class Transfer:
    """One operation: its ledger, its rate, the overhead of its commands split by who caused it.

    ``fises`` sent and received; ``crc32`` of the payload; ``timeline`` and ``course`` are columns
    of numbers, see :mod:`.timeline`.
    """

    operation: str
    lba: int
    sectors: int
    error: str
    ledger: Ledger
    clock_hz: float
    ceiling: float
    high_water: int
    buffer_words: int
    held_cycles: int
    longest_stall: int
    overhead: dict
    turnaround: Statistics | None
    fises: tuple
    crc32: int
    sensor: Sensor | None
    timeline: dict
    course: dict

    @property
    def bytes(self):
        """Bytes of payload that crossed."""
        return 4 * self.ledger.accounts["payload"]

    @property
    def seconds(self):
        """Duration at the clock of the configuration."""
        return self.ledger.total / self.clock_hz

    @property
    def rate(self):
        """Bytes a second."""
        return self.bytes / self.seconds if self.ledger.total else 0.0

    @property
    def percent(self):
        """The rate in percent of the link's ceiling."""
        return 100 * self.rate / self.ceiling


@dataclass
class Measurement:
    """What came out; ``problems`` is empty where everything is as it must be.

    ``engine`` is the name of the one that ran, ``wall_seconds`` what it took without compiling. Of
    a stream that cannot wait, where it was asked for: ``search`` the :class:`.source_rate.Search` of
    the highest rate, ``needed_fifo`` the words that would have lost nothing.
    """

    job: Job
    model: str
    serial: str
    firmware: str
    capacity: int
    lba48: bool
    transfers: list
    problems: list
    clocks: int
    hash: int
    engine: str = ""
    wall_seconds: float = 0.0
    search: Any = None
    needed_fifo: int | None = None


def execute(job, engine="auto", progress=None):
    """Does ``job`` on an engine of :mod:`.engines`, the fastest one for "auto"; see
    :func:`measure`."""
    progress = progress or (lambda phase, done, total: None)
    name = engines.available()[0] if engine == "auto" else engine
    progress("build", 0, 0)
    if name == "icarus":
        measurement = simulate(job.configuration, measure, job, progress=progress, vcd=job.vcd)
    else:
        model = drive_model(compiled=name == "compiled")
        library(job.configuration, waves=job.vcd is not None)
        measurement = measure(Cxxrtl, job, progress, model)
    measurement.engine = name
    return measurement


def measure(open_engine, job, progress, model=sata_drive_model):
    """Does ``job``; returns the :class:`Measurement`.

    ``open_engine(configuration, drive, trace=, vcd=)`` starts an :class:`Engine`; ``progress`` is
    called with the name of a phase, the words that are through and the words in all; ``model`` is
    the drive model, as the package or compiled.
    """
    begin = time.monotonic()
    run = _Run(job, progress, model)
    try:
        with open_engine(job.configuration, run.port, trace=job.trace, vcd=job.vcd) as engine:
            measurement = run.run(engine)
    finally:
        run.image.close()
    measurement.wall_seconds = time.monotonic() - begin
    return measurement


class _Run:
    def __init__(self, job, progress, model):
        self.job = job
        self.report = progress
        self.problems = []
        self.transfers = []
        self.engine = self.session = None
        self.data = job.data
        if job.input_rate is not None:
            self.data = Gapped(job.data, lambda first: self.engine.gaps(first))
        self.image = self._image(model)
        self.port = drive_port(job.drive(model, self.image), model=model,
                               generation=job.generation, line_rate=job.line_rate(),
                               seed=job.seed)

    def _image(self, model):
        job = self.job
        if job.image is not None or job.data is None:
            return model.DiskImage(job.image, sectors=job.capacity,
                                   writable=job.operation != "play")
        return model.GeneratedImage(
            sectors=job.capacity, extent=(job.lba, job.sectors), filled=job.operation == "play",
            expected=lambda offset, size: self._expected(offset - SECTOR_BYTES * job.lba, size))

    def _expected(self, offset, size):
        return self.data.read(offset // 4, -(-size // 4))[:size]

    def _stored(self, offset, size):
        return self.image.read(SECTOR_BYTES * self.job.lba + offset, size)

    def run(self, engine: Engine):
        job = self.job
        self.engine = engine
        self.session = session = Session(engine, self.port, generation=job.generation,
                                         limit=_patience(job))
        if job.configuration.pacing == "programmable":
            engine.set(command_limit=job.command_limit, turnaround=job.turnaround_clocks)
        outputs = session.bring_up()
        if not outputs["ready"]:
            self.problems.append(f"bring-up ended with error {_error(outputs)}")
            page = bytes(SECTOR_BYTES)
        else:
            page = session.identify()
            self._operations()
        self.problems += [f"violation at {text}" for text in session.violations()]
        state = engine.state()
        return Measurement(job, _text(page, MODEL_WORDS), _text(page, SERIAL_WORDS),
                           _text(page, FIRMWARE_WORDS),
                           outputs["capacity"], bool(outputs["lba48"]), self.transfers,
                           self.problems, state.cycle, state.hash)

    def _operations(self):
        if self.job.operation == "play" or self._record():
            if self.job.operation != "record":
                self._play()

    def _record(self):
        job = self.job
        tally = Tally(job.data)
        self._follow("record", lambda: self.port.observer.payload)
        outcome = self.session.record(tally, job.lba, job.sectors, hold=job.host_hold,
                                      flush=job.flush, rate=job.input_rate, depth=job.fifo_words)
        sensor = None
        if job.input_rate is not None:
            state, rate = self.engine.state(), job.input_rate
            sensor = Sensor(4 * job.configuration.clock_hz * rate.words / rate.clocks,
                            state.arrived, state.lost, self.data.gaps(MOST_GAPS),
                            self.data.gap_count, state.backlog_high, job.fifo_words)
        crc = 0
        if not outcome.error:
            crc = self._check_image(tally)
        return self._finish("record", outcome, crc, sensor)

    def _check_image(self, tally):
        """Compares what is stored with what was recorded; returns its CRC."""
        job = self.job
        total = job.sectors * SECTOR_WORDS
        if job.image is None and tally.crc is not None and tally.position == total and \
                self.image.unexpected() is None:
            return tally.crc    # the image has compared every sector when it was written
        return self._compare("the image", self._stored, self._expected, 4 * total)

    def _play(self):
        job = self.job
        comparison = Comparison(self._stored if job.operation == "play" else self._expected)
        self._follow("play", lambda: self.port.observer.payload)
        outcome = self.session.play(job.lba, job.sectors, hold=job.host_hold, consumer=comparison)
        if not self._finish("play", outcome, comparison.crc, None):
            return
        if comparison.difference:
            self.problems.append("the stream played back differs from what it must be, "
                                 + comparison.difference)
        if job.operation == "play" and job.image is not None and job.data is not None:
            self._compare("the stream played back", self._stored, self._expected, job.data.size)
        words = job.sectors * SECTOR_WORDS
        if (outcome.received, outcome.lasts, outcome.last_at) != (words, 1, words - 1):
            self.problems.append(
                f"play: {outcome.received} words with {outcome.lasts} tlast, the latest at "
                f"{outcome.last_at}, instead of {words} with one at the end")

    def _compare(self, what, read, expected, size):
        comparison = Comparison(expected).run(read, size)
        if comparison.difference:
            self.problems.append(f"{what} differs from what it must be, {comparison.difference}")
        return comparison.crc

    def _follow(self, phase, done):
        total = self.job.sectors * SECTOR_WORDS
        self.report(phase, 0, total)
        self.session.progress = lambda _: self.report(phase, min(done(), total), total)
        self.session.timeline = Timeline(self.job.samples, _STRIDE) if self.job.samples else None

    def _finish(self, operation, outcome, crc, sensor):
        """Books the operation; False where it failed."""
        job, outputs = self.job, outcome.outputs
        total = job.sectors * SECTOR_WORDS
        self.report(operation, total if not outcome.error else outputs["words"], total)
        analyser, session = self.port.observer, self.session
        ledger = session.ledger()
        records = [record for record in analyser.commands if record.overhead is not None]
        self.transfers.append(Transfer(
            operation, job.lba, job.sectors, Error(outcome.error).name, ledger,
            job.configuration.clock_hz, CEILINGS[job.generation], outputs["high_water"],
            job.configuration.buffer_words, outputs["held_cycles"], outputs["longest_stall"],
            _overhead(records),
            Statistics.of(record.turnaround for record in records),
            analyser.fises, crc, sensor,
            session.timeline.columns() if session.timeline else {},
            course(analyser.commands, outcome.begin, COMMANDS)))
        if outcome.error:
            self.problems.append(f"{operation} ended with error {_error(outputs)} after "
                                 f"{outputs['sectors_done']} of {job.sectors} sectors")
            return False
        self.problems += [f"{operation}: the ledgers of core and drive model disagree: {text}"
                          for text in session.disagreements()]
        for record in records:
            if sum(record.overhead_split) != record.overhead:
                self.problems.append(
                    f"{operation}: the overhead at LBA {record.lba} does not add up")
        if ledger.accounts["payload"] != total:
            self.problems.append(f"{operation}: {ledger.accounts['payload']} words of payload "
                                 f"in the ledger instead of {total}")
        return True


def _patience(job):
    """Clocks without progress that can only mean that the core is stuck."""
    configuration = job.configuration
    longest = max(configuration.signature_timeout, configuration.identify_timeout,
                  configuration.command_timeout, configuration.flush_timeout,
                  configuration.recovery_timeout)
    return configuration.clocks(longest + _PATIENCE_SECONDS) + job.turnaround_clocks


def _overhead(records):
    """Statistics of the overhead of the commands: of the whole, and by who caused it."""
    parts = {"host": [], "drive": [], "protocol": [], "recovery": [], "total": []}
    for record in records:
        for part, clocks in split(record).items():
            parts[part].append(clocks)
        parts["total"].append(record.overhead)
    return {part: Statistics.of(clocks) for part, clocks in parts.items() if records}


def _error(outputs):
    return (f"{Error(outputs['error']).name} ({outputs['error']}), drive status "
            f"{outputs['drive_status']:02x}h, drive error {outputs['drive_error']:02x}h")


def _text(page, words):
    """The string in these ``words`` of IDENTIFY DEVICE data: two characters a word, the first in bits 15:8."""
    pairs = (page[2 * n:2 * n + 2][::-1] for n in words)
    return b"".join(pairs).decode("ascii", "replace").strip(" \0")
