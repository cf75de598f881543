"""What of a measurement must be whole logical sectors of the drive."""

from ...facts.units import LONG_SECTOR_BLOCKS, SECTOR_BYTES
from .job_error import JobError

def check_logical_sector(job):
    """Checks that the core can use a drive with long logical sectors, and that what the job moves fits them. Raises
    :exc:`.job_error.JobError`."""
    size = job.logical_sector
    if size == SECTOR_BYTES:
        return
    whose = "logical_sector", size
    if job.backend != "model":
        raise JobError(*whose, "not together with ", ("backend", job.backend),
                       ": QEMU's ATA disk has 512")
    if not job.configuration.long_logical_sectors:
        raise JobError(*whose, "needs ", ("long_logical_sectors", "true"))
    plan = job.recording
    for name, value in (("lba", job.lba), ("sectors", job.sectors), ("capacity", job.capacity),
                        ("command_limit", job.command_limit if job.controller else 0)):
        if value % LONG_SECTOR_BLOCKS:
            raise JobError(name, value, f"must be a multiple of {LONG_SECTOR_BLOCKS} with ", whose)
    if plan is not None and plan.part(job.sectors) % LONG_SECTOR_BLOCKS:
        raise JobError("segments", plan.segments, f"each part must be a multiple of "
                       f"{LONG_SECTOR_BLOCKS} sectors with ", whose, f", and has "
                       f"{plan.part(job.sectors)}")
