"""A drive port with a memory behind it: what a recorder can be tested on without SATA."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In

from sata_recorder.drive_port import DrivePort, Operation
from sata_recorder.units import SECTOR_SHIFT, SECTOR_WORDS

__all__ = ["FAULTS", "FakeDrive"]

#: What a fake can do wrong, to show that it is found.
FAULTS = ("short", "undrained", "unfinished", "unverified", "deaf", "unchecked", "displaced")

#: Clocks from the last word of a command to its end.
_GAP = 8


class FakeDrive(wiring.Component):
    """Moves extents between the drive port and a memory, in commands of a few sectors.

    No command fails. Latency: a word a clock; the next command begins with ``completed``.

    Parameters
    ----------
    sectors : int           The capacity.
    command_sectors : int   The longest command, at most one burst.
    held_words : int        Words that follow ``hold``.
    fault : str             One of :data:`FAULTS`: a word too few in each command; ``playing`` falls
                            before ``drained``; no ``completed``; no ``verified``; ``stopped``
                            is not heard; the capacity is not; all is moved one sector further on.

    Members
    -------
    port : In(DrivePort)    The recorder.
    """

    def __init__(self, *, sectors=64, command_sectors=4, held_words=5, fault=None):
        port = DrivePort()
        assert command_sectors * SECTOR_WORDS <= port.burst_words
        assert fault is None or fault in FAULTS
        self.sectors = sectors
        self.words = memory.MemoryData(shape=32, depth=sectors * SECTOR_WORDS, init=[])
        self._longest = command_sectors
        self._held_words = held_words
        self._fault = fault
        super().__init__({"port": In(port)})

    def elaborate(self, platform):
        m = Module()
        port, fault = self.port, self._fault
        m.submodules.words = words = memory.Memory(self.words)
        read, write = words.read_port(domain="comb"), words.write_port()

        operation = Signal(Operation)
        writes = Signal()
        runs = Signal()             # from the first command to the end
        sectors = Signal(48)        # of the extent that are in no command yet
        address = Signal(range(self.words.depth))       # of the next word
        left = Signal(range(self._longest * SECTOR_WORDS + 1))      # words of the command
        since_hold = Signal(range(self._held_words + 1))
        gap = Signal(range(_GAP))
        moves = Signal()
        length = Signal(range(self._longest + 1))       # of the next command
        wanted = Signal(48)
        with m.If(port.hold):
            m.d.sync += since_hold.eq(since_hold + (port.read_data.valid
                                                    & (since_hold != self._held_words)))
        with m.Else():
            m.d.sync += since_hold.eq(0)
        stopped = 0 if fault == "deaf" else port.stopped
        m.d.comb += [
            writes.eq(operation[0]),
            wanted.eq(Mux(stopped & (port.pending_sectors < sectors), port.pending_sectors,
                          sectors)),
            length.eq(Mux(wanted < self._longest, wanted, self._longest)),
            port.recording.eq(runs & writes), port.playing.eq(runs & ~writes),
            read.addr.eq(address), write.addr.eq(address), write.data.eq(port.write_data.payload),
            write.en.eq(moves & writes), port.read_data.payload.eq(read.data),
        ]

        def go_on():
            """The next command, or what comes after the last one."""
            with m.If(wanted != 0):
                m.d.comb += port.command.eq(1)
                m.d.sync += [runs.eq(1), sectors.eq(sectors - length),
                             left.eq((length << SECTOR_SHIFT) - (fault == "short"))]
                m.next = "MOVE"
            with m.Elif(writes | (fault == "undrained")):
                m.d.sync += runs.eq(0)
                m.next = "IDLE"
            with m.Else():
                m.next = "DELIVER"

        extent = port.extent.payload
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += port.extent.ready.eq(1)
                m.d.sync += [operation.eq(extent.operation), sectors.eq(extent.sectors),
                             address.eq((extent.lba + (fault == "displaced")) << SECTOR_SHIFT)]
                # FLUSH CACHE alone has nothing to do; the other extents left out are refused.
                with m.If(port.extent.valid & (extent.operation != Operation.FLUSH)
                          & ((extent.lba + extent.sectors <= self.sectors)
                             | (fault == "unchecked")) & (extent.sectors != 0)):
                    m.next = "OPEN"
            with m.State("OPEN"):
                m.d.comb += port.opening.eq(writes)
                go_on()
            with m.State("MOVE"):
                with m.If(left == 0):
                    m.d.sync += gap.eq(gap + 1)
                    with m.If(gap == _GAP - 1):
                        m.d.sync += gap.eq(0)
                        m.next = "COMPLETE"
                with m.Elif(writes):
                    m.d.comb += [port.write_data.ready.eq(port.recording),
                                 moves.eq(port.write_data.ready & port.write_data.valid)]
                with m.Else():
                    m.d.comb += [moves.eq(~port.hold | (since_hold != self._held_words)),
                                 port.read_data.valid.eq(moves)]
                with m.If(moves):
                    m.d.sync += [address.eq(address + 1), left.eq(left - 1)]
            with m.State("COMPLETE"):
                m.d.comb += [port.completed.eq(fault != "unfinished"),
                             port.verified.eq(~writes & (fault != "unverified"))]
                go_on()
            with m.State("DELIVER"):
                with m.If(port.drained):
                    m.d.sync += runs.eq(0)
                    m.next = "IDLE"
        return m
