"""The PHY on its back end for the GTP, with stand-ins for the cells, on a line to a drive's phy: at each generation the
failures that boards and drives were seen to have, and those of the GTP's own parts."""

from dataclasses import replace

import pytest
from sata_drive_model.phy import Loop, PhyHabits, PhyTimes
from sata_drive_model.phy.line import FS

from integration.phy_moods import MOODS, Judged, Mood, random_mood
from sata_recorder.core.phy import BistState, PhyState
from sata_recorder.core.phy.gtp import Gtp
from short import short
from unit.core.phy.gtp_bench import RECEIVER, GtpBench
from unit.core.phy.gtp_cells import CellTimes
from unit.core.phy.line_bench import LinePartner, phy

US = FS // 10**6

_NO_DETECTOR = "n/a: RXELECIDLE is not used, dwords alone show a signal"
_OWN_RATE = "n/a: that is the rate of the back end"
#: Rows of :data:`MOODS` that do not exist at a generation, and why.
NOT_THERE = {
    **{(name, generation): _NO_DETECTOR for generation in (1, 2, 3)
       for name in ("idle during data", "detector chatters", "chatters, continues ALIGN")},
    ("begins at Gen3", 3): _OWN_RATE, ("begins at Gen1", 1): _OWN_RATE, ("Gen1, Gen2, Gen3", 1): _OWN_RATE,
}
ROWS = [(name, generation) for name in MOODS for generation in (1, 2, 3)]


def mood_at(name, generation):
    """A row of the table for a back end that has this generation only, whose clock recovery is frozen, not taken to its
    reference, while it is held."""
    mood = MOODS[name]
    drive = {"generations": (1, generation), **mood.drive}
    habits = drive.get("habits", PhyHabits())
    if name == "begins at Gen1":
        habits = replace(habits, order=(1, generation))
    receiver = replace(mood.receiver, reference=RECEIVER.reference)
    return replace(mood, drive={**drive, "habits": habits}, receiver=receiver)


class GtpLink(Judged, GtpBench):
    def judge(self, words=60e-6, stays=60e-6):
        super().judge(words, stays)
        assert self.cells.complaints == [] and self.comresets


@pytest.mark.sample(3)
@pytest.mark.parametrize("name, generation", short(ROWS, [
    ("kind", 1), ("begins at Gen3", 2), ("both pairs inverted", 3)]))
def test_mood(name, generation, seed):
    """It links, carries words both ways, and the cells are used as their maker states."""
    if why := NOT_THERE.get((name, generation)):
        pytest.skip(why)
    GtpLink(mood_at(name, generation), seed=seed, slip=seed % 20, generation=generation).judge()


@pytest.mark.long
@pytest.mark.parametrize("ppm", [350, -350, -5000])
@pytest.mark.parametrize("name, generation", ROWS)
def test_mood_at_other_clocks(name, generation, ppm, seed):
    if why := NOT_THERE.get((name, generation)):
        pytest.skip(why)
    GtpLink(mood_at(name, generation), seed=seed, slip=seed % 20, ppm=ppm, generation=generation).judge()


@pytest.mark.long
@pytest.mark.parametrize("generation", [1, 2, 3])
def test_every_slip(generation):
    for slip in range(20):
        GtpLink(mood_at("kind", generation), seed=slip, slip=slip, generation=generation, count=200).judge(40e-6, 40e-6)


@pytest.mark.long
@pytest.mark.parametrize("generation", [1, 2, 3])
@pytest.mark.parametrize("part", range(5))
def test_random_moods(generation, part):
    """Links in random moods of line and drive, with times of the cells at random, come up and carry words."""
    for number in range(20):
        mood, options, story = random_mood(3000 + 20 * part + number)
        if generation not in mood.drive["habits"].order:
            continue
        slip = options.pop("slip") % 20
        mood = replace(mood, receiver=replace(mood.receiver, reference=RECEIVER.reference, detector=RECEIVER.detector))
        link = GtpLink(mood, seed=number, slip=slip, generation=generation,
                       cells=CellTimes(rx_done=1000 + 500 * number % 9000), **options)
        try:
            link.run(6e-3, until=lambda: link.up and link.drive.state_name == "READY")
        except AssertionError as error:
            raise AssertionError(f"{story}: {error}") from None
        assert link.cells.complaints == []


@pytest.mark.parametrize("rx_done", short([200, 9000, 20000], [9000]))
def test_recovery_that_a_wrong_rate_pulled_away(rx_done, seed):
    """RXCDRHOLD alone never brings it back: the receiver restarts, however long that takes within the 54.6 us of a
    speed. Without a restart there would never be a link."""
    mood = replace(mood_at("begins at Gen3", 2), within=4e-3)
    link = GtpLink(mood, seed=seed, generation=2, cells=CellTimes(rx_done=rx_done))
    link.judge()
    assert len(link.cells.restarts) >= 2
    frozen = GtpLink(mood, seed=seed, generation=2)
    frozen.line.restart = lambda: None
    frozen.run(0.6e-3)
    assert frozen.ups == [], "the model of the receiver has lost its fault"


