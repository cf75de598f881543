"""How far an answer holds: what a recording did not reach, although the drive has it."""

from typing import Any

from ...facts.throughput import Host, stalls_known, sustained_rate, waiting
from ...facts.units import SECTOR_BYTES, WORD_BYTES
from .array_images import extents
from .inside import inside_caveats

#: A rate is above another one if it is by more than this share: the arithmetic is exact to a tenth of
#: it. Without a sensor RAM makes short runs faster.
_NEAR, _NEAR_SHORT = 0.001, 0.01
#: A FIFO in which arithmetic and simulation may differ by this share and these words.
_SLACK, _SLACK_WORDS = 0.05, 4096
#: Clocks of a Data FIS, about.
_FIS_CLOCKS = 2100


def caveats(measurement: Any) -> list[str]:
    """What a longer recording may meet that this one did not, as texts; none if nothing is known."""
    job = measurement.job
    assumed = [] if job.profile is None else list(_of_assumed(job))
    size = SECTOR_BYTES * job.sectors
    inside = [] if job.medium is None else inside_caveats(job, size)
    if job.operation == "play":
        return [*inside, *assumed]
    found = list(_of_rate(measurement))
    if job.input_rate is not None:
        found += _of_fifo(job, size)
        found += [] if job.medium is not None else _of_unknown_stalls(job)
    found += inside
    if job.profile is not None:
        found += [*assumed, *_of_drive(job.profile, SECTOR_BYTES * max(_shares(job)))]
    return found


def _shares(job):
    """The sectors that each drive gets which takes part."""
    if job.configuration.drives == 1:
        return [job.sectors]
    return [end - first for first, end in extents(job) if end > first]


def _side_by_side(job):
    """How many drives share the rate."""
    return job.configuration.drives if job.configuration.array == "raid0" else 1


def _of_assumed(job):
    """Rates that the user has assumed, of what is done."""
    write, read, whose = job.profile.write, job.profile.read, job.profile.name
    if "write" in job.profile.assumed and job.operation != "play":
        yield f"its rate of {write.mb_per_s:g} MB/s is assumed by you: nobody has published that of a {whose}"
    if "read" in job.profile.assumed and job.operation != "record":
        yield (f"its rate of reading of {read.mb_per_s:g} MB/s is assumed by you: nobody has published that of a "
               f"{whose}")


def sustained(measurement: Any, transfer: Any) -> float | None:
    """Bytes a second that the drive takes indefinitely, with commands and pauses like those of
    ``transfer``: by :func:`...facts.throughput.sustained_rate`, as everywhere; of a RAID 0 all drives together, up to
    the rate at which words can come. None for a medium inside, for which there is no such arithmetic, and for a drive
    only a part of which was measured."""
    profile = measurement.job.profile
    if measurement.job.medium is not None or profile is not None and profile.known_write_bytes is not None:
        return None
    one = sustained_rate(_host(measurement, transfer), _profile(measurement.job))
    many = _side_by_side(measurement.job)
    return min(many * one, transfer.ceiling) if many > 1 else one


def _profile(job):
    """The drive's profile as the seed of the run has drawn it."""
    return None if job.profile is None else job.profile.drawn(job.seed)


def _host(measurement, transfer):
    """The host's side as it was: firmware has pauses of its own, a mode has its own commands."""
    job = measurement.job
    clocks, sectors = job.turnaround_clocks, measurement.longest_command
    if job.controller is not None:
        clocks = transfer.turnaround.mean if transfer.turnaround else 0
    if job.recording is not None and transfer.turnaround:
        sectors = max(transfer.commands["sectors"])
    return Host(job.generation, sectors, 1e6 * clocks / job.configuration.clock_hz)


def _of_rate(measurement):
    """That the rate is above one that lasts, and what follows from that."""
    job = measurement.job
    for transfer in measurement.transfers:
        if transfer.operation != "record":
            continue
        source = transfer.source
        rate, near = (source.rate, _NEAR) if source else \
            (transfer.steady_rate or transfer.rate, _NEAR_SHORT)
        told, ceiling = f"{rate / 1e6:.6g} MB/s is above the", transfer.ceiling
        lasting = sustained(measurement, transfer)
        whose = "link and the host sustain" if job.profile is None else \
            f"drive {job.profile.name} sustains"
        if rate > ceiling:
            yield (f"{told} link's ceiling of {ceiling / 1e6:.2f} MB/s: no recording can have it "
                   "indefinitely")
        if lasting is None:
            pass
        elif rate > (1 + near) * lasting and (job.profile is not None or rate <= ceiling):
            yield (f"{told} {lasting / 1e6:.2f} MB/s that the {whose}" + _until_lost(measurement, transfer))
        elif source and not source.lost:
            yield from _of_later(measurement, transfer)
        if source and not source.lost:
            yield from _of_end(job, transfer)


