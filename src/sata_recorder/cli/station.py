"""`sata-recorder station`: a board with the console recorder, simulated, at a pseudo-terminal."""

import shlex
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Annotated, Literal

import click

from ..simulation import EngineError, MissingTool, ProfileError, load_profile, simulated_profile
from ..board.station import (ORDERS, BadOrder, PseudoTerminal, Station, StationError, checked_capacity, held_image,
                             image_sectors, obey, serve, station_configuration)
from ..interface.configuration import Configuration, ConfigurationError
from ..lab.options import Options, OptionText
from .common import Refusal, configuration, refusal
from .options import options
from .plain_progress import PlainProgress


#: GB that attribute 241 can count, and some more: sectors in 48 bits.
_MOST_WRITTEN = 7.2e7
#: Seconds after which a station that is not ready states what it does.
_PATIENCE = 2


class _Orders(click.Command):
    """A command whose help lists the orders that it takes."""

    def format_options(self, ctx, formatter):
        with formatter.section("Orders"):
            formatter.write_dl([(order.usage, order.meaning) for order in ORDERS.values()])
        super().format_options(ctx, formatter)


class StationOptions(Options):
    """The options of `sata-recorder station`."""

    pty: bool = False
    """Serve a pseudo-terminal. It is the only way so far."""
    drive: Annotated[str | None, OptionText("NAME|FILE")] = None
    """The timing of this drive (`sata-recorder drives` lists them). Default: one that answers at once."""
    capacity: Annotated[int | None, OptionText("SECTORS")] = None
    """Size of the drive. Default: the profile's, or 1048576."""
    logical_sector: Literal[512, 4096] | None = None
    """Bytes of the drive's logical sectors; 4096 needs, and is, a core with long_logical_sectors. Default: 512."""
    generation: Literal[1, 2, 3] | None = None
    """Generation of the link. Default: 2, or the drive's if that is less."""
    seed: Annotated[int, OptionText("N", kind=click.IntRange(0))] = 0
    """Seed of a drive whose profile varies."""
    config_path: Annotated[str | None, OptionText("FILE|NAME", flags=("--config",))] = None
    """Configuration of the core, a TOML file or a name such as `files`. Default: that of a board, with short
    timeouts."""
    commands: bool = False
    """A core with COMMAND, and a drive with SMART and TRIM."""
    smart_commands: Annotated[int | None, OptionText("N", kind=click.IntRange(1, 65535))] = None
    """A core that queries the drive's SMART verdict after each N-th write command of a recording, and a drive
    with SMART."""
    smart_temperature: bool = False
    """With --smart-commands, a core that reads the drive's temperature, too."""
    memory: Annotated[str | None, OptionText("SIZE")] = None
    """A core with a memory such as 256MiB as its buffer, simulated as DDR3 behind its AXI4 port."""
    width: Literal[8, 16, 32, 64, 128] | None = None
    """A core whose pattern comes in beats of this many bits. Default: 32."""
    source_clock: Annotated[str | None, OptionText("HZ")] = None
    """A core whose pattern comes in a clock of its own, such as 61.44MHz."""
    files: bool = False
    """A core that makes files of recordings, on a drive that was prepared."""
    modes: bool = False
    """A core that has rings and segments, too."""
    accesses: bool = False
    """A core that moves extents anywhere, instead of rings and segments."""
    frames: bool = False
    """A core that can put recordings into frames of VITA 49."""
    drives: Annotated[int | None, OptionText("N", kind=click.IntRange(2, 4))] = None
    """An array of N drives as RAID 0, 2 to 4, each of this size."""
    image: Annotated[str | None, OptionText("FILE")] = None
    """The drive's sectors, such as what `sata-recorder prepare` has made. Default: nothing but zeros, in memory."""
    overwrite: bool = False
    """Write to an image that sata-recorder has not made."""
    written: Annotated[float, OptionText("GB", kind=click.FloatRange(0, _MOST_WRITTEN))] = 0
    """What was written to a drive with SMART before, at 70,000 GB of endurance."""
    flash: Annotated[str | None, OptionText("NAME|FILE")] = None
    """The drive reports by SMART what a model of this drive's flash knows of its wear (`sata-recorder wear`), in the
    attributes of its family; it wears in as many laps as the real one."""
    baud: Annotated[int | None, OptionText("N", kind=click.IntRange(300, 4_000_000))] = None
    """Be as slow as a serial line of N bits a second. Default: as fast as it can."""
    in_step: bool = False
    """An operation waits, up to a second, for the next byte of a program that polls it."""
    command: Annotated[str | None, OptionText("COMMAND", flags=("--run",))] = None
    """Run this command, with the terminal in place of {port}, and end with its status."""


