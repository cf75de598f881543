"""A medium for tests, and a host that does nothing but obey it.

It sends a Data FIS as soon as it may, and waits as long as it is told to.
"""

from sata_drive_model import Medium, Profile
from sata_drive_model.medium.pace import FINE

HZ = 75_000_000
FIS = 2048                  # dwords
COMMAND = 65536 // 16       # Data FISes of the longest command
HANDSHAKE = 40              # dwords between two Data FISes


def medium(hz=HZ, **fields):
    base = {"name": "a", "model": "A", "description": "a", "capacity_sectors": 1 << 22,
            "generation": 3, "source": "a test"}
    return Medium(Profile.from_data(base | fields), hz)


def write(one, now=0, lba=0, fises=COMMAND, wait=HANDSHAKE):
    """Writes in one command; the time of its status."""
    now += one.begin_write(now, lba, FIS)
    for left in range(fises - 1, -1, -1):
        holds = one.plan_frame(now, FIS)
        assert all(length > 0 and 1 <= place <= FIS for place, length in holds)
        now += FIS + sum(length for _, length in holds) + wait
        now += one.wrote(now, FIS, FIS if left else 0)
    return now + one.end_write(now)


def read(one, now=0, lba=0, fises=COMMAND, wait=HANDSHAKE):
    """Reads in one command; the time of its status."""
    one.begin_read(now, lba)
    for _ in range(fises):
        delay, holds = one.next_read(now, FIS)
        assert all(length > 0 and 2 <= place <= FIS + 1 for place, length in holds)
        now += delay + FIS + sum(length for _, length in holds) + wait
        one.sent(now, FIS)
    return now + one.end_read(now)


def buffered(one, now):
    """Bytes in the RAM that are not yet on the medium, ``now`` after the last write."""
    time = now << FINE
    for before, start, after, end in one.segments:
        if end > time:
            return one.taken - before - max(0, time - start) * (after - before) // (end - start)
    return 0


def rate(dwords, fises=COMMAND, hz=HZ):
    """MB/s of a transfer that took this many dwords."""
    return 8192 * fises * hz / dwords / 1e6
