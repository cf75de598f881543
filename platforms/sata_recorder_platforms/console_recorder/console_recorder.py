"""The station: a core that records and plays patterns on the word of whoever types at a UART."""

from importlib.metadata import version

from amaranth.hdl import Array, Cat, Const, Module, Mux, ResetInserter, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out, connect, flipped

from sata_recorder.console.grammar import PROTOCOL
from sata_recorder.core import SataRecorder
from sata_recorder.phy import DwordPort

from .console import Console
from .leds import Leds
from .keywords import Running
from .messages import Name, Page, Source
from .parser import Parser
from .pattern import Checker, Generator
from .printer import Printer
from .rate import Rate
from .uart import LEAST_DIVISOR, Receiver, Transmitter

__all__ = ["ConsoleRecorder"]

_LINE_BYTES = 512       # that may wait while an answer is printed


class ConsoleRecorder(wiring.Component):
    """A :class:`sata_recorder.core.SataRecorder` with a pattern as its stream, and a console.

    The line protocol is in docs/console.md. Everything is in the domain `sync`.

    Parameters
    ----------
    configuration : Configuration       of the core; its ``clock_hz`` is the clock of the UART, too
    baud : int          of the UART, at most clock_hz / 8; raises ``ValueError``

    Members
    -------
    phy : Out(DwordPort)
    uart_rx : In(1)     asynchronous, high while nothing is sent
    uart_tx : Out(1)
    link : Out(1)       a light: on with an identified drive, flashing with a link alone
    activity : Out(1)   a light: an operation runs, or has ended less than 50 ms ago
    error : Out(1)      a light: an operation, a verification or a bring-up failed since the last
                        operation began
    """

    def __init__(self, configuration, *, baud=115200):
        self._configuration = configuration
        self._baud = baud
        if baud <= 0 or configuration.clock_hz / baud < LEAST_DIVISOR:
            raise ValueError(f"baud = {baud}: at most clock_hz / {LEAST_DIVISOR}, which is "
                             f"{configuration.clock_hz / LEAST_DIVISOR:.0f}")
        if configuration.on_overflow == "drop":
            raise ValueError("on_overflow = drop: the station's pattern waits for the drive, it "
                             "needs stall")
        super().__init__({
            "phy": Out(DwordPort()), "uart_rx": In(1, init=1), "uart_tx": Out(1, init=1),
            "link": Out(1), "activity": Out(1), "error": Out(1),
        })

    def _version(self):
        config = self._configuration
        return (f"station {PROTOCOL}\ncore sata-recorder-{version('sata-recorder')}\n"
                f"clock-hz {config.clock_hz:.0f}\nbuffer-words {config.buffer_words}\n")

    def elaborate(self, platform):
        m = Module()
        config = self._configuration
        core = SataRecorder(config)
        divisor = round(config.clock_hz / self._baud)
        m.submodules.receiver = receiver = Receiver(divisor)
        m.submodules.transmitter = transmitter = Transmitter(divisor)
        m.submodules.waiting = waiting = SyncFIFOBuffered(width=9, depth=_LINE_BYTES)
        m.submodules.parser = parser = Parser()
        m.submodules.console = console = Console()
        m.submodules.core = ResetInserter(console.restart)(core)
        m.submodules.generator = generator = Generator()
        m.submodules.checker = checker = Checker()
        m.submodules.rate = rate = Rate(config.clock_hz)
        m.submodules.printer = printer = Printer(self._version())
        m.submodules.lights = lights = Leds(config.clock_hz)
        user = core.user
        control, status, counters = user.control, user.status, user.counters
        lba, sectors = parser.numbers[0], parser.numbers[1]
        connect(m, core.phy, flipped(self.phy))

        # Bytes in. One that is lost spoils the line that the next one belongs to.
        lost = Signal()
        with m.If(receiver.o.valid):
            m.d.sync += lost.eq(~waiting.w_rdy)
        m.d.comb += [
            receiver.rx.eq(self.uart_rx),
            waiting.w_en.eq(receiver.o.valid),
            waiting.w_data.eq(Cat(receiver.o.payload.data, receiver.o.payload.fault | lost)),
            Cat(parser.i.payload.data, parser.i.payload.fault).eq(waiting.r_data),
            parser.i.valid.eq(waiting.r_rdy),
            waiting.r_en.eq(parser.i.ready),
            parser.keep.eq(console.active),
        ]
        connect(m, parser.o, console.request)
        connect(m, printer.o, transmitter.i)
        m.d.comb += self.uart_tx.eq(transmitter.tx)

        # The core. A dump is a play-back of one sector.
        dumps = Signal()
        m.d.comb += [
            dumps.eq(console.running == Running.DUMP),
            control.start.eq(console.start),
            control.operation.eq(console.operation),
            control.lba.eq(lba),
            control.sectors.eq(Mux(dumps, 1, sectors)),
            control.stop.eq(console.stop),
            console.link_up.eq(self.phy.link_up),
            console.typing.eq(~parser.empty),
        ]
        m.d.comb += [
            console.ready.eq(status.ready),
            console.busy.eq(status.busy),
            console.done.eq(status.done),
            console.error.eq(status.error),
        ]

        # Its streams.
        m.submodules.sector = sector = memory.Memory(
            shape=32, depth=128, init=[], attrs={"ram_style": "block"})
        write = sector.write_port()
        read = sector.read_port()
        m.d.comb += [
            generator.lba.eq(lba),
            generator.begin.eq(console.start),
            generator.decreasing.eq(console.decreasing),
            generator.advance.eq((user.i.valid & user.i.ready) | user.o.valid),
            user.i.payload.eq(generator.word),
            user.i.valid.eq(console.active),
            user.o.ready.eq(1),
            checker.clear.eq(console.start),
            checker.i.payload.eq(user.o.payload),
            checker.i.valid.eq(user.o.valid),
            checker.expected.eq(generator.word),
            write.addr.eq(counters.words),
            write.data.eq(user.o.payload),
            write.en.eq(user.o.valid & dumps),
            read.addr.eq(printer.index),
        ]
        clocks = Signal(48)
        with m.If(console.start):
            m.d.sync += clocks.eq(0)
        with m.Elif(status.busy):
            m.d.sync += clocks.eq(clocks + 1)

        m.d.comb += [
            rate.words.eq(counters.words),
            rate.clocks.eq(clocks),
            rate.start.eq(console.rate_start),
            console.different.eq(checker.mismatches != 0),
            user.ledger.address.eq(printer.index),
            user.identify.address.eq(printer.index),
            user.journal.address.eq(Cat(printer.index[:2], console.entry[:5])),
            console.journal_count.eq(user.journal.count),
        ]

        # What is printed.
        sources = {
            Source.CAPACITY: status.capacity, Source.LBA: lba, Source.SECTORS: sectors,
            Source.SECTORS_DONE: status.sectors_done, Source.WORDS: counters.words,
            Source.CLOCKS: clocks, Source.HELD_CYCLES: counters.held_cycles,
            Source.MEMORY: Mux(console.page == Page.ENTRY, user.journal.data,
                               user.ledger.data),
            Source.MISMATCHES: checker.mismatches, Source.FIRST: checker.first,
            Source.EXPECTED: checker.wanted, Source.GOT: checker.got,
            Source.RATE: rate.hundredths, Source.ENTRIES: console.entries,
            Source.HIGH_WATER: counters.high_water, Source.DRIVE_STATUS: status.drive_status,
            Source.DRIVE_ERROR: status.drive_error, Source.GENERATION: self.phy.generation,
            Source.IDENTIFY: user.identify.data, Source.SECTOR: read.data,
            Source.RETRIES: status.retries, Source.SKIPPED: status.skipped_sectors,
            Source.LONGEST_STALL: counters.longest_stall, Source.ERROR_LBA: status.error_lba,
        }
        names = {
            Name.ERROR: status.error, Name.MISTAKE: console.mistake,
            Name.RUNNING: Mux(console.active, console.running, Running.NONE),
            Name.LINK: self.phy.link_up,
            Name.READY: status.ready, Name.STOPPED: console.stopped,
            Name.LBA48: status.lba48,
            Name.PATTERN: Cat(console.decreasing, console.operation[1]),
            Name.RECOVERING: status.recovering,
            Name.MARK: user.journal.data[:4], Name.CAUSE: user.journal.data[4:8],
        }
        m.d.sync += printer.value.eq(Array(sources[source] for source in Source)[printer.source])
        m.d.comb += [
            printer.numbers.eq(Cat(Cat(names[name], Const(0, 4))[:4] for name in Name)),
            printer.page.eq(console.page),
            printer.start.eq(console.print),
            printer.flags.eq(console.flags),
            console.printing.eq(printer.busy),
        ]

        m.d.comb += [
            lights.up.eq(self.phy.link_up),
            lights.usable.eq(console.usable),
            lights.busy.eq(status.busy),
            lights.fault.eq(console.fault),
            lights.clear.eq(console.start),
            self.link.eq(lights.link),
            self.activity.eq(lights.activity),
            self.error.eq(lights.error),
        ]
        return m
