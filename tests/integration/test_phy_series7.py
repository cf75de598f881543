"""The PHY on its back ends for the GTP and the GTX, with stand-ins for the cells, on a line to a drive's phy: at each
generation the failures that boards and drives were seen to have, and those of the transceivers' own parts."""

from dataclasses import replace

import pytest
from sata_drive_model.phy import Loop, PhyHabits, PhyTimes
from sata_drive_model.phy.line import FS

from integration.phy_moods import MOODS, Judged, Mood, random_mood
from sata_recorder.core.phy import BistState, PhyState
from short import short
from unit.core.phy.series7_bench import BACK_ENDS, RECEIVER, Series7Bench
from unit.core.phy.series7_cells import CellTimes
from unit.core.phy.line_bench import LinePartner, phy

pytestmark = pytest.mark.wide

US = FS // 10**6

_NO_DETECTOR = "n/a: RXELECIDLE is not used, dwords alone show a signal"
_OWN_RATE = "n/a: that is the rate of the back end"
#: Rows of :data:`MOODS` that do not exist at a generation, and why.
NOT_THERE = {
    **{(name, generation): _NO_DETECTOR for generation in (1, 2, 3)
       for name in ("idle during data", "detector chatters", "chatters, continues ALIGN")},
    ("begins at Gen3", 3): _OWN_RATE, ("begins at Gen1", 1): _OWN_RATE, ("Gen1, Gen2, Gen3", 1): _OWN_RATE,
}
KINDS = "gtp", "gtx"
ROWS = [(name, generation, kind) for name in MOODS for generation in (1, 2, 3) for kind in KINDS]


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


class Series7Link(Judged, Series7Bench):
    def judge(self, words=60e-6, stays=60e-6):
        super().judge(words, stays)
        assert self.cells.complaints == [] and self.comresets


@pytest.mark.parametrize("name, generation, kind", short(ROWS, [
    ("kind", 1, "gtp"), ("begins at Gen3", 2, "gtp"), ("both pairs inverted", 3, "gtp"),
    ("begins at Gen3", 1, "gtx"), ("both pairs inverted", 3, "gtx")]))
def test_mood(name, generation, kind, seed):
    """It links, carries words both ways, and the cells are used as their maker states."""
    if why := NOT_THERE.get((name, generation)):
        pytest.skip(why)
    Series7Link(mood_at(name, generation), seed=seed, slip=seed % 20, generation=generation, kind=kind).judge()


