"""`sata-recorder completion`: a script with which a shell completes verbs, options and values."""

import argparse

import click

from .common import need

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS), metavar="SHELL")
@click.pass_context
def completion(context, shell):
    """Print a script with which bash, zsh or fish completes verbs, options and their values.

    It holds all of them, so that a Tab does not start this program. Where each shell reads it:

    \b
    bash  sata-recorder completion bash >~/.local/share/bash-completion/completions/sata-recorder
    zsh   sata-recorder completion zsh >_sata-recorder, in a folder of $fpath
    fish  sata-recorder completion fish >~/.config/fish/completions/sata-recorder.fish
    """
    need("completion", "completion")
    import shtab
    click.echo(shtab.complete(_parser(context.parent.command, context.parent), shell))


def _parser(group, context):
    """The verbs of ``group`` in the form that shtab reads."""
    parser = argparse.ArgumentParser("sata-recorder", add_help=False)
    _fill(parser, group, context)
    verbs = parser.add_subparsers()
    for name, verb in group.commands.items():
        _fill(verbs.add_parser(name, help=_plain(verb.get_short_help_str(60)), add_help=False), verb,
              click.Context(verb, context, name))
    return parser


def _fill(parser, command, context):
    for param in command.get_params(context):
        if isinstance(param, click.Argument):
            more = {"nargs": "*" if param.nargs == -1 else "?"}
            names = (param.name,)
        else:
            more = {"dest": param.name, "help": _plain((param.help or "").partition(". ")[0])}
            more["action"] = "store_true" if param.is_flag else "append" if param.multiple else "store"
            names = (*param.opts, *param.secondary_opts)
        if isinstance(param.type, click.Choice):
            more["choices"] = [*param.type.choices]
        elif param.name == "drive":
            more["choices"] = _drives()
        made = parser.add_argument(*names, **more)
        if isinstance(param.type, click.Path):
            import shtab
            made.complete = shtab.FILE if param.type.file_okay else shtab.DIRECTORY


def _drives():
    from ..simulation import profile_names
    return profile_names()


def _plain(text):
    """Without what argparse would replace."""
    return text.replace("%", "%%")
