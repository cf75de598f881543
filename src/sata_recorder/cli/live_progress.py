"""Progress on standard error: bars on a terminal, a plain line each ten seconds elsewhere."""

from rich.console import Console
from rich.progress import Progress as Bars

from .plain_progress import PlainProgress, moves


class LiveProgress:
    """While it is entered, bars of the given columns; ``plain`` where lines take their place."""

    def __init__(self, *columns):
        console = Console(stderr=True)
        self.plain = not moves(console)
        self.bars = Bars(*columns, console=console, transient=True, disable=self.plain)
        self._now = None
        self._lines = PlainProgress(self.text, enabled=self.plain)

    def __enter__(self):
        self.bars.start()
        self._lines.__enter__()
        return self

    def __exit__(self, *exc):
        self._lines.__exit__(*exc)
        self.bars.stop()

    def text(self):
        """What is happening now, in one line; None where nothing has begun."""
        return self._now
