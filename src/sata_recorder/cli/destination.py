"""Where a copy goes: into a file with a sidecar beside it, or to standard output."""

import sys
from contextlib import contextmanager

from .. import outputs
from .files import check_output, refusing
from .output_file import OutputFile


class Destination:
    """The file ``path`` of -o, or standard output (``-``), and its ``sidecar``, None for none; with ``overwrite`` they
    replace foreign files."""

    def __init__(self, path, sidecar, overwrite):
        self.path, self.sidecar, self._overwrite = path, sidecar, overwrite
        self.is_stdout = str(path) == "-"

    @contextmanager
    def opened(self):
        """Gives the function that writes some more of the copy, which is complete when the body ends."""
        if self.is_stdout:
            yield sys.stdout.buffer.write
            sys.stdout.buffer.flush()
            return
        file = OutputFile("-o", self.path, self._overwrite)
        try:
            yield file.write
            if self.sidecar is not None:
                check_output("-o", self.sidecar, self._overwrite)
            file.place()
        finally:
            file.discard()

    def add_sidecar(self, text):
        """Writes the sidecar."""
        with refusing("-o", self.sidecar):
            outputs.write(self.sidecar, text, overwrite=self._overwrite)
