"""What the panel's server prints of NiceGUI's log."""

import inspect
import logging
import re

import pytest

from sata_recorder.board.panel.server import matters


def record(text):
    return logging.LogRecord("nicegui", logging.ERROR, __file__, 1, text, (), None)


def test_a_busy_machine_is_no_error():
    """NiceGUI waits two seconds for its tasks when Ctrl-C ends the panel, and then complains."""
    background_tasks = pytest.importorskip("nicegui.background_tasks")
    texts = re.findall(r"log\.\w+\(f?['\"]([^'\"]+)", inspect.getsource(background_tasks.teardown))
    assert [matters(record(text)) for text in texts] == [False, True]


def test_errors_are_printed():
    assert matters(record("Traceback of a handler"))
