# amaranth: UnusedElaboratable=no
"""A PHY on its back end for the GTP or the GTX, compiled with stand-ins for the cells, on a line to a drive's phy."""

import functools
from collections import Counter
from math import inf

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from sata_drive_model.phy import HostReceiver
from sata_drive_model.phy.line import FS, Line, word_period
from sata_drive_model.protocol.primitives import SYNC

from sata_recorder.core.phy import DwordPort
from sata_recorder.core.phy.gtp import Gtp
from sata_recorder.core.phy.gtx import Gtx
from sata_recorder.core.phy.series7 import TransceiverResetTimes
from sata_recorder.interface import PHY_STATUS
from unit.core.phy.compiled import Compiled
from unit.core.phy.gtp_cells import GtpCells
from unit.core.phy.gtx_cells import GtxCells
from unit.core.phy.line_bench import TIMING, LinePartner
from unit.core.phy.series7_cells import CellTimes

__all__ = ["BACK_ENDS", "CELLS", "OnCells", "RECEIVER", "Series7Bench", "TIMES", "lane_port", "pads_of"]

#: By name of the back end: it, and the stand-ins for its cells.
BACK_ENDS = {"gtp": Gtp, "gtx": Gtx}
CELLS = {"gtp": GtpCells, "gtx": GtxCells}
#: RXCDRHOLD freezes the clock recovery: it never goes back to its reference that way.
RECEIVER = HostReceiver(reference=inf)
#: The vendor's times, but for those after which everything starts over.
TIMES = TransceiverResetTimes(transmitter=50e-6, receiver=50e-6)


def lane_port(name, lane):
    """The name that a port of the cells has for a ``lane``: that of the first one has no number."""
    if not lane:
        return name
    domain, clock, _ = name.partition("_clk")
    return f"{domain}{lane}{clock}"


class _OfLane:
    """The ports of the cells of one lane, under the names of the first one."""

    def __init__(self, component, lane):
        self._component, self._lane = component, lane

    def __getattr__(self, name):
        return getattr(self._component, lane_port(name, self._lane))


class OnCells(wiring.Component):
    """Gateware with the ports of its cells as ports. ``make(cell)`` makes it, and ``members`` of it are passed on;
    ``cells``: the stand-ins, of :data:`CELLS`; ``planted(kind, links)`` changes what a cell gets; ``lanes``: how many
    channels there are. ``made``: for each of them (kind, links) of its cells and of those that all have in common, once
    it is elaborated."""

    def __init__(self, make, members, cells, planted=None, lanes=1):
        self._make, self._passed, self._cells, self._planted = make, members, cells, planted
        self._lanes = range(lanes)
        self.made = [[] for _ in self._lanes]
        ports = {**{name: Out(width) for name, width in cells.to_cells.items()},
                 **{name: In(width) for name, width in cells.from_cells.items()},
                 **{f"{domain}_clk": In(1) for domain in cells.clocks[1:]}}
        super().__init__({**members, **{lane_port(name, lane): member for lane in self._lanes
                                        for name, member in ports.items()}})

    def elaborate(self, platform):
        m = Module()
        channels = Counter()

        def cell(kind, **links):
            if self._planted:
                self._planted(kind, links)
            each = kind if self._cells.of_lane(kind, links) else None
            lane = channels[each] if each else 0
            channels[each] += 1
            for made in self.made if kind in self._cells.shared else [self.made[lane]]:
                made.append((kind, links))
            return self._cells.connected(_OfLane(self, lane), kind, links)

        m.submodules.inner = inner = self._make(cell)
        for name in self._passed:
            connect(m, flipped(getattr(self, name)), getattr(inner, name))
        return m


def pads_of(back_end):
    return {pin.name: Signal(name=pin.name) for pin in back_end.pins()}


def phy_alone(clock_hz, back_end, timing, planted=None):
    """The PHY alone."""
    return OnCells(lambda cell: back_end.phy(clock_hz, pads_of(back_end), cell=cell, timing=timing, times=TIMES),
                   {"port": In(DwordPort()), "status": In(PHY_STATUS.signature)}, CELLS[back_end.name], planted)


