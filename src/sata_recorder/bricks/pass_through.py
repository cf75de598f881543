"""What a part round the core hands on as it is: statements for the groups of the interface.

Each other function takes a group as its user sees it (``above``) and the same group of what is below.
"""

from ..interface import ALIGNMENT, HEALTH, HISTOGRAM, LOOK, PACING, SECTOR, TEMPERATURE, TRIM

__all__ = ["OPTIONS", "counters", "files_shown", "files_told", "modes_shown", "modes_told",
           "options", "status", "task"]

#: The groups of options that are between the core and its user alone, whatever stands round it.
OPTIONS = frozenset({PACING, HISTOGRAM, ALIGNMENT, SECTOR, HEALTH,
                     TEMPERATURE})


def options(above, below, groups):
    """Those of ``OPTIONS`` that are in ``groups``, and TRIM ahead of a ring and a look, which are above the
    modes, of two whole signatures of a user: pairs of what is to be connected."""
    if PACING in groups:
        yield above.pacing, below.pacing
    if HISTOGRAM in groups:
        yield above.histogram, below.histogram
    if ALIGNMENT in groups:
        yield above.alignment, below.alignment
    if SECTOR in groups:
        yield above.sector, below.sector
    if HEALTH in groups:
        yield above.health, below.health
    if TEMPERATURE in groups:
        yield above.temperature, below.temperature
    if TRIM in groups:
        yield above.trim, below.trim
    if LOOK in groups:
        yield above.look, below.look


def status(above, below):
    """All that is told of the drive and of the latest operation, but ready, busy and done."""
    return [
        above.error.eq(below.error), above.cause.eq(below.cause),
        above.drive_status.eq(below.drive_status), above.drive_error.eq(below.drive_error),
        above.capacity.eq(below.capacity), above.lba48.eq(below.lba48),
        above.sectors_done.eq(below.sectors_done), above.recovering.eq(below.recovering),
        above.retries.eq(below.retries), above.error_lba.eq(below.error_lba),
        above.skipped_sectors.eq(below.skipped_sectors), above.unflushed.eq(below.unflushed),
        above.unflushed_lba.eq(below.unflushed_lba),
        above.unflushed_sectors.eq(below.unflushed_sectors),
    ]


def counters(above, below):
    """The counters of the recorder."""
    return [
        above.words.eq(below.words), above.high_water.eq(below.high_water),
        above.held_cycles.eq(below.held_cycles), above.dropped.eq(below.dropped),
        above.longest_stall.eq(below.longest_stall),
    ]


def task(above, below):
    """COMMAND: its registers, and those of its end."""
    return [
        below.operation.eq(above.operation), below.pio.eq(above.pio),
        below.command.eq(above.command), below.features.eq(above.features),
        below.count.eq(above.count), below.device.eq(above.device),
        above.result_lba.eq(below.result_lba), above.result_count.eq(below.result_count),
        above.result_device.eq(below.result_device),
    ]


def modes_told(above, below):
    """What the modes of a recording are told."""
    return [
        below.mode.eq(above.mode), below.extend.eq(above.extend), below.ahead.eq(above.ahead),
        below.words.eq(above.words), below.position.eq(above.position),
        below.part.eq(above.part), below.chunk.eq(above.chunk),
        below.segments.eq(above.segments), below.trigger.eq(above.trigger),
        below.pps.eq(above.pps), below.segment_address.eq(above.segment_address),
    ]


def modes_shown(above, below):
    """What the modes of a recording tell."""
    return [
        above.state.eq(below.state), above.segment_state.eq(below.segment_state),
        above.triggers.eq(below.triggers), above.segment_count.eq(below.segment_count),
        above.newest.eq(below.newest), above.oldest.eq(below.oldest),
        above.time.eq(below.time), above.pps_time.eq(below.pps_time),
        above.pps_edges.eq(below.pps_edges), above.segment_data.eq(below.segment_data),
    ]


def files_told(above, below):
    """What the brick of files is told, but for ``stop`` and the ends of the words."""
    return [
        below.start.eq(above.start), below.length.eq(above.length),
        below.interval.eq(above.interval), below.dated.eq(above.dated),
        below.release.eq(above.release), below.time.eq(above.time),
        below.time_ten_ms.eq(above.time_ten_ms), below.time_offset.eq(above.time_offset),
        below.time_valid.eq(above.time_valid),
    ]


def files_shown(above, below):
    """What the brick of files tells."""
    return [
        above.ready.eq(below.ready), above.busy.eq(below.busy), above.done.eq(below.done),
        above.state.eq(below.state), above.error.eq(below.error),
        above.refusal.eq(below.refusal), above.drive_error.eq(below.drive_error),
        above.slot.eq(below.slot), above.bytes.eq(below.bytes),
    ]
