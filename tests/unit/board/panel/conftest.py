"""A connection of the panel to a board that is a script."""

import pytest
from unit.board.panel.board import until

from sata_recorder.board.panel import connection
from sata_recorder.board.panel.connection import Connection
from sata_recorder.board.panel.state import PanelState


@pytest.fixture
def made(monkeypatch):
    """`made(board)` is a connection to it, and its state; all are closed in the end."""
    opened = []
    monkeypatch.setattr(connection, "_BUSY", 0.0)

    def make(board, **options):
        monkeypatch.setattr(connection, "Client", board)
        state = PanelState()
        state.new_board("port", 115200, False)
        opened.append(Connection(state, "port", **options))
        opened[-1].open()
        until(lambda: state.connection != "opening")
        return opened[-1], state

    yield make
    for one in opened:
        one.close()
