"""What tests do with the drive model from inside: hear its commands, answer in its place, make it speak."""

from sata_drive_model import Drive


class HeardDrive(Drive):
    """``heard``: the registers of all commands, also of those that it does not answer."""

    def _execute(self, register):
        self.heard = [*getattr(self, "heard", ()), register]
        super()._execute(register)

    @property
    def codes(self):
        return [register.command for register in self.heard]


def answer_by(drive, told):
    """From now on ``told(register, answer)`` is called in the place of the answer to each command, which
    ``answer(register)`` gives."""
    answer = drive._dispatch
    drive._dispatch = lambda register: told(register, answer)


def hear(drive):
    """The list of the registers of all commands that the drive answers from now on."""
    heard = []
    answer_by(drive, lambda register, answer: (heard.append(register), answer(register)))
    return heard


def fail(drive, error=0x04):
    """Ends the command of the drive with an error."""
    drive._fail(error)


def speak(drive, data, latency=0):
    """The drive sends a FIS of its own accord."""
    drive._queue(data, latency, None, extras=False)
