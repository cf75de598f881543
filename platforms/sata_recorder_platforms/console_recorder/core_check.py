"""Which cores a console recorder can have."""

from .pattern_source import has_source
from .uart import LEAST_DIVISOR

__all__ = ["check_core"]


def check_core(configuration, baud, below=(), arrays=False, clocked=False):
    """``ValueError`` for a core that a :class:`.console_recorder.ConsoleRecorder` with these parameters cannot have."""
    if baud <= 0 or configuration.clock_hz / baud < LEAST_DIVISOR:
        raise ValueError(f"baud = {baud}: at most clock_hz / {LEAST_DIVISOR}, which is "
                         f"{configuration.clock_hz / LEAST_DIVISOR:.0f}")
    if configuration.drives > 1 and not arrays:
        raise ValueError(f"drives = {configuration.drives}: this console recorder has the dword port of one drive")
    if configuration.drives > 1 and configuration.extents == "queued":
        raise ValueError(f"drives = {configuration.drives}, and extents = queued: the console recorder times accesses "
                         "by the commands of one drive")
    if configuration.drives > 1 and configuration.commands:
        raise ValueError(f"drives = {configuration.drives}, and commands = true: the requests of the console recorder "
                         "that issue commands are for one drive")
    if configuration.channels > 1:
        raise ValueError(f"channels = {configuration.channels}: the pattern of the console recorder is one stream")
    if configuration.on_overflow == "drop":
        raise ValueError("on_overflow = drop: the pattern of the console recorder waits for "
                         "the drive, it needs stall")
    if configuration.source_clock and not clocked:
        raise ValueError("source_clock = true: the boards of the console recorder have no other clock for the pattern")
    for part, there in (("commands = true", configuration.commands),
                        ("extents = queued", configuration.extents == "queued")):
        if there and has_source(configuration):
            raise ValueError(f"{part}: needs source_width = 32 and source_clock = false: its words do not come from "
                             "the source")
    if configuration.playback_clock or configuration.playback_width != 32:
        raise ValueError("playback_width and playback_clock: the console recorder compares words of 32 bits in the "
                         "core's clock")
    if configuration.memory and not below:
        raise ValueError("memory: the boards of the console recorder have no controller of one")
    if not configuration.journal:
        raise ValueError("journal = false: the console recorder prints the journal")
    if not configuration.ledger:
        raise ValueError("ledger = false: the console recorder prints the ledger")
