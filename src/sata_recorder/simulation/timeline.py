"""Where an operation was at points in time, and what happened to each of its commands."""

import functools
from dataclasses import dataclass, field

from .accounts import ACCOUNTS, WHOSE


@dataclass(frozen=True)
class Sample:
    """How far an operation is.

    ``clock`` since its start; ``words`` of payload so far; ``accounts`` clocks so far, in the order
    of ``ACCOUNTS``; ``fill`` words in the core; ``backlog`` words that wait in front of it.
    """

    clock: int
    words: int
    accounts: tuple
    fill: int
    backlog: int


@dataclass
class Timeline:
    """At least ``most`` / 2 and at most ``most`` samples, equally spaced, however long the operation.

    ``stride`` clocks lie between two; it doubles whenever there are too many samples.
    """

    most: int
    stride: int
    samples: list = field(default_factory=list)

    def add(self, sample):
        """Takes a sample that is due."""
        self.samples.append(sample)
        if len(self.samples) > self.most:
            del self.samples[::2]
            self.stride *= 2

    def due(self, clock):
        """Whether a sample is due ``clock`` clocks after the start."""
        return clock >= self.stride * (len(self.samples) + 1)

    def end(self, sample):
        """Takes the last sample, wherever it lies."""
        if not self.samples or self.samples[-1].clock < sample.clock:
            if len(self.samples) == self.most:
                self.samples.pop()
            self.samples.append(sample)

    def columns(self):
        """A list of numbers for each of clock, words, fill, backlog; and for each account."""
        return {
            "clock": [sample.clock for sample in self.samples],
            "words": [sample.words for sample in self.samples],
            "accounts": {name: [sample.accounts[n] for sample in self.samples]
                         for n, name in enumerate(ACCOUNTS)},
            "fill": [sample.fill for sample in self.samples],
            "backlog": [sample.backlog for sample in self.samples],
        }


def command_columns(records, begin, most):
    """What happened to each command, as columns; ``records`` are those of the analyser.

    Clocks count from ``begin``. Of more than ``most`` commands the slowest of every n is shown;
    ``thinned`` is that n. ``overhead`` is the one before the command, None for the first command.
    """
    step = max(1, -(-len(records) // most))
    chosen = [max(records[at:at + step], key=lambda record: record.end - record.start)
              for at in range(0, len(records), step)]
    columns = {
        "thinned": step,
        "start": [record.start - begin for record in chosen],
        "clocks": [record.end - record.start for record in chosen],
        "lba": [record.lba for record in chosen],
        "sectors": [record.sectors for record in chosen],
        "overhead": [record.overhead for record in chosen],
    }
    for who in ("host", "drive", "protocol"):
        columns[who] = [None if record.overhead is None else split_overhead(record)[who]
                        for record in chosen]
    return columns


def split_overhead(record):
    """The overhead of a command by who caused it: host, drive, protocol, recovery.

    Records with the same overhead share the dictionary.
    """
    return _sums(record.overhead_split)


@functools.lru_cache(maxsize=1024)
def _sums(clocks_of_accounts):
    sums = dict.fromkeys(("host", "drive", "protocol", "recovery"), 0)
    for account, clocks in zip(ACCOUNTS, clocks_of_accounts):
        sums[WHOSE[account] or "recovery"] += clocks
    return sums
