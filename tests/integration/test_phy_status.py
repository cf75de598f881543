"""What the PHY reports about itself is what happens on the simulated line."""

import pytest
from integration.phy_moods import Mood
from integration.phy_status import BIST_BLOCKS, RECENT, LoopBench, Observed, status
from sata_drive_model.phy import Detector, HostReceiver, PhyHabits, PhyTimes
from sata_recorder.core.phy.states import BistState, Fall, PhyState

def habits(**options):
    return {"habits": PhyHabits(**options), "times": PhyTimes(answer=20e-6, beacon=150e-6)}


#: Seconds that a block of the loop-back test takes at Gen2.
BLOCK = 256 / 75e6

#: Nothing has gone wrong.
CLEAN = {"lock_losses": 0, "signal_losses": 0, "code_errors": 0, "disparity_errors": 0,
         "recent_errors": 0}


def subset(found, **wanted):
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.wide
def test_a_good_start():
    bench = Observed()
    bench.up_and_running()
    bench.run(200e-6)
    found = status(bench)
    subset(found, state=PhyState.HR_Ready, reached=PhyState.HR_Ready, last_fall=Fall.NONE,
           line_rate=2, rx_active=1, rx_locked=1, rx_inverted=0, tx_inverted=0, comresets=1,
           cominits=1, links=1, bist=BistState.NONE, **CLEAN)
    # 106.7 ns are 8 clocks, 320 ns are 24; the squelch and the sampling take one or two.
    assert 6 <= found["shortest_burst"] <= found["longest_burst"] <= 10
    assert 6 <= found["shortest_gap"] <= 10 and 22 <= found["longest_gap"] <= 26
    # From the end of COMWAKE to ALIGN and on to SYNC.
    assert 100 <= found["training"] <= 100e-6 * 75e6


def test_clear():
    bench = Observed()
    bench.up_and_running()
    bench.pulse("clear")
    subset(status(bench), state=PhyState.HR_Ready, reached=PhyState.HR_Ready, comresets=0,
           cominits=0, links=0, shortest_burst=255, longest_burst=0, shortest_gap=255,
           longest_gap=0, **CLEAN)


def test_no_drive():
    bench = Observed()
    bench.line.plug(None)
    bench.run(1.2e-3)
    found = status(bench)
    subset(found, reached=PhyState.HR_AwaitCOMINIT, last_fall=Fall.NONE, rx_active=0, cominits=0,
           links=0, longest_burst=0, **CLEAN)
    assert found["comresets"] >= 2


@pytest.mark.wide
def test_no_answer_to_comwake():
    """A drive that only sends COMINIT."""
    bench = Observed(Mood(habits(deaf=True)))
    bench.run(1.5e-3)
    found = status(bench)
    subset(found, reached=PhyState.HR_AwaitCOMWAKE, links=0, **CLEAN)
    assert found["last_fall"] in (Fall.NO_COMWAKE, Fall.COMINIT)
    assert found["cominits"] >= 2 and found["comresets"] >= 2
    # COMINIT alone was seen.
    assert 22 <= found["shortest_gap"] <= found["longest_gap"] <= 26


@pytest.mark.wide
def test_wrong_rate():
    """ALIGN of Gen3 alone is noise to a receiver of Gen2."""
    bench = Observed(Mood(habits(order=(3,)), HostReceiver(strays=False)))
    bench.run(1.5e-3)
    found = status(bench)
    subset(found, reached=PhyState.HR_AwaitAlign, last_fall=Fall.NO_ALIGN, links=0)


@pytest.mark.wide
def test_align_and_nothing_after_it():
    bench = Observed(Mood(habits(ignores_align=True)))
    bench.run(1.5e-3)
    found = status(bench)
    assert found["reached"] in (PhyState.HR_SendAlign, PhyState.HR_SendSync)
    assert found["last_fall"] in (Fall.NO_DWORDS, Fall.SIGNAL, Fall.COMINIT)
    subset(found, links=0, code_errors=0)


def test_time_to_a_link():
    """A drive of Gen3 sends 54.6 us of ALIGN of its own first, and the receiver needs some more."""
    times = {}
    for fastest in 2, 3:
        bench = Observed(Mood({"generations": (1, fastest)}))
        bench.up_and_running()
        times[fastest] = status(bench)["training"] / 75e6
    assert 1e-6 <= times[2] <= 20e-6 and 50e-6 <= times[3] - times[2] <= 80e-6


def test_unplugged():
    bench = Observed()
    bench.up_and_running()
    bench.line.plug(None)
    bench.run(50e-6)
    found = status(bench)
    subset(found, last_fall=Fall.SIGNAL, links=1, signal_losses=1, rx_active=0)
    assert found["reached"] <= PhyState.HR_AwaitCOMINIT
    # The clock recovery loses the drive, and is held at its reference again.
    assert found["lock_losses"] == 1


