"""The pins that the stage of the registers leaves next to them."""

from unit.bench import Bench

from sata_recorder.bricks.registers import RegisterStage
from sata_recorder.interface import RECORDING
from sata_recorder.interface.configuration import Configuration

STAGE = Bench(RegisterStage(Configuration(control="axi-lite", extents="modes")))
_TRIGGER, = (register for register in RECORDING.registers if register.name == "RECORDING_TRIGGER")


def test_a_trigger_counts_by_register_while_the_pin_is_high():
    """Each has rising edges of its own; that of the pin counts in its clock, and a level that stays is none."""
    async def script(bench):
        before, edges = 0, []

        async def clocks(count):
            nonlocal before
            for _ in range(count):
                level = bench.get("core__recording__trigger")
                edges.append(level and not before)
                before = level
                await bench.tick()
        while not bench.get("user__axil__awready"):
            await bench.tick()
        for pin in 0, 1, 1, 0, 1:
            bench.set(user__recording__trigger=pin)
            await clocks(3)
            bench.set(user__axil__awvalid=1, user__axil__awaddr=_TRIGGER.words[0].offset, user__axil__wvalid=1,
                      user__axil__wdata=1, user__axil__wstrb=0xF, user__axil__bready=1)
            await clocks(1)
            bench.set(user__axil__awvalid=0, user__axil__wvalid=0)
            await clocks(8)
        return [clock for clock, edge in enumerate(edges) if edge]
    found = STAGE.run(script)
    assert {12, 48} <= {*found}
    assert len(found) == 5 + 2
