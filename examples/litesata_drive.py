"""The drive model against a host core of others: LiteSATA reads a sector, in Icarus, with cocotb."""

import sys
import tempfile
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotb_tools.runner import get_runner
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

HERE = Path(__file__).resolve().parent
NAMES = {"tx_data": "sink_data", "tx_k": "sink_charisk", "tx_valid": "sink_valid",
         "tx_ready": "sink_ready", "rx_data": "source_data", "rx_k": "source_charisk",
         "rx_valid": "source_valid"}


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def read_a_sector(dut):
    drive = Drive(DiskImage(sectors=1000))
    drive.image.write(512 * 7, b"LiteSATA reads this.")
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    bus = DriveBus.from_prefix(dut, "phy", dut.clk, drive, names=NAMES)
    dut.source_ready.value, words = 1, []
    for name, value in dict(last=1, read=1, write=0, identify=0, sector=7, count=1).items():
        getattr(dut, f"sink_{name}").value = value
    while not drive.completed or len(words) < 128:
        await FallingEdge(dut.clk)
        dut.rst.value = bus.port.now < 4
        dut.sink_valid.value = drive.ready and not drive.completed and drive.command is None
        if str(dut.source_valid.value) == "1" and str(dut.source_end.value) == "0":
            words.append(int(dut.source_data.value))
    print(b"".join(word.to_bytes(4, "little") for word in words)[:20], drive.completed[-1])
    for found in bus.monitor.violations:
        print(f"clock {found.clock}, {found.direction}: {found} ({found.rule.clause})")
    print(f"{len(bus.monitor.violations)} violations, {len(bus.monitor.frames)} frames")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent / "benchmarks"))
    from peer_environment import peer           # installs LiteSATA into build/peer
    from sata_recorder.export import yosys      # Icarus hangs in LiteX's own always @(*)

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "litex.v").write_text(peer().core)
        yosys.run(["read_verilog litex.v", "proc", "write_verilog litesata.v"], folder)
        runner = get_runner("icarus")
        runner.build(sources=[f"{folder}/litesata.v"], hdl_toplevel="litesata", build_dir=folder,
                     timescale=("1ns", "1ps"))
        runner.test(test_module="litesata_drive", hdl_toplevel="litesata", test_dir=HERE,
                    results_xml=f"{folder}/results.xml")
