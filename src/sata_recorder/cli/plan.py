"""`sata-recorder plan`: which drive, which FIFO, for a stream and a time."""

import json
from contextlib import contextmanager
from pathlib import Path

import click

from ..interface.configuration import ConfigurationError
from ..lab.measurement import HostOptions, JobError, StreamOptions
from .common import Refusal, refusal, simulating
from .files import overwrite_option, written
from .options import Number, options
from .plan_text import render_plan, render_plans, undecided
from .screen import Screen

_FILE = click.Path(path_type=Path, readable=False)
#: Field of a requirement: its option.
_OPTIONS = {"rate": "--rate", "seconds": "--for", "size": "--size", "fifo_bytes": "--fifo",
            "generation": "--generation", "command_sectors": "--max-command",
            "turnaround_us": "--turnaround-us", "duty": "--duty", "rated_tb": "--tbw", "dwpd": "--dwpd",
            "warranty_years": "--warranty", "written_tb": "--written", "fill": "--fill", "memory": "--memory",
            "width": "--width", "source_clock": "--source-clock"}
#: Those given as a percentage.
_PERCENT = ("duty", "fill")


@click.command()
@click.option("--rate", required=True, metavar="RATE", help="Rate of the stream, such as 150MB/s, 1.28Gbit/s, "
              "80MS/s x 16bit, or for four channels '4 x 20MS/s x 12bit'.")
@click.option("--for", "duration", metavar="TIME", help="How long it records, such as 1h, 90min, 30s.")
@click.option("--size", metavar="SIZE", help="Instead of --for: how much it records, such as 500GB.")
@click.option("--drive", metavar="NAME|FILE",
              help="Only this drive, with all that the answer rests on (default: all drives).")
@click.option("--fifo", metavar="SIZE",
              help="Deepest FIFO before each core that you would build (default 1GiB).")
@options(only=("memory", "width", "source_clock"), host=HostOptions, stream=StreamOptions)
@click.option("--generation", type=click.Choice(["1", "2", "3"]), default="2",
              help="Fastest link of your board: 1.5, 3 or 6 Gb/s (default 2).")
@click.option("--max-command", type=int, default=2048, metavar="SECTORS",
              help="Longest command, 1 to 65536 sectors (default 2048).")
@click.option("--turnaround-us", type=Number(), default=0.0, metavar="US",
              help="Pause of the host between two commands (default 0, as the core is).")
@click.option("--duty", type=Number(), default=100.0, metavar="PERCENT",
              help="Share of all time in which you record, for the drive's life (default 100).")
@click.option("--tbw", type=Number(), metavar="TB",
              help="10^12 bytes that the drive is rated to be written, where the profile does not "
                   "state it.")
@click.option("--dwpd", type=Number(), metavar="N",
              help="Instead of --tbw: how many times a day of its warranty the drive may be written in full.")
@click.option("--warranty", "warranty_years", type=Number(), metavar="YEARS",
              help="Years of warranty, where the profile does not state them.")
@click.option("--written", metavar="SIZE", help="What was written to the drive before, such as 40TB.")
@click.option("--fill", type=Number(), metavar="PERCENT",
              help="Share of the drive that holds data which were not trimmed (default 0, or the profile's).")
@click.option("--assume-rate", metavar="RATE",
              help="A rate such as 200MB/s in place of each that a profile does not know.")
@click.option("--check/--no-check", "check", default=None,
              help="Simulate the critical stretch, with long times cut short, beside the "
                   "arithmetic for it (default: with --drive).")
@click.option("--json", "json_output", type=_FILE, metavar="FILE",
              help="Write the result as JSON; `-` writes it to standard output.")
@overwrite_option
@click.pass_context
def plan(context, drive, assume_rate, check, json_output, overwrite, **asked):
    """Show which drive, how many and which FIFO a recording needs.

    It computes this from the drives' timing profiles, so that the answer for hours takes seconds. A
    simulation checks the critical stretch. Exit status: 0 if there is an answer, 1 if no number
    of drives takes the stream or arithmetic and simulation differ, 2 for a mistake in the
    arguments, 3 if the answer would rest on what nobody has published.
    """
    with _refusing(asked):
        requirement = _requirement(asked)
    profiles = _profiles(drive, assume_rate)
    if drive is not None:
        _check_drive(requirement, *profiles, asked)
    to_stdout = json_output is not None and str(json_output) == "-"
    console = Screen(stderr=to_stdout)
    with written({"--json": None if to_stdout else json_output}, overwrite=overwrite) as contents:
        found = _planned(requirement, profiles)
        checked = None
        if check or check is None and drive is not None:
            checked = _checked(found[0])
        data = {"requirement": vars(requirement) | {"bytes": requirement.bytes},
                "plans": [one.as_data() for one in found],
                "check": checked and vars(checked) | {"agrees": checked.agrees}}
        contents["--json"] = text = json.dumps(data, indent=2) + "\n"
    if to_stdout:
        click.echo(text, nl=False)
    (render_plans if drive is None else render_plan)(console, found, checked)
    context.exit(_status(found, checked))


