"""Random COMMANDs to random lanes between recordings, with random faults, stops and exchanged drives: each ends, no
other lane hears of it, and the array works again."""

import pytest
from integration.arrays import OFFSET
from integration.drives import hear
from integration.lane_trials import drive_fault
from integration.small import content
from integration.test_array_random import ROOM, Trial

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event, Hold

pytestmark = pytest.mark.wide

PLAY, RECORD, FLUSH = Operation.PLAY, Operation.RECORD, Operation.FLUSH
#: Drives, kind, chunk, other options.
SHAPES = [(drives, kind, chunk, {"commands": True, **options}) for drives, kind, chunk, options in (
    (3, "raid0", 16, {}), (2, "linear", 128, {"extents": "queued"}),
    (3, "raid0", 8, {"array_width": 128, "on_failure": "skip"}),
    (2, "raid0", 8, {"array_width": 64, "extents": "queued"}),
    (5, "raid0", 8, {"recovery": False, "retain_sectors": 0, "retries": 0}),
    (2, "raid0", 8, {"memory": 1 << 20, "memory_width": 64, "buffer_words": 2048}),
    (3, "linear", 128, {"array_width": 64, "memory": 1 << 20, "memory_width": 64, "buffer_words": 2048}))]
SEEDS = [(shape, seed) for shape in SHAPES[:3] for seed in range(2)]
MORE = [(shape, seed) for seed in range(2, 12) for shape in SHAPES]
#: (operation, Command register, by PIO, reads or writes sectors)
COMMANDS = [(FLUSH, 0xE5, 0, False), (FLUSH, 0xEA, 0, False), (FLUSH, 0xE0, 0, False), (FLUSH, 0xF9, 0, False),
            (PLAY, 0xEC, 1, False), (PLAY, 0x25, 0, True), (PLAY, 0x24, 1, True), (PLAY, 0xF9, 0, False),
            (RECORD, 0x35, 0, True), (RECORD, 0x34, 1, True), (Operation.RECORD_FLUSH, 0x35, 0, True),
            (RECORD, 0xF9, 0, False), (RECORD, 0xF9, 1, False)]
#: What the core sends by itself to bring up a drive and to read its superblock.
OWN = {(0xEC, 0), (0x25, 8), (0xC8, 8)}


class CommandTrial(Trial):
    """A trial in which every other operation is a COMMAND."""

    def __init__(self, shape, seed):
        super().__init__(shape, seed)
        self.heard = [hear(drive) for drive in self.drives]

    def disturb(self, what, lane):
        super().disturb(what, lane)
        # What is chosen while an operation runs does not matter to it.
        self.bench.engine.set(array_lane=self.rng.randrange(8))

    def step(self, number):
        # Without the operation COMMAND its registers do not matter.
        registers = {name: self.rng.randrange(1 << bits) for name, bits in (
            ("task_command", 8), ("task_features", 16), ("task_count", 16), ("task_device", 8), ("task_pio", 1))}
        self.bench.engine.set(task_operation=0, array_lane=self.rng.randrange(8), **registers)
        super().step(number)
        for _ in range(self.rng.randint(1, 3)):
            self.command(number)

    def command(self, number):
        bench, rng = self.bench, self.rng
        operation, code, pio, moves = rng.choice(COMMANDS)
        sectors = 0 if operation == FLUSH else rng.randint(1, 16) if moves else 1
        lane, lba = rng.randrange(8), OFFSET + rng.randint(0, ROOM // 2 - 16)
        if rng.random() < 0.5:
            setattr(rng.choice(self.drives).behaviour, *drive_fault(rng, lba))
        events = sorted(self.disturbance() for _ in range(rng.randint(0, 2)))
        stopped = any(what in ("stop", "abandon") for _, what, _ in events)
        hold, data = Hold(*rng.choice(((1, 0), (3, 2), (50, 300)))), content(rng.random(), sectors)
        self.under_way = None
        for heard in self.heard:
            heard.clear()
        bench.engine.set(array_lane=lane, task_operation=1, task_command=code, task_pio=pio, task_device=0x40,
                         task_features=0, task_count=sectors)
        outputs = self.operate(operation, lba, data, hold, sectors, events)
        assert not bench.engine.run(rng.choice((1, 3, 300)), Event.DONE)
        bench.engine.set(task_operation=0, **({"memory_abandon": 0} if bench.configuration.memory else {}))
        self.commanded(operation, lba, sectors, data, outputs, stopped, lane if lane < len(self.drives) else 0, code)
        self.works(number)

    def commanded(self, operation, lba, sectors, data, outputs, stopped, lane, code):
        bench, state = self.bench, self.bench.engine.state()
        error, failed, done, words = (outputs[name] for name in ("error", "array_failed", "sectors_done", "words"))
        assert failed == (bool(error) and 1 << lane) or (failed == 0 and error in (Error.NOT_READY, Error.OTHER_DRIVE))
        assert not failed or outputs["array_first"] == lane
        assert outputs["skipped_sectors"] == 0
        assert done == sectors or error and done == 0 or code == 0x35 and error and operation & 2
        assert not stopped or bench.outputs()["dropped"] == 0
        for number, heard in enumerate(self.heard):
            found = [(one.command, one.lba) for one in heard if (one.command, one.lba & 0xFFFFFFFFFFFF) not in OWN]
            assert number == lane or found == []
            assert number != lane or error or found[0] == (code, lba) and found[1:] == (
                [(0xEA, 0)] if operation == Operation.RECORD_FLUSH else [])
            assert found.count((code, lba)) <= 1
        now = self.images()
        for number, (disk, before) in enumerate(zip(now, self.disks)):
            if operation & 1 and number == lane and code != 0xF9:
                first, last = 512 * lba, 512 * (lba + sectors)
                assert disk[:first] + disk[last:] == before[:first] + before[last:]
            else:
                assert disk == before
        if operation == PLAY:
            assert words == state.received <= 128 * sectors
            got = bench.engine.received()
            if code in (0x24, 0x25) and (not error or bench.configuration.buffer_words >= 4096):
                assert error or got == now[lane][512 * lba:512 * lba + len(got)]
            assert error or stopped or state.received == 128 * sectors
            assert state.lasts == (state.received == 128 * sectors)
        elif operation != FLUSH:
            assert words == state.taken <= 128 * sectors
            if not error and code != 0xF9 and not outputs.get("memory_lost"):
                assert now[lane][512 * lba:512 * (lba + sectors)] == data[:4 * words].ljust(512 * sectors, b"\0")
            assert error or stopped or words == 128 * sectors
        if code == 0xF9 and not failed:
            assert error
        self.disks = now


@pytest.mark.sample(3)
@pytest.mark.parametrize("shape, seed", [*SEEDS, *(pytest.param(*one, marks=pytest.mark.long) for one in MORE)])
def test_random_commands_to_lanes(shape, seed):
    trial = CommandTrial(shape, seed)
    for number in range(5):
        trial.step(number)
