"""What `qualify` shows of a drive's SMART before and after it."""

import io

import pytest
from rich.console import Console
from sata_drive_model import Health
from unit.pc.maintenance.test_diagnosis import DiagnosedBoard

from sata_recorder.cli.console_drive import read_care
from sata_recorder.report import render_readings


class Client:
    """A board of :mod:`unit.pc.maintenance.test_diagnosis` at a connection."""

    def __init__(self, **options):
        self._board = DiagnosedBoard(**options)
        self.request = self.operate = self._board.answer


def shown(before, after, simulated=False):
    text = io.StringIO()
    render_readings(Console(file=text, width=100), before, after, simulated=simulated)
    return text.getvalue()


def test_before_and_behind():
    before = read_care(Client(health=Health(written_bytes=10**9, endurance_bytes=10**10)))
    after = read_care(Client(health=Health(written_bytes=4 * 10**9, endurance_bytes=10**10, celsius=75)))
    text = shown(before, after)
    assert "worn" in text and "10 %" in text and "40 %" in text
    assert "1.00 GB by the host" in text and "4.00 GB by the host" in text
    assert "raw bit error rate" in text and "unknown" in text and "watch" in text
    assert "241 sectors written" in text and "7,812,500" in text
    assert "75 degrees Celsius: drives throttle there" in text
    assert "simulated" not in text and "a simulated drive" in shown(before, after, simulated=True)


@pytest.mark.parametrize("options", [{"commands": False}, {"health": None}])
def test_nothing_to_ask(options):
    assert read_care(Client(**options)) is None


def test_a_drive_that_does_not_answer_behind():
    assert "unknown" in shown(read_care(Client()), None)