@pytest.mark.long
@pytest.mark.parametrize("name, generation, kind, ppm", [
    (*row, (350, -350, -5000)[(number + number // 6) % 3]) for number, row in enumerate(ROWS)])
def test_mood_at_other_clocks(name, generation, kind, ppm, seed):
    """At one of them each; a mood has all of them, and each generation has, too."""
    if why := NOT_THERE.get((name, generation)):
        pytest.skip(why)
    Series7Link(mood_at(name, generation), seed=seed, slip=seed % 20, ppm=ppm, generation=generation, kind=kind).judge()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("generation", [1, 2, 3])
def test_every_slip(generation, kind):
    for slip in range(20):
        Series7Link(mood_at("kind", generation), seed=slip, slip=slip, generation=generation, kind=kind,
                    count=200).judge(40e-6, 40e-6)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("generation", [1, 2, 3])
@pytest.mark.parametrize("part", range(2))
def test_random_moods(generation, part, kind):
    """Links in random moods of line and drive, with times of the cells at random, come up and carry words."""
    for number in range(20):
        mood, options, story = random_mood(3000 + 20 * part + number)
        if generation not in mood.drive["habits"].order:
            continue
        slip = options.pop("slip") % 20
        mood = replace(mood, receiver=replace(mood.receiver, reference=RECEIVER.reference, detector=RECEIVER.detector))
        link = Series7Link(mood, seed=number, slip=slip, generation=generation, kind=kind,
                           cells=CellTimes(rx_done=1000 + 500 * number % 9000), **options)
        try:
            link.run(6e-3, until=lambda: link.up and link.drive.state_name == "READY")
        except AssertionError as error:
            raise AssertionError(f"{story}: {error}") from None
        assert link.cells.complaints == []


@pytest.mark.parametrize("rx_done, kind", short([(rx_done, kind) for kind in KINDS for rx_done in (200, 9000, 20000)],
                                                [(9000, "gtp"), (9000, "gtx")]))
def test_recovery_that_a_wrong_rate_pulled_away(rx_done, kind, seed):
    """RXCDRHOLD alone never brings it back: the receiver restarts, however long that takes within the 54.6 us of a
    speed. Without a restart there would never be a link."""
    mood = replace(mood_at("begins at Gen3", 2), within=4e-3)
    link = Series7Link(mood, seed=seed, generation=2, kind=kind, cells=CellTimes(rx_done=rx_done))
    link.judge()
    assert len(link.cells.restarts) >= 2
    frozen = Series7Link(mood, seed=seed, generation=2, kind=kind)
    frozen.line.restart = lambda: None
    frozen.run(0.6e-3)
    assert frozen.ups == [], "the model of the receiver has lost its fault"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sync_hz", short([150e6, 151e6, 166.7e6, 200e6, 300e6], []))
def test_clocks_of_the_core(sync_hz, kind, seed):
    """Pulses of the cell, one clock of its words long, are seen by any clock that the core may have."""
    Series7Link(mood_at("kind", 3), seed=seed, generation=3, kind=kind, sync_hz=sync_hz).judge()


@pytest.mark.long
@pytest.mark.parametrize("generation", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_reference_of_a_pll(kind, generation, seed):
    """At a clock that is no multiple of the words', with the reference from the fabric."""
    back_end = BACK_ENDS[kind](generation=generation, reference="pll", reference_hz=200e6, tx_inverted=True)
    Series7Link(mood_at("kind", generation), seed=seed, generation=generation, sync_hz=100e6, back_end=back_end).judge()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_drive_that_looks_at_amplitude(kind, seed):
    """Its transmitter is idle in the gaps."""
    Series7Link(Mood({"habits": PhyHabits(amplitude=True), "generations": (1, 3)}, RECEIVER), seed=seed,
                kind=kind).judge()


@pytest.mark.parametrize("kind", KINDS)
def test_unplugged(kind, seed):
    """The link falls, the receiver restarts, and the next drive is found."""
    link = Series7Link(mood_at("kind", 3), seed=seed, kind=kind)
    link.run(1e-3, until=lambda: link.up)
    restarts = len(link.cells.restarts)
    link.line.plug(None)
    link.run(30e-6, until=lambda: not link.up)
    link.drive = phy(generations=(1, 3))
    link.line.plug(link.drive)
    link.run(1e-3, until=lambda: link.up and link.drive.state_name == "READY")
    assert len(link.cells.restarts) > restarts and link.cells.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_slower_drive_never_links(kind, seed):
    """The back end has one generation: a drive of Gen2 never links with one of Gen3, and COMRESET continues."""
    bench = Series7Bench(phy(generations=(1, 2)), seed=seed, kind=kind)
    bench.run(0.75e-3)
    assert bench.ups == [] and len(bench.comresets) > 1 and bench.cells.complaints == []
    gaps = [after - before for before, after in zip(bench.comresets, bench.comresets[1:])]
    assert min(gaps) >= 299 * US


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_late_answer(kind, seed):
    """A drive that answers while the receiver is still on its way out of reset is found."""
    link = Series7Link(Mood({"times": PhyTimes(answer=2e-6, beacon=150e-6), "generations": (1, 3)}, RECEIVER),
                   cells=CellTimes(rx_done=15000), seed=seed, kind=kind)
    link.judge()


@pytest.mark.parametrize("kind", KINDS)
def test_pll_that_loses_its_lock(kind, seed):
    """Everything starts over, in order, and the link comes back."""
    link = Series7Link(mood_at("kind", 3), seed=seed, kind=kind)
    link.run(1e-3, until=lambda: link.up)
    link.cells.lose_lock(link.now)
    link.run(30e-6, until=lambda: not link.up)
    link.cells.complaints.clear()       # what a lock that is lost does, nobody can foresee
    link.run(2e-3, until=lambda: link.up and link.drive.state_name == "READY")
    assert link.cells.complaints == []


@pytest.mark.parametrize("step", ["mmcm_lock", "clock"])
def test_a_clock_that_never_runs_begins_again(step, seed):
    """An MMCM that does not lock, a transmitter without a clock: everything of that direction starts over, in order."""
    kind = "gtp" if step == "mmcm_lock" else "gtx"
    bench = Series7Bench(phy(generations=(1, 3)), kind=kind, cells=CellTimes(**{step: 10**6}), seed=seed)
    bench.run(200e-6)
    assert bench.ups == [] and bench.comresets == [] and bench.cells.restarts == []
    assert bench.cells.pll_resets >= 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_receiver_that_is_never_done_begins_again(kind, seed):
    bench = Series7Bench(phy(generations=(1, 3)), kind=kind, cells=CellTimes(rx_done=10**6), seed=seed)
    bench.run(200e-6)
    assert bench.ups == [] and len(bench.cells.restarts) >= 3 and bench.cells.complaints == []


@pytest.mark.parametrize("kind", KINDS)
def test_loop(kind, seed):
    """A cable from the transmitter to the receiver: the pattern comes back whole, at 6 Gb/s."""
    bench = Series7Bench(Loop(), LinePartner(), seed=seed, kind=kind)
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


@pytest.mark.parametrize("kind", short(KINDS, ["gtp"]))
def test_what_it_reports(kind, seed):
    """A link of Gen3 as a console would show it; bursts and gaps are not measured."""
    link = Series7Link(mood_at("kind", 3), seed=seed, kind=kind)
    link.judge()
    told = {name: link.dut.get(f"status__{name}") for name in (
        "state", "links", "line_rate", "rx_locked", "rx_active", "shortest_burst", "longest_gap", "code_errors")}
    assert told == {"state": PhyState.HR_Ready, "links": 1, "line_rate": 3, "rx_locked": 1, "rx_active": 0,
                    "shortest_burst": 255, "longest_gap": 0, "code_errors": 0}
