"""Links on the simulated line whose PHY is asked what it has seen."""

import functools

from integration.phy_moods import MOODS, Link
from sata_drive_model.phy import Loop
from sata_recorder.interface import PHY_STATUS
from sata_recorder.core.phy import Phy
from unit.core.phy.compiled import Compiled
from unit.core.phy.line_bench import LineBench

__all__ = ["BIST_BLOCKS", "RECENT", "CLOCK_NS", "LoopBench", "Observed", "status"]

#: Much shorter than in hardware, for the simulation's sake.
RECENT, BIST_BLOCKS = 1 << 12, 1 << 6
#: Of the benches' clock at Gen2.
CLOCK_NS = 1e3 / 75


@functools.cache
def watched(clock_hz, gearing, generations, timing, **options):
    return Compiled(Phy(clock_hz, gearing=gearing, generations=generations, timing=timing,
                        recent=RECENT, bist_blocks=BIST_BLOCKS, **options), ("sync", "tx", "rx"))


def status(bench):
    """All that the PHY reports, by the names of the table without `phy_`."""
    return {port.path[-1]: bench.dut.get(f"status__{port.path[-1]}")
            for port in PHY_STATUS.ports.values() if port.direction == "output"}


class _Asked(LineBench):
    def pulse(self, name):
        """`clear` or `bist_start`, for a clock of `sync`."""
        self.dut.set(**{f"status__{name}": 1})
        self.run(20e-9)
        self.dut.set(**{f"status__{name}": 0})


class Observed(_Asked, Link):
    """A link in one of the moods, or in that of a `Mood`."""

    def __init__(self, mood="kind", **options):
        super().__init__(MOODS[mood] if isinstance(mood, str) else mood, make=watched, **options)

    def up_and_running(self):
        self.run(self.mood.within, until=lambda: self.up and self.drive.state_name == "READY")
        self.line.disturb(0)
        self.run(1e-6)


class LoopBench(_Asked):
    """A cable from the transmitter to the receiver, and no drive."""

    def __init__(self, *, ppm=0, **options):
        super().__init__(Loop(ppm=ppm), ppm=ppm, make=watched, **options)
