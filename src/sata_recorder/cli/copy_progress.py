"""The progress of copying bytes, on standard error."""

from rich.progress import BarColumn, DownloadColumn, TimeRemainingColumn, TransferSpeedColumn

from .live_progress import LiveProgress


class CopyProgress(LiveProgress):
    """Shows the bytes with which it is called, of ``total``."""

    def __init__(self, total):
        super().__init__(BarColumn(), DownloadColumn(), TransferSpeedColumn(),
                         TimeRemainingColumn())
        self._total = total
        self._task = self.bars.add_task("", total=total)

    def __call__(self, done):
        self._now = (f"{1e-6 * done:,.1f} of {1e-6 * self._total:,.1f} MB, "
                     f"{done / (self._total or 1):.0%}").replace("%", " %")
        self.bars.update(self._task, completed=done)

    def of_several(self):
        """A function to be called with a thing and the bytes of it that are done, one thing after
        the other."""
        before, last = 0, (None, 0)

        def progress(thing, done):
            nonlocal before, last
            if last[0] is not None and last[0] is not thing:
                before += last[1]
            last = (thing, done)
            self(before + done)

        return progress
