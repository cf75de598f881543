"""What every simulation engine offers: the core, one drive, and a clock.

Cycle n of an engine is one period of the core's clock. What is set between two runs reaches the
core in the first cycle of the next run; what is read after a run are the values of its last cycle.
Two engines that are told the same give the same trace at the dword port.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from .signals import Event, Hold

__all__ = ["Engine", "EngineError", "MissingTool", "State"]


class EngineError(RuntimeError):
    """The simulation itself went wrong: an unknown value, feedback in the netlist, a full disk."""


class MissingTool(RuntimeError):
    """A program that the engine needs is not installed; the text says which, and how to get it."""


@dataclass(frozen=True)
class State:
    """Where an engine stands.

    ``cycle`` clocks since the start; ``hash`` FNV-1a (64 bits) over the two 8-byte words of the
    dword port of every clock; ``taken`` words the stream source handed over since it was set,
    ``received`` words the stream sink got, ``lasts`` how many of them with tlast, and ``last_at``
    the index of the latest one.
    """

    cycle: int
    hash: int
    taken: int
    received: int
    lasts: int
    last_at: int


class Engine(ABC):
    """A running core. Use it as a context manager, or call :meth:`close`.

    ``stride`` is the number of clocks that take about a twentieth of a second.
    """

    stride: int

    @abstractmethod
    def set(self, **controls):
        """Sets controls (see ``signals.CONTROLS``); ``start`` and ``stop`` last one clock."""

    @abstractmethod
    def source(self, data, *, hold=Hold(), mark=None):
        """Offers the words of ``data`` (bytes, a multiple of 4) to the core's stream input.

        ``Event.SOURCE`` holds when ``mark`` words (default: all) were taken.
        """

    @abstractmethod
    def sink(self, size, *, hold=Hold(), mark=None):
        """Takes words from the core's stream output and keeps the first ``size`` of them.

        ``Event.SINK`` holds when ``mark`` words (default: ``size``) were taken.
        """

    @abstractmethod
    def received(self):
        """The bytes that the sink has kept."""

    @abstractmethod
    def run(self, clocks, until=Event(0)):
        """Runs at most ``clocks`` (at least 1) and stops after the first cycle with an event.

        Returns those of the events ``until`` that held in the last cycle: ``Event(0)`` where the
        run ended because of ``clocks``. Exceptions of the drive are passed on.
        """

    @abstractmethod
    def outputs(self):
        """All of ``signals.OUTPUTS`` in the last cycle of the last run, as a dictionary."""

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
