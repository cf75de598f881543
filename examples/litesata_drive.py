"""The drive model against another host core: LiteSATA reads a sector, in Icarus, with cocotb."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

NAMES = {"tx_data": "sink_data", "tx_k": "sink_charisk", "tx_valid": "sink_valid",
         "tx_ready": "sink_ready", "rx_data": "source_data", "rx_k": "source_charisk",
         "rx_valid": "source_valid"}


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def read_a_sector(dut):
    drive = Drive(DiskImage(sectors=1000))
    drive.image.write(512 * 7, b"LiteSATA reads this.")
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    bus = DriveBus.from_prefix(dut, "phy", clock=dut.clk, drive=drive, names=NAMES)
    dut.source_ready.value, words = 1, []
    for name, value in {"last": 1, "read": 1, "write": 0, "identify": 0, "sector": 7, "count": 1}.items():
        getattr(dut, f"sink_{name}").value = value
    while not drive.completed or len(words) < 128:
        await FallingEdge(dut.clk)
        dut.rst.value = bus.port.now < 4
        dut.sink_valid.value = drive.ready and not drive.completed and drive.command is None
        if str(dut.source_valid.value) == "1" and str(dut.source_end.value) == "0":
            words.append(int(dut.source_data.value))
    print(b"".join(word.to_bytes(4, "little") for word in words)[:20], drive.completed[-1])
    print(f"{len(bus.monitor.violations)} violations, {len(bus.monitor.frames)} frames",
          *bus.monitor.violations, sep="\n")


if __name__ == "__main__":
    import runpy
    runpy.run_path("benchmarks/peer_environment.py")["in_icarus"](__file__)
