"""The measurement: record, play back, compare, and say where the cycles went."""

import random
from dataclasses import dataclass, field
from fractions import Fraction

from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort

from ..config import Configuration
from ..sequencer import Error
from .accounts import ACCOUNTS, WHOSE, Ledger
from .cxxrtl import Cxxrtl
from .engine import Engine
from .scenario import SECTOR_WORDS, Session
from .signals import Hold
from .statistics import Statistics

__all__ = ["CEILINGS", "DWORD_HZ", "Job", "Measurement", "Transfer", "execute", "measure",
           "pattern"]

#: Dword clock of each generation of the link, in Hz.
DWORD_HZ = {1: 37.5e6, 2: 75e6, 3: 150e6}
#: Most payload a link can carry, in bytes a second: after 8b/10b, two ALIGN in every 256 dwords and
#: SOF, header, CRC and EOF around the 2048 dwords of the longest Data FIS.
CEILINGS = {generation: 4 * hz * 254 / 256 * 2048 / 2052 for generation, hz in DWORD_HZ.items()}


@dataclass(frozen=True)
class Job:
    """What is measured.

    ``operation`` is "record", "play" or "both". ``data`` is what is recorded, whole sectors; when
    playing alone, what the image must begin with from ``lba`` on (None: anything). ``image`` names
    a raw disk image, None keeps the disk in memory. ``hostile`` makes the drive do everything the
    standard permits, at random from ``seed``.
    """

    configuration: Configuration
    operation: str
    lba: int
    sectors: int
    capacity: int
    data: bytes | None = field(default=None, repr=False)
    image: str | None = None
    lba48: bool = True
    generation: int = 2
    drive_hold: Hold = Hold()
    host_hold: Hold = Hold()
    hostile: bool = False
    seed: int = 0
    flush: bool = False
    trace: str | None = None
    vcd: str | None = None

    def line_rate(self):
        """(line dwords, clocks): how much slower than ``clk`` the line is."""
        ratio = Fraction(DWORD_HZ[self.generation] / self.configuration.clock_hz)
        return ratio.limit_denominator(1000).as_integer_ratio()

    def behaviour(self):
        """The drive's behaviour."""
        behaviour = Behaviour.random(self.seed) if self.hostile else Behaviour()
        if self.drive_hold.off:
            behaviour.throttle = behaviour.underrun = tuple(self.drive_hold)
        return behaviour


@dataclass
class Transfer:
    """One operation: its ledger, its rate, the overhead of its commands split by who caused it."""

    operation: str
    lba: int
    sectors: int
    error: str
    ledger: Ledger
    clock_hz: float
    ceiling: float
    high_water: int
    held_cycles: int
    overhead: dict
    turnaround: Statistics | None

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
    """What came out; ``problems`` is empty where everything is as it must be."""

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


def pattern(seed, sectors):
    """The generated data of ``seed``, no two words of it related."""
    return random.Random(seed).randbytes(512 * sectors)


def execute(job, engine="cxxrtl", progress=None):
    """Does ``job`` on the engine "cxxrtl" or "icarus"; see :func:`measure`."""
    progress = progress or (lambda phase, done, total: None)
    if engine == "icarus":
        from .icarus import simulate
        return simulate(job.configuration, measure, job, progress=progress, vcd=job.vcd)
    progress("build", 0, 0)
    return measure(Cxxrtl, job, progress)


def measure(open_engine, job, progress):
    """Does ``job``; returns the :class:`Measurement`.

    ``open_engine(configuration, clock, trace=, vcd=)`` starts an :class:`Engine`; ``progress`` is
    called with the name of a phase, the words that are through and the words in all.
    """
    image = DiskImage(job.image, sectors=job.capacity, writable=job.operation != "play")
    try:
        drive = Drive(image, behaviour=job.behaviour(), lba48=job.lba48)
        port = DrivePort(drive, generation=job.generation, line_rate=job.line_rate(), seed=job.seed)
        with open_engine(job.configuration, port.clock, trace=job.trace, vcd=job.vcd) as engine:
            return _Run(job, image, port, engine, progress).run()
    finally:
        image.close()


