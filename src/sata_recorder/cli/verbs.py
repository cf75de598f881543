"""The verbs of the command `sata-recorder`: one a module, loaded when it is requested."""

import ast
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

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


class VerbGroup(click.Group):
    """A group whose list of commands loads none of them: what they are comes from their source."""

    def format_commands(self, ctx, formatter):
        width = formatter.width - 6 - max(map(len, self.commands))
        with formatter.section("Commands"):
            formatter.write_dl([(name, click.Command(name, help=_described(name)).get_short_help_str(width))
                                for name in self.commands])


def _described(name):
    """The docstring of a command."""
    module = ast.parse(Path(__file__).with_name(f"{name}.py").read_text())
    return next(ast.get_docstring(found) for found in module.body if getattr(found, "name", None) == name)


@click.group(cls=VerbGroup, commands=Verbs(), context_settings={"help_option_names": ["-h", "--help"]})
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
