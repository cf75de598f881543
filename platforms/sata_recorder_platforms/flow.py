"""What the tools for a kind of device do, whatever the device is."""

from abc import ABC, abstractmethod


class BuildFailed(Exception):
    """A tool failed; the text states which, and has the end of its output."""


class Flow(ABC):
    """Synthesis, place and route, and the checks of what came out, for a kind of device.

    ``name`` is that of the design and of its files. Where a tool fails a method raises
    :class:`BuildFailed`.
    """

    #: What the tools write, as suffixes of the design's name, and other names of files.
    suffixes: tuple
    files: tuple
    #: The packages whose versions a report names.
    packages: tuple

    @abstractmethod
    def pll(self, input_hz, hz):
        """A component that makes a clock of ``hz`` of one of ``input_hz``: ``input : In(1)``,
        ``outputs : Out(1)``, ``locked : Out(1)``."""

    @abstractmethod
    def check_pll(self, input_hz, hz):
        """``ValueError`` where :meth:`pll` cannot be."""

    @abstractmethod
    def synthesise(self, folder, name):
        """The netlist of the RTLIL in ``folder``."""

    @abstractmethod
    def area(self, folder, name, parts):
        """The area of each of ``parts``, name to module: a list of :class:`.report.Layer`."""

    @abstractmethod
    def place(self, folder, name, platform, seed):
        """Places and routes. Returns the first error if a clock was missed, else None."""

    @abstractmethod
    def read(self, folder, name, board, platform, top, missed):
        """What the tools report: a :class:`.report.Told`."""

    @abstractmethod
    def pack(self, folder, name):
        """Writes the bitstream, and returns its path."""
