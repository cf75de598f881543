"""A port on whose wire single dwords are hit, in either direction."""

from dataclasses import dataclass

from sata_drive_model import DrivePort
from sata_drive_model.link import DriveLink
from sata_drive_model.port import RX_ERROR, VALID
from sata_drive_model.protocol.fis import DATA, REGISTER_H2D

WORD, SYMBOL = 0xF_FFFF_FFFF, 0x1_FFFF_FFFF
#: A dword of data characters: what a hit may leave.
OTHER = 0x1234_5678


@dataclass
class Hit:
    """The next ``primitive`` of a frame of ``kind`` (FIS type), after ``skip`` others like it.

    ``how`` it arrives: "error" with a code error, "changed" to data characters, or "lost". On its
    way to the drive it is always "changed".
    """

    primitive: int
    kind: int
    how: str = "changed"
    skip: int = 0

    def strikes(self, primitive, kind):
        """Whether this one is hit; counts those that are not."""
        if (primitive, kind) != (self.primitive, self.kind):
            return False
        self.skip -= 1
        return self.skip < 0


class _TappedLink(DriveLink):
    """The drive's end of the wire."""

    __slots__ = ("wire",)

    def step(self, rx):
        hit = self.wire.to_drive
        if hit and hit.strikes(rx, DATA if self.drive.expecting else REGISTER_H2D):
            self.wire.to_drive = None
            rx = OTHER
        return super().step(rx)


class StruckPort(DrivePort):
    """A port with ``to_core`` and ``to_drive``: a :class:`Hit` to come, or None."""

    __slots__ = ("to_core", "to_drive")

    def __init__(self, drive, **options):
        self.to_core = self.to_drive = None
        super().__init__(drive, **options)

    def plug(self, drive, after=64):
        super().plug(drive, after)
        if drive is not None:
            plain = self.link
            self.link = _TappedLink(drive, drive.behaviour, self.rng, plain.round_trip)
            self.link.violations, self.link.clock_of = plain.violations, plain.clock_of
            self.link.wire = self
            drive.attach(self.link, self.rng)

    def clock(self, core):
        word = super().clock(core)
        hit = self.to_core
        if hit and word & VALID:
            frame = self.link.frame
            if frame and frame.fis and hit.strikes(word & SYMBOL, frame.fis[0]):
                self.to_core = None
                # What the port remembers is what the core sees: the ledger is about that.
                word = self.inputs = _struck(word, hit.how)
        return word


def _struck(word, how):
    if how == "lost":
        return word & ~VALID
    return word & ~WORD | OTHER | (RX_ERROR if how == "error" else 0)
