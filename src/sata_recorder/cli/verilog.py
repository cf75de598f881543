"""`sata-recorder verilog`: the core as one Verilog file, and descriptions of it."""

import json
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Annotated, get_args

import click
from pydantic import BeforeValidator

from .. import outputs
from ..interface.faults import nearest
from ..lab.options import Options, OptionText
from .common import Refusal, configuration, named_values, phy_fault
from .files import overwrite_option, refusing, written
from .options import options

_OUTPUT = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_INPUT = click.Path(path_type=Path)


class _OfFields(click.Command):
    """A command with an option for each field of the configuration, too; they are made when it is called."""

    def get_params(self, ctx):
        from ..interface.configuration import Configuration
        options = [_option(name, field) for name, field in Configuration.model_fields.items()]
        *own, shows_help = super().get_params(ctx)
        return [*own, *options, shows_help]


class _Number(click.ParamType):
    """A number of this ``kind``; what is none stays as it was typed, for the field to refuse it with its limits."""

    name = "number"

    def __init__(self, kind):
        self._kind = kind

    def convert(self, value, param, ctx):
        try:
            number = self._kind(value)
        except ValueError:
            return value
        return number if isfinite(number) else value


#: Of a field's value, by the end of its name.
_METAVARS = {"hz": "HZ", "drives": "N", "channels": "N", "up": "SECONDS", "fill": "BEATS", "words": "WORDS",
             "sectors": "SECTORS", "timeout": "SECONDS", "delay": "SECONDS", "commands": "COMMANDS",
             "retries": "TIMES", "depth": "BEATS"}


def _option(name, field):
    """The option for the ``field`` of this name; None where it is not given."""
    flag, kind, metavar = name.replace("_", "-"), field.annotation, _METAVARS.get(name.rpartition("_")[2])
    text = field.description.replace("``", "")
    if kind is bool:
        return click.Option([f"--{flag}/--no-{flag}"], default=None, help=text)
    if any(isinstance(part, BeforeValidator) for part in field.metadata):
        kind, metavar = str, "SIZE"
    elif kind not in (int, float):
        values = get_args(kind)
        kind, metavar = type(values[0]), "|".join(map(str, values))
    return click.Option([f"--{flag}"], type=kind if kind is str else _Number(kind), metavar=metavar, help=text)


#: The constraints of a PHY that are not for Vivado.
_PREFERENCES = {"ecp5": ".lpf"}


class VerilogOptions(Options):
    """The options of `sata-recorder verilog`."""

    output: Annotated[Path, OptionText("FILE.v", kind=_OUTPUT, flags=("-o", "--output"), required=True)]
    """The Verilog file to write."""
    template_output: Annotated[Path | None, OptionText("FILE.vh", kind=_OUTPUT, flags=("--template",))] = None
    """Also write an instantiation template: a net for each port, and an instance."""
    json_output: Annotated[Path | None, OptionText("FILE.json", kind=_OUTPUT, flags=("--json",))] = None
    """Also write ports, registers, configuration and codes as JSON."""
    svd_output: Annotated[Path | None, OptionText("FILE.svd", kind=_OUTPUT, flags=("--svd",))] = None
    """Also write the registers as CMSIS-SVD; with --control axi-lite."""
    phy: Annotated[str | None, OptionText("NAME")] = None
    """Include the PHY on the SERDES of a device: ecp5, gtp (Artix-7) or gtx (Kintex-7)."""
    phy_options: Annotated[tuple[str, ...], OptionText("NAME=VALUE", flags=("--phy-option",))] = ()
    """An option of the PHY, such as channel=1; may be given several times."""
    constraints_output: Annotated[Path | None, OptionText("FILE", kind=_OUTPUT, flags=("--constraints",))] = None
    """Also write constraints for the device's tools: with --phy its pads and clocks, with --source-clock or
    --playback-clock and without it the crossings between the clocks, for Vivado (FILE.xdc) or as SDC (FILE.sdc)."""
    project_output: Annotated[Path | None, OptionText("FILE.tcl", kind=_OUTPUT, flags=("--project",))] = None
    """Also write a script for Vivado, from the core and your top level to a bitstream; with --phy gtp or
    gtx, its option part and --constraints."""
    header_output: Annotated[Path | None, OptionText("FILE.h", kind=_OUTPUT, flags=("--header",))] = None
    """Also write the registers as a C header; with --control axi-lite."""
    rdl_output: Annotated[Path | None, OptionText("FILE.rdl", kind=_OUTPUT, flags=("--rdl",))] = None
    """Also write the registers as SystemRDL, from which others make IP-XACT; with --control axi-lite."""
    bench_folder: Annotated[Path | None, OptionText("DIR", kind=_FOLDER, flags=("--bench",))] = None
    """Also write a testbench in Verilog, and a drive in Verilog, into this folder; the core without --phy."""
    wrapper_output: Annotated[Path | None, OptionText("FILE.sv|v", kind=_OUTPUT, flags=("--wrapper",))] = None
    """Also write a module around the core: with SystemVerilog interfaces for its ports (FILE.sv), or with the
    attributes that Vivado's block designs read (FILE.v)."""
    config: Annotated[Path | None, OptionText("FILE|NAME", kind=_INPUT)] = None
    """Read the configuration from this TOML file, or take minimal, recorder, modes, files or everything; the options
    below win over it."""


