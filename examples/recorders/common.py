"""What the benches of the recorders share: clocks, a drive, operations of the core, frames, and figures."""

import json
import os
import struct

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotb.utils import get_sim_time
from sata_drive_model import DiskImage, Drive, Fault
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import ALL_PORTS
from sata_recorder.pc.vita49 import VrlFrame, frames

#: The core's clock in Hz: the dword rate of Gen2. The drive model moves one dword in each of these clocks.
CORE_HZ = 75e6
PLAY, RECORD = 0, 1
SECTOR = 512


def begin_clock(signal, hertz):
    """A clock of this frequency, exact to a femtosecond or two in each period."""
    Clock(signal, 2 * round(0.5e15 / hertz), unit="fs").start()


def now():
    """Simulated seconds."""
    return get_sim_time("fs") * 1e-15


class Recorder:
    """The core in reset, with a drive at its dword port, or ``drives`` at those of its lanes. A drive answers at once,
    except where :meth:`stall` has the first one wait."""

    def __init__(self, dut, path=None, sectors=4096, drives=1):
        self.dut = dut
        # An input that is not used must be 0. The bench, or the models of cocotbext-axi, drive the others.
        for name, port in ALL_PORTS.items():
            if port.direction == "input" and hasattr(dut, name):
                getattr(dut, name).value = 0
        for pin in dut.s_axis_tvalid, dut.s_axis_tdata, dut.m_axis_tready:
            pin.value = 0
        dut.rst.value = 1
        self.image = DiskImage(path) if path else DiskImage(sectors=sectors)
        self.images = [self.image, *(DiskImage(sectors=sectors) for _ in range(1, drives))]
        self.buses = [DriveBus.from_prefix(dut, f"phy{lane or ''}", dut.clk, Drive(image))
                      for lane, image in enumerate(self.images)]
        self.stalls = 0
        begin_clock(dut.clk, CORE_HZ)

    async def reset(self):
        """Ends the reset; the core then brings up the link and identifies the drive."""
        await ClockCycles(self.dut.clk, 10)
        self.dut.rst.value = 0

    async def pulse(self, pin):
        """High for one clock of the core."""
        pin.value = 1
        await RisingEdge(self.dut.clk)
        pin.value = 0

    async def start(self, operation, lba, sectors, **inputs):
        """Begins an operation; ``inputs`` are other pins that the core takes with ``start``."""
        for name, value in ({"operation": operation, "lba": lba, "sectors": sectors} | inputs).items():
            getattr(self.dut, name).value = value
        await self.pulse(self.dut.start)

    async def done(self):
        """The end of an operation, which must be a good one."""
        await RisingEdge(self.dut.done)
        # Counts that come from another clock need some more clocks.
        await ClockCycles(self.dut.clk, 20)
        assert int(self.dut.error.value) == 0, f"the operation ended with error {int(self.dut.error.value)}"

    def stall(self, fis, after, microseconds):
        """The drive will let the core wait that long for one FIS of this kind, which follows ``after`` others."""
        self.stalls += 1
        self.buses[0].port.inject([Fault(kind="delay", fis=fis, nth=after, clocks=round(microseconds * CORE_HZ / 1e6))])

    @property
    def longest_stall(self):
        """Microseconds in which the drive took no word although there were some."""
        return int(self.dut.longest_stall.value) / CORE_HZ * 1e6

    def check_link(self):
        """The drive has stalled as it was to, and the core kept the rules of Serial ATA, as the drive and a monitor
        between them saw it."""
        assert len(self.buses[0].port.collect()) == self.stalls
        assert all(bus.port.link.violations == bus.monitor.violations == [] for bus in self.buses)


class Source:
    """A source that cannot wait, in the clock of s_axis.

    ``beat(n)`` gives tdata of its clock n, or None if no beat is there, and may drive the pins that come beside it.
    ``times[n]`` is when clock n ended, in simulated seconds.
    """

    def __init__(self, dut, beat):
        self.dut, self._beat = dut, beat
        self.times = []
        cocotb.start_soon(self._run())

    async def _run(self):
        dut, edge = self.dut, RisingEdge(self.dut.s_axis_aclk)
        while True:
            value = self._beat(len(self.times))
            dut.s_axis_tvalid.value = value is not None
            if value is not None:
                dut.s_axis_tdata.value = value
            await edge
            self.times.append(now())

    def rate(self, first, last, count):
        """MB/s of ``count`` bytes that came in the clocks ``first`` to ``last``."""
        clock = self.times[1] - self.times[0]
        return count / (self.times[last] - self.times[first] + clock) / 1e6


class Bytes:
    """A source of the project's reader of frames."""

    def __init__(self, content):
        self.content, self.size = content, len(content)

    def read(self, offset, size):
        return self.content[offset:offset + size]


def words(content):
    return list(struct.unpack(f"<{len(content) // 4}I", content))


def no_gap(samples):
    """Each is one more than the one before it."""
    assert samples == list(range(samples[0], samples[0] + len(samples))), "there is a gap"


def framed_samples(content, stream, sample_hz):
    """(frames, their samples) of a recording: each frame is good and of the ``stream``, its samples follow those before
    it, and its time is that of its first one."""
    found = list(frames(Bytes(content)))
    samples = []
    for frame in found:
        assert isinstance(frame, VrlFrame), f"no good frame at byte {frame.place}"
        assert frame.stream_id == stream and not frame.gap_ahead and frame.first == len(samples)
        # The clock in which its first sample came.
        assert abs(frame.clock - found[0].clock - len(samples) / sample_hz * CORE_HZ) < 4
        samples += words(frame.payload)
    no_gap(samples)
    return found, samples


def report(**figures):
    """Leaves the measured figures for run.py, which prints them."""
    with open(os.environ["FIGURES"], "w") as file:
        json.dump(figures, file)
