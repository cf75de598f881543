"""`sata-recorder station`: a board with the console recorder, simulated, at a pseudo-terminal."""

import shlex
import signal
import subprocess
import sys
from contextlib import nullcontext
from math import isnan

import click

from ..simulation import EngineError, MissingTool, ProfileError, load_profile
from ..board.station import (ORDERS, BadOrder, PseudoTerminal, Station, StationError, held_image, obey,
                       serve, station_configuration)
from .common import Refusal, configuration

__all__ = ["station"]


#: GB that attribute 241 can count, and some more: sectors in 48 bits.
_MOST_WRITTEN = 7.2e7


class _Orders(click.Command):
    """A command whose help lists the orders that it takes."""

    def format_options(self, ctx, formatter):
        with formatter.section("Orders"):
            formatter.write_dl([(order.usage, order.meaning) for order in ORDERS.values()])
        super().format_options(ctx, formatter)


@click.command(cls=_Orders)
@click.option("--pty", is_flag=True, help="Serve a pseudo-terminal. It is the only way so far.")
@click.option("--drive", metavar="NAME|FILE", help="The timing of this drive (`sata-recorder drives` "
              "lists them). Default: one that answers at once.")
@click.option("--capacity", type=int, metavar="SECTORS",
              help="Its size. Default: the profile's, or 1048576.")
@click.option("--logical-sector", type=click.Choice(["512", "4096"]),
              help="Bytes of the drive's logical sectors; 4096 needs, and is, a core with "
              "long_logical_sectors. Default: 512.")
@click.option("--generation", type=click.Choice(["1", "2", "3"]),
              help="Of the link. Default: 2, or the drive's if that is less.")
@click.option("--seed", type=click.IntRange(0), default=0, metavar="N",
              help="Of a drive whose profile varies.")
@click.option("--config", "config_path", metavar="FILE|NAME",
              help="Configuration of the core, a TOML file or a name such as `files`. Default: that of a board, "
                   "with short timeouts.")
@click.option("--commands", is_flag=True,
              help="A core with COMMAND, and a drive with SMART and TRIM.")
@click.option("--smart-commands", type=click.IntRange(1, 65535), metavar="N",
              help="A core that asks the drive for its SMART verdict behind each N-th write command of a "
              "recording, and a drive with SMART.")
@click.option("--smart-temperature", is_flag=True,
              help="With --smart-commands, a core that reads the drive's temperature, too.")
@click.option("--files", is_flag=True,
              help="A core that makes files of recordings, on a drive that was prepared.")
@click.option("--modes", is_flag=True,
              help="A core that has rings and segments, too.")
@click.option("--frames", is_flag=True,
              help="A core that can put recordings into frames of VITA 49.")
@click.option("--image", metavar="FILE",
              help="The drive's sectors, such as what `sata-recorder prepare` has made. Default: "
              "nothing but zeros, in memory.")
@click.option("--overwrite", is_flag=True,
              help="Write to an image that sata-recorder has not made.")
@click.option("--written", type=click.FloatRange(0, _MOST_WRITTEN), default=0, metavar="GB",
              help="What was written to a drive with SMART before, at 70,000 GB of endurance.")
@click.option("--baud", type=click.IntRange(300, 4_000_000), metavar="N",
              help="Be as slow as a serial line of N bits a second. Default: not slow.")
@click.option("--in-step", is_flag=True,
              help="An operation waits, up to a second, for the next byte of a program that looks "
              "at it again and again.")
@click.option("--run", "command", metavar="COMMAND",
              help="Run this, with {port} in it, and end with its status.")
def station(pty, drive, capacity, logical_sector, generation, seed, config_path, commands, smart_commands,
            smart_temperature, files, modes, frames, image, overwrite, written, baud, in_step, command):
    """Simulate a board with the console recorder and its drive, at a pseudo-terminal.

    Any serial program can talk to it, such as `sata-recorder console`. What happens to the drive
    meanwhile is typed: one of the orders below a line. Ctrl-C ends it.
    """
    if not pty:
        raise Refusal("station: say --pty: the console is at a pseudo-terminal")
    try:
        profile = None if drive is None else load_profile(drive)
        if generation is None:
            generation = min(2, profile.generation) if profile else 2
        generation = int(generation)
        chosen = {"commands": True} if commands else {}
        chosen |= {"smart_commands": smart_commands} if smart_commands else {}
        chosen |= {"smart_temperature": True} if smart_temperature else {}
        chosen |= {"files": True} if files else {}
        chosen |= {"extents": "modes"} if modes else {}
        chosen |= {"frames": True} if frames else {}
        chosen |= {"long_logical_sectors": True} if logical_sector == "4096" else {}
        if smart_temperature and not smart_commands and config_path is None:
            raise Refusal("--smart-temperature: needs --smart-commands")
        core = (configuration(config_path, chosen) if config_path is not None else
                station_configuration(generation, **chosen))
        if isnan(written):
            raise Refusal("--written nan: must be a number of GB")
        if written and not (core.commands or core.smart_commands):
            raise Refusal(f"--written {written:g}: the drive counts it with --commands or --smart-commands")
        if capacity is not None and image is not None:
            raise Refusal(f"--capacity {capacity}: not together with --image, which has a size")
        health = {"written_bytes": round(1e9 * written), "hours": 1200, "amplification": 1.4}
        with (nullcontext(capacity) if image is None else
              held_image(image, overwrite=overwrite)) as sectors, Station(
                  core, profile=profile, capacity=sectors, generation=generation, seed=seed,
                  health=health, image=image,
                  logical_sector=int(logical_sector or 512)) as made, PseudoTerminal(baud) as terminal:
            status = _serve(made, terminal, command, in_step)
    except (StationError, ProfileError, MissingTool, EngineError) as error:
        raise Refusal(str(error).splitlines()[0]) from None
    click.get_current_context().exit(status)


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
    """Obeys the orders of whoever attends to the station, and answers.

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
