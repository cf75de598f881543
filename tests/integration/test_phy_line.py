"""The PHY on a line with the drive's own phy: bring-up, clocks, slips, errors, plug and unplug."""


import pytest
from integration.phy_moods import data
from short import short
from sata_drive_model.phy import PhyHabits, PhyTimes, Spectrum
from sata_drive_model.phy.line import FS
from sata_drive_model.protocol.primitives import SYNC
from unit.core.phy.line_bench import TIMING, LineBench, LinePartner, phy

from sata_recorder.core.phy import Timing


def content(seen):
    """What was sent between SYNCs."""
    return [word for word in seen if word != SYNC]


class Pair(LineBench):
    """Both ends send `count` dwords of their own as soon as the link is up."""

    def __init__(self, count=1500, seed=1, drive=None, **options):
        self.out, self.back = data(seed, count), data(seed + 1, count)
        super().__init__(phy(LinePartner(self.back), **(drive or {})), LinePartner(self.out), **options)

    def up_within(self, seconds=150e-6):
        self.run(seconds, until=lambda: self.up)

    def exchange(self, seconds=60e-6):
        """Everything arrives, at both ends, with no dword too many."""
        end = self.now + seconds * FS
        while content(self.host.seen) != self.back or content(self.drive.link.seen) != self.out:
            if self.now >= end:
                break
            self.run(10e-6)
        assert content(self.host.seen) == self.back
        assert content(self.drive.link.seen) == self.out
        assert self.errors == self.drive.errors == 0
        assert self.drive.violations == []
        assert len(self.ups) == 1


#: ppm of the drive, of the host; spread spectrum.
CLOCKS = [(0, 0, 0), (350, 0, 0), (-350, 0, 0), (350, -350, 0), (-350, 350, 0), (0, 0, 5000),
          (-350, 350, 5000), (-5000, 0, 0)]


@pytest.mark.sample(3)
@pytest.mark.parametrize("drive, host, spread", CLOCKS)
def test_link_up(drive, host, spread, seed):
    """From power-on to dwords both ways, none lost, at all clocks that are allowed."""
    pair = Pair(4000, seed, drive={"spectrum": Spectrum(drive, spread)}, ppm=host)
    pair.up_within()
    pair.exchange(100e-6)


@pytest.mark.long
@pytest.mark.parametrize("drive, host, spread", CLOCKS)
@pytest.mark.parametrize("gearing", [2, 4])
def test_clocks_for_longer(drive, host, spread, gearing, seed):
    """Through 30 periods of the spread spectrum."""
    pair = Pair(70_000, seed, drive={"spectrum": Spectrum(drive, spread)}, ppm=host,
                gearing=gearing)
    pair.up_within()
    pair.exchange(1.1e-3)


@pytest.mark.parametrize("slip", short(range(40), range(0, 40, 3)))
def test_every_slip(slip):
    pair = Pair(300, slip, slip=slip)
    pair.up_within()
    pair.exchange()


@pytest.mark.wide
@pytest.mark.sample(5)
@pytest.mark.parametrize("options", [
    {"gearing": 4}, {"sync_hz": 100e6}, {"rx_offset": 0}, {"attack": 4, "release": 1},
    {"attack": 1, "release": 5}, {"lock": 3000}], ids=lambda options: "-".join(options))
def test_back_ends(options):
    pair = Pair(**options)
    pair.up_within()
    pair.exchange()


@pytest.mark.long
@pytest.mark.parametrize("generation", [1, 2, 3])
@pytest.mark.parametrize("gearing", [2, 4])
@pytest.mark.parametrize("ratio", [1, 1.3, 2, 4])
def test_clock_ratios(generation, gearing, ratio):
    """`sync` at the dword rate and faster: no padding, and D10.2 in time, at each line rate."""
    hz = 37.5e6 * (1 << generation - 1) * ratio
    pair = Pair(generations=(generation, generation), gearing=gearing, sync_hz=hz,
                drive={"generations": (1, generation)})
    pair.up_within(200e-6)
    pair.exchange(120e-6)
    assert padding(pair) <= 4


