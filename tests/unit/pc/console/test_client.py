"""The console's client at a port that the test plays."""

import signal

import pytest

from sata_recorder.pc.console import client as module
from sata_recorder.pc.console.client import Client, ConsoleError
from sata_recorder.pc.console.interrupts import Interrupts

RECORDED = (b"record 0 8 inc32\r\nsectors-done 8\r\nwords 1024\r\nclocks 2000\r\nmb-per-s 2.04\r\nstopped yes\r\n"
            b"retries 0\r\nskipped-sectors 0\r\nok\r\n")


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
    answer, port = operate("record 0 8", {b"record 0 8": RECORDED[:15], b"stop": RECORDED[15:] + b"ok\r\n"}, [True])
    assert answer.lines == tuple(RECORDED.decode().splitlines()[:-1]) and answer.error is None
    assert port.sent == [b"record 0 8\n", b"stop\n"]


def test_the_second_ctrl_c_is_raised(operate):
    with pytest.raises(KeyboardInterrupt):
        operate("record 0 8", {}, [True, True])


def test_ctrl_c_with_the_last_byte_counts(operate):
    """The operation has ended by itself: the board is told to stop all the same, and answers that none runs."""
    answer, port = operate("flush", {b"flush": b"flush\r\nclocks 5\r\nok\r\n", b"stop": b"error not-running\r\n"},
                           [True])
    assert answer.lines == ("flush", "clocks 5") and port.sent == [b"flush\n", b"stop\n"]


def test_one_that_nobody_takes_is_the_callers():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), Interrupts():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_handler_is_the_callers_again(operate):
    operate("flush", {b"flush": b"flush\r\nclocks 5\r\nok\r\n"}, [])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


STATUS = (b"link up\r\ngeneration 2\r\nready yes\r\nlast-error none\r\ndrive-status 0x50\r\ndrive-error 0x00\r\n"
          b"capacity 1000\r\noperation none\r\nrecovering no\r\nretries 0\r\nsectors-done 0\r\nwords 0\r\n"
          b"clocks 0\r\nok\r\n")
PLAYED = RECORDED.replace(b"record", b"play").replace(b"\r\nok", b"\r\nmismatches 3\r\nfirst-mismatch 7 expected "
                                                      b"0x00000007 got 0x00000000\r\nerror mismatch")
RAW = b"".join(b"%03x:%b\r\n" % (16 * n, b" 41" * 16) for n in range(32)) + b"ok\r\n"
JOURNAL = b"entries 1\r\nin-doubt cause drive-error lba 5 sectors 7\r\nok\r\n"


@pytest.fixture
def client(monkeypatch):
    """`client({line: answer})` is a client of a board that answers so, and to `status` soundly."""
    def made(answers):
        port = SerialPort({b"status": STATUS} | answers, [])
        monkeypatch.setattr(module.serial, "serial_for_url", lambda *_, **__: port)
        return Client("port", timeout=5)
    return made


@pytest.mark.parametrize("line, answer", [
    ("record 0 8", RECORDED), ("record 0x0 8 inc32", RECORDED), ("play 0 8", PLAYED),
    ("record 0 8", b"error busy\r\n"), ("flush", b"flush\r\nclocks 5\r\nok\r\n")])
def test_a_sound_answer_to_an_operation(client, line, answer):
    found = client({line.encode(): answer}).operate(line)
    assert [*found.lines, f"error {found.error}" if found.error else "ok"] == answer.decode().splitlines()


@pytest.mark.parametrize("line, answer", [
    # Where `error` is spoilt, the lines of the status seem to follow, with its `ok`.
    ("play 0 8", PLAYED.replace(b"error", b"erro\xff")),
    ("play 0 8", PLAYED.replace(b"\r\nerror", b"\xff\xfferror")),
    ("record 0 8", RECORDED.replace(b"1024", b"1\xff24")),
    ("record 0 8", RECORDED.replace(b"8 inc32", b"\xff inc32")),
    ("record 0 8", RECORDED.replace(b"stopped", b"st\xffpped")),
    ("play 0 8", PLAYED.replace(b"mismatches", b"mism\xfftches")),
    # That of another operation, which somebody else had begun: nobody knows whether this one runs.
    ("play 0 8", RECORDED), ("record 0 80", RECORDED), ("flush", b"ok\r\n"),
])
def test_nothing_is_concluded_from_a_spoilt_answer(client, line, answer):
    with pytest.raises(ConsoleError, match="cannot be read"):
        client({line.encode(): answer}).operate(line, interval=0)


def test_a_spoilt_status_does_not_end_the_operation(client):
    board = client({b"status": STATUS.replace(b"link", b"l\xffnk")})
    with pytest.raises(ConsoleError, match="cannot be read"):
        board.operate("flush", interval=0)


@pytest.mark.parametrize("line, answer", [
    ("status", STATUS.replace(b"1000", b"1\xff00")), ("status", STATUS.replace(b"link", b"l\xffnk")),
    ("identify raw", RAW.replace(b"0a0:", b"0\xff0:")), ("identify raw", RAW.replace(b"41", b"4\xff")),
    ("journal", JOURNAL.replace(b"lba 5", b"lba \xff")), ("journal", b"entr\xffes 0\r\nok\r\n")])
def test_nor_from_a_spoilt_answer_of_another_request(client, line, answer):
    with pytest.raises(ConsoleError, match="cannot be read"):
        client({line.encode(): answer}).request(line)


def test_sound_answers_to_other_requests(client):
    board = client({b"identify raw": RAW, b"journal": JOURNAL, b"reset": b"ok\r\n", b"phy": b"error no-phy\r\n"})
    assert board.request("identify raw").data() == b"A" * 512
    assert len(board.request("journal").fields()["entries"]) == 1
    assert client({b"identify raw": b"error not-ready\r\n"}).request("identify raw").error == "not-ready"
    assert board.request("reset").error is None and board.request("phy").error == "no-phy"


def test_the_end_of_somebody_elses_operation_answers_no_request(client):
    board = client({b"status": RECORDED + STATUS})
    assert board.request("status").verb == "link"
