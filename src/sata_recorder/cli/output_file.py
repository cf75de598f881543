"""A file that a command writes piece by piece."""

import contextlib

from .. import outputs
from .files import refusing


class OutputFile:
    """A file that is there once all of it has been written; what fails names ``option``."""

    def __init__(self, option, path):
        self._option, self._path = option, path
        with refusing(option, path):
            self._part = outputs.part(path)
            try:
                self._file = open(self._part, "wb")
            except OSError:
                self._part.unlink()
                raise

    def write(self, content):
        """Some more of it."""
        with refusing(self._option, self._path):
            self._file.write(content)

    def place(self):
        """It is complete."""
        with refusing(self._option, self._path):
            self._file.close()
            outputs.place(self._part, self._path, beside=True)

    def discard(self):
        """Nothing is left of it, unless it has been placed."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._part.unlink(missing_ok=True)