class _Run:
    def __init__(self, job, image, port, engine: Engine, progress):
        self.job = job
        self.image = image
        self.port = port
        self.engine = engine
        self.session = Session(engine, port, generation=job.generation)
        self.report = progress
        self.problems = []
        self.transfers = []

    def run(self):
        job, session = self.job, self.session
        outputs = session.bring_up()
        if not outputs["ready"]:
            self.problems.append(f"bring-up ended with error {_error(outputs)}")
            page = bytes(512)
        else:
            page = session.identify()
            self._operations()
        self.problems += [f"violation at {text}" for text in session.violations()]
        state = self.engine.state()
        return Measurement(job, _text(page, 27, 46), _text(page, 10, 19), _text(page, 23, 26),
                           outputs["capacity"], bool(outputs["lba48"]), self.transfers,
                           self.problems, state.cycle, state.hash)

    def _operations(self):
        job = self.job
        if job.operation != "play":
            self._follow("record", lambda: self.engine.state().taken)
            outcome = self.session.record(job.data, job.lba, hold=job.host_hold, flush=job.flush)
            if not self._finish("record", outcome):
                return
            self._compare("the image", self._stored(), job.data)
        if job.operation != "record":
            self._follow("play", lambda: self.engine.state().received)
            outcome = self.session.play(job.lba, job.sectors, hold=job.host_hold)
            if not self._finish("play", outcome):
                return
            self._compare("the stream played back", outcome.data, self._stored())
            if job.data is not None:
                self._compare("the stream played back", outcome.data[:len(job.data)], job.data)
            words = job.sectors * SECTOR_WORDS
            if (outcome.received, outcome.lasts, outcome.last_at) != (words, 1, words - 1):
                self.problems.append(
                    f"play: {outcome.received} words with {outcome.lasts} tlast, the latest at "
                    f"{outcome.last_at}, instead of {words} with one at the end")

    def _stored(self):
        return self.image.read(512 * self.job.lba, 512 * self.job.sectors)

    def _follow(self, phase, done):
        total = self.job.sectors * SECTOR_WORDS
        self.report(phase, 0, total)
        self.session.progress = lambda _: self.report(phase, min(done(), total), total)

    def _finish(self, operation, outcome):
        """Books the operation; False where it failed."""
        job, outputs = self.job, outcome.outputs
        total = job.sectors * SECTOR_WORDS
        self.report(operation, total if not outcome.error else outputs["words"], total)
        ledger = self.session.ledger()
        records = [record for record in self.port.analyser.commands
                   if record.overhead is not None]
        self.transfers.append(Transfer(
            operation, job.lba, job.sectors, Error(outcome.error).name, ledger,
            job.configuration.clock_hz, CEILINGS[job.generation], outputs["high_water"],
            outputs["held_cycles"], _overhead(records),
            Statistics.of(record.turnaround for record in records)))
        if outcome.error:
            self.problems.append(f"{operation} ended with error {_error(outputs)} after "
                                 f"{outputs['sectors_done']} of {job.sectors} sectors")
            return False
        self.problems += [f"{operation}: the ledgers of core and drive model disagree: {text}"
                          for text in self.session.disagreements()]
        for record in records:
            if sum(record.overhead_split) != record.overhead:
                self.problems.append(
                    f"{operation}: the overhead at LBA {record.lba} does not add up")
        if ledger.accounts["payload"] != total:
            self.problems.append(f"{operation}: {ledger.accounts['payload']} words of payload "
                                 f"in the ledger instead of {total}")
        return True

    def _compare(self, what, got, expected):
        if got == expected:
            return
        if len(got) != len(expected):
            self.problems.append(f"{what} has {len(got)} bytes instead of {len(expected)}")
        else:
            at = next(i for i, (a, b) in enumerate(zip(got, expected)) if a != b)
            self.problems.append(f"{what} differs from what it must be, first at byte {at}: "
                                 f"{got[at]:02x}h instead of {expected[at]:02x}h")


def _overhead(records):
    """Statistics of the overhead of the commands: of the whole, and by who caused it."""
    parts = {"host": [], "drive": [], "protocol": [], "recovery": [], "total": []}
    for record in records:
        sums = dict.fromkeys(parts, 0)
        for account, clocks in zip(ACCOUNTS, record.overhead_split):
            sums[WHOSE[account] or "recovery"] += clocks
        sums["total"] = record.overhead
        for part, clocks in sums.items():
            parts[part].append(clocks)
    return {part: Statistics.of(clocks) for part, clocks in parts.items() if records}


def _error(outputs):
    return (f"{Error(outputs['error']).name} ({outputs['error']}), drive status "
            f"{outputs['drive_status']:02x}h, drive error {outputs['drive_error']:02x}h")


def _text(page, first, last):
    """A string of the IDENTIFY DEVICE data: two characters a word, the first in bits 15:8."""
    words = (page[2 * n:2 * n + 2][::-1] for n in range(first, last + 1))
    return b"".join(words).decode("ascii", "replace").strip(" \0")
