"""The simulated board of the examples, for tests."""

import sys
import threading
from pathlib import Path

from sata_drive_model import Behaviour, DiskImage, Drive, Health

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation.drive_package import drive_port

FOLDER = Path(__file__).resolve().parents[3] / "examples"
sys.path.insert(0, str(FOLDER))
try:
    import console_recorder_simulated
finally:
    sys.path.remove(str(FOLDER))

__all__ = ["ACCESSES", "CAPACITY", "CONFIGURATION", "FILES", "HISTOGRAMS", "SKIPPING", "ConsoleBench", "Served",
           "fields"]

CAPACITY = 1 << 20
_TIMES = {
    "clock_hz": 1e6, "buffer_words": 1024, "max_command_sectors": 64, "signature_timeout": 0.05,
    "identify_timeout": 0.05, "command_timeout": 0.05, "flush_timeout": 0.05, "retries": 0,
    "recovery_timeout": 0.2}
#: One core for nearly all tests, so that it is compiled once: timeouts that a simulation can wait
#: for.
CONFIGURATION = Configuration(**_TIMES, commands=True, long_logical_sectors=True)
#: The same, but it passes over what cannot be repaired, and has no COMMAND.
SKIPPING = Configuration(**_TIMES, on_failure="skip")
#: The same as the first, but it makes files, also of rings and segments, and frames.
FILES = Configuration(**_TIMES, files=True, extents="modes", frames=True)
#: The same, with histograms, a count of misaligned commands and the drive's health in the place of files.
HISTOGRAMS = Configuration(**_TIMES, histograms=True, alignment=True, smart_commands=2,
                           smart_temperature=True)
#: One that makes accesses anywhere, with histograms.
ACCESSES = Configuration(**_TIMES, extents="queued", histograms=True)


def fields(lines):
    """What the lines of an answer say, by name."""
    return dict(line.partition(" ")[::2] for line in lines)


class ConsoleBench(console_recorder_simulated.SimulatedConsoleRecorder):
    """A board and its drive, or none if not ``plugged``; ``options`` are its behaviour."""

    def __init__(self, *, plugged=True, up=True, configuration=CONFIGURATION, logical_sector=512, **options):
        self.image = DiskImage(sectors=CAPACITY)
        drive = Drive(self.image, behaviour=Behaviour(**options), serial="  SN 7 ",
                      model="MODEL\x07 OF A DRIVE", health=Health(sanitize_dwords=50_000),
                      logical_sector=logical_sector)
        super().__init__(drive_port(drive if plugged else None), configuration)
        if plugged and up:
            self.run(6000)
            assert self.take() == ["* link up generation 2", f"* ready {CAPACITY}"]

    @property
    def behaviour(self):
        return self.port.drive.behaviour

    def take(self):
        """The lines that have come."""
        text = self.received.decode("ascii")
        assert text.endswith("\r\n") or not text, text
        self.received.clear()
        return text.splitlines()

    def ask(self, line, limit=600_000):
        return super().ask(line, limit)

    def until(self, end, limit=400_000):
        """Runs until a line ``end`` has come; returns all lines."""
        before = self.clocks
        while f"\r\n{end}\r\n" not in "\r\n" + self.received.decode("ascii"):
            assert self.clocks - before < limit, self.received
            self.run(500)
        self.run(2000)      # what follows
        return self.take()


class Served:
    """A ``ConsoleBench`` at a pseudo-terminal, in a thread of its own: ``port`` is its name."""

    def __init__(self, bench):
        self.bench = bench
        self._handle, self.port = console_recorder_simulated.port()
        self._ending = False
        self._thread = threading.Thread(target=bench.serve,
                                        args=(self._handle, lambda: not self._ending))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *exc):
        self._ending = True
        self._thread.join()
