"""The verbs of the command `sata-recorder`: one a module, loaded when it is requested."""

import ast
import errno
import os
from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher
from importlib import import_module
from pathlib import Path

import click

from .. import __version__
from .loading import loading

_FIRST = f"""\
sata-recorder {__version__}: a SATA host and streaming recorder in pure hardware.

Start with one of these:
  sata-recorder plan --rate 100MB/s --for 1h   which drive such a stream needs
  sata-recorder measure                        record and play back, simulated
  sata-recorder verilog -o core.v              the core as one Verilog file

All verbs: sata-recorder --help. What one can do: sata-recorder VERB --help.
What is installed here: sata-recorder doctor. The manual: docs/README.md."""


#: An option of other verbs: what the same is called where it is not there.
_ELSEWHERE = {"--rate": ("--input-rate", "--rates"), "--input-rate": ("--rate", "--rates"),
              "--size": ("--sectors",), "--sectors": ("--size",), "--drive": ("--drives",), "--drives": ("--drive",),
              "--duration": ("--for", "--seconds"), "--memory-size": ("--memory",), "--output": ("--json",),
              "--input": ("--image",), "--max-command": ("--command-sizes",), "--fifo": ("--fifo-words",),
              "--fifo-words": ("--fifo",), "--data": ("--input",)}
#: How much of two names of options is the same where one may be meant for the other.
_ALIKE = 0.6
#: Characters of a path that are shown.
_SHOWN = 200


class Verbs(Mapping):
    """The commands by name: ``NAME`` is that of the module ``NAME`` next to this one."""

    _NAMES = ("access", "build", "campaign", "completion", "console", "doctor", "drives", "extract", "finalise",
              "frames", "measure", "panel", "plan", "prepare", "qualify", "recordings", "reproduce", "station", "sweep",
              "verify", "verilog", "wear")

    def __getitem__(self, name):
        if name not in self._NAMES:
            raise KeyError(name)
        try:
            with loading():
                return getattr(import_module(f".{name}", __package__), name)
        except KeyboardInterrupt:       # click would print an empty line
            raise click.Abort from None
        except ModuleNotFoundError as error:
            raise click.ClickException(f"{name}: needs the Python package {error.name}, which is not installed; "
                                       "`sata-recorder doctor` shows all that is missing") from None

    def __iter__(self):
        return iter(self._NAMES)

    def __len__(self):
        return len(self._NAMES)


class _FirstContact(click.ClickException):
    """Neither a verb nor an option is given."""

    exit_code = 2

    def show(self, file=None):
        click.echo(self.message, err=True)


class _BadPath(click.ClickException):
    """A path that is empty, too long, or leads in a circle."""

    exit_code = 2


class VerbGroup(click.Group):
    """A group whose list of commands loads none of them: what they are comes from their source."""

    def parse_args(self, ctx, args):
        if not args and not ctx.resilient_parsing:
            raise _FirstContact(_FIRST)
        return super().parse_args(ctx, args)

    def invoke(self, ctx):
        """As usual; a path that no system takes is refused, whichever file it was to be."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            # By the dashes and a letter any short name looks like any other.
            error.possibilities = _elsewhere(error) or [one for one in error.possibilities or () if SequenceMatcher(
                None, one.strip("-"), error.option_name.strip("-")).ratio() >= _ALIKE]
            raise
        except OSError as error:
            if error.errno not in (errno.ENAMETOOLONG, errno.ELOOP):
                raise
            raise _BadPath(f"{str(error.filename)[:_SHOWN]}: {error.strerror}") from None
        except RuntimeError as error:       # so pathlib of Python 3.11 and 3.12 reports a loop
            if not str(error).startswith("Symlink loop"):
                raise
            path = str(error).partition("from ")[2].strip("'")
            raise _BadPath(f"{path}: {os.strerror(errno.ELOOP)}") from None

    def resolve_command(self, ctx, args):
        name, verb, rest = super().resolve_command(ctx, args)
        if verb is not None and not ctx.resilient_parsing:
            _check_options(click.Context(verb, ctx, name, resilient_parsing=True), rest)
        return name, verb, rest

    def format_commands(self, ctx, formatter):
        with formatter.section("Commands"):
            # A whole sentence each, on as many lines as it takes.
            formatter.write_dl([(name, click.Command(name, help=_described(name)).get_short_help_str(limit=1000))
                                for name in self.commands])


def _elsewhere(error):
    """What the verb that was called has instead of an option of other verbs."""
    known = {name for one in (error.ctx.command.get_params(error.ctx) if error.ctx else ()) for name in one.opts}
    return [name for name in _ELSEWHERE.get(error.option_name, ()) if name in known]


def _check_options(context, arguments):
    """Refuses a path without a name, which would be the present folder, and an option that takes one value and is
    given several, the last of which would win unseen."""
    given, _, order = context.command.make_parser(context).parse_args(list(arguments))
    for one in order:
        if isinstance(one.type, click.Path):
            value = given[one.name]
            if "" in (value if isinstance(value, (list, tuple)) else (value,)):
                raise _BadPath(f"{max(one.opts, key=len)} '': the name is empty")
    for option, times in Counter(one for one in order if isinstance(one, click.Option)).items():
        if times > 1 and not option.multiple and not option.count and (not option.is_flag or option.secondary_opts):
            raise click.UsageError(f"{'/'.join([*option.opts, *option.secondary_opts])}: is given {times} times, and "
                                   "takes one value", context)


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