def test_chattering_detector():
    """The link stays, and the count shows it."""
    bench = Observed("detector chatters")
    bench.up_and_running()
    bench.run(300e-6)
    found = status(bench)
    subset(found, state=PhyState.HR_Ready, links=1, code_errors=0)
    assert found["signal_losses"] == 255


def test_idle_detector():
    bench = Observed("idle during data")
    bench.up_and_running()
    bench.run(100e-6)
    found = status(bench)
    subset(found, state=PhyState.HR_Ready, rx_active=0, code_errors=0)
    assert found["signal_losses"] <= 2


def test_errors_in_a_link():
    """Code and disparity errors, and how many there are in 4096 dwords."""
    rate = 2e-5
    bench = Observed()
    bench.up_and_running()
    bench.line.disturb(rate)
    window = RECENT / 75e6
    bench.run(2.5 * window)
    found = status(bench)
    dwords = 2.5 * RECENT
    wrong = found["code_errors"] + found["disparity_errors"]
    # A wrong bit makes a code error, or a disparity error in this dword or a later one.
    assert found["code_errors"] and found["disparity_errors"]
    assert 0.5 * 40 * rate * dwords <= wrong <= 3 * 40 * rate * dwords
    assert 0.3 * 40 * rate * RECENT <= found["recent_errors"] <= 4 * 40 * rate * RECENT
    bench.line.disturb(0)
    bench.run(2 * window)
    subset(status(bench), recent_errors=0, state=PhyState.HR_Ready,
           code_errors=found["code_errors"])


@pytest.mark.parametrize("mood, rx, tx", [
    ("pair from the drive inverted", 1, 0), ("pair to the drive inverted", 0, 1),
    ("both pairs inverted", 1, 1)])
def test_polarity(mood, rx, tx):
    bench = Observed(mood)
    bench.up_and_running()
    subset(status(bench), rx_inverted=rx, tx_inverted=tx, links=1,
           line_rate=2)
    assert bool(status(bench)["last_fall"]) == bool(tx), "a second try is needed for these"


def loop_test(bench, while_it_runs=lambda bench: None):
    """Runs the loop-back test to its end, and returns what it has found."""
    bench.pulse("bist_start")
    assert status(bench)["bist"] == BistState.RUNNING
    bench.run(BIST_BLOCKS * BLOCK / 2)
    while_it_runs(bench)
    bench.run(BIST_BLOCKS * BLOCK, until=lambda: status(bench)["bist"] != BistState.RUNNING)
    found = status(bench)
    return found["bist"], found["bist_errors"]


@pytest.mark.sample(5)
@pytest.mark.parametrize("ppm", [0, 350])
@pytest.mark.parametrize("receiver", [
    HostReceiver(), HostReceiver(rx_inverted=True), HostReceiver(detector=Detector.IDLE)])
def test_loop(receiver, ppm):
    assert loop_test(LoopBench(receiver=receiver, ppm=ppm, slip=13)) == (BistState.PASSED, 0)


def test_host_that_hears_itself():
    """Its COMRESET is COMINIT, its COMWAKE an answer; but there is no ALIGN."""
    bench = LoopBench()
    bench.run(1e-3)
    found = status(bench)
    subset(found, reached=PhyState.HR_AwaitAlign, last_fall=Fall.NO_ALIGN, links=0)
    assert found["cominits"] >= 2
    assert 6 <= found["shortest_burst"] <= found["longest_burst"] <= 10
    assert 6 <= found["shortest_gap"] <= 10 and 22 <= found["longest_gap"] <= 26


def test_loop_that_is_none():
    bench = LoopBench()
    bench.line.plug(None)
    assert loop_test(bench) == (BistState.NO_PATTERN, 0)


def test_loop_with_errors():
    bench = LoopBench()
    found, errors = loop_test(bench, lambda bench: bench.line.disturb(1e-5))
    # Half a test of 64 blocks has 3e5 bits.
    assert found == BistState.FAILED and 1 <= errors <= 30


def test_cable_is_pulled_in_the_test():
    bench = LoopBench()
    found, errors = loop_test(bench, lambda bench: bench.line.plug(None))
    assert found == BistState.FAILED and errors >= 1


def test_test_of_a_link():
    """It ends the link, which comes back when it is over."""
    bench = Observed()
    bench.up_and_running()
    assert loop_test(bench)[0] in (BistState.NO_PATTERN, BistState.FAILED)
    assert not bench.up
    subset(status(bench), last_fall=Fall.BIST, links=1)
    bench.run(2e-3, until=lambda: bench.up)
    bench.run(1e-6)
    subset(status(bench), state=PhyState.HR_Ready, links=2)
