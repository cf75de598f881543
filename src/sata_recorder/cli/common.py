"""What all verbs share: refusals, failures, and the configuration from a file and from options."""

import re
from contextlib import contextmanager

import click

from .. import extras
from ..interface.configuration import ConfigurationError, configured


class Refusal(click.ClickException):
    """A mistake of the user: one line on standard error, exit status 2."""

    exit_code = 2


def needs_report(path, option="--report"):
    """Refuses the page ``path`` of ``option`` where the packages for it are not installed, or the name is of a file of
    another kind."""
    need("report", f"{option} {path}")
    if path.suffix.lower() not in ("", ".html", ".htm"):
        raise Refusal(f"{option} {path}: must end in .html")


def need(extra, what):
    """Refuses ``what``, an option or a verb, where a package of ``extra`` is not installed."""
    if text := extras.missing(extra):
        raise Refusal(f"{what}: {text}")


@contextmanager
def simulating(file=None):
    """A tool that is missing is refused, and what fails while something is simulated is reported in one line;
    ``file`` is named where an error of a file names none."""
    from ..lab.measurement import ProbeFailed
    from ..simulation import EngineError, MissingTool, ProfileError, Stuck, WorkerDied
    try:
        yield
    except MissingTool as error:
        raise Refusal(str(error)) from None
    except (EngineError, ProbeFailed, ProfileError, Stuck, WorkerDied) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        if not error.strerror:
            raise
        raise click.ClickException(f"{error.filename or file}: {error.strerror}") from None


def configuration(path, options, names=None):
    """The configuration of the TOML file ``path``, or of a name, or None, with ``options`` that win over it;
    ``names`` are those by which the user knows these."""
    try:
        return configured(path, options)
    except ConfigurationError as error:
        raise refusal(error, names or {}) from None


def refusal(error, names):
    """The :class:`Refusal` for a ``ConfigurationError``: mistakes by ``names``, or a file of --config that cannot be
    read."""
    return Refusal(error.told(names) if error.faults else f"--config {error}")


def phy_fault(given, error, other):
    """The text of ``error``, "NAME is VALUE, it must be ..." of an option of a PHY, by that option where it is one of
    the texts ``given``, otherwise of ``other``."""
    name, _, rest = str(error).partition(" is ")
    if name not in given:
        return f"{other}: {error}"
    # A number may be told in another way than it was typed.
    value = given[name]
    told = value if rest.startswith(value) else re.match(r"[^,:]*", rest)[0]
    return f"--phy-option {name}={value}:{rest[len(told):].lstrip(',:')}"


def named_values(option, pairs):
    """The texts NAME=VALUE of an option that may be repeated, as a dictionary."""
    values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Refusal(f"{option} {pair}: it must be NAME=VALUE")
        if name in values:
            raise Refusal(f"{option} {pair}: {name} was given before, as {values[name]}")
        values[name] = value
    return values
