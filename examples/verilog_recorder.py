"""The drive model in a test of one's own Verilog: verilog_recorder.v in Icarus, through cocotb.

Two recordings of counted samples are made, and read from the disk image afterwards:

    make test                                           # once: installs cocotb and Icarus
    .venv/bin/python examples/verilog_recorder.py
"""

import shutil
import struct
import sys
import tempfile
from pathlib import Path

try:
    import cocotb
    from cocotb.clock import Clock
    from cocotb.triggers import FallingEdge
    from cocotb_tools.runner import get_results, get_runner
except ModuleNotFoundError as error:
    sys.exit(f"verilog_recorder.py needs the package {error.name}: `make test` installs it")
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder import Configuration, verilog

HERE = Path(__file__).resolve().parent


@cocotb.test()
async def two_recordings(dut):
    image = DiskImage(sectors=1 << 16)
    for name in "record", "stop", "sample", "sample_valid":
        getattr(dut, name).value = 0
    bus = DriveBus.from_prefix(dut, "phy", dut.clk, Drive(image))     # all of phy_*
    Clock(dut.clk, 10, "ns").start()
    falling = FallingEdge(dut.clk)      # outputs are stable, and inputs far from the rising edge
    dut.rst.value = 1
    for _ in range(4):
        await falling
    dut.rst.value = 0
    sample = 0
    for clocks in 1000, 3000:
        while dut.ready.value != 1:
            await falling
        dut.record.value = 1
        for _ in range(clocks):
            dut.sample.value = sample & 0xFFFF
            dut.sample_valid.value = 1
            sample += 1
            await falling
            dut.record.value = 0
        dut.sample_valid.value = 0
        dut.stop.value = 1
        await falling
        dut.stop.value = 0
        while dut.complete.value != 1:
            await falling
        first, words = int(dut.first_sector.value), int(dut.words.value)
        lost = int(dut.lost_pairs.value)
        samples = struct.unpack(f"<{2 * words}H", image.read(512 * first, 4 * words))
        assert samples == tuple(range(samples[0], samples[0] + 2 * words))
        assert (int(dut.error.value), lost, bus.port.link.violations) == (0, 0, [])
        print(f"recording from sector {first}: samples {samples[0]} to {samples[-1]}, none lost")


def main():
    if not shutil.which("iverilog"):
        sys.exit("verilog_recorder.py needs Icarus Verilog: install the Debian package iverilog")
    configuration = Configuration(clock_hz=75e6, max_command_sectors=16)
    with tempfile.TemporaryDirectory() as folder:
        core = Path(folder, "sata_recorder.v")
        core.write_text(verilog(configuration))
        runner = get_runner("icarus")
        runner.build(sources=[HERE / "verilog_recorder.v", core], build_dir=folder,
                     hdl_toplevel="verilog_recorder", timescale=("1ns", "1ps"))
        results = runner.test(test_module=Path(__file__).stem, hdl_toplevel="verilog_recorder",
                              build_dir=folder, test_dir=HERE,
                              results_xml=f"{folder}/results.xml", log_file=f"{folder}/log")
        log = Path(folder, "log").read_text()
        failed = get_results(results)[1]
    print("\n".join(line for line in log.splitlines() if line.startswith("recording")))
    sys.exit(log if failed else 0)


if __name__ == "__main__":
    main()
