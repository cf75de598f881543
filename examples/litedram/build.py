"""The recorder above LiteDRAM on an ECPIX-5: makes both Verilog files in a folder, and looks for errors with Yosys.

    tools/setup litex                                   # once, in a clone
    .venv/bin/python examples/litedram/build.py FOLDER
    .venv/bin/python examples/litedram/build.py FOLDER --map    # maps it to cells of the ECP5, too: minutes

FOLDER gets `sata_recorder.v`, `ecpix5_memory.v` and LiteDRAM's own folder `dram`, with `csr.csv` and `sdram_phy.h`: the
registers and the sequence by which somebody initialises the DRAM.
"""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from sata_recorder import Configuration, verilog
from sata_recorder.export import yosys

HERE = Path(__file__).resolve().parent
TOP, DRAM = "ecpix5_memory", "litedram_ecpix5"
#: What LiteDRAM's generator imports, and does not ask for.
NEEDED = ("litedram", "liteeth", "litescope", "pythondata_misc_tapcfg")


def made(folder):
    """Writes the files into ``folder``; returns the names of those that Yosys reads."""
    for name in NEEDED:
        if find_spec(name) is None:
            sys.exit(f"build.py needs the package {name}: tools/setup litex")
    order = [sys.executable, "-m", "litedram.gen", HERE / "ecpix5.yml", "--no-compile", "--name", DRAM, "--output-dir",
             folder / "dram"]
    reply = subprocess.run(order, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if reply.returncode:
        sys.exit(f"build.py: LiteDRAM made no core:\n{reply.stdout[-2000:]}")
    (folder / "sata_recorder.v").write_text(verilog(Configuration.from_toml(HERE / "recorder.toml")))
    shutil.copy(HERE / f"{TOP}.v", folder)
    return f"dram/gateware/{DRAM}.v", "sata_recorder.v", f"{TOP}.v"


def checked(folder, files):
    """Whether each net has one driver and each port is there, as Yosys' `check` sees it."""
    # LiteX writes an assignment to two signals twice, in the same words: opt_merge makes one of them.
    log = yosys.run(["read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v",
                     *(f"read_verilog {name}" for name in files), f"hierarchy -check -top {TOP}", "proc", "flatten",
                     "opt_merge", "opt_clean", "check -assert"], folder)
    return "Found and reported 0 problems." in log


def mapped(folder, files):
    """Maps it to cells of the ECP5; the lines of Yosys' statistics."""
    log = yosys.run([*(f"read_verilog {name}" for name in files), f"synth_ecp5 -top {TOP} -json {TOP}.json"], folder)
    return log[log.rindex("Printing statistics"):].splitlines()


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--map", "maps", is_flag=True, help="Map it to cells of the ECP5, too.")
def main(folder, maps):
    """Make the Verilog of the recorder, of LiteDRAM and of what connects them in FOLDER, and check it."""
    folder.mkdir(parents=True, exist_ok=True)
    files = made(folder)
    good = checked(folder, files)
    click.echo(f"{'good' if good else 'wrong'}: {', '.join(files)} in {folder}, top {TOP}")
    if maps:
        click.echo("\n".join(mapped(folder, files)))
    sys.exit(not good)


if __name__ == "__main__":
    main()
