"""Recordings that lose words: when the first one is lost, by arithmetic and in the simulation."""

from dataclasses import replace

from sata_recorder.lab.measurement import execute
from sata_recorder.lab.plan import Requirement, plan, shortened
from sata_recorder.lab.plan.check import job_of
from sata_recorder.simulation import load_profile

#: Drive, rate, size of the recording, FIFO, sectors of the longest command: the medium, a cache that is
#: full, the gaps between commands, dips, stalls, and the link are what is too slow.
CASES = [
    ("850-evo-m2", "150MB/s", "2MB", "1MiB", 2048),
    ("870-qvo", "150MB/s", "5.5MB", "1MiB", 2048),
    ("x25-e", "216MB/s", "17MB", "1MiB", 2048),
    ("x25-e", "160MB/s", "9MB", "1MiB", 256),
    ("hds721050cla362", "150MB/s", "5MB", "1MiB", 2048),
    ("vertex-plus", "120MB/s", "18.5MB", "2MiB", 2048),
    ("st8000as0002", "70MB/s", "7MB", "1MiB", 2048),
    ("dc-s3700", "296MB/s", "24MB", "512KiB", 2048),
    ("pm1725b", "165MB/s", "17.5MB", "256KiB", 2048),
]


def found(case):
    """(seconds by arithmetic, seconds in the simulation) until the first word of a case is lost."""
    drive, rate, size, fifo, sectors = case
    profile = shortened(load_profile(drive))
    requirement = Requirement.of(rate, size=size, fifo=fifo, command_sectors=sectors)
    job = replace(job_of(requirement, profile), fifo_words=requirement.fifo_bytes // 4)
    source = execute(job).transfers[0].source
    (first, _), *_ = source.gaps
    return plan(requirement, profile).lasts_seconds, 4 * first / source.rate
