"""The ports that set the pace at which commands follow one another."""

from .group import Group, input_row

__all__ = ["PACING"]

_TABLE = (
    input_row("command_limit", 17, "longest command in sectors, stable while busy; 0: "
        "max_command_sectors"),
    input_row("turnaround", 32, "clocks by which a command that follows another is delayed, stable while "
        "busy"),
)

PACING = Group("pacing", _TABLE, exists=lambda configuration: configuration.pacing == "programmable")