@click.command(cls=_Orders)
@options(asked=StationOptions)
def station(asked):
    """Simulate a board with the console recorder and its drive, at a pseudo-terminal.

    Any serial program can talk to it, such as `sata-recorder console`. What happens to the drive
    meanwhile is typed, one order a line; they are listed below. Ctrl-C ends it.
    """
    if not asked.pty:
        raise Refusal("station: give --pty: the console is at a pseudo-terminal")
    if asked.command is not None and not asked.command.strip():
        raise Refusal("--run '': the command is empty")
    with refusing_stations(asked.config_path):
        core, profile, generation = wanted_board(asked)
        health = {"written_bytes": round(1e9 * asked.written), "hours": 1200, "amplification": 1.4}
        if asked.flash is not None:
            if not core.commands:
                raise Refusal(f"--flash {asked.flash}: the drive reports it with --commands")
            health["reporting"] = _reporting(asked.flash)
        with ExitStack() as stack:
            sectors = stack.enter_context(nullcontext(asked.capacity) if asked.image is None else
                                          held_image(asked.image, overwrite=asked.overwrite))
            with PlainProgress(lambda: "compiling the board and its drive ...", seconds=_PATIENCE):
                made = Station(core, profile=profile, capacity=sectors, generation=generation, seed=asked.seed,
                               health=health, image=asked.image, logical_sector=asked.logical_sector or 512)
            stack.enter_context(made)
            hz = source_hz(asked, core)
            if hz is not None:
                made.clock_source(hz)
            terminal = stack.enter_context(PseudoTerminal(asked.baud))
            status = _serve(made, terminal, asked.command, asked.in_step)
    click.get_current_context().exit(status)


@contextmanager
def refusing_stations(config=None):
    """A board that cannot be simulated is refused, by the names of the options, or with the file ``config`` of the
    core."""
    try:
        yield
    except (StationError, ProfileError, MissingTool, EngineError) as error:
        text = str(error).splitlines()[0]
        name, equals, rest = text.partition(" = ")
        of_option = equals and name in StationOptions.model_fields
        of_file = config is not None and equals and name in Configuration.model_fields
        raise Refusal(f"--config {config}: {text}" if of_file else
                      f"{StationOptions.flag(name)} {rest}" if of_option else text) from None


def wanted_board(asked):
    """(configuration of the core, profile of the drive or None, generation of the link) of the board that ``asked``, a
    :class:`StationOptions`, states; refuses what cannot be before anything is compiled or opened."""
    try:
        profile = None if asked.drive is None else simulated_profile(load_profile(asked.drive))
    except ProfileError as error:
        raise Refusal(f"--drive {asked.drive or repr(asked.drive)}: {error}") from None
    generation = asked.generation or (min(2, profile.generation) if profile else 2)
    wanted = {"commands": asked.commands, "files": asked.files, "frames": asked.frames,
              "smart_temperature": asked.smart_temperature}
    chosen = {name: True for name, is_wanted in wanted.items() if is_wanted}
    chosen |= {"smart_commands": asked.smart_commands} if asked.smart_commands else {}
    if asked.memory is not None:
        chosen |= {"memory": asked.memory} | ({} if asked.config_path else {"memory_width": 128})
    if asked.modes and asked.accesses:
        raise Refusal("--accesses: not together with --modes, which has the queue of extents to itself")
    chosen |= {} if asked.width is None else {"source_width": asked.width}
    chosen |= {} if asked.source_clock is None else {"source_clock": True}
    chosen |= {"extents": "modes"} if asked.modes else {}
    chosen |= {"extents": "queued"} if asked.accesses else {}
    chosen |= {"drives": asked.drives} if asked.drives else {}
    chosen |= {"long_logical_sectors": True} if asked.logical_sector == 4096 else {}
    if asked.smart_temperature and not asked.smart_commands and asked.config_path is None:
        raise Refusal("--smart-temperature: needs --smart-commands")
    core = (configuration(asked.config_path, chosen) if asked.config_path is not None else
            _board(generation, chosen))
    if asked.written and not (core.commands or core.smart_commands):
        raise Refusal(f"--written {asked.written:g}: the drive counts it with --commands or --smart-commands")
    if asked.capacity is not None and asked.image is not None:
        raise Refusal(f"--capacity {asked.capacity}: not together with --image, which has a size")
    if core.drives > 1 and asked.image is not None:
        raise Refusal(f"--image {asked.image}: not with {core.drives} drives, which are in memory")
    source_hz(asked, core)
    for option, value in (("--width", asked.width), ("--source-clock", asked.source_clock)):
        for other, there in (("--commands", asked.commands), ("--accesses", asked.accesses)):
            if there and value is not None:
                raise Refusal(f"{option} {value}: not together with {other}, whose words do not come from the source")
    with refusing_stations(asked.config_path):
        sectors = asked.capacity if asked.image is None else image_sectors(asked.image, overwrite=asked.overwrite)
        checked_capacity(core, profile, sectors, generation, asked.logical_sector or 512)
    return core, profile, generation


