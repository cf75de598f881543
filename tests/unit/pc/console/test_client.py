"""The console's client at a port that the test plays."""

import signal

import pytest

from sata_recorder.pc.console import client as module
from sata_recorder.pc.console.client import Client
from sata_recorder.pc.console.interrupts import Interrupts


class SerialPort:
    """A serial port that answers lines; it raises SIGINT after bytes were read, before it returns them."""

    def __init__(self, answers, interrupt_at):
        self.sent, self.timeout = [], 0
        self._answers, self._interrupt_at, self._waiting = answers, interrupt_at, b""

    @property
    def in_waiting(self):
        return len(self._waiting)

    def write(self, data):
        self.sent.append(data)
        self._waiting += self._answers.get(data.strip(), b"")

    def read(self, size):
        found, self._waiting = self._waiting[:size], self._waiting[size:]
        if self._interrupt_at and self._interrupt_at.pop(0):
            signal.raise_signal(signal.SIGINT)
        return found


@pytest.fixture
def operate(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def made(line, answers, interrupt_at):
        port = SerialPort(answers, interrupt_at)
        monkeypatch.setattr(module.serial, "serial_for_url", lambda *_, **__: port)
        return Client("port", timeout=5).operate(line, interval=5), port

    yield made
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_loses_no_byte(operate):
    """It comes while the first bytes of the answer are read."""
    answer, port = operate("record 0 8", {b"record 0 8": b"record 0 8 in", b"stop":
                                          b"c32\r\nstopped yes\r\nok\r\nok\r\n"}, [True])
    assert answer.lines == ("record 0 8 inc32", "stopped yes") and answer.error is None
    assert port.sent == [b"record 0 8\n", b"stop\n"]


def test_the_second_ctrl_c_is_raised(operate):
    with pytest.raises(KeyboardInterrupt):
        operate("record 0 8", {}, [True, True])


def test_ctrl_c_with_the_last_byte_counts(operate):
    """The operation has ended by itself: the board is told to stop all the same, and answers that none runs."""
    answer, port = operate("flush", {b"flush": b"flush\r\nok\r\n", b"stop": b"error not-running\r\n"}, [True])
    assert answer.lines == ("flush",) and port.sent == [b"flush\n", b"stop\n"]


def test_one_that_nobody_takes_is_the_callers():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), Interrupts():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_handler_is_the_callers_again(operate):
    operate("flush", {b"flush": b"flush\r\nok\r\n"}, [])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
