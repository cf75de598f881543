"""A board as the panel's connection sees it: a script instead of a serial port."""

import threading
import time
from collections import deque

from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.client import ConsoleError

__all__ = ["PanelBoard", "told", "until"]

STATUS = ("link up", "generation 2", "ready yes", "last-error none", "drive-status 0x50",
          "drive-error 0x00", "capacity 10000", "operation none", "recovering no", "retries 0",
          "sectors-done 0", "words 0", "clocks 0")
_ACCOUNTS = ("payload", "framing", "align", "phy-wait", "handshake", "device-hold", "host-hold",
             "activate-wait", "data-wait", "completion-wait", "command", "turnaround", "recovery",
             "flush")


class PanelBoard:
    """Answers as the console does, in order; an operation when :meth:`end` is called.

    ``heard`` are the lines that came; ``answer_to`` has other answers than the usual ones, by line. It stands for
    :class:`.console.client.Client`.
    """

    def __init__(self, *, verbs=(), serial="SN 1", running=None):
        self.lines = []
        self.answers = deque()
        self.answer_to = {}
        self.operation = running
        self.words = 0
        self.mute = False
        self.gone = None
        self.version = {"station": 1, "core": "core-1", "clock_hz": 1_000_000,
                        "buffer_words": 4096}
        self.heard = time.monotonic()
        self._verbs, self.serial = verbs, serial
        self._changed = threading.Condition()

    # What the connection calls.

    def __call__(self, port, *, baud, timeout, on_event):
        self.on_event, self.timeout = on_event, timeout
        if self.gone:
            raise ConsoleError(self.gone)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass

    def connect(self):
        pass

    def request(self, line):
        self.send(line)
        return self.answers.popleft()

    def send(self, line):
        with self._changed:
            self.lines.append(line)
            answer = self._answer(line)
            if answer and not self.mute:
                self.answers.append(answer)
            self._changed.notify_all()

    def answer(self, patience):
        with self._changed:
            if not self.answers:
                self._changed.wait(min(patience, 0.005))
            if self.gone:
                raise ConsoleError(self.gone)
            if not self.answers:
                return None
            self.heard = time.monotonic()
            return self.answers.popleft()

    def silent(self):
        return ConsoleError("no answer")

    # What a test calls.

    def end(self, *lines, error=None):
        """The operation ends, with these lines after the first one."""
        with self._changed:
            line, self.operation = self.operation, None
            words = line.split()
            first = f"{line} inc32" if words[0] in ("record", "play") and \
                words[-1] not in ("inc32", "dec32") else line
            self.answers.append(Answer((first, *lines), error))

    def moved(self, words, *, stopped="no", error=None):
        """The same for a recording or a playback."""
        self.end(f"sectors-done {words // 128}", f"words {words}", f"clocks {2 * words}",
                 "mb-per-s 2.00", f"stopped {stopped}", "retries 0", "skipped-sectors 0",
                 error=error)

    # The script.

    def _answer(self, line):
        verb = line.split()[0]
        if line in self.answer_to:
            return self.answer_to[line]
        if verb == "help":
            known = ("status", "identify", "record", "play", "flush", "dump", "counters",
                     "journal", "phy", "stop", "reset", "version", *self._verbs)
            return Answer(tuple(f"{name}: words" for name in known), None)
        if verb == "status":
            running = self.operation.split()[0] if self.operation else "none"
            self.words += 100 if self.operation else 0
            return Answer((*STATUS[:2], f"ready {'no' if self.operation else 'yes'}",
                           *STATUS[3:7], f"operation {running}", *STATUS[8:11],
                           f"words {self.words}", f"clocks {2 * self.words}"), None)
        if line == "identify raw":
            return Answer(tuple(f"{16 * n:03x}: " + "00 " * 15 + "00" for n in range(32)), None)
        if verb == "identify":
            return Answer(("model A DRIVE", f"serial {self.serial}", "firmware 1",
                           "capacity 10000", "lba48 yes"), None)
        if verb == "counters":
            return Answer((f"clocks {2 * self.words}", f"payload {self.words}",
                           *(f"{name} 0" for name in _ACCOUNTS[1:]), "high-water 5",
                           "held-cycles 1"), None)
        if verb == "journal":
            return Answer(("entries 1", "in-doubt cause drive-error lba 5 sectors 7"), None)
        if verb == "stop":
            return Answer((), None if self.operation else "not-running")
        if verb == "phy":
            return Answer((), "no-phy")
        if verb in ("record", "play", "flush", "dump", "command", "trim", "file", "segments",
                    "segments-at"):
            if self.operation:
                return Answer((), "busy")
            self.operation, self.words = line, 0
            return None
        return Answer((), None)


def until(condition):
    """Waits until it holds; a test never says how long that takes."""
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit, "it never held"
        time.sleep(0.002)


def told(state):
    """The texts of its log."""
    return [line.text for line in state.log]
