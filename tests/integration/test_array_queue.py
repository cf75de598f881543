"""An array goes on with the extents of its queue: the recordings join up to the word, on each lane."""

import random

import pytest
from integration.arrays import OFFSET, members
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.pattern import Bytes

#: Sectors of each drive after the superblock; the first one of a linear array has fewer.
ROOM, LESS = 1024, 256
SHAPES = {
    "striped": (2, "raid0", 8, {}), "linear": (2, "linear", 128, {}),
    "three": (3, "raid0", 16, {"array_width": 128}),
    "wide linear": (3, "linear", 128, {"array_width": 64, "memory": 1 << 20, "memory_width": 64, "buffer_words": 2048}),
    "skips": (2, "raid0", 8, {"on_failure": "skip"}),
    "five": (5, "raid0", 8, {"buffer_words": 1024, "retain_sectors": 0}),
}
#: The others take a compiler's time each.
EACH = [pytest.param(name, marks=[] if name in ("striped", "linear") else pytest.mark.wide) for name in SHAPES]


class ArrayRecording:
    """A recording on an array of this shape, whose disks have random sectors before it. ``taken``: the extents that
    it was given."""

    def __init__(self, shape, **options):
        drives, kind, chunk, fields = SHAPES[shape]
        self.bench = b = members(drives, kind=kind, chunk=chunk, extents="queued", sectors=[
            OFFSET + (LESS if kind == "linear" and lane == 0 else ROOM) for lane in range(drives)], **fields, **options)
        b.bring_up()
        b.settle()
        self.capacity = b.outputs()["capacity"]
        for lane, port in enumerate(b.ports):
            port.drive.image.write(512 * OFFSET, content(lane, port.drive.image.sectors - OFFSET))
        self.before = b.read(0, self.capacity)
        self.drives = [port.drive for port in b.ports]

    def begin(self, data, extent, *, ahead=0, flush=True, hold=Hold()):
        engine = self.bench.engine
        self.data, self.taken = data, [extent]
        engine.set(queue_ahead=ahead)
        engine.source(Bytes(data), hold=hold)
        self.bench.start(Operation.RECORD_FLUSH if flush else Operation.RECORD, *extent)
        self.bench.run(4)

    def queue(self, extent):
        """Whether the extent was taken before the operation ended."""
        found = self.bench.wait(Event.QUEUE | Event.IDLE)
        if found & Event.IDLE:
            return False
        self.bench.engine.set(queue_valid=1, queue_lba=extent[0], queue_sectors=extent[1])
        self.bench.run(1)
        self.taken.append(extent)
        return True

    def end(self):
        if self.bench.outputs()["busy"]:
            self.bench.wait(Event.IDLE)
        outputs = self.bench.outputs()
        for port, drive in zip(self.bench.ports, self.drives):
            if port.drive is None:
                port.plug(drive)
        return outputs

    def check(self, outputs):
        """What is done is on the disks; nothing else has changed but what had begun."""
        b = self.bench
        sectors = [sector for lba, count in self.taken for sector in range(lba, lba + count)]
        done, words, begun = (outputs[name] for name in ("sectors_done", "words", "queue_begun"))
        assert done <= begun <= len(sectors)
        data = self.data[:4 * words].ljust(512 * len(sectors), b"\0")
        now = b.read(0, self.capacity)
        if not outputs["skipped_sectors"]:
            for number, sector in enumerate(sectors[:done]):
                if sector not in sectors[number + 1:]:
                    part = slice(512 * number, 512 * number + 512)
                    assert now[512 * sector:512 * sector + 512] == data[part], (number, sector)
        touched = set(sectors[:begun])
        for sector in range(self.capacity):
            part = slice(512 * sector, 512 * sector + 512)
            assert sector in touched or now[part] == self.before[part], sector


@pytest.mark.parametrize("ahead", [0, 65536])
@pytest.mark.parametrize("extents", [
    [(16, 40)], [(16, 40), (100, 24)], [(0, 8), (8, 8), (16, 8), (24, 1), (31, 2), (500, 77)],
    [(250, 1), (200, 300), (11, 5), (0, 2)]], ids=len)
@pytest.mark.parametrize("shape", EACH)
def test_recordings_join(shape, extents, ahead):
    made = ArrayRecording(shape)
    total = sum(sectors for _, sectors in extents)
    made.begin(content(7, total), extents[0], ahead=ahead)
    assert all(made.queue(extent) for extent in extents[1:])
    outputs = made.end()
    assert outputs["error"] == Error.NONE, outputs
    assert (outputs["sectors_done"], outputs["words"], outputs["queue_begun"]) == (total, 128 * total, total)
    made.check(outputs)
    made.bench.check()


@pytest.mark.parametrize("extent, error", [((5, 0), Error.ZERO_SECTORS), ((1270, 11), Error.OUT_OF_RANGE)])
def test_a_span_that_cannot_be_recorded(extent, error):
    """It ends the recording after those before it."""
    made = ArrayRecording("linear")
    made.begin(content(3, 60), (16, 40))
    assert made.queue((300, 20)) and made.queue(extent)
    outputs = made.end()
    made.taken.pop()
    assert (outputs["error"], outputs["sectors_done"], outputs["words"]) == (error, 60, 60 * 128)
    made.check(outputs)


@pytest.mark.parametrize("shape", EACH)
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.wide) for seed in range(2, 12))])
def test_random_recordings(shape, seed):
    """Spans of any length, stops, and drives that fail."""
    rng = random.Random(f"{shape}{seed}")
    drives = SHAPES[shape][0]
    made = ArrayRecording(shape, behaviours={lane: Behaviour.random(rng.random()) for lane in range(drives)}
                     if rng.random() < 0.5 else None)
    b, faults = made.bench, set()
    for _ in range(3):
        made.before = b.read(0, made.capacity)
        extents = []
        for _ in range(rng.randint(1, 8)):
            lba = rng.randrange(made.capacity - 1)
            extents.append((lba, rng.randint(1, min(rng.choice((2, 20, 200)), made.capacity - lba))))
        data = content(rng.random(), sum(count for _, count in extents))
        if not b.outputs()["ready"]:
            b.wait(Event.READY)
        made.begin(data, extents[0], ahead=rng.choice((0, 0, 8, 65536)), flush=rng.random() < 0.5,
                   hold=rng.choice((Hold(), Hold(3, 2), Hold(100, 300))))
        fault, at = rng.choice((None, None, "stop", "unplug", "errors")), rng.randint(1, len(extents))
        for number, extent in enumerate(extents[1:], 1):
            if number == at and fault:
                b.run(rng.randint(0, 5000))
                disturb(b, fault, rng)
            if not made.queue(extent):
                break
        else:
            if at == len(extents) and fault:
                b.run(rng.randint(0, 5000))
                disturb(b, fault, rng)
        outputs = made.end()
        made.check(outputs)
        total = sum(count for _, count in made.taken)
        if outputs["error"] == Error.NONE and fault != "stop":
            assert outputs["sectors_done"] + outputs["skipped_sectors"] == total, outputs
        faults |= {fault}
        assert outputs["error"] == Error.NONE or faults & {"unplug", "errors"}, outputs


def disturb(b, fault, rng):
    port = rng.choice(b.ports)
    if fault == "stop":
        b.stop()
    elif fault == "unplug":
        port.unplug()
    else:
        for _ in range(rng.randint(1, 30)):
            port.inject_rx_error()
            b.run(rng.randint(1, 300))
