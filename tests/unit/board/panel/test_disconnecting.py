"""Disconnecting from a simulated board: it has ended when the panel shows that there is none."""

from unit.board.panel.board import PanelBoard, until

from sata_recorder.board.panel import connection, desk
from sata_recorder.board.panel.desk import Desk


def test_shows_the_end_after_the_board_has_ended(monkeypatch):
    shown = []

    class Board:
        def __init__(self, **options):
            pass

        def start(self):
            return "port"

        def close(self):
            shown.append(seat.state.connection)

    seat = Desk()
    monkeypatch.setattr(desk, "SimulatedBoard", Board)
    monkeypatch.setattr(connection, "Client", PanelBoard())
    seat.connect_simulated()
    until(lambda: seat.state.open)
    seat.disconnect()
    assert shown == ["open"] and seat.state.connection == "none"


def test_a_lost_board_stays_lost(monkeypatch):
    board, seat = PanelBoard(), Desk()
    monkeypatch.setattr(connection, "Client", board)
    seat.connect("port")
    until(lambda: seat.state.open)
    board.gone = "port: no such device"
    until(lambda: seat.state.connection == "lost")
    seat.disconnect()
    assert seat.state.connection == "lost"
