"""Through a pipe the progress is told in plain lines on standard error."""

import io
import sys
import threading

import pytest
import sata_drive_model
from rich.console import Console

from sata_recorder.cli.cells import Cells
from sata_recorder.cli.plain_progress import PlainProgress
from sata_recorder.cli.progress import Progress
from sata_recorder.lab.campaign import prepare


def test_lines(capsys):
    """As many lines as there are texts, each of them once; the last one ends the wait."""
    texts = iter(["one", None, "one", "two", "two", "two"])
    done = threading.Event()

    def text():
        try:
            return next(texts)
        except StopIteration:
            done.set()
            return None

    with PlainProgress(text, seconds=0.001):
        assert done.wait(60)
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "one\ntwo\n")


def test_nothing_where_it_is_soon_over(capsys):
    with PlainProgress(lambda: "never", seconds=1000):
        pass
    with PlainProgress(lambda: "never", enabled=False, seconds=0):
        pass
    assert capsys.readouterr().err == ""


def test_the_lines_of_a_measurement():
    with Progress() as progress:
        assert progress.text() is None
        progress("drive", 0, 0)
        assert progress.text() == "compiling the drive ..."
        progress("build", 0, 0)
        assert progress.text() == "compiling the core ..."
        progress("record", 262144, 1048576)
        assert progress.text() == "recording: 1.0 of 4.2 MB, 25 %"
        progress.search(5e7, None, 3)
        assert progress.text() == "search 4: 50.0 to ? MB/s"


def test_the_lines_of_a_sweep():
    with Cells(10, 3, 100) as cells:
        assert cells.text() is None
        cells.building()
        assert cells.text() == "compiling the core and the drive ..."
        cells.begin()
        assert cells.text() == "3/10 cells"


@pytest.mark.parametrize("named, terminal, bar", [
    ("xterm", True, True), ("xterm", False, False), ("dumb", True, False)])
def test_a_terminal_gets_a_bar_instead(monkeypatch, named, terminal, bar):
    """Not a dumb one, on which no bar can move."""
    screen = io.StringIO()
    monkeypatch.setenv("TERM", named)
    monkeypatch.setattr("sata_recorder.cli.live_progress.Console",
                        lambda **_: Console(file=screen, force_terminal=terminal))
    with Progress() as progress:
        progress("record", 1, 2)
        assert progress.plain == (not bar)
    assert ("recording" in screen.getvalue()) == bar


def test_a_campaign_reports_each_core_that_is_compiled(monkeypatch):
    campaign = sys.modules[prepare.__module__]
    monkeypatch.setattr(campaign, "library", lambda core, translator: "path")
    monkeypatch.setattr(campaign, "best_drive_model", lambda: sata_drive_model)
    seen = []
    paths, compiled = campaign.prepare(("stop", "skip"), progress=lambda *what: seen.append(what))
    assert seen == [("core stop", 0, 3), ("core skip", 1, 3), ("drive", 2, 3)]
    assert (paths, compiled) == ({"stop": "path", "skip": "path"}, False)
