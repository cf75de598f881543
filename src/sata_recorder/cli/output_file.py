"""Files that a command writes piece by piece."""

import contextlib

from .. import outputs
from .files import check_output, refusing


class OutputFile:
    """A file that is there once all of it has been written; what fails names ``option``. With ``overwrite`` it
    replaces a foreign one."""

    def __init__(self, option, path, overwrite):
        self._option, self._path, self._overwrite = option, path, overwrite
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
            outputs.place(self._part, self._path, overwrite=self._overwrite, beside=True)

    def discard(self):
        """Nothing is left of it, unless it has been placed."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._part.unlink(missing_ok=True)


@contextlib.contextmanager
def output_files(paths, overwrite):
    """Gives the :class:`OutputFile` of each of ``paths``, by the names of their options: all of them take their places
    when the body ends, or none."""
    files = {}
    try:
        for option, path in paths.items():
            files[option] = OutputFile(option, path, overwrite)
        yield files
        for option, path in paths.items():
            check_output(option, path, overwrite)
        for file in files.values():
            file.place()
    finally:
        for file in files.values():
            file.discard()
