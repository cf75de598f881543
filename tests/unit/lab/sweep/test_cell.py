"""Whatever goes wrong in a cell becomes the error of its row."""

import pytest

from sata_recorder.lab.sweep import Plan, cell, measured


@pytest.mark.parametrize("fault, words", [
    (MemoryError(), "64 sectors: memory ran out"),
    (OverflowError("cannot fit 'int' into\nan index-sized integer"),
     "OverflowError: cannot fit 'int' into an index-sized integer"),
    (ValueError("too much"), "too much"),
])
def test_faults(monkeypatch, fault, words):
    def fails(*_):
        raise fault
    monkeypatch.setattr(cell, "execute", fails)
    (one,) = Plan.of({"size": 64}).cells()
    assert measured(one)["error"] == words


def test_ctrl_c_is_none(monkeypatch):
    def stops(*_):
        raise KeyboardInterrupt
    monkeypatch.setattr(cell, "execute", stops)
    (one,) = Plan.of({"size": 64}).cells()
    with pytest.raises(KeyboardInterrupt):
        measured(one)
