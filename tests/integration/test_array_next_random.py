"""Random faults in the lanes of a linear array whose recordings go on with the next drive: no word is lost while one is
left, and none is doubled."""

import pytest
from integration.test_array_next import passed_over
from integration.test_array_random import ROOM, Trial

from sata_recorder.core.drive_port import Operation

pytestmark = pytest.mark.wide

_NEXT = {"on_failure": "next"}
#: Drives, kind, chunk, other options; the first one is compiled for another test, too.
SHAPES = [(3, "linear", 128, _NEXT), (2, "linear", 128, _NEXT | {"buffer_words": 2048, "retain_sectors": 0}),
          (5, "linear", 128, _NEXT | {"flush_commands": 2, "retries": 0})]
MORE = [(shape, seed) for seed in range(2, 20) for shape in SHAPES]


class NextTrial(Trial):
    """A recording ends early only if it is stopped, if no sector of the extent is left, or if its last lane fails."""

    def rooms(self, drives, kind):
        return [128] * (drives - 1) + [ROOM]

    def length(self):
        return self.rng.choice((self.rng.randint(1, 300), self.rng.randint(100, 500)))

    def disturbance(self):
        clocks, what, lane = super().disturbance()
        return (self.rng.choice((clocks, self.rng.randint(0, 80_000))),
                self.rng.choice((what, "unplug")), self.rng.choice((lane, 0)))

    def prefix(self, outputs, data, lba):
        done, words = outputs["sectors_done"], outputs["words"]
        data = data[:4 * words] + bytes(max(512 * done - 4 * words, 0))
        left_out = passed_over(self.bench)
        places = [sector for sector in range(lba, lba + done + len(left_out)) if sector not in left_out]
        disks = self.images()
        assert b"".join(self.array(disks, sector, 1) for sector in places[:done]) == data[:512 * done]

    def ended(self, operation, lba, sectors, data, outputs, stopped):
        super().ended(operation, lba, sectors, data, outputs, stopped)
        if operation == Operation.PLAY:
            assert not outputs["skipped_sectors"]
            return
        left_out = passed_over(self.bench)
        assert len(left_out) == outputs["skipped_sectors"] and left_out <= {*range(lba, lba + sectors)}
        last, _ = self.bench.place(lba + sectors - 1)
        if not outputs["array_failed"] >> last & 1:
            done, words = outputs["sectors_done"], outputs["words"]
            assert done + len(left_out) == sectors or stopped and words <= 128 * done
            assert stopped or words >= 128 * done


@pytest.mark.sample(3)
@pytest.mark.parametrize("shape, seed", [*((shape, seed) for shape in SHAPES[:2] for seed in range(2)),
                                         *(pytest.param(*one, marks=pytest.mark.long) for one in MORE)])
def test_random_faults_of_lanes(shape, seed):
    trial = NextTrial(shape, seed)
    for number in range(6):
        trial.step(number)
