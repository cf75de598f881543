"""Accesses on a running engine: a recording that goes on from extent to extent, or one read after the other."""

from typing import Any

from ...core.drive_port import Operation
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from ...simulation import ACCOUNTS, ENDLESS, Event, Session, drive_port, line_rate
from ..measurement import error_text, identity, patience
from .image import AccessImage
from .job import AccessJob
from .stream import AccessStream
from .waits import ShortWaits

__all__ = ["AccessRun"]

#: As ``queue_ahead``: the words of a command are certain to come.
_ANY = 65536
#: Clocks after the buffer is full until nothing changes but the count to the next ALIGN.
_SETTLED = 256
#: Dwords of a wait that is never made shorter.
_NEVER = 1 << 62


class AccessRun:
    """The disk and the drive of ``job``, and what is found when they run.

    ``progress`` is called with the phase, the words that are through and those in all; ``model`` is the drive model's
    package; with ``shorten`` long waits for the drive are left out and counted (:mod:`.waits`), which changes no
    figure. Members: ``port`` is what the engine's drive must be. After :meth:`perform`: ``lbas``, ``spans`` (of each
    access, the clock of its first X_RDY and that after its last status), ``commands``, ``ledger``, ``between``,
    ``skipped`` clocks that were left out, and ``problems``.
    """

    def __init__(self, job: AccessJob, progress: Any, model: Any, shorten: bool = True) -> None:
        self.job, self._report = job, progress
        self.problems: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.lbas: list[int] = []
        self.commands = 0
        self.ledger, self.between = dict.fromkeys(ACCOUNTS, 0), 0
        base = job.job
        self._image = AccessImage(base.capacity or 0, base.lba, base.sectors, base.data)
        self._stream = AccessStream(job.places(), job.size, self._image.content)
        drive = base.drive(model, self._image)
        core = job.configuration
        # By then the buffer has what will come of the two extents that the core knows.
        keep = min(core.buffered_words, 2 * SECTOR_WORDS * job.size) + _SETTLED
        self._waits = drive.medium = ShortWaits(drive.medium, keep if shorten else _NEVER,
                                                core.clocks(core.command_timeout) // 2)
        self.port = drive_port(drive, model=model, generation=base.generation, seed=base.seed,
                               line_rate=line_rate(core.clock_hz, base.generation))
        self._waits.clock = lambda: self.port.now
        self._engine: Any = None
        self._session: Any = None
        self._begin = 0
        self._commands: list[Any] = []

    def perform(self, engine: Any) -> dict[str, Any]:
        """Brings the core up on ``engine`` and does the accesses; returns what is known about the drive, see
        :func:`..measurement.identity`."""
        self._engine = engine
        self._session = session = Session(engine, self.port, generation=self.job.job.generation,
                                          limit=patience(self.job.job), progress=self._shown)
        outputs = session.bring_up()
        page = bytes(SECTOR_BYTES)
        if not outputs["ready"]:
            self.problems.append(f"bring-up ended with error {error_text(outputs)}")
        else:
            page = session.identify()
            self._begin = engine.state().cycle
            (self._write if self.job.writes else self._read)()
            self._group()
            self._check()
        self.problems += [f"violation at {text}" for text in session.violations()]
        return identity(page, outputs)

    def _due(self, number):
        """Whether there is an access of this number."""
        job = self.job
        if job.commands is not None and number >= job.commands:
            return False
        return job.seconds is None or number == 0 or self._clocks() < job.seconds * job.configuration.clock_hz

    def _clocks(self):
        """Clocks since the first access."""
        return self._engine.state().cycle - self._begin + self._waits.skipped

    def _shown(self, _):
        """Reports the progress; for accesses for a time, the words in all are as many as there will be at this pace."""
        job = self.job
        done = self._engine.state()
        words = done.taken if job.writes else done.received
        parts = [] if job.commands is None else [words / (SECTOR_WORDS * job.size * job.commands)]
        if job.seconds is not None:
            parts.append(self._clocks() / (job.seconds * job.configuration.clock_hz))
        if words:
            self._report(job.operation, words, max(words, round(words / max(parts))))

    def _write(self):
        """One recording, which goes on with an extent whenever there is room for one."""
        engine, session, size, stream = self._engine, self._session, self.job.size, self._stream
        engine.source(stream)
        engine.set(queue_ahead=_ANY, queue_sectors=size)
        session.start(Operation.RECORD, stream.lba(0), size)
        engine.run(1)
        number, found = 1, Event(0)
        while not found & Event.DONE:
            if not self._due(number):
                found = session.wait(Event.DONE)
                break
            found = session.wait(Event.QUEUE | Event.DONE)
            if not found & Event.DONE:
                engine.set(queue_valid=1, queue_lba=stream.lba(number))
                found = engine.run(1, Event.QUEUE | Event.DONE)
                number += bool(found & Event.QUEUE)
        outputs = session.outputs()
        self.lbas = stream.lbas[:number]
        self._commands = [*self.port.observer.commands]
        if outputs["error"]:
            self.problems.append(f"write ended with error {error_text(outputs)}")
            return
        ledger = session.ledger()
        self.ledger = dict(ledger.accounts)
        self._disagree(session.disagreements(ledger))
        words = SECTOR_WORDS * size * number
        if outputs["words"] != words or self._image.written != 4 * words:
            self.problems.append(f"{outputs['words']} words were accepted and {self._image.written} bytes written, "
                                 f"instead of {words} words")

    def _read(self):
        """One operation for each access, each started in the clock after the one before it has ended."""
        engine, session, size, stream = self._engine, self._session, self.job.size, self._stream
        engine.sink(ENDLESS, consumer=_Compared(stream, self.problems))
        number = 0
        while self._due(number):
            session.start(Operation.PLAY, stream.lba(number), size)
            engine.run(1)
            session.wait(Event.DONE)
            number += 1
            self._commands += self.port.observer.commands
            for account, clocks in self.port.observer.ledger().items():
                if account in self.ledger:
                    self.ledger[account] += clocks
            if engine.output("error"):
                self.problems.append(f"read {number} ended with error {error_text(session.outputs())}")
                break
        self.lbas = stream.lbas[:number]
        # The ledger of the core is that of its latest operation.
        self._disagree(session.disagreements())
        words = SECTOR_WORDS * size * number
        if not self.problems and engine.state().received != words:
            self.problems.append(f"{engine.state().received} words were read instead of {words}")

    def _disagree(self, texts):
        self.problems += [f"the ledgers of core and drive model disagree: {text}" for text in texts]

    @property
    def skipped(self) -> int:
        """Clocks that were left out."""
        return self._waits.skipped

    def _group(self):
        """Makes accesses of the commands, and puts back what was left out of the waits."""
        left, begin = 0, 0
        for record in self._commands:
            begin = begin if left else record.start
            left = (left or self.job.size) - record.sectors
            if not left:
                self.spans.append((begin + self._waits.before(begin), record.end + 1 + self._waits.before(record.end)))
        self.commands = len(self._commands)
        for account, clocks in self._waits.accounts.items():
            self.ledger[account] += clocks
        if self.spans and not self.job.writes:
            self.between = self.spans[-1][1] - self.spans[0][0] - sum(self.ledger.values())

    def _check(self):
        """Checks that the drive was sent the accesses, one after the other, and nothing else."""
        self.problems += self._image.problems
        if self.problems:
            return
        sent = [(record.lba, record.sectors) for record in self._commands]
        wanted = [(lba, self.job.size) for lba in self.lbas]
        if _joined(sent, self.job.size) != wanted:
            self.problems.append("the commands that the drive got are not the accesses that were asked for")


def _joined(spans, size):
    """The ``spans``, with the parts of one access joined."""
    found = []
    for lba, sectors in spans:
        if found and found[-1][1] < size and sum(found[-1]) == lba:
            found[-1] = found[-1][0], found[-1][1] + sectors
        else:
            found.append((lba, sectors))
    return found


class _Compared:
    """Compares what is read, as it comes, with what it must be."""

    def __init__(self, stream, problems):
        self._stream, self._problems = stream, problems
        self._words = 0

    def __call__(self, data):
        wanted = self._stream.read(self._words, len(data) // 4)
        if data != wanted and not self._problems:
            at = next(n for n, (one, other) in enumerate(zip(data, wanted)) if one != other)
            self._problems.append(f"byte {4 * self._words + at} of what was read differs from what it must be")
        self._words += len(data) // 4
