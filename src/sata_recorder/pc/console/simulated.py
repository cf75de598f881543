"""The simulated board as a process of its own: `sata-recorder station --pty`."""

import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["SimulatedBoard", "SimulationFailed"]

_MAIN = ("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
         "from sata_recorder.cli.main import main; main()")


class SimulationFailed(RuntimeError):
    """The simulated board did not start, or is gone; one line."""


class SimulatedBoard:
    """A process with a simulated board. ``drive`` is the name or file of a profile, None for one
    that answers at once; ``capacity`` in sectors; ``baud`` makes its line as slow as a real one;
    ``memory`` is the size of a memory that is its core's buffer, such as "256MiB";
    ``offers``: what its core can do, of "commands", "files", "modes", "frames" and "accesses", "drives=2" of an array,
    or "width=16" and "source-clock=61.44MHz" of its source; ``image``: the file with the drive's sectors; ``in_step``
    is for a program that polls an operation all the time: it goes on from poll to poll.

    :meth:`start` compiles the gateware unless that was done before, which takes half a minute.
    The process ends with this one.
    """

    def __init__(self, *, drive: str | Path | None = None, capacity: int | None = None, generation: int | None = None,
                 baud: int | None = None, memory: str | None = None, offers: Iterable[str] = (),
                 image: str | Path | None = None, in_step: bool = False) -> None:
        options = {"--drive": drive, "--capacity": capacity, "--generation": generation,
                   "--baud": baud, "--memory": memory, "--image": image}
        words = [str(word) for name, value in options.items() if value is not None
                 for word in (name, value)] + [f"--{name}" for name in offers] + ["--in-step"] * in_step
        self._process: Any = subprocess.Popen(
            [sys.executable, "-c", _MAIN, "station", "--pty", *words], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._lock = threading.Lock()

    def start(self) -> str:
        """Waits until it serves, and returns its port. Raises :class:`SimulationFailed`."""
        try:
            words = self._process.stdout.readline().split()
            if not words:
                told = self._process.stderr.read().strip().splitlines()
                raise SimulationFailed(told[-1].removeprefix("Error: ") if told else "it has ended")
            self._process.stdin.write("attended\n")
        except (OSError, ValueError):       # it was closed meanwhile
            raise SimulationFailed("it was ended") from None
        return next(word for word in words if word.startswith("/dev/")).rstrip(";")

    def order(self, line: str) -> str:
        """Does ``line``, an order of `sata-recorder station`, to its drive; returns what was done.
        Raises :class:`SimulationFailed`, also with an order that is refused."""
        with self._lock:
            try:
                self._process.stdin.write(f"{line}\n")
                told = self._process.stdout.readline().strip()
            except OSError:
                told = ""
        if not told:
            raise SimulationFailed("the simulated board has ended")
        if told.startswith("error: "):
            raise SimulationFailed(told.removeprefix("error: "))
        return told

    def kill(self) -> None:
        """Ends it at once, like a pulled cable."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Ends it."""
        self.kill()
        for pipe in self._process.stdin, self._process.stdout, self._process.stderr:
            with suppress(OSError, ValueError):     # a thread may be reading it
                pipe.close()
