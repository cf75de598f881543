"""What every simulation engine offers: the core, one drive, and a clock.

Cycle n of an engine is one period of the core's clock. What is set between two runs reaches the
core in the first cycle of the next run; what is read after a run are the values of its last cycle.
Two engines with the same inputs give the same trace at the dword port.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .signals import Event, Hold


class EngineError(RuntimeError):
    """The simulation itself went wrong: an unknown value, feedback in the netlist, a full disk."""


class UnwrittenFile(EngineError):
    """A file of the engine (``what``: "trace" or "VCD") that cannot be written: ``path``, and the
    ``reason``."""

    def __init__(self, what, path, reason):
        super().__init__(what, path, reason)
        self.what, self.path, self.reason = what, path, reason

    def __str__(self):
        return f"the {self.what} file {self.path} cannot be written: {self.reason}"


class MissingTool(RuntimeError):
    """A program that the engine needs is not installed; the text states which, and how to get it."""


@dataclass(frozen=True)
class Waves:
    """A VCD file ``path`` for the waves of the clocks in the range ``window`` (None: all of them), of all signals or,
    with ``ports_only``, of the core's ports."""

    path: str | Path
    window: range | None = None
    ports_only: bool = False


class State(NamedTuple):
    """The state of an engine.

    ``cycle`` clocks since the start; ``hash`` of the trace, 64 bits, see :func:`fold`; ``taken`` words the
    stream source handed over since it was set, ``received`` words the stream sink got, ``lasts``
    how many of them with tlast, and ``last_at`` the index of the latest one. Of a source with a
    rate: ``arrived`` words of the sensor, ``lost`` of them, ``backlog`` words that wait in the FIFO
    now, and ``backlog_high`` the most that ever did. If the source does not wait and a beat is shorter than a word,
    these are beats.
    """

    cycle: int
    hash: int
    taken: int
    received: int
    lasts: int
    last_at: int
    arrived: int = 0
    lost: int = 0
    backlog: int = 0
    backlog_high: int = 0


def fold(number, *words):
    """The hash of a trace whose hash was ``number`` (0 at first), longer by 64-bit ``words``.

    Of each clock two are hashed: the core's word of the dword port, then the drive's.
    """
    for word in words:
        number = (number ^ word) * 0x9E3779B97F4A7C15 & 0xFFFF_FFFF_FFFF_FFFF
        number ^= number >> 32
    return number


def clock_function(drive):
    """What an engine calls once a clock: ``drive`` itself, or the ``clock`` of a ``DrivePort``."""
    return drive if callable(drive) else drive.clock


class Engine(ABC):
    """A running core. Use it as a context manager, or call :meth:`close`.

    ``stride`` is the number of clocks that take about a twentieth of a second, ``beat`` the words that the core takes
    in a clock.
    """

    stride: int
    beat = 1

    @abstractmethod
    def set(self, **controls):
        """Sets controls (see ``signals.CONTROLS``); ``start`` and ``stop`` last one clock."""

    @abstractmethod
    def source(self, data, *, hold=Hold(), mark=None, rate=None, depth=None):
        """Offers the words of ``data`` to the core's stream input.

        ``data`` is bytes, a multiple of 4, or a ``streams.Producer``, which is read in chunks.
        ``Event.SOURCE`` holds when ``mark`` words (default: all) were taken. With ``rate`` (a
        ``signals.Rate``) it is a sensor that cannot wait: word k arrives in the clock n in which
        floor(n * words / clocks) passes k, clock 1 being the first in which the core would take a
        word, until ``mark`` words were not lost. It goes through a FIFO of ``depth`` words (at least 1,
        None: endless), from which it can be offered from the next clock on. The word that leaves in a
        clock leaves before one arrives; a word that finds the FIFO full is lost.

        If the configuration has a source stage, these are beats and clocks of the source, but words
        if a beat is shorter and waits. What does not wait has no FIFO.
        """

    @abstractmethod
    def sink(self, size, *, hold=Hold(), mark=None, consumer=None):
        """Takes words from the core's stream output and keeps the first ``size`` of them.

        ``Event.SINK`` holds when ``mark`` words (default: ``size``) were taken. With ``consumer``
        the words are handed to it instead, as bytes, in order; it has all of them after a run.
        """

    @abstractmethod
    def gaps(self, first=0):
        """(index of the first lost word, words lost) of the source's gaps, from number ``first``
        on, at most 10000; in beats as in :class:`State`. The last gap of all may still grow."""

    @abstractmethod
    def received(self):
        """The bytes that the sink has kept."""

    @abstractmethod
    def run(self, clocks, until=Event(0)):
        """Runs at most ``clocks`` (at least 1) and stops after the first cycle with an event.

        Returns those of the events ``until`` that held in the last cycle: ``Event(0)`` if the
        run ended because of ``clocks``. Exceptions of the drive are passed on.
        """

    def table(self, address, data, numbers, clocks):
        """The output ``data`` for each of the ``numbers`` of the control ``address``, as it is ``clocks``
        later: a list."""
        found = []
        for number in numbers:
            self.set(**{address: number})
            self.run(clocks)
            found.append(self.output(data))
        return found

    @abstractmethod
    def outputs(self):
        """All of ``signals.OUTPUTS`` in the last cycle of the last run, as a dictionary."""

    def output(self, name):
        """One of :meth:`outputs`."""
        return self.outputs()[name]

    @abstractmethod
    def state(self):
        """The :class:`State`."""

    @abstractmethod
    def close(self):
        """Ends the simulation and completes the files it writes."""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
