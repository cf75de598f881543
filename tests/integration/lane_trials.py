"""Random faults of the drives of an array, and what happens to their lines, while it works: what trials share."""

from integration.small import connect
from integration.test_random_faults import FAULTS, FRIENDLY

from sata_recorder.simulation import Event
from sata_recorder.simulation.pattern import Bytes


def drive_fault(rng, start):
    """(field of the behaviour, value), of a lane whose part begins at ``start``."""
    place = rng.randint(0, 3), rng.randint(0, 2050)
    return rng.choice((
        ("fail_lba", start + rng.randint(0, 40)), ("fail_after_data", rng.randint(1, 3)),
        ("fail_status", rng.choice((0x51, 0x71, 0x11, 0x59))), ("good_status", rng.choice((0x50, 0x51, 0x70, 0x10, 0))),
        (rng.choice(("reject_command", "unknown_fis", "wrong_length", "short_length", "bad_crc", "refuse_command",
                     "escape_command")), rng.randint(1, 3)),
        (rng.choice(("short_data", "extra_data")), rng.randint(1, 127)),
        (rng.choice(("bad_data_crc", "refuse_data")), rng.randint(0, 3)),
        (rng.choice(("dmat_data", "escape_write", "escape_read", "stuck_read", "stuck_write")), place),
        ("mute", frozenset([rng.choice(("command", "activate", "data", "status", "r_rdy", "r_ok"))]))))


class LaneTrial:
    """An array, its own ``drives``, and what each should contain: ``disks``. ``foreign`` has the drives of others that
    came in their place, with their content; ``noisy`` if a line had errors."""

    def __init__(self, rng, bench):
        self.rng, self.bench = rng, bench
        self.drives = [port.drive for port in bench.ports]
        self.disks, self.foreign, self.noisy = [], [], False
        bench.limit = 1_000_000

    def images(self):
        return [bytes(drive.image.read_sectors(0, drive.image.sectors)) for drive in self.drives]

    def ready(self):
        if not self.bench.outputs()["ready"]:
            self.bench.wait(Event.READY)

    def disturb(self, what, lane):
        """Stops the operation, or changes the line of a lane that still has its own drive: "errors", "fall", "unplug",
        or another drive in its place, with the content of another lane ("swap") or with none ("blank")."""
        bench, rng = self.bench, self.rng
        port = bench.ports[lane]
        if what == "stop":
            bench.stop()
        elif port.drive is not self.drives[lane]:
            pass
        elif what == "errors":
            self.noisy = True
            port.inject_rx_error(rng.randint(1, 30))
        elif what == "fall":
            port.drop_link(rng.randint(2, 30))
        else:
            port.unplug()
            if what != "unplug":
                bench.engine.run(rng.choice((1, 20, 2000)), Event.DONE)
                other = connect(sectors=self.drives[lane].image.sectors, unit={"serial": f"OTHER{lane}"}).drive
                if what == "swap":
                    other.image.write(0, self.disks[lane - 1][:512 * other.image.sectors])
                self.foreign.append((other, bytes(other.image.read_sectors(0, other.image.sectors))))
                port.plug(other)

    def operate(self, operation, lba, data, hold, sectors, events):
        """An operation, to its end, in which ``events`` happen, each (clocks after its start, what, lane). The outputs
        then."""
        bench = self.bench
        bench.engine.source(Bytes(data), hold=hold)
        bench.engine.sink(128 * sectors, hold=hold)
        bench.start(operation, lba, sectors)
        bench.run(1)
        clock = bench.engine.state().cycle
        for clocks, what, lane in events:
            ahead = clock + clocks - bench.engine.state().cycle
            if bench.outputs()["done"] or ahead > 0 and bench.engine.run(ahead, Event.DONE):
                break
            self.disturb(what, lane)
        if not bench.outputs()["done"]:
            bench.wait(Event.DONE)
        outputs = bench.outputs()
        assert not outputs["busy"]
        return outputs

    def no_more_faults(self):
        for drive in self.drives:
            for name in FAULTS:
                setattr(drive.behaviour, name, getattr(FRIENDLY, name))

    def own_drives(self):
        """Each lane has its own drive again, and no other drive was written."""
        for port, drive in zip(self.bench.ports, self.drives):
            if port.drive is not drive:
                port.plug(drive)
        self.bench.run(2)       # until the array sees that they were away
        for drive, image in self.foreign:
            assert bytes(drive.image.read_sectors(0, drive.image.sectors)) == image
