"""A drive that reports through SMART what the flash model knows of its wear, in the attributes of its family."""

import bisect
import copy
from typing import Self

from sata_drive_model.flash import FlashDrive, Life, Sample

from ...pc.maintenance import drive_family
from ..measurement import JobError
from .smart import reported

__all__ = ["Reporting"]

#: A life whose end is not known is followed to this many times the rated erases, or to this many erases if none are
#: rated; the rate of every life, in bytes a second.
_RATED, _UNRATED, _RATE = 2, 10_000, 100e6
#: Members of a sample that grow with what is written.
_GROWING = ("host_bytes", "flash_bytes", "least", "mean", "most", "bad_blocks")


class Reporting:
    """The life of ``drive``, written in order, round and round, as its SMART attributes show it. Raises
    :class:`..measurement.JobError` for a drive of no known family."""

    def __init__(self, drive: FlashDrive) -> None:
        family = None if drive.smart is None else drive_family(drive.smart)
        if family is None:
            raise JobError("flash", drive.name, "nobody has entered the attributes of its family")
        self.drive, self._scale, self._raw64 = drive, 1.0, family.raw64
        life = Life(drive, "ring", _RATE)
        failures, rated = drive.physical.failures, drive.physical.rated_cycles
        ends = failures is not None and failures.share_per_1000
        life.until(cycles=None if ends else _RATED * rated if rated else _UNRATED)
        self._samples, self._ends = life.samples, life.read_only

    def scaled(self, user_bytes: int) -> Self:
        """The same for a drive that is simulated with so many bytes: it wears in as many laps as the real one."""
        found = copy.copy(self)
        found._scale = self.drive.physical.user_bytes / user_bytes
        return found

    def at(self, written: float) -> Sample:
        """The drive after ``written`` bytes of the host; after the last sample it goes on at its mean pace until then.
        Bytes are those of the drive that is simulated."""
        host = written * self._scale
        first = self._samples[0]._asdict()
        new = self._samples[0]._replace(seconds=0.0, **{name: None if first[name] is None else 0 for name in _GROWING})
        samples = [new, *self._samples]
        number = max(1, bisect.bisect_left([one.host_bytes for one in samples], host))
        before, after = (new, samples[-1]) if number == len(samples) else samples[number - 1:number + 1]
        part = (host - before.host_bytes) / (after.host_bytes - before.host_bytes)
        ends = before._asdict(), after._asdict()
        grown = {name: None if ends[0][name] is None else ends[0][name] + part * (ends[1][name] - ends[0][name])
                 for name in _GROWING}
        found = (before if part < 1 else after)._replace(**grown)
        return found._replace(host_bytes=found.host_bytes / self._scale, flash_bytes=found.flash_bytes / self._scale)

    def read_only(self, written: float) -> bool:
        """Whether it takes no more writes after ``written`` bytes."""
        return self._ends and written * self._scale >= self._samples[-1].host_bytes

    def attributes(self, written: float, hours: float) -> list[tuple[int, int, int, int]]:
        """(number, normalised value, worst value, raw value) of each attribute that the model knows;
        ``hours`` of power are the drive's own."""
        rows = []
        for row in reported(self.drive, self.at(written)):
            raw = round(hours) if row.quantity == "hours" else row.raw
            if raw is not None:
                rows.append((row.number, raw & 0xFF, raw >> 8 & 0xFF, raw >> 16) if self._raw64 else
                            (row.number, 100, 100, raw))
        return rows