@click.command(cls=_OfFields)
@options(asked=VerilogOptions)
@overwrite_option
def verilog(asked, overwrite, **core):
    """Write the core as one Verilog file with frozen port names.

    The top module is `sata_recorder`; the names of all other modules start with it. With --phy the
    PHY is in it, and its pads and clocks are ports.
    """
    core = {name: value for name, value in core.items() if value is not None}
    chosen = configuration(asked.config, core, {
        name: f"--{'no-' if value is False else ''}{name.replace('_', '-')}" for name, value in core.items()})
    if chosen.control == "pins":
        for option, path in (("--svd", asked.svd_output), ("--header", asked.header_output),
                             ("--rdl", asked.rdl_output)):
            if path:
                raise Refusal(f"{option} {path}: plain pins have no registers, it needs "
                              "--control axi-lite")
    crosses = chosen.stream_clocks and asked.phy is None
    back_end = _back_end(asked.phy, asked.phy_options, not crosses and asked.constraints_output, chosen.clock_hz,
                         chosen.drives)
    kind = asked.constraints_output.suffix if asked.constraints_output else None
    if crosses and kind and kind not in (".xdc", ".sdc"):
        raise Refusal(f"--constraints {asked.constraints_output}: without --phy they are for Vivado, in a file whose "
                      "name ends in .xdc, or for tools that read SDC, in one that ends in .sdc")
    suffix = _PREFERENCES.get(asked.phy, ".xdc")
    if back_end is not None and kind is not None and kind != suffix:
        raise Refusal(f"--constraints {asked.constraints_output}: with --phy {asked.phy} the name must end in {suffix}")
    project = _project(back_end, asked)
    bench = _bench(asked, chosen)
    from ..export import (INSTANCE, crossing_constraints, description, header, rdl, svd, system_verilog, template,
                          verilog, vivado_wrapper)
    wrappers = {".sv": system_verilog, ".v": vivado_wrapper}
    wrapper = asked.wrapper_output and asked.wrapper_output.suffix
    if wrapper is not None and wrapper not in wrappers:
        raise Refusal(f"--wrapper {asked.wrapper_output}: must end in .sv, for SystemVerilog interfaces, or in .v, for "
                      "Vivado's attributes")
    from ..interface import PHY_STATUS
    groups = *chosen.groups, *[PHY_STATUS] * (back_end is not None)
    made = {"--output": (asked.output, lambda: verilog(chosen, back_end)),
            "--template": (asked.template_output, lambda: template(chosen, back_end)),
            "--json": (asked.json_output, lambda: json.dumps(description(chosen, back_end), indent=2) + "\n"),
            "--constraints": (asked.constraints_output, lambda: (
                crossing_constraints(INSTANCE, chosen, kind[1:]) if back_end is None
                else back_end.constraints(INSTANCE, chosen.clock_hz))),
            "--project": (asked.project_output, lambda: project),
            "--svd": (asked.svd_output, lambda: svd(*groups)),
            "--header": (asked.header_output, lambda: header(*groups)),
            "--rdl": (asked.rdl_output, lambda: rdl(*groups)),
            "--wrapper": (asked.wrapper_output, lambda: wrappers[wrapper](chosen, back_end)), **bench}
    wanted = {option: path for option, (path, _) in made.items() if path}
    with _folder(asked.bench_folder), written(wanted, read=[("--config", asked.config)], overwrite=overwrite) as texts:
        texts |= {option: made[option][1]() for option in wanted}
    for path in wanted.values():
        click.echo(f"wrote {path}")


