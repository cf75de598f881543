"""For how much an answer holds: what a recording did not come to, although the drive has it."""

from ..units import CEILINGS, SECTOR_BYTES, WORD_BYTES

__all__ = ["caveats"]

#: A rate is above another one if it is by more than this share: RAM makes short runs faster.
_NEAR = 0.01


def caveats(measurement):
    """What a longer recording may meet that this one did not, as texts; none: nothing is known."""
    job = measurement.job
    if job.operation == "play":
        return []
    size = SECTOR_BYTES * job.sectors
    found = list(_of_rate(measurement))
    if job.input_rate is not None:
        found += _of_fifo(job, size)
    if job.profile is not None:
        found += _of_drive(job.profile, size)
    return found


def _of_rate(measurement):
    """The rate is above one that cannot last."""
    job = measurement.job
    for transfer in measurement.transfers:
        if transfer.operation != "record":
            continue
        rate = transfer.source.rate if transfer.source else transfer.rate
        ceiling, sustained = CEILINGS[job.generation], job.profile and job.profile.write_sustained
        if rate > ceiling:
            yield (f"{rate / 1e6:.6g} MB/s is above the link's ceiling of {ceiling / 1e6:.2f} MB/s: "
                   "no recording without an end can have it")
        if sustained and rate > (1 + _NEAR) * 1e6 * sustained:
            yield (f"{rate / 1e6:.6g} MB/s is above the {sustained:.6g} MB/s that the drive "
                   f"{job.profile.name} sustains")


def _of_fifo(job, size):
    depth = job.fifo_words
    if depth is not None and size <= WORD_BYTES * (depth + job.configuration.buffer_words):
        yield "the recording fits into FIFO and buffer: any drive would do"


def _of_drive(profile, size):
    """What the drive does only after more bytes than these."""
    write, cache = profile.write, profile.write_cache_bytes
    if size <= write.buffer_bytes:
        yield f"the recording fits into the drive's RAM of {write.buffer_bytes:,} bytes"
    if cache and size <= cache:
        yield (f"the recording fits into the drive's cache of {cache:,} bytes and says nothing of "
               "what comes after it")
    for stall in write.stalls:
        first = (stall.first_bytes or stall.every_bytes) + (cache if stall.when != "always" else 0)
        if size <= first:
            yield (f"the recording ends before the drive's first stall of {stall.ms:g} ms, after "
                   f"{first:,} bytes")
    for dip in write.dips:
        first = cache + dip.every_bytes - dip.bytes
        if size <= first:
            yield (f"the recording ends before the drive's first dip to "
                   f"{dip.mb_per_s * profile.scale:g} MB/s, after {first:,} bytes")