def _first_loss(measurement, transfer, slack):
    """Bytes of a recording of the whole drive, or of all that share the rate, that have arrived when the first word is
    lost, with a FIFO deeper by ``slack`` bytes; None if none is lost, or without a profile or a limited FIFO."""
    job, profile, many = measurement.job, _profile(measurement.job), _side_by_side(measurement.job)
    if profile is None or job.words_ahead is None:
        return None
    room = (WORD_BYTES * job.words_ahead + slack) / many + WORD_BYTES * job.configuration.buffered_words
    lasts = waiting(_host(measurement, transfer), profile, transfer.source.rate / many,
                    SECTOR_BYTES * job.capacity, room).lasts
    return None if lasts is None else many * lasts


def _until_lost(measurement, transfer):
    if transfer.source is None or transfer.source.lost:
        return ""
    try:
        lasts = _first_loss(measurement, transfer, 0)
    except ValueError:
        return ""
    if lasts is None:
        return ""
    return f": by arithmetic the first word is lost after {lasts / transfer.source.rate:.4g} s"


def _of_later(measurement, transfer):
    """What comes later than this recording, and the FIFO cannot hold."""
    job = measurement.job
    depth = WORD_BYTES * (job.words_ahead or 0)
    try:
        lasts = _first_loss(measurement, transfer, _SLACK * depth + WORD_BYTES * _SLACK_WORDS)
    except ValueError as error:
        yield f"whether a longer recording loses words is unknown: {error}"
        return
    if lasts is not None and lasts > SECTOR_BYTES * job.sectors:
        yield (f"by arithmetic a longer recording loses its first word after "
               f"{lasts / transfer.source.rate:.4g} s: the FIFO is too small for what comes")


def _of_end(job, transfer):
    """Words still waited when the stream had ended, for longer than a standstill explains: whatever it
    is that the profile does not have, the drive had not caught up."""
    clocks = transfer.ledger.total - transfer.ledger.accounts["flush"]
    clocks -= transfer.bytes * transfer.clock_hz / transfer.source.rate
    usual = 3 * transfer.counters["longest_stall"] + 4 * _FIS_CLOCKS + job.configuration.buffered_words
    if clocks > usual:
        yield (f"the drive took {1e3 * clocks / transfer.clock_hz:.3g} ms longer than the words needed to "
               "come: it had not caught up with them, and may never")


def _of_fifo(job, size):
    depth, buffers = job.words_ahead, 1 if job.configuration.array == "raid1" else len(_shares(job))
    if depth is not None and size <= WORD_BYTES * (depth + buffers * job.configuration.buffered_words):
        yield "the recording fits into FIFO and buffer: any drive would do"


def _of_unknown_stalls(job):
    """A stream that cannot wait, and a drive that may stall."""
    if job.profile is None or stalls_known(job.profile):
        return
    rate = float(job.input_rate.words / job.input_rate.clocks) * job.configuration.clock_hz
    words = [f"{rate * ms / 1e3:,.0f}" for ms in (100, 500, 1000)]
    yield (f"no stall of the {job.profile.name} is published: one of 100 ms would need a FIFO of {words[0]} words, of "
           f"500 ms {words[1]}, of 1 s {words[2]}")


def _of_drive(profile, size):
    """What a drive does only after more bytes than the ``size`` that it got."""
    write, cache = profile.write, profile.write_cache_bytes
    if write.measured_bytes is not None and profile.known_write_bytes is not None:
        yield (f"the rates of a {profile.name} were measured over {write.measured_bytes:,} bytes: what it does after "
               "them is unknown")
    if size <= write.buffer_bytes:
        yield f"the recording fits into the drive's RAM of {write.buffer_bytes:,} bytes"
    if cache and size <= cache:
        yield (f"the recording fits into the drive's cache of {cache:,} bytes and does not show "
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
