"""A station: the core with a console on a UART, for a board without anything else."""

from .console_recorder import ConsoleRecorder

__all__ = ["ConsoleRecorder"]
