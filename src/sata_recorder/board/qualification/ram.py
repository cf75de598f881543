"""How much a drive's RAM takes: the longest recording that waits no more than a short one."""

from math import ceil

#: A recording that waits longer than a short one by at most this part of the clocks of its data is taken
#: by the RAM alone: each Data FIS waits for an Activate, a quarter of that.
_WAITED = 0.02
#: Factor between sizes until one waits and one does not, and how near these two come to each other.
_STEP, _NEAR = 1.3, 0.01


def filled_after(operations, lba, sectors, times, guess):
    """(bytes, seconds) of the longest recording from ``lba`` on that the drive's RAM takes without
    a wait, up to its last word: (0, 0.0) if it takes not even one sector so; None if it takes
    all ``sectors``.

    ``times`` are the :class:`.short.WriteTimes`, ``guess`` a first number of bytes. Each recording
    begins with an empty RAM, after FLUSH CACHE.
    """
    fits, full, seconds = 0, sectors + 1, 0.0
    size = min(sectors, max(1, round(guess / 512)))
    while full - fits > (1 if full > sectors else max(1, _NEAR * fits)):
        taken = _taken(operations, lba, size, times)
        if taken is None:
            full = size
        else:
            fits, seconds = size, taken
        if full > sectors:
            size = min(sectors, ceil(_STEP * fits))
        else:
            size = (fits + full) // 2 if fits else max(1, int(full / _STEP))
    return (512 * fits, seconds) if full <= sectors else None


def _taken(operations, lba, size, times):
    """Seconds up to the last word of a recording of ``size`` sectors that has not waited, or None.
    A standstill may fall into one recording, so two that wait show that the RAM is full."""
    for _ in range(2):
        operations.do("flush")
        told, ledger = operations.do(f"record {lba} {size}")
        operations.progress("RAM", 0.64)
        waited = ledger["device_hold"] + ledger["activate_wait"] + ledger["completion_wait"]
        each = times.command + times.completion + times.jitter
        if waited - ledger["commands"] * operations.hz * each <= _WAITED * ledger["payload"]:
            return (told["clocks"] - ledger["completion_wait"]) / operations.hz
    return None
