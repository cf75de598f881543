"""A board with the console recorder at the other end of a serial port."""

import errno
import os
import time
from collections.abc import Callable
from typing import Any, Self

import serial

from .answer import Answer
from .grammar import OPERATIONS, PROTOCOL
from .interrupts import Interrupts
from .sound import SpoiltAnswer, sound_fields

__all__ = ["Client", "ConsoleError"]

_POLL = 0.05        # s that one read of the port waits at most
_LONGEST = 1000     # characters; an endless line is noise


class ConsoleError(Exception):
    """No board answers, or it has stopped answering; the text is one line."""


class Client:
    """Talks to the board at ``port``, a device or a URL of pyserial.

    ``timeout`` is the longest silence in s; ``on_event`` is called with the text of each line that
    the board sends unasked. Raises :class:`ConsoleError`. A context manager; ``version`` has the
    fields of the board's version after ``connect()``, ``heard`` is the time (of
    ``time.monotonic()``) at which bytes came last, ``interrupted``: Ctrl-C has stopped an operation.
    """

    def __init__(self, port: str, *, baud: int = 115200, timeout: float = 3.0,
                 on_event: Callable[[str], object] | None = None) -> None:
        self._name = port
        self._baud = baud
        self._timeout = timeout
        self._on_event = on_event or (lambda text: None)
        self._bytes = b""
        self._lines: list[str] = []
        self.version: dict[str, Any] = {}
        self.heard = time.monotonic()
        self.interrupted = False
        try:
            self._port = serial.serial_for_url(port, baudrate=baud, timeout=_POLL)
        except (serial.SerialException, ValueError, OSError, KeyError) as error:
            raise ConsoleError(f"{port or repr(port)}: cannot be opened: {_reason(error)}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._port.close()

    def connect(self) -> None:
        """Makes sure that a board answers; what others have left unread is dropped."""
        self.send("")       # ends what somebody may have begun to type
        self.send("version")
        limit = time.monotonic() + 3 * self._timeout
        while (answer := self.answer(self._timeout, limit)) and answer.verb != "station":
            pass
        if answer is None:
            raise self.silent()
        self.version = self._sound(answer)
        if self.version["station"] != PROTOCOL:
            raise ConsoleError(f"{self._name}: a station of protocol {self.version['station']}, "
                               f"this program knows {PROTOCOL}")

    def send(self, line: str) -> None:
        """Sends ``line``; its answer is not awaited."""
        try:
            self._port.write(line.encode("ascii", "replace") + b"\n")
        except (serial.SerialException, OSError) as error:
            raise self._gone(error) from None

    def request(self, line: str) -> Answer:
        """Sends ``line`` and returns its :class:`.Answer`, which is sound."""
        self.send(line)
        answer = self._wait()
        while answer.verb in OPERATIONS:    # that of somebody else's operation, which has just ended
            answer = self._wait()
        self._sound(answer, line)
        return answer

    def operate(self, line: str, *, on_progress: Callable[[dict[str, Any]], object] | None = None,
                interval: float = 1.0) -> Answer:
        """Sends ``line``, which starts an operation, and returns its answer, which is sound, when it has ended.

        Every ``interval`` seconds of silence the board's status is requested, and
        ``on_progress`` is called with the fields. Ctrl-C stops the operation, a second one raises
        ``KeyboardInterrupt``.
        """
        self._port.timeout = min(_POLL, interval)
        try:
            with Interrupts() as interrupts:
                return self._operate(line, on_progress, interval, interrupts)
        finally:
            self._port.timeout = _POLL

    def _operate(self, line, on_progress, interval, interrupts):
        self.send(line)
        asked, stopping, result = 0, 0, None
        while result is None or asked or stopping or interrupts.waiting:
            if interrupts.take():
                self.interrupted = True
                self.send("stop")
                stopping += 1
            answer = self.answer(self._timeout if asked or stopping else interval,
                                 wake=lambda: interrupts.waiting)
            if answer is None:
                if interrupts.waiting:
                    continue
                if asked or stopping:
                    raise self.silent()
                self.send("status")
                asked += 1
            elif answer.verb == "link":
                asked -= 1
                fields = self._sound(answer, "status")
                if on_progress:
                    on_progress(fields)
            elif stopping and not answer.lines and answer.error in (None, "not-running"):
                stopping -= 1
            else:
                self._sound(answer, line)
                result = answer
        return result

    def stop(self, **options: Any) -> Answer:
        """Stops the operation that runs; returns its answer, or else the error."""
        self.send("stop")
        answer, operation = self._wait(), None
        while answer.lines:     # it has ended by itself
            answer, operation = self._wait(), answer
        if answer.error is None:
            return self.operate("", **options)
        return operation or answer

    def answer(self, patience: float, limit: float = float("inf"),
               wake: Callable[[], object] = lambda: False) -> Answer | None:
        """The next answer, or None after ``patience`` seconds of silence, at the time ``limit``, or
        while nothing comes and ``wake()`` holds."""
        deadline = time.monotonic() + patience
        while True:
            line = self._line(min(deadline, limit), wake)
            if line is None:
                return None
            deadline = time.monotonic() + patience
            if line.startswith("* "):
                self._on_event(line[2:])
            elif line == "ok" or line.startswith("error "):
                lines, self._lines = tuple(self._lines), []
                return Answer(lines, line.partition(" ")[2] or None)
            elif line:
                self._lines.append(line)

    def _wait(self):
        answer = self.answer(self._timeout)
        if answer is None:
            raise self.silent()
        return answer

    def _line(self, deadline, wake):
        """The next line, or None if it is not there at ``deadline`` or when ``wake()`` holds."""
        while b"\n" not in self._bytes:
            try:
                found = self._port.read(max(1, self._port.in_waiting))
            except (serial.SerialException, OSError) as error:
                raise self._gone(error) from None
            self._bytes += found
            if found:
                self.heard = time.monotonic()
            if b"\n" not in found:
                self._bytes = self._bytes[-_LONGEST:]
                if time.monotonic() >= deadline or not found and wake():
                    return None
        line, _, self._bytes = self._bytes.partition(b"\n")
        return line.decode("ascii", "replace").strip()

    def _sound(self, answer, line=""):
        """The fields of the ``answer`` to ``line``: nothing is concluded from one that noise has spoilt."""
        try:
            return sound_fields(answer, line)
        except SpoiltAnswer as error:
            raise ConsoleError(f"{self._name}: an answer that cannot be read, or to another request: {error}"
                               ) from None

    def silent(self) -> "ConsoleError":
        """The error that there is no answer."""
        return ConsoleError(f"{self._name}: no answer of a station at {self._baud} baud within "
                            f"{self._timeout:g} s")

    def _gone(self, error):
        return ConsoleError(f"{self._name}: {_reason(error)}")


def _reason(error):
    """Why a port could not be used, in words: pyserial puts numbers of errors and quotes around them."""
    number = getattr(error, "errno", None) or next(iter(error.args), None)
    if number in (errno.ENOTTY, errno.EINVAL) or "Inappropriate ioctl" in str(error):
        return "is no serial port"
    if isinstance(number, int) and number > 0:
        return os.strerror(number)
    if "'debug|" in str(error):     # of a URL whose port is no number
        return "must be a serial port such as /dev/ttyUSB1, or a URL such as socket://host:4000"
    return " ".join(str(error).split())
