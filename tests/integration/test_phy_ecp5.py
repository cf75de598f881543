"""The PHY on its back end for the ECP5, with a stand-in for the cell, on a line to a drive's phy.

The stand-in takes 427 ns to leave electrical idle and has a clock recovery that crawls when it is
neither held nor given a signal, as reported of the cell: so this shows whether bursts, D10.2 and
the hold come in time.
"""

from dataclasses import replace
import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.sim import Simulator

from sata_drive_model.phy import Detector, DrivePhy, HostReceiver, PhyHabits, PhyTimes
from sata_drive_model.phy.line import Line
from sata_drive_model.phy.receiver import LossOfSignal
from sata_drive_model.protocol.primitives import SYNC
from sata_recorder.core.phy import PhyState, Timing
from sata_recorder.core.phy.ecp5 import Ecp5, ResetTimes
from short import short
from unit.core.phy.dcua import Dcu
from unit.core.phy.line_bench import LinePartner
from unit.core.phy.ecp5_bench import Passes

pytestmark = pytest.mark.wide

CLOCK_HZ = 100e6
PS = 1000           # fs


class SerdesLine:
    """The line model at the stand-in: words in ps there, in fs here. Clock recovery and signal
    detector are the stand-in's."""

    def __init__(self, dcu, drive, receiver=HostReceiver()):
        detector = LossOfSignal(receiver.detector, 1)
        self._line = Line(drive, gearing=2, generation=2, slip=7, receiver=replace(
            receiver, detector=Detector.TRUE, strays=False))
        self._dcu = dcu
        self._sent = 0
        dcu.line = self.receive
        dcu.nominal = lambda now: self._line.right
        dcu.detector = lambda now, heard: detector.now(now * PS, heard)

    def receive(self, now):
        """Called every word of the host's; the transmitter's words of the meantime go out first."""
        for when, word in self._dcu.transmitted[self._sent:]:
            self._line.send(when * PS, word or 0, word is None)
        self._sent = len(self._dcu.transmitted)
        self._line.enable(not self._dcu.held)
        word = self._line.receive(now * PS)
        return word if self._line.active else None


class Linked(Elaboratable):
    """The PHY with its SERDES and its reference; the cells are stand-ins."""

    def __init__(self, timing, back_end=Ecp5(dual=1)):
        def cell(kind, **links):
            made = (Dcu if kind == "DCUA" else Passes)(kind, **links)
            if kind == "DCUA":
                self.dcu = made
            return made

        self.phy = back_end.phy(
            CLOCK_HZ, {pin.name: Signal(name=pin.name) for pin in back_end.pins()}, cell=cell,
            timing=timing, times=ResetTimes(reset=100e-9, settle=100e-9, pll=20e-6))

    def elaborate(self, platform):
        m = Module()
        m.submodules.phy = self.phy
        return m


#: What of :data:`MOODS` the cell has a part in; the third value is the time in which there must be a link, in clocks.
CASES = {
    "kind": (PhyHabits(), HostReceiver(), 15_000),
    "continues ALIGN": (PhyHabits(keeps_aligning=(10e-6, 35e-6)), HostReceiver(), 15_000),
    "begins at Gen3": (PhyHabits(order=(3, 2)), HostReceiver(), 20_000),
    "begins at Gen1": (PhyHabits(order=(1, 2)), HostReceiver(), 20_000),
    "idle during data": (PhyHabits(), HostReceiver(detector=Detector.IDLE), 15_000),
    "detector chatters": (PhyHabits(), HostReceiver(detector=Detector.CHATTERS), 15_000),
    "pairs inverted": (PhyHabits(), HostReceiver(rx_inverted=True, tx_inverted=True), 40_000),
}


@pytest.mark.parametrize("case", short(CASES, ["detector chatters"]))
def test_link_comes_up_and_carries_words(case):
    """OOB, ALIGN, then words of both directions; the drive sees nothing against the specification
    and the stand-in nothing against the cell."""
    habits, receiver, limit = CASES[case]
    linked = Linked(Timing(retry=200e-6, longest_retry=1, align=150e-6))
    partner = LinePartner([0x1_0000 + n for n in range(64)])
    drive = DrivePhy(partner, habits=habits, times=PhyTimes(answer=3e-6, calibrate=1e-6))
    seen, told = [], {}

    async def host(context):
        port = linked.phy.port
        context.set(port.tx_data, SYNC & 0xFFFFFFFF)
        context.set(port.tx_k, SYNC >> 32)
        for _ in range(limit):
            _, _, up, valid, word, k, error = await context.tick().sample(
                port.link_up, port.rx_valid, port.rx_data, port.rx_k, port.rx_error)
            if up and valid:
                assert not error
                seen.append(word | k << 32)
            if len(seen) > 600:
                told.update((name, context.get(getattr(linked.phy.status, name)))
                            for name in linked.phy.status.signature.members)
                return
        raise AssertionError((drive.events, drive.violations, linked.dcu.complaints))

    async def cell(context):
        await linked.dcu.run(context)

    simulator = Simulator(linked)
    SerdesLine(linked.dcu, drive, receiver)
    simulator.add_clock(1 / CLOCK_HZ)
    simulator.add_testbench(host)
    simulator.add_testbench(cell, background=True)
    simulator.run()
    assert [name for _, name in drive.events][-1] == "READY" and drive.generation == 2
    assert drive.violations == []
    assert linked.dcu.complaints == []
    data = [word for word in seen if not word >> 32]
    assert data == [0x1_0000 + n for n in range(64)]
    assert partner.seen[-1] == SYNC and drive.errors == 0

    # What the PHY reports of it. At 100 MHz a burst has 10.7 clocks, a gap 10.7 or 32.
    assert (told["state"], told["links"], told["line_rate"], told["rx_locked"]) == (
        PhyState.HR_Ready, 1, 2, 1)
    assert (told["code_errors"], told["disparity_errors"]) == (0, 0)
    assert told["rx_inverted"] == receiver.rx_inverted and (
        told["tx_inverted"] == receiver.tx_inverted)
    assert 9 <= told["shortest_burst"] <= told["longest_burst"] <= 13
    assert 9 <= told["shortest_gap"] <= 13 and 30 <= told["longest_gap"] <= 34
