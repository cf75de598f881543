"""A small core for quick tests, and what many of them do with it."""

import random

from integration.benches import CAPACITY, port_of
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort

from sata_recorder.simulation import Event

#: A small buffer, short commands, timeouts that differ from each other, and the first error ends an
#: operation.
SMALL = {"clock_hz": 1e6, "buffer_words": 256, "max_command_sectors": 16,
         "signature_timeout": 0.03, "identify_timeout": 0.02, "command_timeout": 0.04,
         "flush_timeout": 0.06, "retries": 0}
SIGNATURE_CLOCKS, IDENTIFY_CLOCKS, COMMAND_CLOCKS, FLUSH_CLOCKS = 30_000, 20_000, 40_000, 60_000
#: Commands of any length: several Data FISes in a write, too.
LONG = SMALL | {"buffer_words": 1024, "max_command_sectors": 65536}
#: As many commands as possible, as small a buffer as possible.
SHORT = SMALL | {"buffer_words": 128, "max_command_sectors": 1}
#: After an error it tries again, and replays the words of a command.
RETRY = SMALL | {"buffer_words": 4096, "retain_sectors": 16, "retries": 3, "retry_delay": 0.001,
                 "recovery_timeout": 0.2}
#: The same with a small buffer, which keeps no words.
RETRY_UNRETAINED = RETRY | {"buffer_words": 256, "retain_sectors": 0}

REGISTER_H2D, REGISTER_D2H, DMA_ACTIVATE, DATA = 0x27, 0x34, 0x39, 0x46


class Altered(DrivePort):
    """A port whose inputs of the core pass through ``alter(clock, word)``; None leaves them alone."""

    __slots__ = ("alter",)

    def __init__(self, drive, **options):
        self.alter = None
        super().__init__(drive, **options)

    def clock(self, core):
        word = super().clock(core)
        if self.alter is not None:
            # What the port remembers is what the core sees: the ledger is about that.
            word = self.inputs = self.alter(self.now, word)
        return word


def connect(drive=Drive, *, port=DrivePort, seed=0, sectors=CAPACITY, behaviour=None, line=None,
            unit=None, fis_log=False, **options):
    """A ``port`` (class) with a ``drive`` (class); ``line``, ``unit``: keywords of the two; FISes are
    logged with ``fis_log``."""
    behaviour = behaviour or Behaviour(**options)
    return port_of(drive(DiskImage(sectors=sectors), behaviour=behaviour, **(unit or {})), port=port,
                   seed=seed, fis_log=fis_log, **(line or {}))


def content(seed, sectors):
    """Random sectors; no two seeds have a word in common, but for chance."""
    return random.Random(seed).randbytes(512 * sectors)


def works(b, *, seed=4711, lba=1000, sectors=20, clean=True):
    """Waits until the core is ready, and proves that it records and plays as if nothing had been.

    With ``clean`` the drive must have seen no violation at all.
    """
    if not b.outputs()["ready"]:
        b.wait(Event.READY)
    data = content(seed, sectors)
    recorded = b.record(data, lba, flush=True)
    assert (recorded.error, recorded.taken) == (0, 128 * sectors)
    assert recorded.outputs["sectors_done"] == sectors
    assert recorded.outputs["words"] == 128 * sectors
    assert not b.disagreements(), b.disagreements()
    assert b.image.read_sectors(lba, sectors) == data
    played = b.play(lba, sectors)
    assert (played.error, played.lasts, played.last_at) == (0, 1, 128 * sectors - 1)
    assert played.data == data and played.received == 128 * sectors
    assert not b.disagreements(), b.disagreements()
    if clean:
        assert not b.violations(), b.violations()


def commands(b):
    """(opcode, LBA, sectors) of the commands that got a status so far."""
    return [(done.command, done.lba, done.sectors) for done in b.drive.completed]


def log(b, kind, direction=None):
    """(clock, dwords) of the FISes of ``kind`` that crossed the port; needs ``fis_log``."""
    return [(clock, dwords) for clock, way, what, dwords in b.analyser.log
            if what == kind and direction in (None, way)]
