"""One job on an array of drives, and what each lane did."""

import uuid
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from ...core.drive_port import Error
from ...facts.array import RAID1, mirror_superblock_lba
from ...facts.units import CEILINGS, SECTOR_BYTES, SECTOR_WORDS, WORD_BYTES
from ...interface.group import WORD
from ...pc.array import Superblock
from ...simulation import LedgerReading, drive_port, line_rate
from .array_images import MarkedMirrors, extents
from .run import MeasurementRun
from .transfer import SourceReport, Transfer, counters_of


def _superblock(places, lane, capacity):
    """The superblock of a mirror that is in use: it states that the drives may differ, so the recorder has nothing to
    write to it, before or after what is measured."""
    return Superblock(uuid.UUID(int=1), uuid.UUID(int=2 + lane), places.level, 0, places.drives, lane,
                      places.data_sectors[lane], created=0, resync=0, lba=mirror_superblock_lba(capacity)).pack()


def _of_lane(session):
    """The counters that the core has of the lane whose ledger was read, and not of the array."""
    shown = session.outputs()
    return {name: shown[name] for name in ("misaligned",) if name in shown}


def _of_all(counts, mirrors):
    """What two mirrors were sent counts once."""
    return max(counts) if mirrors else sum(counts)


@dataclass
class ArrayTransfer(Transfer):
    """An operation of an array: as :class:`.transfer.Transfer`, with ``lanes``, the transfers of the drives that took
    part by number, and ``clocks`` from the start to done. Its ledger is that of the lane that took longest,
    ``slowest``; ``whole`` is that of the array. ``mirrors``: what is on each of two drives counts once."""

    lanes: Any = ()
    clocks: int = 0
    slowest: int = 0
    whole: LedgerReading | None = None
    mirrors: bool = False

    @property
    def bytes(self) -> int:
        """Bytes of payload that crossed."""
        sizes = [lane.bytes for lane in self.lanes.values()]
        return min(sizes) if self.mirrors else sum(sizes)

    @property
    def issued(self) -> int:
        """Commands that were issued; those of two mirrors count once."""
        return int(_of_all([lane.ledger.commands for lane in self.lanes.values()], self.mirrors))

    @property
    def seconds(self) -> float:
        """Duration at the clock of the configuration."""
        return self.clocks / self.clock_hz

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return self.bytes / self.seconds

    @classmethod
    def of(cls, job: Any, operation: str, outcome: Any, session: Any, *, crc32: int,
           source: SourceReport | None = None) -> Self:
        """The ``operation`` of ``job`` that has just ended with ``outcome`` on ``session``."""
        mirrors, lanes = job.places.level == RAID1, {}
        # A playback reads the first mirror.
        ports = session.ports[:1] if mirrors and operation == "play" else session.ports
        for lane, (port, (first, end)) in enumerate(zip(ports, extents(job))):
            if end > first:
                one = Transfer.of_port(job, operation, outcome, port, session.ledger(lane), crc32=0)
                lanes[lane] = replace(one, lba=first, sectors=end - first, counters=one.counters | _of_lane(session))
        slowest = max(lanes, key=lambda lane: lanes[lane].ledger.total)
        split = {name: _of_all([lane.counters[name] for lane in lanes.values()], mirrors)
                 for name in _of_lane(session)}
        told = lanes[slowest]
        config = job.configuration
        many = config.drives if config.array == "raid0" else 1
        return cls(**{**vars(told), "lba": job.lba, "sectors": job.sectors, "error": Error(outcome.error).name,
                      "ceiling": min(many * CEILINGS[job.generation], config.array_width // 8 * config.clock_hz),
                      "counters": counters_of(outcome.outputs) | split, "crc32": crc32, "source": source,
                      "steady_rate": None,
                      "fises": tuple(map(sum, zip(*(lane.fises for lane in lanes.values()))))},
                   lanes=lanes, clocks=outcome.clocks, slowest=slowest, whole=session.whole_ledger(), mirrors=mirrors)


class ArrayRun(MeasurementRun):
    """As :class:`.run.MeasurementRun`, for a job with several drives: ``port`` is the list of theirs."""

    _transfer = ArrayTransfer

    def _made_image(self, model):
        job = self.job
        self._places = places = job.places
        if job.images:
            self._images = [model.DiskImage(path, writable=job.operation != "play") for path in job.images]
            return self._images[0]
        if job.recording is not None:
            self._images = [model.DiskImage(sectors=job.capacity) for _ in range(places.drives)]
            return self._images[0]
        self._images = []
        for lane, (first, end) in enumerate(extents(job)):
            self._images.append(model.GeneratedImage(
                sectors=job.capacity, extent=(first, end - first), filled=job.operation == "play",
                expected=lambda offset, size, lane=lane: self._of_lane(lane, offset, size)))
            if places.level == RAID1:
                self._images[-1].write(SECTOR_BYTES * mirror_superblock_lba(job.capacity),
                                       _superblock(places, lane, job.capacity))
        return self._images[0]

    def _made_port(self, model):
        job = self.job
        return [drive_port(job.drive(model, image, f"SN{lane:04}"), model=model, generation=job.generation,
                           seed=job.seed + lane, line_rate=line_rate(job.configuration.clock_hz, job.generation))
                for lane, image in enumerate(self._images, 1)]

    def _of_lane(self, lane, offset, size):
        """What bytes of a drive hold, from ``offset`` on."""
        own, skipped = divmod(offset, SECTOR_BYTES)
        count = -(-(skipped + size) // SECTOR_BYTES)
        content = b"".join(self._expected(SECTOR_BYTES * (sector - self.job.lba), SECTOR_BYTES * sectors)
                           for sector, sectors in self._places.runs(lane, own, count))
        return content[skipped:skipped + size]

    def close(self):
        for image in self._images:
            image.close()

    def perform(self, engine):
        """As :meth:`.run.MeasurementRun.perform`. Mirrors in files state meanwhile that they may differ, and afterwards
        too if anything was wrong."""
        if not self.job.images or self.job.operation == "play":
            return super().perform(engine)
        marks = MarkedMirrors(self._images, self._places)
        marks.may_differ()
        found = super().perform(engine)
        if not self.problems:
            marks.are_alike()
        return found

    def _follow(self, phase):
        """Reports the progress; the samples of one lane would not be those of the array."""
        super()._follow(phase)
        self._session.timeline = None

    def _payload(self):
        return sum(port.observer.payload for port in self.port)

    def _commands(self):
        return [record for port in self.port for record in port.observer.commands]

    def _check_payload(self, operation, transfer):
        beats, width = transfer.whole.accounts["payload"], self.job.configuration.array_width
        if beats * width != WORD * self._crossed():
            self.problems.append(f"{operation}: {beats} clocks of payload in the ledger of the array instead of "
                                 f"{WORD * self._crossed() // width}")
        if transfer.mirrors:
            for lane, one in transfer.lanes.items():
                if one.bytes != WORD_BYTES * self._words:
                    self.problems.append(f"{operation}: {one.bytes // WORD_BYTES} words of payload in the ledger of "
                                         f"lane {lane} instead of {self._words}")
        elif transfer.bytes != WORD_BYTES * self._words:
            self.problems.append(f"{operation}: {transfer.bytes // WORD_BYTES} words of payload in the ledgers of all "
                                 f"lanes instead of {self._words}")

    def _crossed(self):
        """The words that have crossed the stream of the array."""
        return self._words

    def _check_image(self, tally):
        """All sectors in memory were compared when they were written; returns the CRC."""
        size = SECTOR_BYTES * self.job.sectors
        if self.job.images:
            for lane in range(1, self._places.drives if self._places.level == RAID1 else 1):
                self._compare(f"the image of lane {lane}", size, partial(self._stored_on, lane))
            return self._compare("the array", size)
        whole = tally.crc is not None and tally.position == SECTOR_WORDS * self.job.sectors
        if whole and all(image.unexpected() is None for image in self._images):
            return tally.crc
        return self._compare("the array", size)

    def _stored(self, offset, size):
        return self._stored_on(0, offset, size)

    def _stored_on(self, mirror, offset, size):
        """What is on the array, of mirrors on this one."""
        found = bytearray()
        sector, skipped = divmod(SECTOR_BYTES * self.job.lba + offset, SECTOR_BYTES)
        for lane, own, count in self._places.pieces(sector, -(-(skipped + size) // SECTOR_BYTES)):
            found += self._images[lane + mirror].read(SECTOR_BYTES * own, SECTOR_BYTES * count)
        return bytes(found[skipped:skipped + size])