def _status(found, checked):
    if checked and not checked.agrees:
        return 1
    return 0 if found[0].drives is not None else 3 if undecided(found) else 1


def _check_drive(requirement, profile, asked):
    """Refuses what is wrong with this drive only."""
    from ..lab.plan import check_stages
    if profile.rotating:
        for option, value in (("--tbw", requirement.rated_tb), ("--dwpd", requirement.dwpd),
                              ("--warranty", requirement.warranty_years)):
            if value is not None:
                raise Refusal(f"{option} {value:g}: {profile.name} is a hard disk, which has a workload and no rating "
                              "of writes")
    if requirement.dwpd is not None and requirement.warranty_years is None and profile.warranty_years is None:
        raise Refusal(f"--dwpd {requirement.dwpd:g}: a share of the warranty, whose years the profile of "
                      f"{profile.name} does not state; give --warranty")
    with _refusing(asked):      # the core's clock is that of its link
        check_stages(requirement, min(requirement.generation, profile.generation))


@contextmanager
def _refusing(asked):
    """What cannot be is refused by the names of the options ``asked``."""
    # As they were typed, with their units.
    given = {"rate": asked["rate"], "seconds": asked["duration"], "size": asked["size"], "fifo_bytes": asked["fifo"],
             "written_tb": asked["written"], "memory": asked["host"].memory,
             "source_clock": asked["stream"].source_clock}

    def told(field, value=None):
        option = _OPTIONS.get(field, field)
        if field in _PERCENT and value is not None:
            value = f"{100 * float(value):g}"
        return option if value is None else f"{option} {given.get(field) or value or repr('')}"

    try:
        yield
    except ConfigurationError as error:
        raise refusal(error, {"memory": "--memory"}) from None
    except JobError as error:
        raise Refusal(error.told(told)) from None
    except ValueError as error:
        raise Refusal(str(error)) from None


def _requirement(asked):
    from ..lab.plan import Requirement
    if (asked["duration"] is None) == (asked["size"] is None):
        raise Refusal("exactly one of --for and --size must be given")
    if asked["fill"] is not None and not 0 <= asked["fill"] <= 100:
        raise Refusal(f"--fill {asked['fill']:g}: must be 0 to 100")
    if not 0 < asked["duty"] <= 100:
        raise Refusal(f"--duty {asked['duty']:g}: must be above 0 and at most 100 percent")
    return Requirement.of(
        asked["rate"], duration=asked["duration"], size=asked["size"],
        fifo=asked["fifo"], generation=int(asked["generation"]),
        command_sectors=asked["max_command"], turnaround_us=asked["turnaround_us"],
        duty=asked["duty"] / 100, rated_tb=asked["tbw"], dwpd=asked["dwpd"],
        warranty_years=asked["warranty_years"], written=asked["written"],
        fill=None if asked["fill"] is None else asked["fill"] / 100, stream=asked["stream"], host=asked["host"])


def _profiles(drive, assume_rate):
    """That of the drive; without one all but the ideal one, which nobody can buy."""
    from ..lab.measurement import assuming
    from ..simulation import ProfileError, load_profile, profile_names
    try:
        if drive is not None:
            profile = load_profile(drive)
            return [profile if assume_rate is None else assuming(profile, assume_rate)]
        found = [load_profile(name) for name in profile_names() if name != "ideal"]
        return [one if assume_rate is None or not one.unknown_rates else assuming(one, assume_rate) for one in found]
    except ProfileError as error:
        raise Refusal(f"--drive {drive or repr('')}: {error}") from None
    except JobError as error:
        raise Refusal(error.told(lambda field, value=None: f"--assume-rate {assume_rate}")) from None


def _planned(requirement, profiles):
    from ..lab.plan import plans
    try:
        return plans(requirement, profiles)
    except ValueError as error:
        raise Refusal(f"--drive {profiles[0].name}: {error}") from None


def _checked(found):
    """The check of an answer with one drive of those it needs; None where none would do."""
    from ..lab.measurement import Store
    from ..lab.plan import check
    from ..simulation import MissingTool
    from .progress import Progress
    if found.drives is None:
        return None
    with simulating():
        try:
            with Progress() as progress:
                return check(found.lane, found.profile, store=Store(),
                             progress=progress)
        except (JobError, MissingTool) as error:
            raise Refusal(f"--check: {error}") from None