@pytest.mark.parametrize("sync_hz", short([150e6, 151e6, 166.7e6, 200e6, 300e6], []))
def test_clocks_of_the_core(sync_hz, seed):
    """Pulses of the cell, one clock of its words long, are seen by any clock that the core may have."""
    GtpLink(mood_at("kind", 3), seed=seed, generation=3, sync_hz=sync_hz).judge()


@pytest.mark.long
def test_reference_of_a_pll(seed):
    """At a clock that is no multiple of the words', with the reference from the fabric."""
    back_end = Gtp(generation=2, reference="pll", reference_hz=200e6, tx_inverted=True)
    GtpLink(mood_at("kind", 2), seed=seed, generation=2, sync_hz=100e6, back_end=back_end).judge()


@pytest.mark.long
def test_drive_that_looks_at_amplitude(seed):
    """Its transmitter is idle in the gaps."""
    GtpLink(Mood({"habits": PhyHabits(amplitude=True), "generations": (1, 3)}, RECEIVER), seed=seed).judge()


def test_unplugged(seed):
    """The link falls, the receiver restarts, and the next drive is found."""
    link = GtpLink(mood_at("kind", 3), seed=seed)
    link.run(1e-3, until=lambda: link.up)
    restarts = len(link.cells.restarts)
    link.line.plug(None)
    link.run(30e-6, until=lambda: not link.up)
    link.drive = phy(generations=(1, 3))
    link.line.plug(link.drive)
    link.run(1e-3, until=lambda: link.up and link.drive.state_name == "READY")
    assert len(link.cells.restarts) > restarts and link.cells.complaints == []


@pytest.mark.long
def test_slower_drive_never_links(seed):
    """The back end has one generation: a drive of Gen2 never links with one of Gen3, and COMRESET continues."""
    bench = GtpBench(phy(generations=(1, 2)), seed=seed)
    bench.run(0.75e-3)
    assert bench.ups == [] and len(bench.comresets) > 1 and bench.cells.complaints == []
    gaps = [after - before for before, after in zip(bench.comresets, bench.comresets[1:])]
    assert min(gaps) >= 299 * US


@pytest.mark.long
def test_late_answer(seed):
    """A drive that answers while the receiver is still on its way out of reset is found."""
    link = GtpLink(Mood({"times": PhyTimes(answer=2e-6, beacon=150e-6), "generations": (1, 3)}, RECEIVER),
                   cells=CellTimes(rx_done=15000), seed=seed)
    link.judge()


def test_pll_that_loses_its_lock(seed):
    """Everything starts over, in order, and the link comes back."""
    link = GtpLink(mood_at("kind", 3), seed=seed)
    link.run(1e-3, until=lambda: link.up)
    link.cells.lose_lock(link.now)
    link.run(30e-6, until=lambda: not link.up)
    link.cells.complaints.clear()       # what a lock that is lost does, nobody can foresee
    link.run(2e-3, until=lambda: link.up and link.drive.state_name == "READY")
    assert link.cells.complaints == []


def test_what_takes_too_long_begins_again(seed):
    """An MMCM that does not lock, a receiver that is never done: everything of that direction starts over, in order."""
    bench = GtpBench(phy(generations=(1, 3)), cells=CellTimes(mmcm_lock=10**6), seed=seed)
    bench.run(200e-6)
    assert bench.ups == [] and bench.comresets == [] and bench.cells.restarts == [] and bench.cells.complaints == []
    assert bench.cells.pll_resets >= 3
    bench = GtpBench(phy(generations=(1, 3)), cells=CellTimes(rx_done=10**6), seed=seed)
    bench.run(200e-6)
    assert bench.ups == [] and len(bench.cells.restarts) >= 3 and bench.cells.complaints == []


def test_loop(seed):
    """A cable from the transmitter to the receiver: the pattern comes back whole, at 6 Gb/s."""
    bench = GtpBench(Loop(), LinePartner(), seed=seed)
    bench.run(30e-6)
    bench.dut.set(status__bist_start=1)
    bench.run(20e-9)
    bench.dut.set(status__bist_start=0)
    bench.run(200e-6)
    names = "bist", "bist_errors", "line_rate", "rx_locked", "state"
    told = {name: bench.dut.get(f"status__{name}") for name in names}
    assert told == {"bist": BistState.RUNNING, "bist_errors": 0, "line_rate": 3, "rx_locked": 1,
                    "state": PhyState.HR_AwaitCOMINIT}
    # Something is compared: a wrong bit is seen.
    bench.line.disturb(1e-4)
    bench.run(20e-6)
    assert bench.dut.get("status__bist_errors")
    assert bench.cells.complaints == []


def test_what_it_reports(seed):
    """A link of Gen3 as a console would show it; bursts and gaps are not measured."""
    link = GtpLink(mood_at("kind", 3), seed=seed)
    link.judge()
    told = {name: link.dut.get(f"status__{name}") for name in (
        "state", "links", "line_rate", "rx_locked", "rx_active", "shortest_burst", "longest_gap", "code_errors")}
    assert told == {"state": PhyState.HR_Ready, "links": 1, "line_rate": 3, "rx_locked": 1, "rx_active": 0,
                    "shortest_burst": 255, "longest_gap": 0, "code_errors": 0}
