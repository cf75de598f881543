"""Small disks for the tests of the model."""

from sata_drive_model.disk import DiskDrive, DiskMedium, disk_profile

HZ = 75_000_000
PHYSICAL = {"user_bytes": 1 << 27, "rpm": 7200, "heads": 2, "outer_mb_per_s": 60, "inner_mb_per_s": 30, "zones": 4,
            "track_seek_ms": 1, "average_seek_ms": 6, "full_seek_ms": 12, "switch_ms": 1}


def disk(policy=None, cap=None, **physical):
    """A disk of 128 MiB, or as ``physical`` has it."""
    tables = {"physical": PHYSICAL | physical, "policy": policy or {}, "cap": cap or {}}
    names = dict(_names(tables))
    return DiskDrive.from_data({"name": "small", "description": "a small disk", **tables,
                                "estimates": dict.fromkeys(names, "for a test")})


def _names(tables, prefix=""):
    for name, value in tables.items():
        if isinstance(value, dict):
            yield from _names(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def medium(**parameters):
    """The medium of :func:`disk`."""
    one = disk(**parameters)
    return DiskMedium(one, disk_profile(one), HZ)


def ms(dwords):
    """Milliseconds of a line of 3 Gb/s."""
    return 1e3 * dwords / HZ


def write(one, now, lba, sectors):
    """A write command as fast as the link takes it; returns the time of its status."""
    now += one.begin_write(now, lba, min(2048, 128 * sectors))
    left = 128 * sectors
    while left:
        size = min(2048, left)
        left -= size
        now += size + sum(length for _, length in one.plan_frame(now, size))
        now += one.wrote(now, size, min(2048, left))
    return now + one.end_write(now)


def read(one, now, lba, sectors):
    """A read command; returns the time of its status."""
    one.begin_read(now, lba, sectors)
    left = 128 * sectors
    while left:
        size = min(2048, left)
        left -= size
        wait, holds = one.next_read(now, size)
        now += wait + size + sum(length for _, length in holds)
        one.sent(now, size)
    return now + one.end_read(now)
