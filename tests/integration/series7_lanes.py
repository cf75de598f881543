"""An array on the channels of one Quad of GTPs or GTXs, compiled with stand-ins for the cells, each on a line to a
drive of its own."""

import functools
import random

from sata_drive_model import Behaviour, DiskImage, Drive, DriveLink
from sata_drive_model.phy.line import FS, Line, word_period

from integration.series7_recorder import recorder_on_cells
from sata_recorder.facts.units import DWORD_HZ, SECTOR_WORDS
from unit.core.phy.compiled import Compiled
from unit.core.phy.line_bench import TIMING, phy
from unit.core.phy.series7_bench import BACK_ENDS, CELLS, RECEIVER, lane_port

__all__ = ["Series7Lanes"]

SECTORS = 1 << 16


@functools.cache
def _compiled(kind, lanes, generation):
    component = recorder_on_cells(DWORD_HZ[generation], BACK_ENDS[kind](generation=generation, lanes=lanes), TIMING,
                                  drives=lanes, commands=False, extents="single")
    clocks = [name + str(lane or "") for lane in range(lanes) for name in CELLS[kind].clocks[1:]]
    return Compiled(component, ("sync", *clocks)), component.made


class _Lane:
    """A drive with its line, and the cells of the channel that leads to it."""

    def __init__(self, kind, dut, made, lane, generation, seed):
        rng = random.Random(seed)
        self.image = DiskImage(sectors=SECTORS)
        unit = Drive(self.image, behaviour=Behaviour())
        self.link = DriveLink(unit, unit.behaviour, rng, round_trip=80)
        unit.attach(self.link, rng)
        link = self.link

        def up():
            link.reset()
            unit.link_up()

        self.phy = phy(link, link_up=up, generations=(1, generation))
        self.line = Line(self.phy, gearing=2, generation=generation, receiver=RECEIVER, slip=rng.randrange(20))
        reference_hz = BACK_ENDS[kind](generation=generation).pll_reference_hz
        cells = CELLS[kind]

        def name(port):
            return port if port in cells.shared else lane_port(port, lane)

        def give(**values):
            dut.set(**{name(port): value for port, value in values.items()})

        self.cells = cells(lambda port: dut.get(name(port)), give, made, generation, reference_hz, self.line)
        self.shift = lane * (len(cells.clocks) - 1)


class Series7Lanes:
    """Words that count into the array, and out of it."""

    def __init__(self, lanes=2, *, kind="gtp", generation=3, seed=1):
        self.dut, made = _compiled(kind, lanes, generation)
        self.dut.restart()
        self.lanes = [_Lane(kind, self.dut, made[lane], lane, generation, seed + lane) for lane in range(lanes)]
        self._tx_period, self._sync_period = word_period(40, generation, 0), round(FS / DWORD_HZ[generation])
        self._next = [0, *(4321 * FS // 10**12 + 777 * lane * FS // 10**12 for lane in range(lanes)),
                      *(1234 * FS // 10**12 + 555 * lane * FS // 10**12 for lane in range(lanes))]
        self.now = self.sent = self.received = self.wrong = 0
        self.done = self._running = False
        self.dut.set(user__o__ready=1, user__i__valid=1)

    def run(self, seconds, until=None):
        """Runs for a time; with `until` until it is true, which it must be by then."""
        end, dut, count = self.now + round(seconds * FS), self.dut, len(self.lanes)
        while True:
            self.now = now = min(self._next)
            if now >= end:
                assert until is None, f"not within {seconds * 1e6:.0f} us: {self.story()}"
                return
            edges, sending = 0, []
            for lane, one in enumerate(self.lanes):
                if self._next[1 + count + lane] == now:
                    word = one.line.receive(now)
                    edges |= one.cells.receive(now, word, one.line.active) << one.shift
                    self._next[1 + count + lane] += one.line.period(now)
                if self._next[1 + lane] == now:
                    edges |= 2 * one.cells.clock_locked << one.shift
                    sending += [one] * one.cells.clock_locked
                    self._next[1 + lane] += self._tx_period
            if core := self._next[0] == now:
                edges |= 1
                self._next[0] += self._sync_period
            dut.edge(edges)
            for one in sending:
                one.cells.transmit(now, self._tx_period)
            if core:
                for one in self.lanes:
                    one.cells.sync(now)
                self._core()
                if until is not None and until():
                    return

    def _core(self):
        dut = self.dut
        self.sent += self._running
        dut.set(user__i__payload=self.sent & 0xFFFFFFFF)
        self._running = dut.get("user__i__ready")
        if dut.get("user__o__valid"):
            self.wrong += dut.get("user__o__payload") != self.received & 0xFFFFFFFF
            self.received += 1
        self.done = self.done or dut.get("user__status__done")

    def ready(self):
        self.run(20e-3, until=lambda: self.dut.get("user__status__ready"))

    def start(self, operation, sectors):
        self.done = False
        self.dut.set(user__control__start=1, user__control__operation=operation, user__control__lba=0,
                     user__control__sectors=sectors)
        self.run(1.5 * self._sync_period / FS)
        self.dut.set(user__control__start=0)

    def transfer(self, operation, sectors):
        """Bytes a second, from the start to done; the error must be 0."""
        began = self.now
        self.start(operation, sectors)
        self.run(5e-3 + sectors * 20e-6, until=lambda: self.done)
        assert self.dut.get("user__status__error") == 0, self.story()
        return 4 * SECTOR_WORDS * sectors / ((self.now - began) / FS)

    def links(self, lane):
        """How often the link of a lane came up, as its PHY reports it."""
        self.dut.set(user__array__lane=lane)
        self.run(1e-6)
        return self.dut.get("user__phy_status__links")

    def story(self):
        """What happened, for a failed test."""
        return [{"comresets": one.cells.comresets, "restarts": one.cells.restarts, "complaints": one.cells.complaints,
                 "drive": one.phy.events, "violations": one.phy.violations + one.link.violations}
                for one in self.lanes]
