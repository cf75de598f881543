"""Power cuts of RAID 1: each drive loses its own cache; the drives that Linux would take have all that was flushed."""

import random

import pytest
from integration.files_station import CACHES, LoggedImage
from integration.mirrors import PLACE, SECTORS, chosen, of_drives, stated, superblock
from integration.small import content
from sata_drive_model import Behaviour, Drive

from sata_recorder.core.drive_port import Operation
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.pattern import Bytes

#: Sectors that are written, and operations of a session.
ROOM, STEPS = 120, 7


def prepared():
    """The content of two drives."""
    made = []
    for lane in range(2):
        disk = bytearray(content(77, SECTORS))
        disk[512 * PLACE:] = bytes(512 * 16)
        disk[512 * PLACE:512 * PLACE + 512] = superblock(lane)
        made.append(bytes(disk))
    return made


class MirrorSession:
    """A session on drives that remember in which order they were written. ``versions`` has what each sector was to be,
    one after the other; ``safe`` (clock, {sector: how many versions}) of each time that the user could rely on them."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.images = [LoggedImage(disk) for disk in prepared()]
        self.drives = [Drive(image, behaviour=Behaviour(completion_latency=rng.randint(0, 200), activate_latency=20,
                                                        flush_latency=rng.randint(0, 400)), serial=f"LANE{lane}")
                       for lane, image in enumerate(self.images)]
        self.bench = of_drives(self.drives)
        for image in self.images:
            image.clock_of = lambda: self.clock
        self.versions = {sector: [self.images[0].read_sectors(sector, 1)] for sector in range(ROOM)}
        self.safe = [(0, dict.fromkeys(range(ROOM), 0))]
        assert self.bench.settle()["ready"]

    clock = property(lambda self: self.bench.engine.state().cycle)

    def run(self, faults):
        fault_at = self.rng.randrange(STEPS) if faults else None
        for step in range(STEPS):
            if not self.bench.outputs()["ready"]:
                return
            self.step(step, step == fault_at)

    def step(self, number, fails):
        rng, bench = self.rng, self.bench
        operation = rng.choice((Operation.RECORD, Operation.RECORD_FLUSH, Operation.RECORD_FLUSH, Operation.FLUSH))
        sectors = 0 if operation == Operation.FLUSH else rng.randint(1, 40)
        lba = rng.randrange(ROOM - sectors)
        data = content(rng.random(), sectors)
        lane = rng.randrange(2)
        if fails:
            self.drives[lane].behaviour.fail_lba = rng.choice((PLACE, lba + rng.randrange(sectors + 1)))
        bench.engine.source(Bytes(data), hold=Hold(rng.randint(1, 40), rng.randint(0, 5)))
        bench.start(operation, lba, sectors)
        bench.run(2)
        for sector in range(lba, lba + sectors):
            # Where a drive is stopped, to go on alone, its command is filled with zeros.
            self.versions[sector] += [bytes(512)] * fails + [data[512 * (sector - lba):512 * (sector - lba + 1)]]
        if fails and rng.random() < 0.4:
            bench.engine.run(rng.randint(1, 9000), Event.DONE)
            bench.ports[lane].unplug()
        while bench.outputs()["busy"]:
            bench.engine.run(50_000, Event.DONE)
            bench.run(1)
        outputs = bench.outputs()
        assert outputs["sectors_done"] == sectors or outputs["error"]
        if operation & 2 and not outputs["error"] and not outputs["unflushed"]:
            self.safe.append((self.clock, {sector: len(held) - 1 for sector, held in self.versions.items()}))

    def cut(self, clock, rng):
        """(drives, what of their caches was kept) after a power cut."""
        caches = [rng.choice(CACHES) for _ in self.images]
        return [LoggedImage(image.cut(clock, cache, rng)) for image, cache in zip(self.images, caches)], caches

    def judge(self, clock, images, lanes):
        """These ``lanes`` of ``images`` have all that was safe before the ``clock``."""
        known = [held for when, held in self.safe if when <= clock][-1]
        for lane in lanes:
            for sector, least in known.items():
                assert images[lane].read_sectors(sector, 1) in self.versions[sector][least:], (lane, sector, clock)


@pytest.mark.wide
@pytest.mark.parametrize("faults", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_power_cuts(seed, faults, turns):
    """At any moment, often while superblocks are marked. The recorder uses the drives that md takes, and goes on."""
    recording = MirrorSession(seed)
    recording.run(faults)
    last, rng = recording.clock, random.Random(seed)
    marks = [when for image in recording.images for when, lba, _ in image.log if lba == PLACE]
    assert len(recording.safe) > 1 and marks
    kinds = set()
    for number in range(turns(5, 60)):
        clock = rng.randrange(last) if number % 3 == 0 else max(0, rng.choice(marks) + rng.randrange(-300, 1200))
        images, _ = recording.cut(clock, rng)
        lanes = chosen(images)
        recording.judge(clock, images, lanes)
        found = [stated(images[lane], lane) for lane in lanes]
        in_sync = len(lanes) == 2 and not any(one.dirty for one in found) and found[0].events == found[1].events
        kinds.add((len(lanes), in_sync))
        if in_sync:
            assert images[0].read_sectors(0, PLACE) == images[1].read_sectors(0, PLACE)
        again = of_drives([Drive(image, serial=f"LANE{lane}") for lane, image in enumerate(images)])
        outputs = again.settle()
        assert outputs["ready"] and outputs["mirror_dropped"] == 3 & ~sum(1 << lane for lane in lanes)
        assert outputs["mirror_dirty"] == any(one.dirty for one in found) or len(lanes) == 2
        played = again.play(0, ROOM)
        assert played.error == 0
        known = [held for when, held in recording.safe if when <= clock][-1]
        for sector, least in known.items():
            assert played.data[512 * sector:512 * sector + 512] in recording.versions[sector][least:]
        data = content(number, 5)
        assert again.record(data, 3, flush=True).error == 0
        assert chosen(images) == lanes and all(images[lane].read_sectors(3, 5) == data for lane in lanes)
        assert len(lanes) == 1 or stated(images[0], 0) == stated(images[1], 1)
        assert in_sync or len(lanes) == 1 or stated(images[0], 0).dirty
    assert kinds


def test_a_missing_flush_is_found():
    """What judges a power cut would see it if FLUSH CACHE did not reach one of the drives."""
    recording = MirrorSession(1)
    recording.run(False)
    rng = random.Random(1)
    clock = recording.safe[-1][0]
    images = [LoggedImage(image.cut(clock, "lost", rng)) for image in recording.images]
    recording.judge(clock, images, chosen(images))
    other = recording.images[1]
    other.log = [event for event in other.log if event[1] is not None]
    images[1] = LoggedImage(other.cut(clock, "lost", rng))
    with pytest.raises(AssertionError):
        recording.judge(clock, images, [0, 1])
