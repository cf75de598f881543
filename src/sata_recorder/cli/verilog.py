"""`sata-recorder verilog`: the core as one Verilog file, and descriptions of it."""

import json
from pathlib import Path

import click

from .common import Refusal, configuration
from .files import overwrite_option, written

_OUTPUT = click.Path(dir_okay=False, path_type=Path)
_INPUT = click.Path(path_type=Path)


@click.command()
@click.option("-o", "--output", "output", type=_OUTPUT, required=True, metavar="FILE.v",
              help="The Verilog file to write.")
@click.option("--template", "template_output", type=_OUTPUT, metavar="FILE.vh",
              help="Also write an instantiation template: a net for each port, and an instance.")
@click.option("--json", "json_output", type=_OUTPUT, metavar="FILE.json",
              help="Also write ports, registers, configuration and codes as JSON.")
@click.option("--svd", "svd_output", type=_OUTPUT, metavar="FILE.svd",
              help="Also write the registers as CMSIS-SVD; with --control axi-lite.")
@click.option("--phy", metavar="NAME",
              help="Include the PHY on the SERDES of a device: ecp5.")
@click.option("--phy-option", "phy_options", multiple=True, metavar="NAME=VALUE",
              help="An option of the PHY, such as channel=1; may be given several times.")
@click.option("--constraints", "constraints_output", type=_OUTPUT, metavar="FILE",
              help="Also write constraints for the device's tools: pads and clocks; with --phy.")
@click.option("--header", "header_output", type=_OUTPUT, metavar="FILE.h",
              help="Also write the registers as a C header; with --control axi-lite.")
@overwrite_option
@click.option("--config", "config", type=_INPUT, metavar="FILE|NAME",
              help="Read the configuration from this TOML file, or take minimal, recorder, modes, files "
                   "or everything; the options below win over it.")
@click.option("--clock-hz", type=float, metavar="HZ",
              help="Frequency of clk, at least the dword rate: 37.5, 75 or 150 MHz for Gen1, 2, 3.")
@click.option("--buffer-words", type=int, metavar="WORDS",
              help="Depth of the buffer in words of 32 bits, a power of two.")
@click.option("--max-command-sectors", type=int, metavar="SECTORS",
              help="Longest command in sectors, at most 65536.")
@click.option("--send-cont/--no-send-cont", default=None,
              help="Replace repeated primitives by CONT and scrambled junk.")
@click.option("--sync-between-frames/--no-sync-between-frames", default=None,
              help="Send a SYNC between two frames; without it X_RDY may follow R_OK.")
@click.option("--control", metavar="pins|axi-lite",
              help="Control by plain pins or by registers behind AXI4-Lite; pins if not given.")
@click.option("--pacing", metavar="fixed|programmable",
              help="Make command length and the pause between commands inputs of the core; "
                   "fixed if not given.")
@click.option("--extents", metavar="single|queued|modes",
              help="Let a recording go on with extents from a queue, or have modes such as rings "
                   "and triggers; single if not given.")
@click.option("--long-logical-sectors/--no-long-logical-sectors", default=None,
              help="Use drives with logical sectors of 4096 bytes, too.")
@click.option("--signature-timeout", type=float, metavar="SECONDS",
              help="Longest time from link-up to the drive's signature.")
@click.option("--identify-timeout", type=float, metavar="SECONDS",
              help="Longest silence of the drive during IDENTIFY DEVICE.")
@click.option("--command-timeout", type=float, metavar="SECONDS",
              help="Longest silence of the drive during a read or write command.")
@click.option("--flush-timeout", type=float, metavar="SECONDS",
              help="Longest silence of the drive during FLUSH CACHE.")
@click.option("--retries", type=int, metavar="TIMES",
              help="How often one command is tried again.")
@click.option("--retry-delay", type=float, metavar="SECONDS",
              help="The first pause before a command is tried once more; doubles with each try.")
@click.option("--recovery-timeout", type=float, metavar="SECONDS",
              help="Longest time that one recovery may take.")
@click.option("--retain-sectors", type=int, metavar="SECTORS",
              help="Write commands of at most so many sectors stay in the buffer until completed, "
                   "for a replay.")
@click.option("--on-failure", metavar="stop|skip",
              help="What follows when a command cannot be replayed; stop if not given.")
@click.option("--on-overflow", metavar="stall|drop",
              help="What a recording does while the buffer is full; stall if not given.")
@click.option("--flush-commands", type=int, metavar="COMMANDS",
              help="Write commands behind which FLUSH CACHE follows; none if not given.")
