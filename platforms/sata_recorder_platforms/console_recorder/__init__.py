"""A core with a console on a UART, for a board that has nothing else."""

from .console_recorder import ConsoleRecorder

__all__ = ["ConsoleRecorder"]
