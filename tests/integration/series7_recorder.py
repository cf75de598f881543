# amaranth: UnusedElaboratable=no
"""The configuration `recorder` on the back end for the GTP or the GTX, compiled with stand-ins for the cells, on a line
to a drive."""

import random

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped
from sata_drive_model import Behaviour, DiskImage, Drive, DriveLink
from sata_drive_model.phy import Spectrum
from sata_drive_model.phy.line import FS

from sata_recorder.bricks.stack import stack
from sata_recorder.core.drive_port import Operation
from sata_recorder.core.phy import lane_name, lanes_of
from sata_recorder.facts.units import SECTOR_WORDS
from sata_recorder.interface.configuration import configured
from unit.core.phy.line_bench import phy
from unit.core.phy.series7_bench import CELLS, TIMES, OnCells, Series7Bench, pads_of
from unit.core.phy.series7_cells import CellTimes

__all__ = ["Series7Recorder", "recorder_on_cells"]


class _Wired(wiring.Component):
    """A recorder on its PHYs."""

    def __init__(self, recorder, phy_component):
        self._parts = recorder, phy_component
        super().__init__({"user": recorder.signature.members["user"]})

    def elaborate(self, platform):
        m = Module()
        m.submodules.recorder, m.submodules.phy = recorder, below = self._parts
        for lane, of_lane in enumerate(lanes_of(below)):
            connect(m, getattr(recorder, lane_name("phy", lane)), of_lane.port)
            connect(m, getattr(recorder, lane_name("phy_status", lane)), of_lane.status)
        connect(m, flipped(self.user), recorder.user)
        return m


def recorder_on_cells(clock_hz, back_end, timing, planted=None, **options):
    """The named configuration with ``options`` on the back end; what the bench of the PHY has as `make`."""
    configuration = configured("recorder", {"clock_hz": clock_hz, **options})
    recorder = stack(configuration, phy_status=True)
    return OnCells(lambda cell: _Wired(recorder, back_end.phy(clock_hz, pads_of(back_end), cell=cell, timing=timing,
                                                              times=TIMES)),
                   {"user": recorder.signature.members["user"]}, CELLS[back_end.name], planted, back_end.lanes)


class Series7Recorder(Series7Bench):
    """Streams at the recorder's ports: it takes words that count, and what it gives is counted and compared.

    ``delay``: dwords in the transceiver, of both directions together.
    """

    def __init__(self, delay=8, *, generation=3, seed=1, spectrum=Spectrum(), **options):
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
        super().__init__(phy(self.link, link_up=up, generations=(1, generation), spectrum=spectrum),
                         generation=generation,
                         make=recorder_on_cells, seed=seed,
                         cells=CellTimes(tx_words=delay // 2, rx_words=delay - delay // 2), **options)

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

    def start(self, operation, sectors):
        self.done = False
        self.dut.set(user__control__start=1, user__control__operation=operation, user__control__lba=0,
                     user__control__sectors=sectors)
        self.run(1.5 * self._sync_period / FS)
        self.dut.set(user__control__start=0)

    def rate(self, operation, sectors):
        """Bytes a second, from the start to done."""
        began = self.now
        self.start(operation, sectors)
        self.run(5e-3 + sectors * 20e-6, until=lambda: self.done)
        error = self.dut.get("user__status__error")
        assert error == 0, (error, self.story())
        return 4 * SECTOR_WORDS * sectors / ((self.now - began) / FS)

    def there_and_back(self, sectors):
        """Records and plays from sector 0; (bytes a second written, read). Every word is compared, and neither the
        drive nor the cells have an objection."""
        self.run(5e-3, until=lambda: self.dut.get("user__status__ready"))
        self.sent = self.received = self.wrong = 0
        write = self.rate(Operation.RECORD, sectors)
        read = self.rate(Operation.PLAY, sectors)
        words = SECTOR_WORDS * sectors
        assert (self.received, self.wrong) == (words, 0)
        assert self.image.read_sectors(sectors - 1, 1)[-4:] == (words - 1).to_bytes(4, "little")
        assert self.link.violations == self.drive.violations == self.cells.complaints == [], self.story()
        return write, read
