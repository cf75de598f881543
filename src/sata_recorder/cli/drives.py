"""`sata-recorder drives`: the timing profiles that the drive model can have."""

import json

import click
from rich.console import Console

from ..report import profile_data, render_inside, render_profile, render_profiles
from ..simulation import Profile, ProfileError, load_profile, profile_names, profile_source
from .common import Refusal


#: What the sides of a profile do.
_VERBS = {"write": "writing", "read": "reading"}


@click.command()
@click.argument("words", metavar="[NAME]", nargs=-1)
@click.option("--check", metavar="FILE.toml",
              help="Show whether this profile of yours is valid, or all that is wrong with it.")
@click.option("--template", is_flag=True,
              help="Print a profile to fill in from a data sheet, or the file of NAME to change.")
@click.option("--medium", type=click.Choice(["flash", "disk"]),
              help="The models of the flash or the disk inside drives instead, that `measure --medium` takes.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def drives(words, check, medium, template, as_json):
    """List the drives whose timing can be simulated, or show all figures of one.

    NAME is one of the list or a profile file of your own. docs/drives.md states what the fields mean.
    """
    name = " ".join(words) if words else None
    if check is not None and name is not None:
        raise Refusal(f"--check {check}: not together with NAME ({name})")
    if template and (check is not None or as_json):
        raise Refusal("--template: not together with --check or --json")
    if medium is not None:
        if check is not None:
            raise Refusal(f"--check {check}: not together with --medium")
        _insides(medium, name, template, as_json)
        return
    try:
        if template:
            click.echo(profile_source(name), nl=False)
            return
        one = Profile.from_toml(check) if check is not None else \
            load_profile(name) if name is not None else None
        everything = [one] if one else [load_profile(name) for name in profile_names()]
    except ProfileError as error:
        faults = error.faults if check is not None else error.faults[:1]
        raise Refusal("\n".join(faults)) from None
    if as_json:
        data = [profile_data(profile) for profile in everything]
        click.echo(json.dumps(data[0] if one else data, indent=2))
    elif check is not None:
        unknown = [field for field in ("write", "read") if field in one.unknown_rates]
        click.echo(f"{check}: a valid profile of {one.model}" + (
            f", whose rate of {' and '.join(_VERBS[side] for side in unknown)} is unknown" if unknown else ""))
    elif one:
        render_profile(Console(), one)
    else:
        render_profiles(Console(), everything)


def _insides(medium, name, template, as_json):
    """The parameters of the inside of drives: a list of those known, all of one, or its file."""
    from ..lab.measurement import JobError, inside_parameters, inside_rows, inside_source
    try:
        if template:
            if name is None:
                raise Refusal("--template: with --medium it needs NAME, whose file is printed")
            click.echo(inside_source(medium, name), nl=False)
            return
        found = inside_parameters(medium, name)
    except JobError as error:
        raise Refusal(error.told(lambda field, value=None: str(value))) from None
    if as_json:
        data = [inside_rows(one) for one in found]
        click.echo(json.dumps(data[0] if name is not None else data, indent=2))
    elif name is not None:
        click.echo(f"{found[0].name}  {found[0].description}")
        render_inside(Console(), found[0])
    else:
        for one in found:
            click.echo(f"{one.name:<18} {one.description}")
