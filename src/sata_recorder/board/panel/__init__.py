"""A control panel for a board with the console recorder: a local web page with live plots.

| of interest | where |
| --- | --- |
| what is known of the board, and what it did: shared by all browsers | :mod:`.state` |
| an operation while it runs: its progress, its speed and its ledger | :mod:`.live` |
| blocks of a range, one after the other, with the time of each | :mod:`.scan` |
| the thread that talks to the board | :mod:`.connection` |
| what all browsers share: one board, one connection | :mod:`.desk` |
| what is saved: data, table, page, picture | :mod:`.saving` |
| who may see the page | :mod:`.gate` |
| the page: all of it, its plots, controls, tables and colours | :mod:`.page`, :mod:`.welcome`, \
:mod:`.controls`, :mod:`.charts`, :mod:`.tables`, :mod:`.texts`, ``panel.css`` |
| the server | :mod:`.server` |
"""

from .server import PanelError, run_panel

__all__ = ["PanelError", "run_panel"]
