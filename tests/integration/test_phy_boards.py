"""The PHY against what boards and drives were seen to do while a link comes up."""

import random
from dataclasses import replace

import pytest
from sata_drive_model.phy import Detector, HostReceiver, PhyHabits, PhyTimes

from integration.phy_moods import MOODS, Link, Mood, content, random_mood
from sata_recorder.core.phy import Timing
from short import short
from unit.core.phy.line_bench import TIMING, LineBench, LinePartner, phy

pytestmark = pytest.mark.wide


#: ppm of the drive.
CLOCKS = [0, 350, -350, -5000]


@pytest.mark.sample(5)
@pytest.mark.parametrize("mood", short(MOODS, [*MOODS][::2]))
def test_mood(mood, seed):
    Link(MOODS[mood], seed=seed, slip=seed % 40).judge()


@pytest.mark.parametrize("detector", [Detector.IDLE, Detector.CHATTERS])
def test_detector_goes_bad_while_up(detector, seed):
    """A link that carries good dwords stays up, whatever the signal detector shows of it."""
    link = Link(Mood(), seed=seed)
    link.judge()
    link.line.replace_detector(detector, seed)
    link.run(400e-6)
    assert len(link.ups) == 1, link.story()


@pytest.mark.quick
@pytest.mark.parametrize("detector", Detector)
def test_unplugged_with_a_bad_detector(detector, seed):
    """The link falls, and comes up with the next drive."""
    link = Link(Mood(receiver=HostReceiver(detector=detector)), seed=seed)
    link.line.replace_detector(Detector.TRUE, seed)
    link.run(1e-3, until=lambda: link.up)
    link.line.replace_detector(detector, seed)
    link.line.plug(None)
    link.run(30e-6, until=lambda: not link.up)
    link.line.replace_detector(Detector.TRUE, seed)
    link.drive = phy(LinePartner(link.back))
    link.line.plug(link.drive)
    link.run(1e-3, until=lambda: link.up and link.drive.state_name == "READY")


@pytest.mark.parametrize("powered", [True, False])
def test_bouncing_plug(powered, seed):
    """A plug that makes contact for 1 to 60 us, ten times, then for good: of a drive that keeps its
    power, and of one that is switched on each time."""
    rng = random.Random(seed)
    bench = LineBench(None, seed=seed)
    drive = phy()
    for _ in range(10):
        drive = drive if powered else phy()
        bench.drive = drive
        bench.line.plug(drive)
        bench.run(rng.uniform(1e-6, 60e-6))
        bench.line.plug(None)
        bench.run(rng.uniform(1e-6, 60e-6))
    bench.line.plug(drive)
    bench.run(3e-3, until=lambda: bench.up and drive.state_name == "READY")
    ups = len(bench.ups)
    bench.run(300e-6)
    assert len(bench.ups) == ups, bench.story()


@pytest.mark.parametrize("receiver", short([
    HostReceiver(), HostReceiver(detector=Detector.CHATTERS), HostReceiver(rx_inverted=True)],
    [HostReceiver(detector=Detector.CHATTERS)]), ids=["kind", "chatters", "inverted"])
def test_beacon_that_ignores_comreset(receiver):
    """Never a link, and COMRESET continues, no faster than it may."""
    bench = LineBench(phy(habits=PhyHabits(beacon=True)), receiver=receiver)
    bench.run(3e-3)
    assert bench.ups == []
    assert [name for _, name in bench.drive.events].count("COMINIT") > 10
    gaps = [after - before for before, after in zip(bench.comresets, bench.comresets[1:])]
    assert gaps and min(gaps) >= 299e9


def test_false_primitives_are_no_link():
    """K28.3 and three corrupted bytes between ALIGN, of a drive that does not get on: no link."""
    bench = LineBench(phy(habits=PhyHabits(false_primitives=3, ignores_align=True)))
    bench.run(2e-3)
    assert bench.ups == []


@pytest.mark.wide
@pytest.mark.parametrize("reference", [2.5e-6, 9e-6])
def test_recovery_that_goes_back_slowly(reference, seed):
    """A drive of Gen3 pulls it away, and it needs longer at its reference than the first hold is: a later try has
    such a hold. If all holds were like the first one there would never be a link."""
    mood = Mood({"generations": (1, 3)}, HostReceiver(reference=reference), within=4e-3)
    Link(mood, seed=seed).judge()
    always_short = Link(mood, seed=seed, timing=replace(TIMING, longest_reference=1))
    always_short.run(mood.within)
    assert always_short.ups == []


