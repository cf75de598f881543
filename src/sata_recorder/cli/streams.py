"""Standard output and standard error of the program: what becomes of a text that cannot be written."""

import errno
import io
import os
import sys


class OutputFailed(Exception):
    """Standard output takes no more. It is no ``OSError``, so that nobody takes it for one of another file."""

    def __init__(self, error):
        super().__init__(error.strerror)
        self.is_closed = error.errno == errno.EPIPE


class _Output(io.FileIO):
    def write(self, data):
        try:
            return super().write(data)
        except OSError as error:
            raise OutputFailed(error) from None


class _Errors(io.FileIO):
    """What cannot be written is dropped: there is nobody whom it could be reported to."""

    def write(self, data):
        try:
            return super().write(data)
        except OSError:
            return len(data)


def guard():
    """From now on a text that cannot be written to standard output raises :exc:`OutputFailed`."""
    sys.stdout, sys.stderr = _guarded(sys.stdout, _Output), _guarded(sys.stderr, _Errors)


def _guarded(stream, kind):
    try:
        number = stream.fileno()
    except (AttributeError, OSError, ValueError):
        return stream           # closed, or a test's
    stream.flush()
    return io.TextIOWrapper(io.BufferedWriter(kind(number, "wb", closefd=False)), encoding=stream.encoding,
                            errors=stream.errors, line_buffering=stream.line_buffering,
                            write_through=stream.write_through)


def report(failed):
    """The exit status after :exc:`OutputFailed`, which is reported unless the reader of a pipe has left."""
    # What is left would be written again in the end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if failed.is_closed:
        return 141          # as after SIGPIPE
    sys.stderr.write(f"Error: standard output cannot be written: {failed}\n")
    return 1