def padding(bench):
    """ALIGN on the line beyond those of the host's link and the pair in flight."""
    return max(0, bench.drive.link.aligns - 2 - 2 * (bench.drive.link.now // 256 + 1))


def test_nothing_is_padded():
    """A dword in every dword time, where both come from one oscillator."""
    pair = Pair(3500)
    pair.up_within()
    pair.exchange()
    assert padding(pair) <= 2


@pytest.mark.wide
@pytest.mark.parametrize("drive, found", [((1, 3), 2), ((1, 2), 2), ((1, 1), 1)])
def test_negotiation(drive, found):
    """A faster drive steps down; for a slower one the back end is switched."""
    pair = Pair(drive={"generations": drive}, generations=(1, 2))
    pair.up_within(900e-6)
    assert pair.ups[-1][1] == found
    pair.exchange(80e-6)


@pytest.mark.sample(3)
@pytest.mark.parametrize("limit, found", [(1, 1), (2, 2), (3, 2), (0, 2)])
def test_limited_speed(limit, found):
    """The core asks for a slower link, with a COMRESET; then for any again."""
    pair = Pair(drive={"generations": (1, 3)}, generations=(1, 2))
    pair.up_within(900e-6)
    for asked, speed in ((limit, found), (0, 2)):
        pair.dut.set(port__limit=asked, port__reset=1)
        pair.run(100e-6, until=lambda: not pair.up)
        pair.dut.set(port__reset=0)
        pair.up_within(900e-6)
        assert pair.ups[-1][1] == speed
    assert pair.drive.violations == []


def test_no_common_speed():
    """A drive of Gen1 only and a back end that cannot be switched."""
    bench = LineBench(phy(generations=(1, 1)))
    bench.run(1e-3)
    assert bench.ups == []
    assert [name for _, name in bench.drive.events].count("FAILED") >= 2


def intervals(bench):
    return [(after - before) * 1e-9 for before, after in zip(bench.comresets, bench.comresets[1:])]


@pytest.mark.wide
def test_nothing_plugged_in():
    """COMRESET after 300 us, then the interval doubles to four times that; never up."""
    bench = LineBench(None)
    bench.run(4e-3)
    assert bench.ups == []
    assert intervals(bench) == pytest.approx([300, 600, 1200, 1200], abs=3)


@pytest.mark.wide
def test_only_a_beacon():
    """A drive that sends COMINIT for ever and hears nothing is not up. (The first COMRESET falls
    together with its power-on.)"""
    bench = LineBench(phy(habits=PhyHabits(deaf=True)))
    bench.run(3e-3)
    assert bench.ups == []
    assert [name for _, name in bench.drive.events].count("COMINIT") > 10
    assert min(intervals(bench)) >= 299
    assert bench.drive.violations == []


def test_plugged_in_late():
    """It sends COMINIT by itself: up long before the next COMRESET is due."""
    bench = LineBench(None, timing=TIMING)
    bench.run(1000e-6)
    bench.drive = drive = phy()
    bench.line.plug(drive)
    bench.run(100e-6, until=lambda: bench.up)
    assert drive.violations == []


def test_unplug_and_replug():
    pair = Pair()
    pair.up_within()
    pair.exchange()
    for n in range(2):
        pair.line.plug(None)
        gone = pair.now
        pair.run(15e-6, until=lambda: not pair.up)
        assert pair.now - gone > 11e9           # good dwords count for 12 us
        pair.run(50e-6)
        assert not pair.up
        back = data(7 + n, 1000)
        pair.drive = phy(LinePartner(back))
        pair.line.plug(pair.drive)
        pair.host.seen.clear()
        pair.run(400e-6, until=lambda: pair.up)
        pair.run(30e-6)
        assert content(pair.host.seen) == back
        assert pair.drive.violations == []


def test_drive_starts_over():
    """COMINIT out of the blue, with no silence before it that would be a loss of the signal."""
    pair = Pair()
    pair.up_within()
    pair.exchange()
    pair.run(320e-6)
    drive = pair.drive
    drive.start_over(pair.now)
    pair.run(20e-6, until=lambda: not pair.up)
    pair.run(150e-6, until=lambda: pair.up)
    assert drive.violations == []


def test_reset():
    """While `reset` is high the link is down and COMRESET is sent; then it comes up again."""
    pair = Pair()
    pair.up_within()
    pair.exchange()
    pair.dut.set(port__reset=1)
    pair.run(1e-6, until=lambda: not pair.up)
    pair.run(30e-6)
    assert not pair.up
    pair.dut.set(port__reset=0)
    pair.run(100e-6, until=lambda: pair.up)
    assert pair.drive.violations == []
    bursts = sum(name == "RESET" for _, name in pair.drive.events)
    assert bursts == 3          # power-on, the first COMRESET, and one long one


def test_slip_while_up():
    """Bits lost by the clock recovery: errors until the next ALIGN, and the link stays up."""
    pair = Pair(12_000)
    pair.up_within()
    pair.run(20e-6)
    for bits in (1, 13, 27):
        before = pair.errors
        pair.line.slip(bits)
        pair.run(12e-6)
        assert 4 <= pair.errors - before <= 400
        before = pair.errors
        pair.run(20e-6)
        assert pair.errors == before
    assert len(pair.ups) == 1
    latest = content(pair.host.seen)[-200:]
    place = pair.back.index(latest[0])
    assert latest == pair.back[place:place + 200]


@pytest.mark.parametrize("rate", [1e-5, 1e-4])
def test_bit_errors(rate, seed):
    """The link stays up; a dword that is wrong has rx_error or is followed by one that has."""
    pair = Pair(8000, seed)
    pair.up_within()
    pair.line.disturb(rate)
    pair.run(130e-6)
    assert len(pair.ups) == 1
    assert pair.errors >= (5 if rate > 5e-5 else 0)
    lost = len(pair.back) - len(set(pair.back) & set(pair.host.seen))
    assert lost <= 2 * pair.errors + 4


def test_garbage_takes_the_link_down():
    """A signal in which no ALIGN can be found for 109 us is no link."""
    pair = Pair()
    pair.up_within()
    pair.exchange()
    pair.line.disturb(0.3)
    pair.run(150e-6, until=lambda: not pair.up)


@pytest.mark.long
def test_true_times():
    """Nothing scaled: the drive answers after 8 ms, its beacon comes every 10 ms."""
    times = PhyTimes(answer=8e-3)
    bench = LineBench(phy(times=times), timing=Timing())
    bench.run(9e-3, until=lambda: bench.up)
    assert bench.drive.violations == [] and len(bench.comresets) == 1
