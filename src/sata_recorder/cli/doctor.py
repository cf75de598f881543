"""`sata-recorder doctor`: what is installed, what is missing, and what that would enable.

Nothing is imported here that may be broken: each part is asked by itself.
"""

import importlib.metadata
import json
import platform
import re
import sys
import textwrap

import click

from .. import __version__, extras

_NAME = "sata-recorder"
_WIDTH = 80
#: What is in the cache, or is not.
_STATES = {True: "compiled already", False: "not compiled yet: the next simulation does it", None: "unknown"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
@click.pass_context
def doctor(context, as_json):
    """Show what is installed, what is missing and what that would enable, and what a report should quote.

    Exit status: 0 if the core can be exported and simulated here, 1 if not; an extra that is not
    installed is no failure.
    """
    found = _found()
    click.echo(json.dumps(found, indent=2) if as_json else _text(found))
    context.exit(1 if found["problems"] else 0)


def _found():
    packages = _packages()
    parts = {"version": __version__, "python": platform.python_version(), "executable": sys.executable,
             "system": platform.platform(), "packages": packages}
    problems = [f"{name}: the Python package is not installed" for name, version in packages.items() if version is None]
    parts["extras"] = {name: {"missing": missing, "enables": extras.ENABLES[name],
                              "install": None if missing is None else extras.command(name)}
                       for name in extras.EXTRAS for missing in [_missing(name)]}
    parts |= {"compiler": None, "compiler_problem": None, "engines": {}, "qemu_problem": None, "cache": None,
              "cache_problem": None, "compiled": {"drive": None, "core": None}}
    try:
        from ..lab.measurement import make_job
        from ..simulation import cache_found, compiled_already, compiler_found, engine_reasons, qemu_reason
        core = make_job().configuration
    except Exception as error:      # a package of another version, or half of one: all of that is possible
        problems.append(f"the simulation cannot be loaded: {type(error).__name__}: {error}")
    else:
        parts["compiler"], parts["compiler_problem"] = compiler_found()
        parts["engines"] = engine_reasons()
        parts["qemu_problem"] = qemu_reason()
        parts["cache"], parts["cache_problem"] = cache_found()
        if parts["cache_problem"] is None:
            parts["compiled"] = compiled_already(core)
        problems += [f"{name}: {parts[f'{name}_problem']}" for name in ("compiler", "cache")
                     if parts[f"{name}_problem"]]
        if all(parts["engines"].values()):
            problems.append("no engine works, so nothing can be simulated")
    return parts | {"problems": problems}


def _packages():
    """Each package that is required, and its version; None where it is missing."""
    try:
        required = importlib.metadata.requires(_NAME) or []
    except importlib.metadata.PackageNotFoundError:
        return {_NAME: None}
    names = [re.match(r"[\w.-]+", text)[0] for text in required if "extra ==" not in text]
    return {name: _version(name) for name in names}


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _missing(extra):
    try:
        return extras.missing(extra)
    except Exception as error:      # what a broken package does when it is looked for
        return f"{type(error).__name__}: {error}"


def _text(found):
    lines = [_line(_NAME, found["version"]), _line("Python", f"{found['python']}, {found['executable']}"),
             _line("system", found["system"]),
             _line("packages", ", ".join(f"{name} {version or 'MISSING'}"
                                         for name, version in found["packages"].items()))]
    lines += [_line("compiler", found["compiler"] or f"NONE: {found['compiler_problem'] or 'unknown'}")]
    lines += [_line(f"engine {name}", "works" if reason is None else f"no: {reason}")
              for name, reason in found["engines"].items()]
    lines += [_line("drive qemu", "works" if found["qemu_problem"] is None else f"no: {found['qemu_problem']}")]
    lines += [_line("cache", found["cache"] or f"NONE: {found['cache_problem'] or 'unknown'}")]
    lines += [_line(f"  {name}", _STATES[state]) for name, state in found["compiled"].items()]
    for name, one in found["extras"].items():
        lines.append(_line(f"extra {name}", ("installed" if one["missing"] is None else "not installed")
                           + f"; for {one['enables']}"))
        if one["missing"] is not None:
            lines.append(_line("", f"get it by {one['install']}"))
    lines += ["", *(_line("WRONG", problem) for problem in found["problems"])] if found["problems"] else [
        "", _line("good", "the core can be exported and simulated here")]
    return "\n".join(lines)


def _line(name, text):
    return textwrap.fill(f"{name:<18}{text}", _WIDTH, subsequent_indent=18 * " ", break_long_words=False,
                         break_on_hyphens=False)
