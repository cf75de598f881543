"""A playback of RAID 1 while one drive alone may have lost what was in its cache: that drive is not read."""

import pytest
from integration.mirrors import members
from integration.small import content

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Hold

OLD, NEW = content(1, 400), content(3, 400)


def recorded():
    """A bench whose drives have OLD on the medium, and NEW perhaps in their caches only."""
    bench = members()
    bench.bring_up()
    assert bench.settle()["ready"]
    assert bench.record(OLD, 30, flush=True).error == 0 and bench.record(NEW, 30).error == 0
    return bench


def loses_cache(bench, lane):
    """The drive loses its power for a moment."""
    port = bench.ports[lane]
    drive = port.drive
    port.unplug()
    bench.run(2000)
    drive.image.write(512 * 30, OLD)
    port.plug(drive)


@pytest.mark.parametrize("lane", [0, 1])
def test_what_has_lost_its_cache_is_not_read(lane):
    """Not even if the other one fails: the playback ends with an error rather than with what was there before."""
    bench = recorded()
    loses_cache(bench, lane)
    bench.run(2000)
    assert bench.settle()["ready"] and not bench.outputs()["unflushed"]
    behaviour = bench.ports[1 - lane].drive.behaviour
    behaviour.fail_lba = 50
    played = bench.play(30, 40)
    assert (played.error, played.outputs["array_first"]) == (Error.DRIVE_ERROR, 1 - lane)
    assert played.data == NEW[:len(played.data)] and len(played.data) <= 512 * 20
    behaviour.fail_lba = None
    assert bench.settle()["ready"] and bench.dropped() == 0
    played = bench.play(30, 40)
    assert (played.error, played.data) == (0, NEW[:512 * 40])


@pytest.mark.wide
@pytest.mark.parametrize("clocks", [1000, 5000, 20_000])
def test_what_loses_its_cache_is_read_no_more(clocks):
    """In a playback the other one goes on."""
    bench = recorded()
    bench.engine.sink(128 * 400, hold=Hold(3, 1))
    bench.start(Operation.PLAY, 30, 400)
    bench.run(clocks)
    loses_cache(bench, 0)
    counts = [bench.outputs()["sectors_done"]]
    while bench.outputs()["busy"]:
        bench.run(50)
        counts.append(bench.outputs()["sectors_done"])
    assert counts == sorted(counts)
    outputs, state = bench.outputs(), bench.engine.state()
    assert bench.engine.received() == NEW
    assert (outputs["error"], outputs["sectors_done"], outputs["array_failed"]) == (0, 400, 1)
    assert outputs["mirror_dropped"] == 0 and state.lasts == 1
    # The next flush drops it.
    assert bench.settle()["ready"] and bench.flush().error == 0 and bench.dropped() == 1
