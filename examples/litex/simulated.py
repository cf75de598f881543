"""Simulates acorn_recorder.py and host.py in Icarus, with LiteSATA's PHY and the drive model in place of a drive.

    tools/setup litex test                              # once, in a clone; and Icarus: apt install iverilog
    .venv/bin/python examples/litex/simulated.py
    .venv/bin/python examples/litex/simulated.py my_soc.py      # a SoC of your own: records 8 sectors, and reads them
"""

import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

try:
    from cocotb_tools.runner import get_results, get_runner
except ModuleNotFoundError as error:
    sys.exit(f"simulated.py needs the package {error.name}: tools/setup litex test")

SIMULATION = Path(__file__).resolve().parent / "simulation"


def built(folder, *soc):
    """The runner of the SoC of acorn_recorder.py, or of the file ``soc``, compiled in ``folder``, which gets the files
    of LiteX's build, too."""
    made = subprocess.run([sys.executable, SIMULATION / "soc.py", folder, *soc], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if made.returncode:
        sys.exit(f"simulated.py: LiteX could not make the SoC:\n{made.stdout[-2000:]}")
    gateware = folder / "gateware"
    runner = get_runner("icarus")
    runner.build(sources=[gateware / "soc.v", gateware / "sata_recorder.v", SIMULATION / "cells.v"],
                 hdl_toplevel="sqrl_acorn", build_dir=folder / "icarus", timescale=("1ns", "1ps"))
    return runner


def results_of(runner, folder, module, case):
    """How many tests there were, and how many failed: ``case`` of the ``module``, which can import the bench."""
    sys.path.append(str(SIMULATION))        # the runner gives it to the simulator
    try:
        return get_results(runner.test(
            test_module=module, hdl_toplevel="sqrl_acorn", test_dir=folder, testcase=case,
            results_xml=folder / f"{case}.xml",
            extra_env={"BUILD": str(folder), "COCOTB_LOG_LEVEL": "WARNING", "GPI_LOG_LEVEL": "ERROR"}))
    finally:
        sys.path.remove(str(SIMULATION))


def main():
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("soc", nargs="?", metavar="FILE.py", help="with one class of a SoC for the Acorn, whose "
                        "recorder is its member of this name (default: acorn_recorder.py)")
    asked = parser.parse_args()
    if asked.soc and not Path(asked.soc).is_file():
        parser.error(f"{asked.soc}: there is no such file")
    soc, case = ([asked.soc], "own_soc") if asked.soc else ([], "host_program")
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        sys.exit(results_of(built(Path(folder), *soc), Path(folder), "soc_bench", case) != (1, 0))


if __name__ == "__main__":
    main()
