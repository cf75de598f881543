"""Commands of a few sectors: what a drive needs for one, whatever its rate."""

from statistics import median

#: Short commands of each kind, and of those that are followed by FLUSH CACHE.
_SHORT, _FLUSHED = 12, 3
#: Seconds for which the data of a flushed one keep the medium busy: longer than the way to the flush.
_BUSY = 5e-4
#: Sectors to which a place is aligned, and the offset of one that is not.
_ALIGNED, _MORE = 8, 7


class WriteTimes:
    """``command``, ``completion``, ``jitter`` of a short write, in s."""

    def __init__(self, waits, ends):
        self.command, self.completion = min(waits), min(ends)
        self.jitter = _spread(waits)


def write_times(operations, lba):
    """The :class:`WriteTimes` of writes that follow each other from ``lba`` on, from the ledger."""
    waits, ends = [], []
    for n in range(_SHORT):
        _, ledger = operations.do(f"record {lba + n} 1")
        waits.append(ledger["activate_wait"] / operations.hz)
        ends.append(ledger["completion_wait"] / operations.hz)
        operations.progress("short writes", 0.6 + 0.02 * n / _SHORT)
    return WriteTimes(waits, ends)


def write_access(operations, lba, sectors, rate, completion):
    """(access, misaligned) in s: how much longer a write takes that does not follow the one before,
    and how much longer one that is not aligned to 4 KiB, too.

    The drive's RAM hides both, so each write is followed by FLUSH CACHE in the same operation, and
    the time to the end is that of the medium. ``rate`` is the medium's in bytes a second, None
    if it is never the limit: then an access shorter than ``completion`` is not seen.
    """
    size = _ALIGNED * max(1, round((rate or 0) * _BUSY / 512 / _ALIGNED))
    size = max(_ALIGNED, min(size, sectors // 16 // _ALIGNED * _ALIGNED))
    base = -(-lba // _ALIGNED) * _ALIGNED
    far = sectors // 2 // _ALIGNED * _ALIGNED

    def took(place):
        seconds, ledger = operations.seconds(f"record {place} {size} flush")
        return seconds - ledger["activate_wait"] / operations.hz
    took(base)
    following = [took(base + n * size) for n in range(1, _FLUSHED + 1)]
    operations.progress("flushed writes", 0.63)
    jumping = [took(base + far * (1 - n % 2) + 2 * size * (n // 2)) for n in range(_FLUSHED)]
    crooked = [took(base + far * (n % 2) + 2 * size * (n // 2 + 2) + _MORE)
               for n in range(_FLUSHED - 1)]
    more = median(jumping) - median(following)
    hidden = 0.0 if rate else completion
    return (more + hidden if more > 0 else 0.0), median(crooked) - median(jumping)


def read_times(operations, lba, sectors, shows, rate):
    """(command, access, completion) of short reads in s. ``shows`` is how the host notices that data
    are late, ``rate`` the drive's."""
    following, jumping, ends = [], [], []
    far = sectors // 2
    for n in range(_SHORT):
        _, ledger = operations.do(f"play {lba + (n % 2) * far + 7 * n} 1")
        jumping.append(ledger["data_wait"] / operations.hz)
        ends.append(ledger["completion_wait"] / operations.hz)
        operations.progress("short reads", 0.95 + 0.05 * n / _SHORT)
    for n in range(_SHORT):
        _, ledger = operations.do(f"play {lba + n} 1")
        following.append(ledger["data_wait"] / operations.hz)
    command = min(following[1:])
    # If late data show as a wait for them, that wait includes the medium's time for the sector.
    data = 512 / rate if rate and shows == "data" else 0.0
    return command, max(0.0, median(jumping) - command - data), min(ends)


def _spread(values):
    """How far above the least value others may be; 0 if that is only a few clocks."""
    spread = max(values) - min(values)
    return spread * (len(values) + 1) / (len(values) - 1) if spread > 0.02 * max(values) and \
        spread > 2e-7 else 0.0
