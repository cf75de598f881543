"""What a case is, and the images that all of them begin with."""

import functools
import random
from dataclasses import dataclass
from datetime import UTC, datetime

from sata_recorder.pc.volume import FLUSH, Log, Timestamp, finalise, layout
from sata_recorder.pc.volume.prepare import steps

from .pc import SECTOR, Pc

SECTORS, ALIGN, SLOTS = 16 << 11, 1 << 20, 4
ALL = tuple(range(1, SLOTS + 1))
TIME = Timestamp.of(datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC))


class Unavailable(Exception):
    """The case needs a program that is not installed; the text states which."""


@dataclass(frozen=True)
class ImageCase:
    """A change to a prepared drive, and the verdict that everybody must give.

    ``make(image, layout)`` changes the image, a bytearray, in place. ``as_prepared`` is whether
    the drive still is the one that was prepared, ``free`` which slots are free, ``unfinished``
    which have a whole log and no file yet. Where hardware, which has not the whole volume before
    it, takes more slots for free, ``hardware_free`` has them and ``why`` the reason.
    """

    make: object
    as_prepared: bool = True
    free: tuple = ALL
    unfinished: tuple = ()
    hardware_free: tuple | None = None
    why: str = ""

    @property
    def seen_by_hardware(self):
        """The slots that hardware must take for free."""
        return self.free if self.hardware_free is None else self.hardware_free


class Memory:
    """A drive in memory, for what prepares one."""

    def __init__(self, sectors):
        self.image = bytearray(SECTOR * sectors)

    def read(self, offset, size):
        return bytes(self.image[offset:offset + size])

    def write(self, lba, content):
        self.image[SECTOR * lba:SECTOR * lba + len(content)] = content

    def zero(self, lba, sectors):
        self.write(lba, bytes(SECTOR * sectors))

    def flush(self):
        pass


@functools.cache
def _prepared(slots, sectors):
    planned = layout(sectors, recordings=slots, align=ALIGN, serial=0x20261122,
                     identifier=bytes(range(16)))
    drive = Memory(sectors)
    for step in steps(planned, TIME):
        step(drive)
    return bytes(drive.image), planned


def prepared(slots=SLOTS, sectors=SECTORS):
    """(image, layout) of a drive, always the same."""
    image, planned = _prepared(slots, sectors)
    return bytearray(image), planned


def made(case):
    """(image, layout) of a :class:`ImageCase`. Raises :exc:`Unavailable`."""
    image, planned = prepared()
    case.make(image, planned)
    assert len(image) == SECTOR * SECTORS
    return image, planned


def saved(image, path):
    """Writes an image to a file, sparse."""
    step, zeros = 1 << 16, bytes(1 << 16)
    with open(path, "wb") as file:
        for place in range(0, len(image), step):
            part = image[place:place + step]
            if part != zeros:
                file.seek(place)
                file.write(part)
        file.truncate(len(image))


def pc_of(image, planned):
    """Another system that has the volume of a prepared drive before it."""
    return Pc(image, planned.table.partition_lba)


def data_of(number, size):
    return random.Random(number).randbytes(size)


def record(image, planned, number, size=100_001, *, name=None, log_only=False):
    """What a recorder leaves of random data in a slot."""
    slot, data = planned.slots[number - 1], data_of(number, size)
    place = SECTOR * slot.directory_lba
    log = Log(number, size, slot.lba, started=TIME)
    image[SECTOR * slot.lba:SECTOR * slot.lba + size] = data
    for step in finalise(slot, bytes(image[place:place + SECTOR]), planned.boot.cluster_bytes, log,
                         name=name):
        if step is not FLUSH and not (log_only and step.lba == slot.directory_lba):
            image[SECTOR * step.lba:SECTOR * step.lba + len(step.content)] = step.content