@functools.cache
def compiled(clock_hz, back_end, timing, make=phy_alone, planted=None):
    """What ``make`` makes, compiled, and the cells that it has."""
    component = make(clock_hz, back_end, timing, planted)
    dut = Compiled(component, CELLS[back_end.name].clocks)
    return dut, component.made[0]


class Series7Bench:
    """As a :class:`.line_bench.LineBench`, with the back end and its cells between PHY and line.

    Parameters: `drive` and `host` as there; `kind`: `gtp` or `gtx`; `generation`; `sync_hz`, the dword rate if it is
    None; `ppm` of the host's clocks; `cells`: `CellTimes`; `planted` changes what the cells get; `receiver` and the
    others go to `Line`.
    """

    def __init__(self, drive, host=None, *, kind="gtp", generation=3, ppm=0.0, sync_hz=None, timing=TIMING,
                 rx_offset=1234, make=phy_alone, cells=CellTimes(), planted=None, receiver=RECEIVER, back_end=None,
                 **line):
        clock_hz = sync_hz or 37.5e6 * (1 << generation - 1)
        back_end = back_end or BACK_ENDS[kind](generation=generation)
        self.dut, made = compiled(clock_hz, back_end, timing, make, planted)
        self.dut.restart()
        self.drive = drive
        self.host = host or LinePartner()
        self.line = Line(drive, gearing=2, generation=generation, receiver=receiver, **line)
        self.cells = CELLS[back_end.name](self.dut.get, self.dut.set, made, generation, back_end.pll_reference_hz,
                                          self.line, times=cells)
        self._tx_period = word_period(40, generation, ppm)
        self._sync_period = self._tx_period if sync_hz is None else round(FS / (clock_hz * (1 + ppm * 1e-6)))
        self.now = 0
        self._next = [0, 4321 * FS // 10**12, rx_offset * FS // 10**12]
        self._taking = False
        self.errors = 0
        self.ups = []
        self._prepare()

    @property
    def comresets(self):
        return self.cells.comresets

    @property
    def up(self):
        return bool(self.ups) and bool(self.ups[-1][1])

    def _put(self, word):
        self.dut.set(port__tx_data=word & 0xFFFFFFFF, port__tx_k=word >> 32)

    def _prepare(self):
        self._put(SYNC)

    def run(self, seconds, until=None):
        """Runs for a time; with `until` (a function of nothing) until it is true, which it must be by then."""
        end = self.now + round(seconds * FS)
        dut, line, following, cells = self.dut, self.line, self._next, self.cells
        while True:
            now = min(following)
            if now >= end:
                assert until is None, f"not within {seconds * 1e6:.0f} us: {self.story()}"
                return
            self.now = now
            clocks = 0
            if following[2] == now:
                word = line.receive(now)
                clocks = cells.receive(now, word, line.active)
                following[2] = now + line.period(now)
            if following[1] == now:
                clocks |= 2 if cells.clock_locked else 0
                following[1] = now + self._tx_period
            if following[0] == now:
                clocks |= 1
                following[0] = now + self._sync_period
            dut.edge(clocks)
            if clocks & 2:
                cells.transmit(now, self._tx_period)
            if clocks & 1:
                cells.sync(now)
                self._core(now)
                if until is not None and until():
                    return

    def story(self):
        """What happened, for a failed test."""
        drive = self.drive
        return {"ups": self.ups, "comresets": self.comresets, "restarts": self.cells.restarts,
                "complaints": self.cells.complaints,
                "drive": drive and drive.events, "violations": drive and drive.violations}

    def _core(self, now):
        """One clock of what stands at the dword port."""
        dut, host = self.dut, self.host
        if self._taking:
            self._put(host.give())
        self._taking = dut.get("port__tx_ready")
        generation = dut.get("port__link_up") and dut.get("port__generation")
        if generation != (self.ups[-1][1] if self.ups else 0):
            self.ups.append((now, generation))
        if dut.get("port__rx_valid"):
            if dut.get("port__rx_error"):
                self.errors += 1
            else:
                host.take(dut.get("port__rx_data") | dut.get("port__rx_k") << 32)
