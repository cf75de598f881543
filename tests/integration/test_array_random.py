"""Random faults in the lanes of an array, stops, and drives that are exchanged: an honest end each time, and no drive
is written that is not the array's."""

import random

import pytest
from integration.arrays import OFFSET, members
from integration.lane_trials import LaneTrial, drive_fault
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Operation
from sata_recorder.simulation import Event, Hold

pytestmark = pytest.mark.wide

#: Drives, kind, chunk, other options; those of the first two are compiled for other tests, too.
SHAPES = [(3, "raid0", 16, {}), (2, "linear", 128, {}), (2, "raid0", 8, {"on_failure": "skip"}),
          (5, "raid0", 8, {"buffer_words": 1024, "retain_sectors": 0}),
          (3, "linear", 128, {"recovery": False, "retain_sectors": 0, "retries": 0}),
          (3, "raid0", 16, {"array_width": 128}), (2, "raid0", 8, {"array_width": 64, "on_failure": "skip"}),
          (2, "raid0", 8, {"memory": 1 << 20, "memory_width": 64, "buffer_words": 2048}),
          (3, "linear", 128, {"array_width": 64, "memory": 1 << 20, "memory_width": 64, "buffer_words": 2048})]
SEEDS = [(shape, seed) for shape in SHAPES[:2] for seed in range(2)]
MORE = [(shape, seed) for seed in range(2, 20) for shape in SHAPES]
#: Sectors of a drive after the superblock, the first of a linear array has fewer.
ROOM, LESS = 512, 256


