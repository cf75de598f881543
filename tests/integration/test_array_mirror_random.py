"""Random faults of the drives of RAID 1, stops, and drives that are exchanged: an honest end each time, what counts is
on the drives that Linux would take, and no other drive is written."""

import random

import pytest
from integration.lane_trials import LaneTrial, drive_fault
from integration.mirrors import PLACE, SIZE, chosen, members, stated, superblock
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Operation
from sata_recorder.simulation import Event, Hold

ROOM = 400
#: Options of the lanes; the first are compiled for other tests, too.
SHAPES = [{}, {"retain_sectors": 0, "retries": 0}]
WRITES = Operation.RECORD, Operation.RECORD, Operation.RECORD_FLUSH


class MirrorTrial(LaneTrial):
    """Two mirrors and what their disks should contain."""

    def __init__(self, options, seed):
        rng = random.Random(f"{options}{seed}")
        hostile = rng.random() < 0.5
        super().__init__(rng, members(
            behaviours={lane: Behaviour.random(rng.random()) for lane in range(2)} if hostile else None,
            lines={lane: rng.choice(({}, {"line_rate": (2, 3)}, {"round_trip": 15, "skew": 1})) for lane in range(2)},
            **options))
        same = content(rng.random(), ROOM)
        for drive in self.drives:
            drive.image.write(0, same)
        self.bench.bring_up()
        self.ready()
        self.disks = self.images()

    def chosen(self):
        return chosen([drive.image for drive in self.drives])

    def step(self, _number):
        bench, rng = self.bench, self.rng
        operation = rng.choice((Operation.PLAY, Operation.FLUSH, *WRITES))
        sectors = 0 if operation == Operation.FLUSH else rng.choice((1, rng.randint(1, 40), rng.randint(1, 300)))
        lba = rng.randint(0, ROOM - sectors)
        hold = Hold(*rng.choice(((1, 0), (3, 2), (50, 300), (rng.randint(1, 300), rng.randint(0, 400)))))
        data = content(rng.random(), sectors)
        for _ in range(rng.randint(0, 2)):
            where = rng.choice((PLACE, lba + rng.randint(0, sectors)))
            setattr(self.drives[rng.randrange(2)].behaviour, *drive_fault(rng, where))
        events = sorted((rng.choice((rng.randint(0, 160), rng.randint(0, 6000), rng.randint(0, 30_000))),
                         rng.choice(("errors", "fall", "unplug", "swap", "blank", "stop")), rng.randrange(2))
                        for _ in range(rng.choice((0, 0, 1, 2))))
        stopped = any(what == "stop" for _, what, _ in events)
        before = self.chosen()
        outputs = self.operate(operation, lba, data, hold, sectors, events)
        self.ended(operation, lba, sectors, data, outputs, stopped, before)
        assert not bench.engine.run(rng.choice((1, 3, 300)), Event.DONE)
        self.works()

    def ended(self, operation, lba, sectors, data, outputs, stopped, before):
        bench, state = self.bench, self.bench.engine.state()
        error, done, words = (outputs[name] for name in ("error", "sectors_done", "words"))
        now, lanes = self.images(), self.chosen()
        assert not error or outputs["array_failed"]
        assert done <= sectors and (done == sectors or error or stopped)
        assert set(lanes) <= set(before)
        if not error:
            assert outputs["mirror_dropped"] == 3 & ~sum(1 << lane for lane in lanes)
        for lane, (disk, was) in enumerate(zip(now, self.disks)):
            if lane not in before:
                assert disk == was      # and no superblock of one that was dropped
            elif operation in (Operation.PLAY, Operation.FLUSH):
                assert disk[:512 * PLACE] == was[:512 * PLACE]
            else:
                first, last = 512 * lba, 512 * (lba + sectors)
                assert disk[:first] + disk[last:512 * PLACE] == was[:first] + was[last:512 * PLACE]
        if operation == Operation.PLAY:
            assert words == state.received and now == self.disks
            got = bench.engine.received()
            sound = 4 * state.received if not error else min(512 * done, 4 * state.received)
            assert any(got[:sound] == now[lane][512 * lba:512 * lba + sound] for lane in before) or \
                outputs["array_failed"] == 3 or len(before) == 2 and outputs["mirror_dirty"]
            assert state.lasts == (state.received == 128 * sectors)
        else:
            assert words == state.taken <= 128 * sectors
            held = data[:4 * words] + bytes(max(512 * done - 4 * words, 0))
            for lane in lanes:
                assert now[lane][512 * lba:512 * (lba + done)] == held[:512 * done]
            assert error or stopped or words == 128 * sectors
            assert error or 128 * done >= words
            if operation & 2 and not error and len(lanes) == 2 and not outputs["mirror_dirty"]:
                assert now[0][:512 * PLACE] == now[1][:512 * PLACE]
        self.disks = now

    def works(self):
        """It does not accept what is not its own, and works again once it has its drives."""
        bench, rng = self.bench, self.rng
        self.no_more_faults()
        self.own_drives()
        if rng.random() < 0.5:
            self.repair()
        self.ready()
        lanes = self.chosen()
        sectors, lba = rng.randint(1, 60), rng.randint(0, ROOM - 60)
        data = content(rng.random(), sectors)
        recorded = bench.record(data, lba, flush=True)
        assert (recorded.error, recorded.taken, recorded.outputs["sectors_done"]) == (0, 128 * sectors, sectors)
        assert not recorded.outputs["array_failed"] or recorded.outputs["cause"] or self.noisy or len(lanes) == 2
        self.ready()        # noise of the operation before may have cost a drive's link
        played = bench.play(lba, sectors)
        assert (played.error, played.lasts, played.data) == (0, 1, data)
        for lane in self.chosen():
            assert self.drives[lane].image.read_sectors(lba, sectors) == data
        if not self.noisy:
            bench.sound()
        self.disks = self.images()

    def repair(self):
        """As a PC does it: both hold the same, and their superblocks state it."""
        lanes = self.chosen()
        events = max(stated(drive.image, lane).events for lane, drive in enumerate(self.drives)) + 3
        same = self.drives[lanes[0]].image.read_sectors(0, SIZE)
        for lane, drive in enumerate(self.drives):
            drive.image.write(0, same)
            drive.image.write(512 * PLACE, superblock(lane, events=events))
        self.disks = self.images()
        for level in 1, 0:
            self.bench.engine.set(rst=level)
            self.bench.run(4)


@pytest.mark.parametrize("options, seed", [
    *((SHAPES[0], seed) for seed in range(3, 7)),
    *(pytest.param(options, seed, marks=pytest.mark.long) for options in SHAPES for seed in range(7, 40))])
def test_random_faults_of_mirrors(options, seed):
    trial = MirrorTrial(options, seed)
    for number in range(6):
        trial.step(number)
