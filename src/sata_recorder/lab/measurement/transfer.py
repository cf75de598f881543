"""One operation of a measurement: its ledger, its rate, the overhead of its commands."""

from dataclasses import dataclass
from typing import Any, Self

from ...core.drive_port import Error
from ...simulation import (COUNTERS, MOST_GAPS, OPTIONAL_COUNTERS, LedgerReading, command_columns,
                          split_overhead)
from ...facts.units import CEILINGS, SECTOR_BYTES, WORD_BYTES
from ...interface.group import WORD
from .source_stage import fifo_words_of
from .statistics import Statistics

#: Commands that a transfer reports one by one.
_COMMANDS = 4096


@dataclass(frozen=True)
class SourceReport:
    """What happened to a stream that cannot wait.

    ``rate`` bytes a second; words ``arrived`` and ``lost``, with quarters if beats are shorter; ``gaps`` pairs of
    (index of the first lost word, words lost) of the first 10,000 of the ``gap_count`` gaps; ``backlog_high`` the most
    words that waited in the FIFO of ``fifo_words`` in front of the core (None: endless; 0: no FIFO, the core itself
    lost them).
    """

    rate: float
    arrived: int | float
    lost: int | float
    gaps: list
    gap_count: int
    backlog_high: int
    fifo_words: int | None

    @property
    def lost_bytes(self) -> int:
        """Bytes lost."""
        return int(WORD_BYTES * self.lost)

    @property
    def lost_percent(self) -> float:
        """What was lost, in percent of what arrived."""
        return 100 * self.lost / self.arrived if self.arrived else 0.0

    @property
    def lost_seconds(self) -> float:
        """Seconds of the stream that were lost, all gaps together."""
        return self.lost_bytes / self.rate

    @classmethod
    def of(cls, job: Any, state: Any, data: Any, words: int | None = None) -> Self:
        """The report on ``job``, which has an input rate, after its recording.

        ``state`` is that of the engine, ``data`` the :class:`...simulation.Gapped` words. With ``words``, the
        number that was recorded, what came after the last of them does not count.
        """
        rate = job.input_rate
        arrived, lost, gaps = data.in_words(state.arrived), data.in_words(state.lost), data.gap_count
        if words is not None:
            gaps, lost = data.ahead_of(words)
            arrived = words + lost
        return cls(WORD_BYTES * job.configuration.clock_hz * rate.words / rate.clocks,
                   arrived, lost, data.gaps(min(gaps, MOST_GAPS)), gaps,
                   state.backlog_high if job.configuration.source_waits else 0, fifo_words_of(job))

    def counted_otherwise(self, job: Any, outcome: Any) -> list[str]:
        """Texts on each counter of the core that does not match what a source that does not wait has lost."""
        if outcome.error or job.configuration.source_waits:
            return []
        intact = self.gaps[0][0] if self.gaps else outcome.outputs["words"]
        wanted = {"source_lost": self.lost * WORD // job.configuration.source_width, "source_intact": int(intact)}
        return [f"record: {name} is {outcome.outputs[name]} instead of {number}" for name, number in wanted.items()
                if outcome.outputs[name] != number]


@dataclass
class Transfer:
    """One operation as it went.

    ``operation`` "record" or "play" of ``sectors`` from ``lba`` on; ``error`` the name of the
    core's error; ``ledger`` of the hardware, in clocks of ``clock_hz``; ``ceiling`` of the link in
    bytes a second; ``counters`` of the core by name, see :mod:`...interface`; ``buffer_words`` that
    its buffer holds. ``overhead`` has the :class:`.statistics.Statistics` of the commands'
    overhead in clocks by who caused it, "total" for the whole, and ``turnaround`` those of the
    host's pause (None: no command followed another). ``fises`` sent and received; ``crc32`` of the
    payload; ``source`` for a stream that cannot wait; ``steady_rate`` the bytes a second from the
    start of the first command to that of the last, so that there are as many commands as pauses (None:
    no command followed another). ``timeline`` and ``commands`` are columns of
    numbers, see :mod:`...simulation.timeline`.
    """

    operation: str
    lba: int
    sectors: int
    error: str
    ledger: LedgerReading
    clock_hz: float
    ceiling: float
    counters: dict
    buffer_words: int
    overhead: dict
    turnaround: Statistics | None
    fises: tuple
    crc32: int
    source: SourceReport | None
    timeline: dict
    commands: dict
    steady_rate: float | None = None

    @classmethod
    def of(cls, job: Any, operation: str, outcome: Any, session: Any, *, crc32: int,
           source: SourceReport | None = None) -> Self:
        """The transfer of the ``operation`` of ``job`` that has just ended with ``outcome`` on ``session``."""
        return cls.of_port(job, operation, outcome, session.port, session.ledger(), crc32=crc32, source=source,
                           timeline=session.timeline)

    @classmethod
    def of_port(cls, job: Any, operation: str, outcome: Any, port: Any, ledger: LedgerReading, *, crc32: int,
                source: SourceReport | None = None, timeline: Any = None) -> Self:
        """As :meth:`of`, with the ``ledger`` of the core at this drive's ``port``."""
        outputs, observer = outcome.outputs, port.observer
        following = [record for record in observer.commands if record.overhead is not None]
        return cls(
            operation=operation, lba=job.lba, sectors=job.sectors,
            error=Error(outcome.error).name, ledger=ledger,
            clock_hz=job.configuration.clock_hz, ceiling=CEILINGS[job.generation],
            counters=counters_of(outputs),
            buffer_words=job.configuration.buffered_words,
            overhead=_overhead(following),
            turnaround=Statistics.of(record.turnaround for record in following),
            fises=observer.fises, crc32=crc32, source=source,
            timeline=timeline.columns() if timeline else {},
            commands=command_columns(observer.commands, outcome.begin, _COMMANDS),
            steady_rate=_steady_rate(observer.commands, job.configuration.clock_hz))

    @property
    def bytes(self) -> int:
        """Bytes of payload that crossed."""
        return WORD_BYTES * self.ledger.accounts["payload"]

    @property
    def issued(self) -> int:
        """Commands that were issued."""
        return self.ledger.commands

    @property
    def seconds(self) -> float:
        """Duration at the clock of the configuration."""
        return self.ledger.total / self.clock_hz

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return self.bytes / self.seconds if self.ledger.total else 0.0

    @property
    def percent(self) -> float:
        """The rate in percent of the link's ceiling."""
        return 100 * self.rate / self.ceiling


def counters_of(outputs: dict[str, int]) -> dict[str, int]:
    """The counters of the core. The fill of a memory has a port of its own, as it does not fit ``high_water``."""
    found = {name: outputs[name] for name in (*COUNTERS, *OPTIONAL_COUNTERS) if name in outputs}
    return found | {"high_water": outputs.get("memory_high_water", found["high_water"])}


def error_number(name: str) -> int:
    """The number of the core's error with the name that :attr:`Transfer.error` has. Raises ``KeyError``."""
    return int(Error[name])


def _steady_rate(records, clock_hz):
    """Bytes a second without the last command, which no pause follows."""
    if len(records) < 2:
        return None
    first, last = records[0], records[-1]
    return SECTOR_BYTES * (last.lba - first.lba) * clock_hz / (last.start - first.start)


def _overhead(records):
    """Statistics of the overhead of the commands: of the whole, and by who caused it."""
    parts = {"host": [], "drive": [], "protocol": [], "recovery": [], "total": []}
    for record in records:
        for part, clocks in split_overhead(record).items():
            parts[part].append(clocks)
        parts["total"].append(record.overhead)
    return {part: Statistics.of(clocks) for part, clocks in parts.items() if records}
