"""Boards with a transceiver of Xilinx' 7-series: designs that Vivado builds."""

from .console_board import ConsoleBoard

__all__ = ["ConsoleBoard"]
