"""Ctrl-C that loses no byte of what the port had delivered."""

import signal
import threading
from typing import Any, Self

__all__ = ["Interrupts"]


class Interrupts:
    """A context manager in which Ctrl-C is counted instead of being raised wherever the program is.

    ``waiting`` shows that Ctrl-C has come since ``take()`` was last called; ``take()`` returns the same, and
    raises ``KeyboardInterrupt`` from the second one on. One that was not taken reaches the caller at the end.
    If SIGINT is ignored, or outside the main thread, nothing changes.
    """

    def __init__(self) -> None:
        self._came = self._taken = 0
        self._before: Any = None

    def __enter__(self) -> Self:
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self._before = signal.signal(signal.SIGINT, self._count)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            if self.waiting:
                signal.raise_signal(signal.SIGINT)

    @property
    def waiting(self) -> bool:
        return self._came > self._taken

    def take(self) -> bool:
        waiting, self._taken = self.waiting, self._came
        if waiting and self._came > 1:
            raise KeyboardInterrupt
        return waiting

    def _count(self, *_):
        self._came += 1
