"""The verbs of the command `sata-recorder`: one a module."""

import click

from .. import __version__
from .build import build
from .campaign import campaign
from .console import console
from .drives import drives
from .extract import extract
from .finalise import finalise
from .frames import frames
from .measure import measure
from .panel import panel
from .plan import plan
from .prepare import prepare
from .qualify import qualify
from .recordings import recordings
from .reproduce import reproduce
from .station import station
from .sweep import sweep
from .verify import verify
from .verilog import verilog


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sata-recorder")
def cli():
    """A SATA host and streaming recorder in pure hardware."""


for verb in (measure, plan, drives, sweep, reproduce, campaign, verilog, console, station, panel,
             qualify, build, prepare, recordings, extract, verify, frames, finalise):
    cli.add_command(verb)


def run(arguments=None):
    """Runs the command line and returns its exit status; raises ``KeyboardInterrupt``."""
    try:
        return cli.main(arguments, prog_name="sata-recorder", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
