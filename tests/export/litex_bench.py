"""Runs in the simulator: the bench of examples/litex, with what a drive and a line may do."""

import cocotb
import pytest
from cocotb.task import bridge
from sata_drive_model import Drive
from soc_bench import LBA, SECTORS, BusError, SocBench


@cocotb.test(timeout_time=400, timeout_unit="us")
async def record_and_play(dut):
    """The drive aborts its first IDENTIFY DEVICE: the core requests a second COMRESET."""
    b = SocBench(dut, abort_identify=1)
    await b.link_comes(2)
    await bridge(b.enable_interrupt)()
    lines = await b.session(LBA)
    assert "generation 2" in lines[0] and b.interrupts == 2
    assert not b.violations
    assert await bridge(b.recorder.csr)("recorder_ev_pending") == 1
    await bridge(b.recorder.write)("STATUS", 1)
    assert dut.bench_irq.value == 0
    with pytest.raises(BusError):
        await bridge(b.bus.read)(b.recorder.base + 0x078)       # there is no register

    # LiteSATA's control aligns its receiver anew, without a COMRESET of its own: the drive gives its signature again.
    b.line.slips.value = 1
    await b.until("LINK_UP", 0)
    await b.link_comes(3)


@cocotb.test(timeout_time=800, timeout_unit="us")
async def a_drive_comes_and_goes(dut):
    b = SocBench(dut)
    await b.link_comes(1)
    b.line.line_plugged.value = 0
    b.drive.port.unplug()
    await b.until("LINK_UP", 0)

    # The PHY tries in vain: first there is nothing, then a drive that sends ALIGN and nothing else.
    for plugged in 0, 1:
        b.line.line_plugged.value = plugged
        tries = int(b.line.comresets.value)
        for _ in range(10_000):
            await b.bus.clock
        assert int(b.line.comresets.value) > tries + 2
    assert not await bridge(b.recorder.field)("STATUS", "READY")
    b.drive.port.plug(Drive(b.image), after=8)
    await b.link_comes()
    await bridge(b.enable_interrupt)()
    await b.session(LBA + SECTORS)
    assert not b.violations
