"""A console recorder and its drive, both simulated on the compiled engine."""

from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import sata_recorder_platforms.console_recorder as console_recorder
from sata_recorder_platforms.console_recorder import ConsoleRecorder
from sata_recorder_platforms.console_recorder.core_check import check_core

from ...interface.configuration import Configuration
from ...pc.console import SIMULATED_SERIAL
from ...pc.console import grammar as console_grammar
from ...simulation import Rate, SimulatedMemory, UartBoard, best_drive_model, cells_rtlil, line_rate, uart_board_library
from ...facts.units import DWORD_HZ, SECTOR_BYTES
from .flash_health import flash_health

#: Clocks per bit of the UART: as few as the gateware can take, so that the simulation is short.
DIVISOR = 8
#: Sectors of a drive without a profile.
CAPACITY = 1 << 20
#: Most clocks between two bytes of an answer.
_THINKING = 20_000
#: Most drives of an array: the compiled loop has room for so many.
MOST_LANES = 4
#: The largest denominator of the ratio of two clocks: an error of 10^-6.
_CLOCKS = 10 ** 6
#: What is around the core of a station, which not every board has.
_AROUND = {"below": (SimulatedMemory,), "arrays": True, "clocked": True}
_MOST_SECTORS = {True: 1 << 48, False: 0x0FFFFFFF}     # with 48-bit commands or without

#: Timeouts that one can wait for although simulated time passes slowly. They are longer than any pause
#: of the drives supplied.
_TIMES = {"signature_timeout": 1.0, "identify_timeout": 0.5, "command_timeout": 2.0,
          "flush_timeout": 2.0, "recovery_timeout": 3.0}


class StationError(ValueError):
    """What cannot be simulated: one line with the name, the value and the limit."""


def station_configuration(generation=2, **options):
    """The :class:`...interface.configuration.Configuration` of a station with a link of ``generation``: the core
    runs at the dword rate, has histograms, and its timeouts are short. ``options`` win over all of that."""
    return Configuration(**({"clock_hz": DWORD_HZ[generation], "histograms": True} | _TIMES
                            | options))


