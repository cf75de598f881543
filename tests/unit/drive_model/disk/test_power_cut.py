"""A cut of the power loses what the RAM of a disk held, and no more."""

from hypothesis import given
from hypothesis import strategies as st

from sata_drive_model.medium import DiskImage, VolatileImage

from unit.drive_model.disk.disks import medium

SECTORS = 2048
FINE = 32
ORDERS = st.one_of(
    st.tuples(st.just("write"), st.integers(0, SECTORS - 1), st.integers(1, 64)),
    st.tuples(st.just("pause"), st.integers(1, 3_000_000), st.just(0)),
    st.tuples(st.just("flush"), st.just(0), st.just(0)))


class DriveOfVersions:
    """What a drive does with its medium and its image."""

    def __init__(self, **parameters):
        self.medium = medium(**parameters)
        self.image = VolatileImage(DiskImage(sectors=1 << 18), loss=1.0)
        self.now = 0
        self.versions = {}      # sector: what was written to it, in order

    def settle(self, lba, count):
        for place, sectors in self.medium.settled(self.now, lba, count):
            self.image.flush(place, sectors)

    def write(self, lba, count, value):
        self.now += self.medium.begin_write(self.now, lba, 128 * count)
        self.now += 128 * count
        self.settle(lba, count)
        self.image.write(512 * lba, bytes([value]) * 512 * count)
        for sector in range(lba, lba + count):
            self.versions.setdefault(sector, [0]).append(value)
        self.now += self.medium.wrote(self.now, 128 * count, 0)
        self.now += self.medium.end_write(self.now)

    def flush(self):
        self.now += self.medium.flush(self.now)
        self.image.flush()

    def held(self):
        """Sectors in RAM, and those that are being written."""
        store = self.medium.store
        runs = [(run.start, run.end) for run in store.waiting]
        runs += [(place, place + size) for end, place, size in store.unsettled if end > self.now << FINE]
        return {sector for start, end in runs for sector in range(start // 512, -(-end // 512))}


def check(orders, **parameters):
    host, safe = DriveOfVersions(**parameters), {}
    for number, (what, first, count) in enumerate(orders):
        if what == "write":
            host.write(first, min(count, SECTORS - first), number % 255 + 1)
        elif what == "pause":
            host.now += first
        else:
            host.flush()
            safe = {sector: len(versions) - 1 for sector, versions in host.versions.items()}
    host.settle(0, 0)
    held = host.held()
    host.image.power_off()
    host.medium.power_off()
    assert set(host.image.lost) == held
    for sector, versions in host.versions.items():
        found = host.image.read_sectors(sector)[0]
        if sector in held:
            assert found in versions[safe.get(sector, 0):]
        else:
            assert found == versions[-1]
    assert not host.medium.store.waiting
    host.write(5, 1, 77)        # it goes on
    host.flush()
    assert host.image.unflushed == frozenset()


@given(st.lists(ORDERS, max_size=40))
def test_it_loses_what_ram_held(orders):
    check(orders)


@given(st.integers(1, 900_000), st.integers(1, 2_000_000))
def test_what_is_written_again_while_it_is_being_written(before, after):
    check([("write", 0, 64), ("pause", before, 0), ("write", 32, 64), ("pause", after, 0)])


@given(st.lists(ORDERS, max_size=40))
def test_and_of_a_disk_of_long_sectors(orders):
    check(orders, sector_bytes=4096)


@given(st.lists(ORDERS, max_size=40))
def test_and_of_a_shingled_one(orders):
    check(orders, policy={"shingles": {"band_bytes": 65_536, "cache_bytes": 262_144, "idle_ms": 10}})


@given(st.lists(ORDERS, max_size=40))
def test_without_a_write_cache_it_loses_nothing(orders):
    host = DriveOfVersions(policy={"write_cache": False})
    for number, (what, first, count) in enumerate(orders):
        if what == "write":
            host.write(first, min(count, SECTORS - first), number % 255 + 1)
        elif what == "pause":
            host.now += first
    host.settle(0, 0)
    assert host.held() == set()
    assert host.image.unflushed == frozenset()
