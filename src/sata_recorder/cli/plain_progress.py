"""Progress where standard error is no terminal, or a dumb one: a line each ten seconds."""

import threading

import click

_SECONDS = 10


def moves(console):
    """Whether the ``console`` of Rich can draw a bar again and again: a terminal, and no dumb one."""
    return console.is_terminal and not console.is_dumb_terminal


class PlainProgress:
    """While it is entered, ``text()`` is printed on standard error after each ``seconds``.

    What ends sooner prints nothing; a text that is None, or the same as before, is left out. It does nothing
    unless it is ``enabled``.
    """

    def __init__(self, text, *, enabled=True, seconds=_SECONDS):
        self._text, self._enabled, self._seconds = text, enabled, seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        if self._enabled:
            self._thread.start()
        return self

    def __exit__(self, *exc):
        self._ended.set()
        if self._enabled:
            self._thread.join()

    def _run(self):
        printed = None
        while not self._ended.wait(self._seconds):
            if (text := self._text()) not in (None, printed):
                click.echo(text, err=True)
                printed = text
