"""Recorder, PHY, back end, stand-ins, line, the drive's phy and the whole drive: recorded and played bit for bit."""

import pytest
from sata_drive_model.phy import Spectrum

from integration.series7_recorder import Series7Recorder
from sata_recorder.core.drive_port import Operation
from short import short
from unit.core.phy.series7_bench import RECEIVER

pytestmark = pytest.mark.wide


@pytest.mark.sample(2)
@pytest.mark.parametrize("generation, kind", short([(generation, kind) for generation in (1, 2, 3)
                                                    for kind in ("gtp", "gtx")], [(3, "gtp")]))
def test_record_and_play(generation, kind, seed):
    """It identifies the drive, and what is recorded comes back; `recorder` replays up to 32 sectors."""
    recorder = Series7Recorder(generation=generation, kind=kind, seed=seed, slip=seed % 20)
    recorder.there_and_back(40)
    assert recorder.drive.generation == generation and recorder.drive.state_name == "READY"


@pytest.mark.long
@pytest.mark.parametrize("ppm, spread", [(350, 0), (-350, 0), (-350, 5000)])
def test_clocks(ppm, spread, seed):
    """A drive at the limits of its clock, with spread spectrum, too; the host at the other limit."""
    recorder = Series7Recorder(seed=seed, ppm=-ppm, spectrum=Spectrum(ppm, spread))
    recorder.there_and_back(400)


@pytest.mark.long
def test_unplugged_while_recording(seed):
    """The operation ends with an error, and a drive that is plugged in again is used."""
    recorder = Series7Recorder(seed=seed, receiver=RECEIVER)
    recorder.run(5e-3, until=lambda: recorder.dut.get("user__status__ready"))
    recorder.start(Operation.RECORD, 400)
    recorder.run(60e-6)
    drive = recorder.drive
    recorder.line.plug(None)
    recorder.run(50e-6)
    assert not recorder.dut.get("user__status__ready")
    drive.start_over(recorder.now)
    recorder.line.plug(drive)
    recorder.run(20e-3, until=lambda: recorder.done)
    recorder.run(20e-3, until=lambda: recorder.dut.get("user__status__ready"))
    recorder.there_and_back(16)
