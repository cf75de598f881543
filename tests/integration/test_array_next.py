"""A linear array whose recordings go on with the next drive when one fails: no word is lost, and what is passed over is
named."""

import pytest
from integration.arrays import OFFSET
from integration.small import content
from integration.test_array import brought_up

from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.pattern import Bytes

pytestmark = pytest.mark.wide

#: Sectors of the array on each lane.
ROOM = 256


def next_array(drives=3, **options):
    return brought_up(drives, kind="linear", chunk=128, sectors=[OFFSET + ROOM + 5] * drives, on_failure="next",
                      **options)


def journal(bench):
    """(kind, error, lane, first LBA, sectors, first LBA on the drive) of each entry."""
    count = bench.outputs()["journal_count"]
    assert count <= 32
    fields = bench.engine.table("journal_address", "journal_data", range(4 * count), 3)
    return [(JournalKind(head & 15), Error(head >> 4 & 15), head >> 8, lba, length, own)
            for head, lba, length, own in zip(*[iter(fields)] * 4)]


def passed_over(bench):
    """The sectors that the journal names as passed over."""
    return {sector for kind, _, lane, lba, length, own in journal(bench) if kind == JournalKind.SKIPPED
            for sector in range(lba, lba + length) if bench.place(sector) == (lane, own + sector - lba) or 1 / 0}


def kept(bench, drives, lba, sectors, outputs):
    """What the sectors hold that are done, without those that were passed over; ``drives`` were there before."""
    left_out = passed_over(bench)
    assert len(left_out) == outputs["skipped_sectors"] and left_out <= {*range(lba, lba + sectors)}
    places = [sector for sector in range(lba, lba + sectors) if sector not in left_out]
    return b"".join(drives[lane].image.read_sectors(own, 1)
                    for lane, own in map(bench.place, places[:outputs["sectors_done"]]))


def recording(bench, data, lba, sectors, operation=Operation.RECORD, hold=Hold(1, 0)):
    bench.engine.source(Bytes(data), hold=hold)
    bench.start(operation, lba, sectors)


def ended(bench):
    if not bench.outputs()["done"]:
        bench.wait(Event.DONE)
    outputs = bench.outputs()
    bench.run(2)
    return outputs


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
@pytest.mark.parametrize("after", [0, 300, 5000, 12_000, 20_000])
def test_goes_on(operation, after):
    """A drive is unplugged after so many words."""
    bench = next_array()
    sectors, lba = 3 * ROOM - 20, 20
    data, drives = content(1, sectors), [port.drive for port in bench.ports]
    recording(bench, data, lba, sectors, operation)
    while bench.outputs()["words"] < after:
        bench.run(50)
    bench.ports[0].unplug()
    outputs = ended(bench)
    assert outputs["error"] == Error.LINK_LOST and outputs["array_failed"] == 1 and outputs["array_first"] == 0
    done, skipped = outputs["sectors_done"], outputs["skipped_sectors"]
    assert done + skipped == sectors and skipped
    assert outputs["words"] == 128 * done
    assert kept(bench, drives, lba, sectors, outputs) == data[:512 * done]
    assert [entry[1:3] for entry in journal(bench) if entry[0] == JournalKind.SKIPPED] == [(Error.LINK_LOST, 0)]
