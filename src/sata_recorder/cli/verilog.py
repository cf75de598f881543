"""`sata-recorder verilog`: the core as one Verilog file, and a description of it as JSON."""

import json
import os
from pathlib import Path

import click

from .common import Refusal, configuration

_OUTPUT = click.Path(dir_okay=False, path_type=Path)
_INPUT = click.Path(path_type=Path)


@click.command()
@click.option("-o", "--output", "output", type=_OUTPUT, required=True, metavar="FILE.v",
              help="The Verilog file to write.")
@click.option("--json", "json_output", type=_OUTPUT, metavar="FILE.json",
              help="Also write ports, configuration, ledger addresses and codes as JSON.")
@click.option("--config", "config", type=_INPUT, metavar="FILE.toml",
              help="Read the configuration from this file; the options below win over it.")
@click.option("--clock-hz", type=float, metavar="HZ",
              help="Frequency of clk, at least the dword rate: 37.5, 75 or 150 MHz for Gen1, 2, 3.")
@click.option("--buffer-words", type=int, metavar="WORDS",
              help="Depth of the buffer in words of 32 bits, a power of two.")
@click.option("--max-command-sectors", type=int, metavar="SECTORS",
              help="Longest command in sectors, at most 65536.")
@click.option("--send-cont/--no-send-cont", default=None,
              help="Replace repeated primitives by CONT and scrambled junk.")
@click.option("--signature-timeout", type=float, metavar="SECONDS",
              help="Longest time from link-up to the drive's signature.")
@click.option("--identify-timeout", type=float, metavar="SECONDS",
              help="Longest silence of the drive during IDENTIFY DEVICE.")
@click.option("--command-timeout", type=float, metavar="SECONDS",
              help="Longest silence of the drive during a read or write command.")
@click.option("--flush-timeout", type=float, metavar="SECONDS",
              help="Longest silence of the drive during FLUSH CACHE.")
def verilog(output, json_output, config, **options):
    """Write the core as one Verilog file with frozen port names.

    The top module is `sata_recorder`; the names of all other modules start with it.
    """
    if json_output and json_output.resolve() == output.resolve():
        raise Refusal(f"--json {json_output}: the same file as --output")
    chosen = configuration(config, {name: value for name, value in options.items()
                                    if value is not None})
    from ..export import description, verilog
    files = {output: verilog(chosen)}
    if json_output:
        files[json_output] = json.dumps(description(chosen), indent=2) + "\n"
    for path, text in files.items():
        _write(path, text)
        click.echo(f"wrote {path}")


def _write(path, text):
    """Writes `text` to a file beside `path`, then renames it: `path` is complete or untouched."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            part.write_text(text)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise Refusal(f"{path}: cannot be written: {error.strerror}") from None
