"""An array with COMMAND for tests: what each drive hears, and whether all lanes still work."""

from integration.arrays import OFFSET, members
from integration.drives import hear
from integration.small import content
from sata_drive_model import Health

from sata_recorder.simulation import Event
from sata_recorder.simulation.pattern import Bytes

#: Sectors of each drive, and an LBA of which the array makes no use here.
SECTORS = OFFSET + 1024
FREE = OFFSET + 900
#: What an array can be: drives, kind, sectors of a chunk, other options.
SHAPES = {
    "striped": (3, "raid0", 16, {}), "linear": (2, "linear", 128, {"extents": "queued"}),
    "wide": (3, "raid0", 8, {"array_width": 128, "on_failure": "skip"}),
    "wide queued": (2, "raid0", 8, {"array_width": 64, "extents": "queued"}),
    "memory": (2, "raid0", 8, {"memory": 1 << 20, "memory_width": 64, "buffer_words": 2048}),
    "wide memory": (3, "linear", 128, {"array_width": 64, "memory": 1 << 20, "memory_width": 64, "buffer_words": 2048}),
    "without recovery": (5, "raid0", 8, {"recovery": False, "retain_sectors": 0, "retries": 0}),
}


class Commanded:
    """A bench of this shape that is brought up, what each drive hears, and what each should hold."""

    def __init__(self, shape, *, units=None):
        drives, kind, chunk, options = SHAPES[shape]
        self.bench = b = members(drives, kind=kind, chunk=chunk, commands=True, sectors=[SECTORS] * drives, units={
            lane: {"health": Health(celsius=30 + lane), **(units or {})} for lane in range(drives)}, **options)
        b.bring_up()
        assert b.settle()["ready"]
        self.drives = [port.drive for port in b.ports]
        self.heard = [hear(drive) for drive in self.drives]

    def command(self, lane, operation, **registers):
        """The outcome of a COMMAND to a lane; no other lane heard or lost anything."""
        lanes = range(len(self.drives))
        self.bench.engine.set(array_lane=lane)
        before, images = [len(heard) for heard in self.heard], self.images()
        outcome = self.bench.command(operation, **registers)
        of_lane = lane if lane in lanes else 0
        for other in set(lanes) - {of_lane}:
            assert len(self.heard[other]) == before[other] and self.images()[other] == images[other]
        self.found = [register.command for register in self.heard[of_lane][before[of_lane]:]]
        return outcome

    def images(self):
        return [bytes(drive.image.read_sectors(0, drive.image.sectors)) for drive in self.drives]

    def begin(self, lane, operation, lba=0, sectors=0, data=b"", **registers):
        """Starts a COMMAND, and lets its first clocks pass."""
        self.bench.engine.set(array_lane=lane, task_operation=1, task_pio=0, task_device=0x40, **{
            f"task_{name}": value for name, value in registers.items()})
        self.bench.engine.source(Bytes(data))
        self.bench.engine.sink(128 * min(sectors, 16))
        self.bench.start(operation, lba, sectors)
        self.bench.run(2)

    def ended(self):
        b = self.bench
        if b.outputs()["busy"]:
            b.wait(Event.IDLE)
        outputs = b.outputs()
        assert not b.engine.run(300, Event.DONE)
        b.engine.set(task_operation=0)
        return outputs

    def works(self, seed=1, check=True):
        """The array records and plays over all of its lanes."""
        b = self.bench
        if not b.outputs()["ready"]:
            b.wait(Event.READY)
        boundary = b.rooms[0] if b.configuration.array == "linear" else 500
        lba, data = boundary - 60, content(seed, 131)
        recorded = b.record(data, lba, flush=True)
        assert (recorded.error, recorded.taken, recorded.outputs["sectors_done"]) == (0, 128 * 131, 131)
        assert b.read(lba, 131) == data
        if check:
            b.check()
        played = b.play(lba, 131)
        assert (played.error, played.lasts, played.data) == (0, 1, data)
        if check:
            b.check()