def checked_capacity(configuration, profile, capacity, generation, logical_sector):
    """The sectors of each drive of a :class:`Station` with these parameters. Raises :class:`StationError`."""
    if configuration.drives > MOST_LANES:
        raise StationError(f"drives = {configuration.drives}: at most {MOST_LANES}")
    if configuration.array == "raid1":
        raise StationError("array = raid1: the drives of a station are blank, which mirrors must not be")
    if configuration.clock_hz < DWORD_HZ[generation]:
        raise StationError(f"clock_hz = {configuration.clock_hz:g}: at least "
                           f"{DWORD_HZ[generation]:g}, the dword rate of Gen{generation}")
    if profile is not None and generation > profile.generation:
        raise StationError(f"generation = {generation}: at most {profile.generation}, that of "
                           f"the drive {profile.name}")
    lba48 = profile is None or profile.lba48
    if capacity is None:
        capacity = CAPACITY if profile is None else profile.capacity_sectors
    if not 1 <= capacity <= _MOST_SECTORS[lba48]:
        raise StationError(f"capacity = {capacity}: must be 1 to {_MOST_SECTORS[lba48]} sectors")
    if logical_sector != 512 and (logical_sector != 4096 or not configuration.long_logical_sectors):
        raise StationError(f"logical_sector = {logical_sector}: 512, or 4096 with a core that has "
                           "long_logical_sectors")
    if capacity % (logical_sector // 512):
        raise StationError(f"capacity = {capacity}: a multiple of {logical_sector // 512} with "
                           f"logical sectors of {logical_sector} bytes")
    try:
        check_core(configuration, configuration.clock_hz / DIVISOR, **_AROUND)
    except ValueError as error:
        raise StationError(str(error)) from None
    return capacity


class Station:
    """A console recorder whose UART is at hand, and whose drive can be harmed.

    Parameters: ``configuration`` of the core, by default :func:`station_configuration`; ``profile``
    of the drive, None: one that answers at once; ``health``, a dict, what the drive's ``Health`` is at
    the beginning, if the configuration has ``commands`` or ``smart_commands``; a ``reporting`` in it
    (:class:`...lab.wear.Reporting`) makes the drive's SMART; ``capacity`` in sectors, None:
    the profile's, or 1,048,576; ``image`` the path of the drive's image, which has ``capacity``
    sectors, None: one in memory; ``generation`` of the link, 1 to 3; ``seed`` of a drive whose
    profile varies; ``logical_sector`` its bytes, 512 or, if the core has
    ``long_logical_sectors``, 4096. An array has as many such drives as the configuration states, without an image.
    Members: ``board`` (:class:`...simulation.UartBoard`), ``lane`` whose drive can be harmed, ``port`` its drive
    model's ``DrivePort``, ``drive``. The serial number of the drives is ``SIMULATED_SERIAL``. A context manager.

    Raises :class:`StationError`, and what :func:`...simulation.uart_board_library` does.
    """

    def __init__(self, configuration=None, *, profile=None, capacity=None, generation=2, seed=0,
                 health=None, image=None, logical_sector=512):
        configuration = configuration or station_configuration(generation)
        capacity = checked_capacity(configuration, profile, capacity, generation, logical_sector)
        self._library = uart_board_library(*_design(configuration))
        model = best_drive_model()
        reporting = (health or {}).get("reporting")
        named = reporting.drive if reporting else profile
        self.lane = 0
        self._drives = [model.Drive(
            model.DiskImage(image, sectors=capacity), behaviour=model.Behaviour(),
            medium=profile and model.Medium(profile.drawn(seed), DWORD_HZ[generation]),
            serial=SIMULATED_SERIAL, logical_sector=logical_sector,
            health=_health(model, capacity, health or {})
            if configuration.commands or configuration.smart_commands else None,
            **({"model": named.model} if named else {})) for _ in range(configuration.drives)]
        self._ports = [model.DrivePort(drive, generation=generation,
                                       line_rate=line_rate(configuration.clock_hz, generation))
                       for drive in self._drives]
        self._clock_hz = configuration.clock_hz
        self.board = UartBoard(self._library, self._ports, DIVISOR)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.board.close()
        for drive in self._drives:
            drive.image.close()

    def clock_source(self, hz):
        """Gives the source of a core with ``source_clock`` a clock of ``hz``; before, it has the core's frequency."""
        ratio = Fraction(hz) / Fraction(self._clock_hz)
        self.board.source_clock(Rate(*ratio.limit_denominator(_CLOCKS).as_integer_ratio()))

    @property
    def lanes(self):
        """How many drives there are."""
        return len(self._drives)

    @property
    def drive(self):
        """The drive of the present lane."""
        return self._drives[self.lane]

    @property
    def port(self):
        """The port of the present lane."""
        return self._ports[self.lane]

    @property
    def idle(self):
        """Whether nothing happens but simulated time: a drive is ready, no operation runs, and no byte
        has been on its way for as long as the board may think between two of them."""
        return self.board.lights[:2] == (True, False) and self.board.silent_clocks > _THINKING

    @property
    def working(self):
        """Whether an operation runs, and nothing is printed."""
        return self.board.lights[1] and self.board.silent_clocks > _THINKING

    @property
    def waiting(self):
        """Whether a link is down, and nothing is printed: the core waits for a drive."""
        return not all(port.inputs >> 38 & 1 for port in self._ports) and self.board.silent_clocks > _THINKING

    def plug(self):
        """Connects the drive again if it is not connected."""
        if self.port.drive is None:
            self.port.plug(self.drive)

    def unplug(self):
        """Takes the drive away; what it holds stays on it."""
        self.port.unplug()


def _health(model, capacity, options):
    """What the drive reports about itself: as the drive model does, or as a flash drive."""
    options = {"sanitize_dwords": 1 << 22} | options
    reporting = options.pop("reporting", None)
    if reporting is None:
        return model.Health(**options)
    return flash_health(model.Health, reporting.scaled(SECTOR_BYTES * capacity), **options)


def _design(configuration):
    """What makes the gateware, the text that changes with it, the cells of its memory, how many drives it has, and
    whether its source has a clock of its own."""
    folder = Path(console_recorder.__file__).parent
    files = [*sorted(folder.glob("*.py")), Path(console_grammar.__file__)]
    recipe = "\n".join([configuration.model_dump_json(), str(DIVISOR), version("sata-recorder"),
                        *(path.read_text() for path in files)])
    below = (SimulatedMemory,) if configuration.memory else ()
    return (lambda: ConsoleRecorder(
        configuration, baud=configuration.clock_hz / DIVISOR, **_AROUND | {"below": below})), \
        recipe, cells_rtlil(configuration), configuration.drives, configuration.source_clock
