"""What tests do with the drive model from inside: hear its commands, answer in its place, make it speak."""

from sata_drive_model import Drive
from sata_drive_model.protocol.fis import pio_setup

from sata_recorder.simulation import Event


class HeardDrive(Drive):
    """``heard``: the registers of all commands, also of those that it does not answer."""

    def _execute(self, register):
        self.heard = [*getattr(self, "heard", ()), register]
        super()._execute(register)

    @property
    def codes(self):
        return [register.command for register in self.heard]


class InterjectingDrive(Drive):
    """Sends the frame ``before(data)`` ahead of each FIS ``data``; with ``tag`` only ahead of the next one
    with that tag."""

    before = tag = None

    def enqueue(self, data, latency, tag, **options):
        if self.before and self.tag in (None, tag):
            frame = self.before(data)
            self.before = None if self.tag else self.before
            self.link.send(frame)
        super().enqueue(data, latency, tag, **options)


class LenientDrive(Drive):
    """Takes a command FIS that is too short for a whole one, with zeros for the rest."""

    def link_received(self, data, good):
        if good and data and data[0] == 0x27:
            data = data.ljust(20, b"\0")
        return super().link_received(data, good)


class SmallBlocksDrive(Drive):
    """Requests the data of a DMA write by PIO: first a sector, then one word, although no rule allows less than a
    sector."""

    announced = 0

    def enqueue(self, data, latency, tag, **options):
        if tag == "activate":
            data = pio_setup(0x58, 0xD0, 4 if self.announced else 512, to_host=False)
            self.announced += 1
        super().enqueue(data, latency, tag, **options)


def answer_by(drive, told):
    """From now on ``told(register, answer)`` is called in the place of the answer to each command, which
    ``answer(register)`` gives."""
    answer = drive.dispatch
    drive.dispatch = lambda register: told(register, answer)


def hear(drive):
    """The list of the registers of all commands that the drive answers from now on."""
    heard = []
    answer_by(drive, lambda register, answer: (heard.append(register), answer(register)))
    return heard


def fail(drive, error=0x04):
    """Ends the command of the drive with an error."""
    drive.fail(error)


def speak(drive, data, latency=0):
    """The drive sends a FIS of its own accord."""
    drive.enqueue(data, latency, None, extras=False)


def away(b):
    """The link falls, as that of a drive that is pulled or has lost its power, and comes up again."""
    b.port.drop_link(20)
    b.run(60)
    b.wait(Event.READY)
