"""The PHY, compiled, on one end of a line and the drive's own phy on the other.

The clocks run freely against each other, edge by edge. Times are real unless `TIMING` and `TIMES`
scale them: the 20 ms between COMRESETs are 300 us, the drive's COMINIT comes every 150 us instead
of 10 ms, and an ALIGN step takes 54.6 us as it does in hardware.
"""

import functools
from itertools import chain

from sata_drive_model.phy import DrivePhy, PhyTimes
from sata_drive_model.phy.line import FS, Line, word_period
from sata_drive_model.protocol.primitives import ALIGN, SYNC

from sata_recorder.core.phy import Phy, Timing
from unit.core.phy.compiled import Compiled

__all__ = ["LineBench", "LinePartner", "TIMES", "TIMING", "US"]

US = FS // 10**6
TIMING = Timing(retry=300e-6, longest_retry=4, align=200e-6)
TIMES = PhyTimes(beacon=150e-6)


@functools.cache
def compiled(clock_hz, gearing, generations, timing, **options):
    return Compiled(Phy(clock_hz, gearing=gearing, generations=generations, timing=timing,
                        **options), ("sync", "tx", "rx"))


class LinePartner:
    """Stands for a link at either end: SYNC 16 times, then the words of `words`, then SYNC again,
    with an ALIGN pair in every 256 dwords. `seen` is what came without ALIGN, `aligns` how many of
    these."""

    def __init__(self, words=()):
        self.words = chain([SYNC] * 16, words)
        self.seen = []
        self.aligns = 0
        self.now = 0
        self.align_deadline = 0

    def step(self, word):
        self.take(word)
        return self.give()

    def take(self, word):
        if word == ALIGN:
            self.aligns += 1
        else:
            self.seen.append(word)

    def give(self):
        self.now += 1
        return ALIGN if self.now % 256 < 2 else next(self.words, SYNC)


class LineBench:
    """`drive` is the drive's phy or None; `host` a `LinePartner` at the dword port.

    Parameters: `ppm` of the host's clocks (`sync` and `tx` come from one oscillator), `sync_hz`
    where it is not the dword rate; `switch`: seconds that a change of the line rate takes; `oob`:
    a `HardOob` where the SERDES sends and recognises OOB signals; `constant_gaps`: the gaps of OOB signals are a
    constant word, as those of the ECP5, else electrical idle; the others go to `Phy` and `Line`.

    Members: `errors`: dwords with rx_error, `ups`: (fs, generation
    or 0) whenever link_up changed, `comresets`: when those that are over began.
    """

    def __init__(self, drive, host=None, *, generations=(2, 2), gearing=2, ppm=0.0, sync_hz=None,
                 timing=TIMING, switch=2e-6, rx_offset=1234, make=compiled, oob=None,
                 constant_gaps=False, **line):
        top = generations[1]
        clock_hz = sync_hz or 37.5e6 * (1 << top - 1)
        self.dut = make(clock_hz, gearing, generations, timing,
                        **({"hard_oob": True} if oob else {}))
        self.dut.restart()
        self.drive = drive
        self.host = host or LinePartner()
        self.line = Line(drive, gearing=gearing, generation=top, **line)
        self._gearing, self._ppm = gearing, ppm
        self._oob = oob
        self._constant_gaps = constant_gaps
        self._sync_period = round(FS / (clock_hz * (1 + ppm * 1e-6)))
        self._switch = round(switch * FS)
        self._rate(top)
        self._rate_at = None
        self.now = 0
        self._next = [0, 0, rx_offset * FS // 10**12]
        self._taking = False
        self._bursting = False
        self.errors = 0
        self.ups = []
        self.comresets = []
        self._prepare()

    def _rate(self, generation):
        self._tx_period = word_period(10 * self._gearing, generation, self._ppm)
        if self._sync_period % self._tx_period < 9:         # of one oscillator: no drift
            self._tx_period = self._sync_period // round(self._sync_period / self._tx_period)
        self.line.generation = generation
        self.dut.set(serdes__rate=generation)

    def _put(self, word):
        self.dut.set(port__tx_data=word & 0xFFFFFFFF, port__tx_k=word >> 32)

    def _prepare(self):
        self._put(SYNC)

    @property
    def up(self):
        return bool(self.ups) and bool(self.ups[-1][1])

    def run(self, seconds, until=None):
        """Runs for a time; with `until` (a function of nothing) until it is true, which it must be
        by then."""
        end = self.now + round(seconds * FS)
        dut, line, following = self.dut, self.line, self._next
        i, o = dut.i, dut.o
        rx_data, locked = (dut.inputs[f"serdes__rx_{name}"] for name in ("data", "locked"))
        oob = self._oob
        active = None if oob else dut.inputs["serdes__rx_active"]
        tx_data, tx_idle, tx_oob = (dut.outputs.get(f"serdes__tx_{name}") for name in ("data", "idle", "oob"))
        while True:
            now = min(following)
            if now >= end:
                assert until is None, f"not within {seconds * 1e6:.0f} us: {self.story()}"
                return
            self.now = now
            clocks = 0
            if following[2] == now:
                clocks = 4
                i[rx_data] = line.receive(now)
                if oob:
                    oob.receive(dut, now, line.active)
                else:
                    i[active] = line.active
                i[locked] = line.locked
                following[2] = now + line.period(now)
            if following[1] == now:
                clocks |= 2
                following[1] = now + self._tx_period
            if following[0] == now:
                clocks |= 1
                following[0] = now + self._sync_period
            dut.edge(clocks)
            if clocks & 2:
                word, idle = o[tx_data], o[tx_idle]
                if self._constant_gaps and o[tx_oob]:
                    word, idle = 0 if idle else word, False
                if oob:
                    word, idle = oob.transmit(dut, now, word, idle)
                line.send(now, word, idle)
            if clocks & 1:
                self._sync(now)
                if until is not None and until():
                    return

    def story(self):
        """What happened, for a failed test."""
        drive = self.drive
        return {"ups": self.ups, "comresets": self.comresets,
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

    def _sync(self, now):
        """One clock of the core, and of what the back end does in `sync`."""
        self._core(now)
        dut = self.dut
        self.line.enable(dut.get("serdes__rx_enable"))
        if self._oob:
            self.comresets = self._oob.comresets
        elif dut.get("serdes__tx_oob") and not dut.get("serdes__tx_idle"):
            if not self._bursting:
                self._burst_since = now
            self._bursting, self._burst_until = True, now
        elif self._bursting and now - self._burst_until > US:
            self._bursting = False
            if self._burst_until - self._burst_since > 1.7 * US:
                self.comresets.append(self._burst_since)    # of COMWAKE it is 1.2 us
        wanted = dut.get("serdes__generation")
        if self._rate_at is not None and now >= self._rate_at:
            self._rate_at = None
            self._rate(wanted)
        elif self._rate_at is None and wanted != self.line.generation:
            dut.set(serdes__rate=0)
            self._rate_at = now + self._switch


def phy(partner=None, **options):
    return DrivePhy(partner or LinePartner(), **{"times": TIMES, **options})
