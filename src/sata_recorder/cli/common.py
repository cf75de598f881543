"""What all verbs share: refusals, and the configuration from a file and from options."""

import click

from .. import extras
from ..interface.configuration import ConfigurationError, configured


class Refusal(click.ClickException):
    """A mistake of the user: one line on standard error, exit status 2."""

    exit_code = 2


def need(extra, what):
    """Refuses ``what``, an option or a verb, where a package of ``extra`` is not installed."""
    if text := extras.missing(extra):
        raise Refusal(f"{what}: {text}")


def configuration(path, options):
    """The configuration of the TOML file ``path``, or of a name, or None, with ``options`` that win over it."""
    try:
        return configured(path, options)
    except ConfigurationError as error:
        raise Refusal(str(error)) from None
