"""A core and its drive for tests: `CoreBench`, and `drive_port` for the drive side."""

from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Session, drive_package
from sata_recorder.simulation.analyser import PortAnalyser

#: Configuration fields of a bench that names no others: timeouts that a test can wait for.
FAST = {"clock_hz": 1e6, "signature_timeout": 0.05, "identify_timeout": 0.05,
        "command_timeout": 0.05, "flush_timeout": 0.05}
#: The core of `sata-recorder measure` without options. To compile one that can write waves takes as
#: long as six others: all tests of waves use this one.
MEASURED = Configuration(max_command_sectors=2048)
CAPACITY = 1 << 20


def port_of(drive, *, port=DrivePort, fis_log=False, **options):
    """A ``port`` (class) of the plain ``drive``, with its analyser. Where it can be, one that is no
    class of a test's own is compiled: link, line and analyser take most of the time of a test."""
    if port is DrivePort and drive_package.reason() is None:
        return drive_package.drive_port(drive, model=drive_package.drive_model(compiled=True),
                                        trace=fis_log, **options)
    made = port(drive, observer=PortAnalyser(fis_log), **options)
    made.observer.drive_of = lambda: made.drive
    return made


def clock_of(port):
    """What an engine takes as its drive: the port itself where the engine calls its machine code."""
    return port if drive_package.native(port) else port.clock


def drive_port(*, seed=0, behaviour=None, sectors=CAPACITY, drive=None, line=None, fis_log=False,
               **options):
    """A `DrivePort`: `drive` is for `Drive`, `line` for `DrivePort`, `fis_log` for
    `PortAnalyser`, the others for `Behaviour`."""
    behaviour = behaviour or Behaviour(**options)
    unit = Drive(DiskImage(sectors=sectors), behaviour=behaviour, **(drive or {}))
    return port_of(unit, seed=seed, fis_log=fis_log, **(line or {}))


class CoreBench(Session):
    """A session with what tests look at: `drive`, `behaviour`, `image`, `analyser`, `check()`."""

    drive = property(lambda self: self.port.drive)
    behaviour = property(lambda self: self.port.drive.behaviour)
    image = property(lambda self: self.port.drive.image)
    analyser = property(lambda self: self.port.observer)

    def check(self):
        """The drive saw no violation, and both ledgers of the latest operation are equal."""
        assert self.violations() == []
        assert self.disagreements() == []
