"""Channels that are recorded together: how much each of them gives, and what a measurement of them can have."""

from typing import Any

from ...facts.channels import HEAD_WORDS, MOST_CHANNELS
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from ...facts.vita49 import AROUND
from ...interface.channel import CHANNEL_WIDTHS
from ...simulation import File, Pattern
from .job_error import JobError

__all__ = ["SPARE_SECTORS", "channel_options", "channel_patterns", "channel_words", "check_channels", "filled_sectors",
           "has_channels"]

#: A recording goes on while there is room for the longest frame, whatever the next one is.
SPARE_SECTORS = 16
#: Between the seeds of two channels: words that count up are never those of another channel.
_SEEDS_APART = 1 << 28


def has_channels(configuration: Any) -> bool:
    """Whether several streams are recorded together."""
    return bool(configuration.channels > 1)


def channel_options(stream: Any) -> dict[str, Any]:
    """The options of a core for the channels that ``stream``, :class:`.options.StreamOptions`, requests. Raises
    :exc:`.job_error.JobError`."""
    channels, width = stream.channels, stream.width
    if channels is None:
        return {}
    if not 2 <= channels <= MOST_CHANNELS:
        raise JobError("channels", channels, f"must be 2 to {MOST_CHANNELS}; without it there is one stream")
    if width is not None and width not in CHANNEL_WIDTHS:
        raise JobError("width", width, f"must be one of {', '.join(map(str, CHANNEL_WIDTHS))} with ",
                       ("channels", channels))
    if stream.source_clock is not None:
        raise JobError("source_clock", stream.source_clock, "not together with ", ("channels", channels),
                       ", which have the core's clock")
    return {"channels": channels, "frames": True, "frame_packets": True,
            **({} if width is None else {"channel_width": width})}


def _frame_sectors(words):
    """The sectors of the frame of a packet of ``words``."""
    return -(-(words + HEAD_WORDS + AROUND) // SECTOR_WORDS)


def channel_words(configuration: Any, sectors: int) -> int:
    """The words that each channel gives to a recording of at most ``sectors``, which a stop ends; 0 or less: there is
    no room for one."""
    words = configuration.channel_words
    # The recording ends with a frame of a sector.
    full, rest = divmod((sectors - 1) // configuration.channels, _frame_sectors(words))
    if not rest:
        # The end of a channel is a packet, too.
        full, rest = full - 1, _frame_sectors(words)
    return full * words + min(words - 1, rest * SECTOR_WORDS - HEAD_WORDS - AROUND)


def filled_sectors(configuration: Any, sectors: int, logical_sector: int = SECTOR_BYTES) -> int:
    """How many of the ``sectors`` that recording fills, up to the end of a logical sector."""
    full, rest = divmod(channel_words(configuration, sectors), configuration.channel_words)
    packets = full * _frame_sectors(configuration.channel_words) + _frame_sectors(rest)
    unit = logical_sector // SECTOR_BYTES
    return -(-(configuration.channels * packets + 1) // unit) * unit


def channel_patterns(job: Any) -> list[Pattern]:
    """What each channel of ``job`` gives, all words of it."""
    words = channel_words(job.configuration, job.sectors)
    return [Pattern(job.data.kind, job.data.seed + _SEEDS_APART * number, words)
            for number in range(job.configuration.channels)]


def check_channels(job: Any) -> None:
    """Checks that a simulation can feed the channels of the core. Raises :exc:`.job_error.JobError`."""
    core = job.configuration
    if not has_channels(core):
        return
    whose = "channels", core.channels
    if not core.channel_waits:
        raise JobError("channel_waits", "false", "a measurement gives each channel words that wait, so it must be true")
    rate = job.input_rate and f"{job.input_rate.words}/{job.input_rate.clocks} words a clock"
    for other, given, why in (
            (("operation", job.operation), job.operation == "play", ": what they recorded is in frames"),
            (("data", job.input_file), isinstance(job.data, File), ": each channel has words of its own"),
            (("input_rate", rate), job.input_rate is not None, ": a channel gives its words as it is asked for them"),
            (("controller", job.controller and job.controller.processor), job.controller is not None, ""),
            (("drives", core.drives), core.drives > 1, "")):
        if given:
            raise JobError(*whose, "not together with ", other, why)
    if job.lba + job.sectors + SPARE_SECTORS > job.capacity:
        raise JobError("lba", job.lba, f"{job.sectors} sectors from there, and {SPARE_SECTORS} that a recording with ",
                       whose, f" leaves free, end beyond the drive's capacity of {job.capacity}")
    if channel_words(core, job.sectors) < 1:
        least = next(one for one in range(job.sectors, 2 * SECTOR_WORDS) if channel_words(core, one) > 0)
        raise JobError("sectors", job.sectors, f"must be at least {least} with ", whose,
                       ", each of which has a packet, and a frame after them")
