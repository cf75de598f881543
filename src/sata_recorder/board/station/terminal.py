"""A station at a pseudo-terminal, through which any serial program can talk to it."""

import os
import select
import time
import tty

#: Clocks of one step while something happens: bytes of the line wait for its end. Clocks after which
#: a byte is on its way, and the most bytes that wait unread.
STEP, BEGUN = 10_000, 5_000
MOST_WAITING = 1 << 16
#: Seconds between two polls of the world while nothing happens, and between two steps of a core
#: that waits for a drive.
_REST, _PAUSE = 0.25, 0.05
#: Seconds that an operation in step waits for a program.
_PATIENCE = 1.0
_BITS_A_BYTE = 10


class PseudoTerminal:
    """Both ends of a pseudo-terminal: ``handle`` to serve, ``name`` for others to open.

    ``baud`` is the speed, in bits a second, of a serial line that is as slow, None for none: it
    limits the bytes in real time, both ways. What is not read is lost in the end, as on a line.
    """

    def __init__(self, baud=None):
        self.handle, self._theirs = os.openpty()
        tty.setraw(self._theirs)        # it stays open, so that others may come and go
        os.set_blocking(self.handle, False)
        self.name = os.ttyname(self._theirs)
        self._waiting = bytearray()
        self._outward, self._inward = _Allowance(baud), _Allowance(baud)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        os.close(self.handle)
        os.close(self._theirs)

    def write(self, data=b""):
        """Hands out ``data``, and what waits before it, as far as the line takes it."""
        self._waiting += data
        del self._waiting[:-MOST_WAITING]
        if count := min(len(self._waiting), self._outward.bytes()):
            try:
                written = os.write(self.handle, self._waiting[:count])
            except BlockingIOError:
                return
            self._outward.use(written)
            del self._waiting[:written]

    def read(self):
        """What has come, as far as the line brings it."""
        if not (count := min(4096, self._inward.bytes())):
            return b""
        try:
            data = os.read(self.handle, count)
        except BlockingIOError:
            return b""
        self._inward.use(len(data))
        return data

    @property
    def waiting(self):
        """How many bytes wait to be handed out."""
        return len(self._waiting)


class _Allowance:
    """The bytes that a line of ``baud`` may carry by now; it has room for 16 at once."""

    def __init__(self, baud):
        self._rate = baud / _BITS_A_BYTE if baud else None
        self._left, self._at = 16.0, time.monotonic()

    def bytes(self):
        if self._rate is None:
            return MOST_WAITING
        now = time.monotonic()
        self._left = min(16.0, self._left + (now - self._at) * self._rate)
        self._at = now
        return int(self._left)

    def use(self, count):
        if self._rate is not None:
            self._left -= count


def _read(handle):
    """What has come from a file; nothing at its end, or if it is not ours to read."""
    try:
        return os.read(handle, 4096)
    except OSError:
        return b""


def serve(station, terminal, *, orders=None, on_order=None, while_=lambda: True,
          in_step=False):
    """Lets ``station`` answer at ``terminal`` as long as ``while_()`` holds.

    Simulated time passes while something happens: an operation, a byte, the bring-up of a drive.
    ``orders`` is a file handle from which lines come, each of which is handed to ``on_order``; its
    end hands over None once. ``in_step``: an operation runs only a short way from one byte of
    the program at the other end to the next, at most a second: what the program sees while it runs
    is as dense on a slow machine as on a fast one.
    """
    board, line = station.board, b""
    while while_():
        if not station.idle:
            board.run(STEP)
        terminal.write(board.receive())
        rest = _REST if station.idle else _PAUSE if station.waiting else 0
        if in_step and station.working:
            rest = _PATIENCE
        if terminal.waiting:
            rest = min(rest, 0.005)
        handles = [terminal.handle] if orders is None else [terminal.handle, orders]
        found = select.select(handles, [], [], rest)[0]
        if terminal.handle in found and (data := terminal.read()):
            board.send(data)
            board.run(BEGUN)      # it is on its way now
        elif terminal.handle in found:
            time.sleep(0.001)           # the line brings no more yet
        if orders in found:
            data = _read(orders)
            *lines, line = (line + data).split(b"\n") if data else (line, b"")
            for text in filter(bytes.strip, lines):
                on_order(text.decode("utf-8", "replace").strip())
                board.run(BEGUN)
            if not data:
                orders = None
                on_order(None)
