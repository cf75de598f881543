"""The progress bar of a measurement, on standard error."""

from rich.progress import (
    BarColumn,
    DownloadColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from .live_progress import LiveProgress

_NAMES = {"drive": "compiling the drive", "build": "compiling the core", "record": "recording", "play": "playing back",
          "read": "reading", "write": "writing", "without looks": "without looks"}


class _OfAll:
    """A column that is empty while nobody knows how much there is to do."""

    def render(self, task):
        return Text() if task.total is None else super().render(task)


class Done(_OfAll, DownloadColumn):
    """How much is through."""


class _Speed(_OfAll, TransferSpeedColumn):
    """How fast it goes."""


class _Left(_OfAll, TimeRemainingColumn):
    """How long it takes."""


class Progress(LiveProgress):
    """Shows what it is called with: a phase, words that are through, words in all (0: unknown).

    Where standard error is no terminal, a plain line reports it every ten seconds. ``plain`` decides
    whether that is so.
    """

    def __init__(self):
        super().__init__(TextColumn("{task.description:18}"), BarColumn(), Done(), _Speed(), _Left())
        self._tasks = {}

    def search(self, low, high, recordings):
        """Shows the bounds of a search, in bytes a second, while it continues."""
        bounds = " to ".join("?" if bound is None else f"{bound / 1e6:.1f}"
                             for bound in (low, high))
        self._now = f"search {recordings + 1}: {bounds} MB/s"
        if "search" not in self._tasks:
            self._tasks["search"] = self.bars.add_task("", total=None)
        self.bars.update(self._tasks["search"],
                          description=self._now)

    def __call__(self, phase, done, total):
        self._now = f"{_NAMES[phase]} ..." if not total else (
            f"{_NAMES[phase]}: {4e-6 * done:,.1f} of {4e-6 * total:,.1f} MB, {done / total:.0%}"
            .replace("%", " %"))
        if "search" in self._tasks:
            self.bars.update(self._tasks.pop("search"), visible=False)
        if phase not in self._tasks:
            for before in ("drive", "build"):
                if before in self._tasks:
                    self.bars.update(self._tasks[before], visible=False)
            self._tasks[phase] = self.bars.add_task(_NAMES[phase], total=4 * total or None)
        self.bars.update(self._tasks[phase], completed=4 * done)
