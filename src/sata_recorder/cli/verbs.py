"""The verbs of the command `sata-recorder`: one a module, loaded when it is requested."""

from collections.abc import Mapping
from importlib import import_module

import click

from .. import __version__
from .loading import loading


class Verbs(Mapping):
    """The commands by name: ``NAME`` is that of the module ``NAME`` next to this one."""

    _NAMES = ("build", "campaign", "console", "drives", "extract", "finalise", "frames", "measure", "panel",
              "plan", "prepare", "qualify", "recordings", "reproduce", "station", "sweep", "verify",
              "verilog")

    def __getitem__(self, name):
        if name not in self._NAMES:
            raise KeyError(name)
        try:
            with loading():
                return getattr(import_module(f".{name}", __package__), name)
        except KeyboardInterrupt:       # click would print an empty line
            raise click.Abort from None

    def __iter__(self):
        return iter(self._NAMES)

    def __len__(self):
        return len(self._NAMES)


@click.group(commands=Verbs(), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sata-recorder")
def cli():
    """A SATA host and streaming recorder in pure hardware."""


def run(arguments=None):
    """Runs the command line and returns its exit status; raises ``KeyboardInterrupt``."""
    try:
        return cli.main(arguments, prog_name="sata-recorder", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
