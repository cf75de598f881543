"""A station: the core with a console on a UART, for a board without anything else."""

from .station import Station

__all__ = ["Station"]
