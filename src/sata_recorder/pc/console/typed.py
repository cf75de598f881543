"""Lines that are typed, or come from a pipe, while those of the board are shown as they come."""

import threading
from collections.abc import Callable
from typing import Self

from .answer import Answer
from .client import Client, ConsoleError

__all__ = ["Typed"]


class Typed:
    """Sends lines to ``client``, and hands each line of the board to ``show`` in a thread.

    ``wrong`` states whether an answer was an error, ``failure`` why the board no longer answers. A
    context manager, which waits in the end until all answers are there; after ``patience`` seconds
    of silence it requests the status, to learn whether the board is still there.
    """

    def __init__(self, client: Client, show: Callable[[Answer], object], *, patience: float) -> None:
        self._client = client
        self._show = show
        self._patience = patience
        self._outstanding = self._asked = 0
        self._changed = threading.Condition()
        self._ending = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self.wrong = False
        self.failure: ConsoleError | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        with self._changed:
            while kind is None and self._outstanding and not self.failure:
                if self._changed.wait(self._patience):
                    continue
                if self._asked:
                    self.failure = self._client.silent()
                else:
                    self._client.send("status")
                    self._asked += 1
            self._ending = True
        self._thread.join()

    def send(self, line: str) -> None:
        """Sends a line; raises :class:`.client.ConsoleError`."""
        if self.failure:
            raise self.failure
        with self._changed:
            self._outstanding += bool(line.strip())
        self._client.send(line)

    def _listen(self):
        try:
            while not self._ending:
                answer = self._client.answer(0.1)
                if answer is None:
                    continue
                with self._changed:
                    if self._asked and answer.verb == "link":
                        self._asked -= 1
                        self._changed.notify()
                        continue
                self._show(answer)
                with self._changed:
                    self._outstanding -= 1
                    self.wrong |= answer.error is not None
                    self._changed.notify()
        except ConsoleError as error:
            with self._changed:
                self.failure = error
                self._changed.notify()