def test_drive_that_looks_at_amplitude(seed):
    """Gaps that are a constant word are none for it: never a link. It links with gaps that are electrical idle, and
    other drives link with either."""
    bench = LineBench(phy(habits=PhyHabits(amplitude=True)), seed=seed, constant_gaps=True)
    bench.run(2e-3)
    assert bench.ups == [] and len(bench.comresets) > 1
    names = {name for _, name in bench.drive.events}
    assert "COMINIT" in names and not names & {"CALIBRATE", "COMWAKE", "SEND_ALIGN"}
    Link(Mood({"habits": PhyHabits(amplitude=True)}), seed=seed).judge()
    Link(Mood(), seed=seed, constant_gaps=True).judge()


def test_drive_that_ignores_align():
    """ALIGN alone, however long, is no link, and the next try follows."""
    bench = LineBench(phy(habits=PhyHabits(ignores_align=True)))
    bench.run(2e-3)
    assert bench.ups == []
    assert [name for _, name in bench.drive.events].count("SEND_ALIGN") >= 3


@pytest.mark.long
def test_answer_10_ms_late():
    """Nothing scaled: COMINIT 10 ms after COMRESET, from a drive of Gen3."""
    link = Link(Mood({"times": PhyTimes(answer=10e-3), "generations": (1, 3)}, within=12e-3),
                timing=Timing())
    link.judge()
    assert len(link.comresets) == 1


@pytest.mark.quick
def test_wrong_words_are_no_data(seed):
    """Errors while training have no effect afterwards: what follows is whole."""
    link = Link(Mood(errors=1e-3), seed=seed, count=50)
    link.judge()
    link.host.seen.clear()
    link.drive.link.words = iter(link.back)
    link.run(20e-6)
    assert content(link.host.seen) == link.back


@pytest.mark.parametrize("ppm", short(CLOCKS[1:], [-5000]))
@pytest.mark.parametrize("mood", short([
    "drive continues ALIGN", "begins at Gen3", "begins at Gen1", "both pairs inverted",
    "idle during data", "detector chatters"], ["begins at Gen3", "both pairs inverted"]))
def test_mood_at_other_clocks(mood, ppm, seed):
    Link(MOODS[mood], seed=seed, slip=seed % 40, ppm=ppm).judge()


@pytest.mark.long
@pytest.mark.parametrize("ppm", CLOCKS)
@pytest.mark.parametrize("mood", MOODS)
def test_mood_at_every_slip(mood, ppm):
    """Whether a link stays up does not depend on the slip: `test_mood` looks at it for longer."""
    for slip in range(40):
        Link(MOODS[mood], seed=slip, slip=slip, ppm=ppm, count=200).judge(40e-6, 40e-6)


def bring_up(seed):
    """A link in a random mood, and the words of both ends after it. (Errors while training and a
    detector that continues lying may cost a link or two before; it is judged once it is trained.)"""
    mood, options, story = random_mood(seed)
    link = Link(mood, seed=seed, **options)
    try:
        link.run(mood.within, until=lambda: link.up and link.drive.state_name == "READY")
        link.line.disturb(0)
        link.run(mood.within, until=lambda: link.up and link.drive.state_name == "READY")
        ups = len(link.ups)
        link.run(200e-6)
        assert len(link.ups) == ups and link.up
        link.host.seen.clear()
        link.drive.link.words = iter(link.back)
        link.run(40e-6)
        assert content(link.host.seen) == link.back
    except AssertionError as error:
        raise AssertionError(f"{story}: {error}") from None


@pytest.mark.parametrize("number", short(range(30), range(2)))
def test_random_moods(number, seed):
    bring_up(seed + number)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_400_random_moods(part):
    for number in range(20):
        bring_up(1000 + 20 * part + number)


def meet_a_beacon(seed):
    """No link with a drive that only sends COMINIT, in any mood of the line."""
    mood, _, story = random_mood(seed)
    bench = LineBench(phy(habits=PhyHabits(beacon=True)), receiver=mood.receiver, seed=seed)
    bench.run(2e-3)
    assert bench.ups == [], story
    assert len(bench.comresets) > 1, story


@pytest.mark.parametrize("number", short(range(3), [0]))
def test_random_moods_of_a_beacon(number, seed):
    meet_a_beacon(seed + number)


@pytest.mark.long
@pytest.mark.parametrize("part", range(5))
def test_100_random_moods_of_a_beacon(part):
    for number in range(20):
        meet_a_beacon(2000 + 20 * part + number)