@click.option("--smart-commands", type=int, metavar="COMMANDS",
              help="Write commands behind which SMART RETURN STATUS follows; none if not given.")
@click.option("--smart-temperature/--no-smart-temperature", default=None,
              help="Read the drive's temperature with each of them.")
@click.option("--fua/--no-fua", default=None,
              help="Record with WRITE DMA FUA EXT, or FLUSH CACHE behind each write command.")
@click.option("--trim-ahead/--no-trim-ahead", default=None,
              help="Build TRIM ahead of a ring; with --extents modes.")
@click.option("--look-sectors", type=int, metavar="SECTORS",
              help="Build a look while it records, of at most so many sectors; with --extents modes.")
@click.option("--recovery/--no-recovery", default=None,
              help="Try a failed command again; without, the operation ends at the first one.")
@click.option("--commands/--no-commands", default=None,
              help="Build the operation COMMAND: any ATA command, by its registers.")
@click.option("--power-fail/--no-power-fail", default=None,
              help="Build the input that ends what runs and brings the drive to standby before "
                   "power goes; with --commands.")
@click.option("--files/--no-files", default=None,
              help="Build the brick that makes files of recordings on a prepared drive.")
@click.option("--journal/--no-journal", default=None, help="Build the journal.")
@click.option("--ledger/--no-ledger", default=None, help="Build the ledger of clocks.")
@click.option("--histograms/--no-histograms", default=None,
              help="Build the histograms of the times of commands and of standstills.")
@click.option("--alignment/--no-alignment", default=None,
              help="Build the count of write commands that split a physical sector.")
@click.option("--frames/--no-frames", default=None,
              help="Build the framer, which puts recordings into frames of VITA 49.")
def verilog(output, template_output, json_output, phy, phy_options, constraints_output, svd_output,
            header_output, overwrite, config, **options):
    """Write the core as one Verilog file with frozen port names.

    The top module is `sata_recorder`; the names of all other modules start with it. With --phy the
    PHY is in it, and its pads and clocks are ports.
    """
    chosen = configuration(config, {name: value for name, value in options.items()
                                    if value is not None})
    if chosen.control == "pins":
        for option, path in ("--svd", svd_output), ("--header", header_output):
            if path:
                raise Refusal(f"{option} {path}: plain pins have no registers, it needs "
                              "--control axi-lite")
    back_end = _back_end(phy, phy_options, constraints_output, chosen.clock_hz)
    paths = {"--output": output, "--template": template_output, "--json": json_output,
             "--constraints": constraints_output, "--svd": svd_output, "--header": header_output}
    with written(paths, read=[("--config", config)], overwrite=overwrite) as texts:
        from ..export import INSTANCE, description, header, svd, template, verilog
        from ..interface import PHY_STATUS
        texts["--output"] = verilog(chosen, back_end)
        if template_output:
            texts["--template"] = template(chosen, back_end)
        if json_output:
            texts["--json"] = json.dumps(description(chosen, back_end), indent=2) + "\n"
        if constraints_output:
            texts["--constraints"] = back_end.constraints(INSTANCE, chosen.clock_hz)
        groups = *chosen.groups, *[PHY_STATUS] * (back_end is not None)
        if svd_output:
            texts["--svd"] = svd(*groups)
        if header_output:
            texts["--header"] = header(*groups)
    for path in filter(None, paths.values()):
        click.echo(f"wrote {path}")


def _back_end(name, pairs, constraints, clock_hz):
    """The back end of ``--phy`` with its options, or None; refuses what does not go together."""
    if name is None:
        for option, value in ("--phy-option", " ".join(pairs)), ("--constraints", constraints):
            if value:
                raise Refusal(f"{option} {value}: there is no PHY, it needs --phy")
        return None
    from ..export import BACK_ENDS
    if name not in BACK_ENDS:
        raise Refusal(f"--phy {name}: there is no such PHY; PHYs: {', '.join(BACK_ENDS)}")
    values = {}
    for pair in pairs:
        option, equals, value = pair.partition("=")
        if not equals:
            raise Refusal(f"--phy-option {pair}: it must be NAME=VALUE")
        if option in values:
            raise Refusal(f"--phy-option {pair}: {option} was given before, as {values[option]}")
        values[option] = value
    try:
        back_end = BACK_ENDS[name].parse(values)
        back_end.check(clock_hz)
    except ValueError as error:
        raise Refusal(f"--phy {name}: {error}") from None
    return back_end