def source_hz(asked, core):
    """Hertz of the clock of the source that ``asked`` states for ``core``, None without one; refuses what cannot be."""
    if asked.source_clock is None:
        if core.source_clock:
            raise Refusal(f"--config {asked.config_path}: source_clock = true: needs --source-clock HZ")
        return None
    from ..lab.measurement import SOURCE_HZ, parse_frequency, reason
    try:
        found = float(parse_frequency(asked.source_clock))
    except ValueError as error:
        raise Refusal(f"--source-clock {asked.source_clock}: {reason(error, asked.source_clock)}") from None
    if not SOURCE_HZ[0] <= found <= SOURCE_HZ[1]:
        raise Refusal(f"--source-clock {asked.source_clock}: must be {SOURCE_HZ[0] / 1e3:g} kHz to "
                      f"{SOURCE_HZ[1] / 1e9:g} GHz")
    return found


def _reporting(name):
    from ..lab.measurement import JobError
    from ..lab.wear import Reporting, flash_drive
    try:
        return Reporting(flash_drive(name))
    except ProfileError as error:
        raise Refusal(f"--flash {name}: {error}") from None
    except JobError as error:
        raise Refusal(f"--flash {name}: {error.told(lambda field, value=None: value or field)}") from None


def _board(generation, chosen):
    """The configuration of a board with what is ``chosen``."""
    try:
        return station_configuration(generation, **chosen)
    except ConfigurationError as error:
        raise refusal(error, {"memory": "--memory", "drives": "--drives", "source_width": "--width",
                              "source_clock": "--source-clock"}) from None


def _serve(made, terminal, command, in_step):
    """Serves until Ctrl-C, or while ``command`` runs; returns the exit status."""
    if command:
        order = command.replace("{port}", shlex.quote(terminal.name))
        with subprocess.Popen(order, shell=True) as process:
            serve(made, terminal, while_=lambda: process.poll() is None, in_step=in_step)
        return process.returncode
    click.echo(f"the simulated console recorder is at {terminal.name}; Ctrl-C ends it")
    sys.stdout.flush()
    attended = _Attended(made)
    # In the background of a shell its terminal is not for us: reading fails, instead of stopping.
    signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    try:
        serve(made, terminal, orders=sys.stdin and sys.stdin.fileno(), on_order=attended,
              while_=lambda: not attended.over, in_step=in_step)
    except KeyboardInterrupt:
        pass
    return 0


class _Attended:
    """Obeys the orders that are typed at the station, and answers.

    The order `attended`, which programs send, ends the station with its input.
    """

    def __init__(self, made):
        self._station = made
        self._to_the_end = False
        self.over = False

    def __call__(self, line):
        if line is None:
            self.over = self._to_the_end
        elif line == "attended":
            self._to_the_end = True
        else:
            try:
                click.echo(obey(self._station, line))
            except BadOrder as error:
                click.echo(f"error: {error}")
            sys.stdout.flush()
