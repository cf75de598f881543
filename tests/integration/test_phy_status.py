"""What the PHY tells about itself is what happens on the simulated line."""

from integration.phy_status import Observed, status
from sata_recorder.phy.states import BistState, Fall, PhyState

#: Nothing has gone wrong.
CLEAN = {"lock_losses": 0, "signal_losses": 0, "code_errors": 0, "disparity_errors": 0,
         "recent_errors": 0}


def subset(found, **wanted):
    assert {name: found[name] for name in wanted} == wanted


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
