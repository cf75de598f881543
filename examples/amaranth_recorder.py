"""The core in an Amaranth design: a counter is recorded as soon as a drive is ready.

Simulates the design against the drive model and shows what is on the disk afterwards:

    .venv/bin/python examples/amaranth_recorder.py
"""

import struct

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out, connect, flipped
from amaranth.sim import Simulator
from sata_drive_model import DiskImage, Drive, DrivePort

from sata_recorder import Configuration, SataRecorder
from sata_recorder.core.phy import DwordPort
from sata_recorder.core.drive_port import Operation

LBA, SECTORS = 2048, 8


class CounterRecorder(wiring.Component):
    """Records a 32-bit counter from sector ``LBA`` on, once; ``finished`` then stays high.

    A PHY belongs at ``phy``. All of it is in the domain ``sync``, at the dword rate or faster.
    """

    phy: Out(DwordPort())
    finished: Out(1)
    error: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = SataRecorder(Configuration(clock_hz=75e6, buffer_words=1024))
        connect(m, flipped(self.phy), core.phy)

        # The stream: a word is recorded in each clock with valid and ready.
        counter = Signal(32)
        m.d.comb += [core.user.i.payload.eq(counter), core.user.i.valid.eq(1)]
        with m.If(core.user.i.ready):
            m.d.sync += counter.eq(counter + 1)

        # The control: one operation, started when the drive is ready. In the clock of `done` the
        # core is ready for the next one already.
        start = core.user.status.ready & ~core.user.status.done & ~self.finished
        m.d.comb += [
            core.user.control.operation.eq(Operation.RECORD_FLUSH),
            core.user.control.lba.eq(LBA),
            core.user.control.sectors.eq(SECTORS),
            core.user.control.start.eq(start),
            self.error.eq(core.user.status.error),
        ]
        with m.If(core.user.status.done):
            m.d.sync += self.finished.eq(1)
        return m


def simulate(design, drive):
    """Runs ``design`` against ``drive`` until it has finished; returns the clocks it took."""
    port = DrivePort(drive)
    phy = design.phy
    core = Cat(phy.tx_data, phy.tx_k, phy.reset)
    inputs = Cat(phy.rx_data, phy.rx_k, phy.rx_valid, phy.tx_ready, phy.link_up, phy.rx_error)

    async def bench(ctx):
        ctx.set(phy.generation, 2)
        while not ctx.get(design.finished):
            word = port.clock(ctx.get(core))    # what the core sees in the next clock
            await ctx.tick()
            ctx.set(inputs, word)

    simulator = Simulator(design)
    simulator.add_clock(1 / 75e6)
    simulator.add_testbench(bench)
    simulator.run()
    return port.now


def main():
    image = DiskImage(sectors=1 << 20)
    design = CounterRecorder()
    clocks = simulate(design, Drive(image))
    words = struct.unpack(f"<{128 * SECTORS}I", image.read_sectors(LBA, SECTORS))
    assert words == tuple(range(128 * SECTORS))
    print(f"sectors {LBA} to {LBA + SECTORS - 1} hold the words {words[0]} to {words[-1]}, "
          f"{clocks} clocks after power-on")


if __name__ == "__main__":
    main()
