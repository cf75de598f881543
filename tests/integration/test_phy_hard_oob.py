"""The PHY with a SERDES that sends and recognises OOB signals itself, against a drive's phy."""

import pytest
from short import short
from sata_drive_model.phy import PhyHabits

from integration.phy_moods import MOODS, Link, Mood
from sata_recorder.core.phy import SerdesPort
from unit.core.phy.hard_oob import HardOob
from unit.core.phy.line_bench import LineBench, phy

pytestmark = pytest.mark.wide

US = 10**9          # fs


@pytest.mark.sample(3)
@pytest.mark.parametrize("mood", short([
    "kind", "drive continues ALIGN", "begins at Gen3", "begins at Gen1", "both pairs inverted",
    "errors while training", "slow answer", "slow COMWAKE"], ["kind", "begins at Gen3", "slow COMWAKE"]))
def test_mood(mood, seed):
    """It links and carries words, and the ports are used as their maker states."""
    oob = HardOob()
    Link(MOODS[mood], seed=seed, slip=seed % 40, oob=oob).judge()
    assert oob.complaints == [] and oob.comresets


def test_drive_that_looks_at_amplitude(seed):
    """Its transmitter is idle in the gaps: a drive links that takes no constant word for a gap."""
    Link(Mood({"habits": PhyHabits(amplitude=True)}), seed=seed, oob=HardOob()).judge()


def test_no_signal_detector(seed):
    """RXELECIDLE that shows idle for ever: good dwords alone keep the link."""
    Link(Mood(), seed=seed, oob=HardOob(elecidle=1)).judge()


@pytest.mark.quick
@pytest.mark.parametrize("elecidle", [None, 1])
def test_unplugged(elecidle, seed):
    """The link falls, and the next drive is found."""
    link = Link(Mood(), seed=seed, oob=HardOob(elecidle=elecidle))
    link.run(1e-3, until=lambda: link.up)
    link.line.plug(None)
    link.run(30e-6, until=lambda: not link.up)
    link.drive = phy()
    link.line.plug(link.drive)
    link.run(1e-3, until=lambda: link.up and link.drive.state_name == "READY")


@pytest.mark.quick
def test_comreset_on_request():
    """While it is asked for one COMRESET follows the other, each acknowledged; then there is a
    link."""
    oob = HardOob()
    bench = LineBench(phy(), oob=oob)
    bench.run(1e-3, until=lambda: bench.up)
    before = len(oob.comresets)
    bench.dut.set(port__reset=1)
    bench.run(20e-6)
    assert not bench.up and len(oob.comresets) - before >= 3
    bench.dut.set(port__reset=0)
    bench.run(1e-3, until=lambda: bench.up and bench.drive.state_name == "READY")
    assert oob.complaints == []


def test_serdes_that_never_finishes():
    """An answer that stays out stops nothing: COMRESET comes again when its time has come."""
    oob = HardOob(finishes=False)
    bench = LineBench(phy(), oob=oob)
    bench.run(2e-3)
    assert len(oob.comresets) >= 3
    gaps = [after - before for before, after in zip(oob.comresets, oob.comresets[1:])]
    assert min(gaps) >= 299 * US


def test_beacon_that_ignores_comreset():
    oob = HardOob()
    bench = LineBench(phy(habits=PhyHabits(beacon=True)), oob=oob)
    bench.run(2e-3)
    assert bench.ups == [] and oob.complaints == []


@pytest.mark.quick
def test_signature():
    """What the SERDES does itself, the PHY's side of the port does not have, and the other way."""
    hard, soft = (set(SerdesPort(2, hard_oob=hard).members) for hard in (True, False))
    assert hard - soft == {"tx_com", "rx_com"} and soft - hard == {"tx_oob", "rx_active"}
