"""What all verbs share: refusals, and the configuration from a file and from options."""

import tomllib
from pathlib import Path

import click
from pydantic import ValidationError

from .. import extras, outputs
from ..interface.configuration import NAMED, Configuration, configuration_file

__all__ = ["Refusal", "configuration", "need"]


class Refusal(click.ClickException):
    """A mistake of the user: one line on standard error, exit status 2."""

    exit_code = 2


def need(extra, what):
    """Refuses ``what``, an option or a verb, where a package of ``extra`` is not installed."""
    if text := extras.missing(extra):
        raise Refusal(f"{what}: {text}")


def configuration(path, options, named=None):
    """The configuration of the TOML file ``path``, or of a name of ``NAMED``, or None, with ``options`` that
    win over it.

    ``named`` gives the name under which the user knows a field, where that is another one.
    """
    values = {}
    if path is not None:
        path = Path(path)
        try:
            values = tomllib.loads(outputs.read_text(configuration_file(path)))
        except OSError as error:
            names = "" if path.suffix else f"; configurations with a name are {', '.join(NAMED)}"
            raise Refusal(f"{path}: cannot be read: {error.strerror}{names}") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise Refusal(f"{path}: cannot be read as TOML: {error}") from None
    try:
        found = Configuration(**(values | options))
    except ValidationError as error:
        fault = error.errors()[0]
        name = ".".join(map(str, fault["loc"]))
        raise Refusal(f"{(named or {}).get(name, name)} = {fault['input']!r}: "
                      f"{fault['msg']}") from None
    if found.too_slow:
        raise Refusal(found.too_slow)
    return found
