"""What stands above an array, and what comes between the commands of its lanes."""

import pytest
from integration.framed import check
from integration.modes import Numbers
from integration.test_array import brought_up
from integration.framed import on_drive
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error
from sata_recorder.interface.histogram import HistogramKind

pytestmark = pytest.mark.wide

#: All that an array can have at pins, so that one core is compiled.
ALL = {"frames": True, "on_overflow": "drop", "histograms": True, "smart_commands": 2, "smart_temperature": True,
       "flush_commands": 3, "pacing": "programmable"}


class Whole:
    """The sectors of an array, as a drive's image."""

    def __init__(self, bench):
        self.bench = bench
        self.image = self

    def read_sectors(self, lba, sectors):
        return self.bench.read(lba, sectors)


def test_superblocks_are_not_in_the_histograms():
    """What the array reads for itself is no command of its user."""
    bench = brought_up(2, chunk=8, histograms=True)
    assert bench.record(Numbers(5), 0, 16).error == Error.NONE and bench.play(0, 16).error == Error.NONE
    bench.run(100)
    for lane in range(2):
        bench.engine.set(array_lane=lane)
        assert sum(bench.histogram(HistogramKind.COMMANDS)) == 2
    bench.check()


@pytest.mark.long
def test_frames_over_lanes():
    """Frames over a slow lane: what is lost is told by the frames. Each lane flushes and asks its drive."""
    bench = brought_up(2, chunk=8, behaviours={1: Behaviour(completion_latency=9000)}, **ALL)
    bench.engine.set(frame_enable=1, frame_stream_id=7)
    outcome = bench.record(Numbers(5), 100, 50)
    outputs = bench.outputs()
    assert outcome.error == Error.NONE and outputs["sectors_done"] >= 49
    assert (outputs["frame_offered"], outputs["frame_kept"] + outputs["frame_lost"]) == (outcome.taken,) * 2
    bench.check()
    if not outputs["frame_lost"]:
        assert check(on_drive(Whole(bench), 100, 49), Numbers(5), 7) == outcome.taken
    bench.engine.set(frame_enable=0)
    assert bench.record(Numbers(6), 0, 300).error == Error.NONE
    for lane, port in enumerate(bench.ports):
        opcodes = [done.command for done in port.drive.completed]
        assert opcodes.count(0xEA) >= 3 and 0xB0 in opcodes
        bench.engine.set(array_lane=lane)
        assert sum(bench.histogram(HistogramKind.COMMANDS)) >= opcodes.count(0x35)
    bench.check()
