"""The waves that Icarus writes, on their way to a file.

The simulator does not check whether a VCD could be written: on a full disk it continues, and the file
is cut off. So it writes to a pipe, and what comes out is written here.
"""

import os
import threading

from .engine import UnwrittenFile

_CHUNK = 1 << 20


class WavesFile(threading.Thread):
    """While it is entered, writes to the file ``path`` what is written to the pipe ``pipe``.

    It makes the pipe, whose writers must have ended when it is left. If the file cannot be written, it
    calls ``stop``, and reads no more; :meth:`check` raises then.
    """

    def __init__(self, pipe, path, stop):
        super().__init__(daemon=True)
        self._path = path
        self._stop_simulation = stop
        self._error = None
        os.mkfifo(pipe)
        self._source = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        # With a writer of our own, the pipe does not end before the simulator has begun.
        self._held = os.open(pipe, os.O_WRONLY)
        os.set_blocking(self._source, True)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        os.close(self._held)
        self.join()

    def run(self):
        try:
            with open(self._path, "wb", buffering=0) as file:
                while part := os.read(self._source, _CHUNK):
                    rest = memoryview(part)
                    while rest:
                        rest = rest[file.write(rest):]
        except OSError as error:
            self._error = error
            self._stop_simulation()
        finally:
            os.close(self._source)

    def check(self):
        """Raises :exc:`.engine.UnwrittenFile` if the file is not complete."""
        if self._error:
            raise UnwrittenFile("VCD", str(self._path), self._error.strerror)
