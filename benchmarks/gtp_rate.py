"""Rates at Gen3 through PHY, GTP and line: the configuration `recorder`, and a drive that answers at once, at 0 ppm.

Core, PHY and back end are compiled; the cells are the tests' stand-ins, and the models of line and drive are in Python.
How long a dword takes through a GTP is in no document that is known here: so it is varied, from 0 on. It takes some
minutes.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from amaranth.hdl import Module  # noqa: E402
from amaranth.lib import wiring  # noqa: E402
from amaranth.lib.wiring import connect, flipped  # noqa: E402
from sata_drive_model import Behaviour, DiskImage, Drive, DriveLink  # noqa: E402
from sata_drive_model.phy.line import FS  # noqa: E402
from tables import Table, markdown  # noqa: E402
from unit.core.phy.gtp_bench import TIMES, GtpBench, OnCells, pads_of  # noqa: E402
from unit.core.phy.gtp_cells import CellTimes  # noqa: E402
from unit.core.phy.line_bench import phy  # noqa: E402

from sata_recorder.bricks.stack import stack  # noqa: E402
from sata_recorder.core.drive_port import Operation  # noqa: E402
from sata_recorder.facts.units import CEILINGS, SECTOR_WORDS  # noqa: E402
from sata_recorder.interface.configuration import configured  # noqa: E402

__all__ = ["GtpRecorder", "measured"]

GENERATION = 3
SECTORS = 8192
#: Delay of the cell, in dwords of both directions together: none, and what its buffers and stages may add up to.
DELAYS = 0, 8, 16


class _Wired(wiring.Component):
    """A recorder on its PHY."""

    def __init__(self, recorder, phy_component):
        self._parts = recorder, phy_component
        super().__init__({"user": recorder.signature.members["user"]})

    def elaborate(self, platform):
        m = Module()
        m.submodules.recorder, m.submodules.phy = recorder, below = self._parts
        connect(m, recorder.phy, below.port)
        connect(m, recorder.phy_status, below.status)
        connect(m, flipped(self.user), recorder.user)
        return m


def recorder_on_gtp(clock_hz, back_end, timing, planted=None):
    """The named configuration on the back end; what the bench of the PHY has as `make`."""
    configuration = configured("recorder", {"clock_hz": clock_hz})
    recorder = stack(configuration, phy_status=True)
    return OnCells(lambda cell: _Wired(recorder, back_end.phy(clock_hz, pads_of(back_end), cell=cell, timing=timing,
                                                              times=TIMES)),
                   {"user": recorder.signature.members["user"]}, planted)


class GtpRecorder(GtpBench):
    """Streams at the recorder's ports: it takes words that count, and what it gives is counted and compared."""

    def __init__(self, delay, *, generation=GENERATION, seed=1, **options):
        rng = random.Random(seed)
        self.image = DiskImage(sectors=1 << 20)
        unit = Drive(self.image, behaviour=Behaviour())
        self.link = DriveLink(unit, unit.behaviour, rng, round_trip=80)
        unit.attach(self.link, rng)

        def up():
            self.link.reset()
            unit.link_up()

        self.sent = self.received = self.wrong = 0
        self.done = self.running = False
        super().__init__(phy(self.link, link_up=up, generations=(1, generation)), generation=generation,
                         make=recorder_on_gtp, seed=seed,
                         cells=CellTimes(tx_words=delay // 2, rx_words=2 * (delay - delay // 2)), **options)

    def _prepare(self):
        self.dut.set(user__o__ready=1, user__i__valid=1)

    def _core(self, now):
        dut = self.dut
        if self.running:
            self.sent += 1
        dut.set(user__i__payload=self.sent & 0xFFFFFFFF)
        self.running = dut.get("user__i__ready")
        if dut.get("user__o__valid"):
            self.wrong += dut.get("user__o__payload") != self.received & 0xFFFFFFFF
            self.received += 1
        self.done = self.done or dut.get("user__status__done")

    def rate(self, operation, sectors, lba=0):
        """Bytes a second, from the start to done."""
        dut = self.dut
        self.done = False
        began = self.now
        dut.set(user__control__start=1, user__control__operation=operation, user__control__lba=lba,
                user__control__sectors=sectors)
        self.run(10e-9)
        dut.set(user__control__start=0)
        self.run(1.0, until=lambda: self.done)
        error = dut.get("user__status__error")
        assert error == 0, (error, self.story())
        return 4 * SECTOR_WORDS * sectors / ((self.now - began) / FS)


def measured(delay, sectors=SECTORS, **options):
    """(write, read) in bytes a second with this delay of the cell; every word is compared."""
    recorder = GtpRecorder(delay, **options)
    recorder.run(5e-3, until=lambda: recorder.dut.get("user__status__ready"))
    recorder.sent = 0
    write = recorder.rate(Operation.RECORD, sectors)
    read = recorder.rate(Operation.PLAY, sectors)
    words = SECTOR_WORDS * sectors
    assert (recorder.received, recorder.wrong) == (words, 0)
    assert recorder.image.read_sectors(sectors - 1, 1)[-4:] == (words - 1).to_bytes(4, "little")
    assert recorder.link.violations == recorder.drive.violations == recorder.cells.complaints == []
    return write, read


def row(name, delay):
    """Dwords, MB/s and per cent of the link's ceiling, written and read."""
    write, read = measured(delay)
    ceiling = CEILINGS[GENERATION]
    return name, *(f"{part:.2f}" for rate in (write, read) for part in (rate / 1e6, 100 * rate / ceiling))


def text(results):
    """The table."""
    return (f"Gen3, {SECTORS:,} sectors in one command:\n\n"
            + markdown(("dwords in the GTP", "write, MB/s", "% of the link", "read, MB/s", "% of the link"), results))


TABLES = (Table("phy.md", "gtp-rates", tuple((str(delay), delay) for delay in DELAYS), row, text),)