class Trial(LaneTrial):
    """An array of this ``shape`` and what its disks should contain. ``under_way``: the data that are recorded, and
    where."""

    def __init__(self, shape, seed):
        rng = random.Random(f"{shape[:3]}{seed}")
        drives, kind, chunk, options = shape
        hostile = rng.random() < 0.6
        super().__init__(rng, members(
            drives, kind=kind, chunk=chunk, sectors=[OFFSET + room for room in self.rooms(drives, kind)],
            behaviours={lane: Behaviour.random(rng.random()) for lane in range(drives)} if hostile else None,
            lines={lane: rng.choice(({}, {"line_rate": (2, 3)}, {"round_trip": 15, "skew": 1}))
                   for lane in range(drives)}, **options))
        self.bench.bring_up()
        self.ready()
        self.capacity = self.bench.outputs()["capacity"]
        for drive in self.drives:
            drive.image.write(512 * OFFSET, content(rng.random(), drive.image.sectors - OFFSET))
        self.disks = self.images()
        self.skips, self.under_way = options.get("on_failure") == "skip", None

    def rooms(self, drives, kind):
        """The sectors that each lane has."""
        return [LESS if kind == "linear" and lane == 0 else ROOM for lane in range(drives)]

    def length(self):
        """Sectors of an operation."""
        return self.rng.choice((1, self.rng.randint(1, 40), self.rng.randint(1, 300)))

    def array(self, disks, lba, sectors):
        return b"".join(disks[lane][512 * own:512 * own + 512]
                        for lane, own in map(self.bench.place, range(lba, lba + sectors)))

    def disturbance(self):
        """Clocks until something happens to the line of a lane, or to the operation."""
        rng, memory = self.rng, self.bench.configuration.memory
        return (rng.choice((rng.randint(0, 12), rng.randint(0, 160), rng.randint(0, 6000), rng.randint(0, 30_000))),
                rng.choice(("errors", "fall", "unplug", "unplug", "swap", "swap", "blank", "stop", "stop", "look",
                            *(["abandon"] * 4 if memory else ()))),
                rng.randrange(len(self.drives)))

    def disturb(self, what, lane):
        if what == "abandon":
            self.bench.engine.set(memory_abandon=1)
        elif what != "look":
            super().disturb(what, lane)
        elif self.under_way and self.bench.outputs()["busy"]:
            self.prefix(self.bench.outputs(), *self.under_way)

    def prefix(self, outputs, data, lba):
        """What counts as done is on the disks, now; after the words that were taken there are zeros."""
        if not self.skips:
            done, words = outputs["sectors_done"], outputs["words"]
            data = data[:4 * words] + bytes(max(512 * done - 4 * words, 0))
            assert self.array(self.images(), lba, done) == data[:512 * done]

    def step(self, number):
        bench, rng = self.bench, self.rng
        operation = rng.choice((Operation.PLAY, Operation.RECORD, Operation.RECORD, Operation.RECORD_FLUSH))
        sectors = self.length()
        lba = rng.randint(0, min(LESS + 40, self.capacity - sectors))
        hold = Hold(*rng.choice(((1, 0), (3, 2), (50, 300), (rng.randint(1, 300), rng.randint(0, 400)))))
        data = content(rng.random(), sectors)
        for _ in range(rng.randint(0, 2)):
            lane, own = bench.place(lba + rng.randint(0, sectors - 1))
            setattr(self.drives[lane].behaviour, *drive_fault(rng, own))
        events = sorted(self.disturbance() for _ in range(rng.randint(0, 3)))
        stopped = any(what in ("stop", "abandon") for _, what, _ in events)
        self.under_way = (data, lba) if operation & 1 else None
        outputs = self.operate(operation, lba, data, hold, sectors, events)
        assert not bench.engine.run(rng.choice((1, 3, 300)), Event.DONE)
        if bench.configuration.memory:
            bench.engine.set(memory_abandon=0)
        self.ended(operation, lba, sectors, data, outputs, stopped)
        self.works(number)

    def ended(self, operation, lba, sectors, data, outputs, stopped):
        bench, state = self.bench, self.bench.engine.state()
        error, done, skipped, words = (outputs[name] for name in ("error", "sectors_done", "skipped_sectors", "words"))
        assert bool(error) == bool(outputs["array_failed"])
        assert done + skipped <= sectors and (done + skipped == sectors or error or stopped)
        now = self.images()
        places = {}
        for lane, own in map(bench.place, range(lba, lba + sectors)):
            places.setdefault(lane, []).append(own)
        for lane, (disk, before) in enumerate(zip(now, self.disks)):
            if operation == Operation.PLAY or lane not in places:
                assert disk == before
            else:   # the places of a lane are adjacent
                first, last = 512 * places[lane][0], 512 * (places[lane][-1] + 1)
                assert disk[:first] + disk[last:] == before[:first] + before[last:]
        if operation == Operation.PLAY:
            assert words == state.received
            got, want = bench.engine.received(), self.array(now, lba, sectors)
            sound = 4 * state.received if not error else min(512 * done, 4 * state.received)
            assert self.skips or got[:sound] == want[:sound]
            assert state.lasts == (state.received == 128 * sectors)
        else:
            assert words == state.taken <= 128 * sectors
            self.prefix(outputs, data, lba)
            assert error or stopped or words == 128 * sectors
            assert error or self.skips or 128 * done >= words
            if bench.configuration.memory:
                self.accounted(now, lba, data, outputs)
        self.disks = now

    def accounted(self, disks, lba, data, outputs):
        """Each word that was accepted is on a disk, or is counted; a sector that was begun is filled with zeros."""
        words, lost = outputs["words"], outputs["memory_lost"]
        whole = sum(self.array(disks, lba + place, 1) == data[512 * place:512 * place + 512]
                    for place in range(words // 128))
        assert words <= 128 * whole + lost + words % 128, (words, whole, lost)
        assert lost or outputs["memory_failure"] == 0

    def works(self, number):
        """It does not accept what is not its own, and works again once it has its drives."""
        bench, rng = self.bench, self.rng
        self.no_more_faults()
        # Blank drives only are an array, if one without a name.
        blank = all(port.drive and not any(port.drive.image.read_sectors(8, 1)) for port in bench.ports)
        if not blank and any(port.drive not in (None, drive) for port, drive in zip(bench.ports, self.drives)):
            bench.run(rng.choice((1, 500, 30_000)))
            refused = bench.record(content(number, 9), 3)
            assert refused.error and not refused.taken
        self.own_drives()
        assert self.images() == self.disks
        self.ready()
        sectors, lba = rng.randint(1, 60), rng.randint(0, LESS)
        data = content(rng.random(), sectors)
        recorded = bench.record(data, lba, flush=True)
        assert (recorded.error, recorded.taken, recorded.outputs["sectors_done"]) == (0, 128 * sectors, sectors)
        self.check()
        self.ready()        # noise of the operation before may have cost the drive's link
        played = bench.play(lba, sectors)
        assert (played.error, played.lasts, played.data) == (0, 1, data)
        self.check()
        self.disks = self.images()
        assert self.array(self.disks, lba, sectors) == data

    def check(self):
        if not self.noisy:
            self.bench.check()


@pytest.mark.sample(3)
@pytest.mark.parametrize("shape, seed", [*SEEDS, *(pytest.param(*one, marks=pytest.mark.long) for one in MORE)])
def test_random_faults_of_lanes(shape, seed):
    trial = Trial(shape, seed)
    for number in range(6):
        trial.step(number)
