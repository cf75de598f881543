"""The progress bar of a measurement, on standard error."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as Bars

__all__ = ["Progress"]

_NAMES = {"build": "compiling the core", "record": "recording", "play": "playing back"}


class Progress:
    """Shows what it is called with: a phase, words that are through, words in all (0: unknown).

    Nothing is shown where standard error is no terminal.
    """

    def __init__(self):
        console = Console(stderr=True)
        self._bars = Bars(TextColumn("{task.description:18}"), BarColumn(), DownloadColumn(),
                          TransferSpeedColumn(), TimeRemainingColumn(), console=console,
                          transient=True, disable=not console.is_terminal)
        self._tasks = {}

    def __enter__(self):
        self._bars.start()
        return self

    def __exit__(self, *exc):
        self._bars.stop()

    def search(self, low, high, recordings):
        """Shows the bounds of a search, in bytes a second, while it goes on."""
        bounds = " to ".join("?" if bound is None else f"{bound / 1e6:.1f}"
                             for bound in (low, high))
        if "search" not in self._tasks:
            self._tasks["search"] = self._bars.add_task("", total=None)
        self._bars.update(self._tasks["search"],
                          description=f"search {recordings + 1}: {bounds} MB/s")

    def __call__(self, phase, done, total):
        if "search" in self._tasks:
            self._bars.update(self._tasks.pop("search"), visible=False)
        if phase not in self._tasks:
            if "build" in self._tasks:
                self._bars.update(self._tasks["build"], visible=False)
            self._tasks[phase] = self._bars.add_task(_NAMES[phase], total=4 * total or None)
        self._bars.update(self._tasks[phase], completed=4 * done)