def _bench(asked, chosen):
    """Path and text of each file of ``--bench``; refuses a core for which there is none."""
    folder = asked.bench_folder
    if folder is not None and folder == asked.output:
        raise Refusal(f"--bench {folder}: the same name as --output")
    if folder is None:
        return {}
    from ..export import BENCH, bench, bench_obstacle
    from ..simulation import verilog_drive
    if asked.phy is not None:
        raise Refusal(f"--bench {folder}: its drive is at the dword port, which is not there with --phy {asked.phy}; "
                      "write it without --phy, for the same configuration")
    obstacle = bench_obstacle(chosen)
    if obstacle:
        raise Refusal(f"--bench {folder}: {obstacle}; with cocotb the drive model can do it, as in examples/recorders: "
                      "docs/drive-model.md")
    return {"--bench": (folder / f"{BENCH}.v", lambda: bench(chosen)),
            "--bench, its drive": (folder / "sata_drive.v", verilog_drive)}


@contextmanager
def _folder(path):
    """While the files of ``--bench`` are written: its folder is there; one that stays empty is removed."""
    if path is None:
        yield
        return
    with refusing("--bench", path), outputs.folder(path):
        yield


def _back_end(name, pairs, constraints, clock_hz, drives):
    """The back end of ``--phy`` with its options, or None; refuses what does not go together."""
    if name is None:
        for option, value in ("--phy-option", " ".join(pairs)), ("--constraints", constraints):
            if value:
                raise Refusal(f"{option} {value}: there is no PHY, it needs --phy"
                              + (", --source-clock or --playback-clock" if option == "--constraints" else ""))
        return None
    from ..export import BACK_ENDS
    if name not in BACK_ENDS:
        raise Refusal(f"--phy {name}: there is no such PHY; PHYs: {', '.join(BACK_ENDS)}{nearest(name, BACK_ENDS)}")
    given = named_values("--phy-option", pairs)
    try:
        back_end = BACK_ENDS[name].parse(given, lanes=drives)
        back_end.check(clock_hz)
    except ValueError as error:
        raise Refusal(phy_fault(given, error, f"--phy {name}")) from None
    return back_end


def _project(back_end, asked):
    """The text of ``--project``, or None where it is not asked for; refuses what it cannot be made of."""
    path = asked.project_output
    if path is None:
        return None
    for missing, option in (back_end is None, "--phy"), (asked.constraints_output is None, "--constraints"):
        if missing:
            raise Refusal(f"--project {path}: it needs {option}")
    if len({one.resolve().parent for one in (path, asked.output, asked.constraints_output)}) > 1:
        raise Refusal(f"--project {path}: it must be in the folder of {asked.output} and {asked.constraints_output}, "
                      "which it reads")
    try:
        return back_end.project(asked.output.name, asked.constraints_output.name)
    except ValueError as error:
        raise Refusal(f"--project {path}: --phy {back_end.name}: {error}") from None
