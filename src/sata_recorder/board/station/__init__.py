"""The console recorder without a board: its gateware, compiled, with the drive model as its drive.

| of interest | where |
| --- | --- |
| the gateware and its drive; what a station is made of | :mod:`.station` |
| what can be done to the drive while it runs: the orders | :mod:`.orders` |
| the drive's image, if it is a file | :mod:`.image` |
| the pseudo-terminal, through which any serial program can talk to it | :mod:`.terminal` |
"""

from .image import held_image, image_sectors
from .orders import ORDERS, BadOrder, obey
from .station import SIMULATED_SERIAL, Station, StationError, checked_capacity, station_configuration
from .terminal import PseudoTerminal, serve

__all__ = ["BadOrder", "ORDERS", "PseudoTerminal", "SIMULATED_SERIAL", "Station", "StationError",
           "checked_capacity", "held_image", "image_sectors", "obey", "serve", "station_configuration"]
