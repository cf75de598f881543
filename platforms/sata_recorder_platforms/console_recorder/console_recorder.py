"""A core that records and plays patterns on the word of whoever types at a UART."""

from importlib.metadata import version

from amaranth.hdl import Array, Cat, Const, Module, Mux, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from sata_recorder.console.grammar import NUMBER_BITS, PROTOCOL
from sata_recorder.core import SataRecorder
from sata_recorder.interface import PHY_GROUP, group
from sata_recorder.phy import DwordPort

from .console import Console
from .keywords import Running
from .leds import Leds
from .messages import Figure, Name, Page, Source
from .parser import Parser
from .pattern import PatternTester
from .printer import Printer
from .rate import Rate
from .task import TaskFileRequest, TrimRanges
from .uart import LEAST_DIVISOR, LineBuffer, Receiver, Transmitter

__all__ = ["ConsoleRecorder"]

#: Bytes that may wait while an answer is printed.
_WAITING = 512


class ConsoleRecorder(wiring.Component):
    """A :class:`sata_recorder.core.SataRecorder` with a pattern as its stream, and a console.

    The line protocol is in docs/console.md. Everything is in the domain `sync`.

    Parameters
    ----------
    configuration : Configuration
        That of the core. Its ``clock_hz`` is the clock of the UART, too. ``on_overflow`` must be
        "stall", because the pattern waits for the drive; raises ``ValueError``.
    baud : int
        Baud rate of the UART, at most clock_hz / 8; raises ``ValueError``.
    phy_status : bool
        The PHY tells about itself: the request `phy` shows it, else it is answered by an error.

    Members
    -------
    phy : Out(DwordPort)    The PHY.
    phy_status : Out        Its :data:`.interface.PHY_GROUP`; there if ``phy_status`` says so.
    uart_rx : In(1)         The line from the host, high while nothing is sent. It may be
                            asynchronous.
    uart_tx : Out(1)        The line to the host, high while nothing is sent.
    link : Out(1)           An LED: on with an identified drive, flashing with a link alone.
    activity : Out(1)       An LED: an operation runs, or has ended less than 50 ms ago.
    error : Out(1)          An LED: an operation, a verification or a bring-up has failed since the
                            last operation began.
    """

    def __init__(self, configuration, *, baud=115200, phy_status=False):
        self._has_phy_status = phy_status
        self._configuration = configuration
        self._baud = baud
        if baud <= 0 or configuration.clock_hz / baud < LEAST_DIVISOR:
            raise ValueError(f"baud = {baud}: at most clock_hz / {LEAST_DIVISOR}, which is "
                             f"{configuration.clock_hz / LEAST_DIVISOR:.0f}")
        if configuration.on_overflow == "drop":
            raise ValueError("on_overflow = drop: the pattern of the console recorder waits for "
                             "the drive, it needs stall")
        if not configuration.journal:
            raise ValueError("journal = false: the console recorder prints the journal")
        if not configuration.ledger:
            raise ValueError("ledger = false: the console recorder prints the ledger")
        super().__init__({
            "phy": Out(DwordPort()), "uart_rx": In(1, init=1), "uart_tx": Out(1, init=1),
            "link": Out(1), "activity": Out(1), "error": Out(1),
            **({"phy_status": Out(group(PHY_GROUP))} if phy_status else {}),
        })

    def _version(self):
        config = self._configuration
        return (f"station {PROTOCOL}\ncore sata-recorder-{version('sata-recorder')}\n"
                f"clock-hz {config.clock_hz:.0f}\nbuffer-words {config.buffer_words}\n")

    def elaborate(self, platform):
        m = Module()
        config = self._configuration
        divisor = round(config.clock_hz / self._baud)
        m.submodules.receiver = receiver = Receiver(divisor)
        m.submodules.line_buffer = line_buffer = LineBuffer(_WAITING)
        m.submodules.parser = parser = Parser()
        m.submodules.console = console = Console(
            phy_status=self._has_phy_status, commands=config.commands)
        m.submodules.printer = printer = Printer(self._version())
        m.submodules.transmitter = transmitter = Transmitter(divisor)
        core = SataRecorder(config)
        m.submodules.core = ResetInserter(console.restart)(core)
        m.submodules.tester = tester = PatternTester()
        m.submodules.rate = rate = Rate(config.clock_hz)
        m.submodules.leds = leds = Leds(config.clock_hz)
        user = core.user
        status, counters = user.status, user.counters

        # From the line to the line.
        connect(m, receiver.o, line_buffer.i)
        connect(m, line_buffer.o, parser.i)
        connect(m, parser.o, console.request)
        connect(m, console.print, printer.order)
        connect(m, printer.o, transmitter.i)
        m.d.comb += [
            receiver.rx.eq(self.uart_rx),
            parser.keep.eq(console.active),
            console.typing.eq(~parser.empty),
            self.uart_tx.eq(transmitter.tx),
        ]

        # The core. A dump is a play-back of one sector.
        lba, sectors = parser.numbers[0], parser.numbers[1]
        dumps = Signal()            # one sector, or the 512 bytes of a command
        commands = Signal()
        trims = Signal()
        m.d.comb += [
            dumps.eq(console.running.matches(Running.DUMP, Running.COMMAND)),
            commands.eq(console.running == Running.COMMAND),
            trims.eq(console.running == Running.TRIM),
            console.sectors.eq(sectors),
            user.control.start.eq(console.start),
            user.control.operation.eq(console.operation),
            user.control.lba.eq(Mux(commands, sectors, Mux(trims, 0, lba))),
            user.control.sectors.eq(Mux(dumps | trims, 1, sectors)),
            user.control.stop.eq(console.stop),
            console.link_up.eq(self.phy.link_up),
            console.ready.eq(status.ready),
            console.done.eq(status.done),
            console.error.eq(status.error),
            console.journal_count.eq(user.journal.count),
        ]
        connect(m, core.phy, flipped(self.phy))

        # Its streams, and how fast they were.
        connect(m, user.o, tester.user.o)
        if config.commands:
            self._task(m, user, tester, console, parser.numbers, commands, trims)
        else:
            connect(m, user.i, tester.user.i)
        clocks = Signal(48)
        with m.If(console.start):
            m.d.sync += clocks.eq(0)
        with m.Elif(status.busy):
            m.d.sync += clocks.eq(clocks + 1)
        m.d.comb += [
            tester.lba.eq(lba),
            tester.start.eq(console.start),
            tester.active.eq(console.active),
            tester.decreasing.eq(console.decreasing),
            tester.index.eq(counters.words),
            tester.keep.eq(dumps),
            console.different.eq(tester.mismatches != 0),
            rate.words.eq(counters.words),
            rate.clocks.eq(clocks),
            rate.start.eq(console.rate_start),
        ]

        # What is printed.
        page = console.print.page
        memory = Signal(NUMBER_BITS)
        sources = self._sources(user, tester, console) | {
            Source.LBA: lba, Source.SECTORS: sectors, Source.CLOCKS: clocks,
            Source.RATE: rate.hundredths, Source.MEMORY: memory}
        m.d.sync += printer.value.eq(Array(sources[source] for source in Source)[printer.source])
        names = self._names(user, console)
        figures = Const(0, NUMBER_BITS)
        if self._has_phy_status:
            names |= self._phy_names()
            figures = Array(self._figures()[figure] for figure in Figure)[printer.index[:4]]
            m.d.comb += [self.phy_status.clear.eq(console.phy_clear),
                         self.phy_status.bist_start.eq(console.phy_bist)]
        m.d.comb += [printer.names[name].eq(value) for name, value in names.items()]
        m.d.comb += memory.eq(Mux(page == Page.ENTRY, user.journal.data,
                                  Mux(page == Page.PHY, figures, user.ledger.data)))
        m.d.comb += [
            tester.address.eq(printer.index),
            user.ledger.address.eq(printer.index),
            user.identify.address.eq(printer.index),
            user.journal.address.eq(Cat(printer.index[:2], console.entry[:5])),
        ]

        m.d.comb += [
            leds.up.eq(self.phy.link_up),
            leds.usable.eq(console.usable),
            leds.busy.eq(status.busy),
            leds.fault.eq(console.fault),
            leds.clear.eq(console.start),
            self.link.eq(leds.link),
            self.activity.eq(leds.activity),
            self.error.eq(leds.error),
        ]
        return m

    def _task(self, m, user, tester, console, numbers, commands, trims):
        """COMMAND, and the ranges of TRIM in the place of the pattern."""
        m.submodules.request = request = TaskFileRequest()
        m.submodules.ranges = ranges = TrimRanges()
        connect(m, request.task, user.task)
        m.d.comb += [
            request.commands.eq(commands), request.trims.eq(trims), request.pio.eq(console.pio),
            request.typed.eq(numbers[0]),
            ranges.lba.eq(numbers[0]), ranges.sectors.eq(numbers[1]),
            ranges.begin.eq(console.start),
            ranges.o.ready.eq(user.i.valid & user.i.ready),
            user.i.payload.eq(Mux(trims, ranges.o.payload, tester.user.i.payload)),
            user.i.valid.eq(tester.user.i.valid),
            tester.user.i.ready.eq(user.i.ready),
        ]

    def _sources(self, user, tester, console):
        """The numbers that can be printed."""
        status, counters = user.status, user.counters
        found = dict.fromkeys(
            (Source.RESULT_LBA, Source.RESULT_COUNT, Source.RESULT_DEVICE), Const(0, 1))
        if self._configuration.commands:
            found = {Source.RESULT_LBA: user.task.result_lba,
                     Source.RESULT_COUNT: user.task.result_count,
                     Source.RESULT_DEVICE: user.task.result_device}
        return found | {
            Source.CAPACITY: status.capacity, Source.SECTORS_DONE: status.sectors_done,
            Source.WORDS: counters.words, Source.HELD_CYCLES: counters.held_cycles,
            Source.MISMATCHES: tester.mismatches, Source.FIRST: tester.first,
            Source.EXPECTED: tester.wanted, Source.GOT: tester.got,
            Source.ENTRIES: console.entries, Source.HIGH_WATER: counters.high_water,
            Source.DRIVE_STATUS: status.drive_status, Source.DRIVE_ERROR: status.drive_error,
            Source.GENERATION: self.phy.generation, Source.IDENTIFY: user.identify.data,
            Source.SECTOR: tester.data, Source.RETRIES: status.retries,
            Source.SKIPPED: status.skipped_sectors,
            Source.LONGEST_STALL: counters.longest_stall, Source.ERROR_LBA: status.error_lba,
        }

    def _names(self, user, console):
        """The numbers that are printed as words."""
        status = user.status
        return {
            Name.ERROR: status.error, Name.MISTAKE: console.mistake,
            Name.RUNNING: Mux(console.active, console.running, Running.NONE),
            Name.LINK: self.phy.link_up, Name.READY: status.ready,
            Name.STOPPED: console.stopped, Name.LBA48: status.lba48,
            Name.PATTERN: Cat(console.decreasing, console.operation[1]),
            Name.RECOVERING: status.recovering,
            Name.MARK: user.journal.data[:4], Name.CAUSE: user.journal.data[4:8],
        }

    def _phy_names(self):
        """What the PHY tells that is printed as words."""
        status = self.phy_status
        return {
            Name.STATE: status.state, Name.REACHED: status.reached, Name.FALL: status.last_fall,
            Name.SIGNAL: status.rx_active, Name.LOCKED: status.rx_locked,
            Name.RX_PAIR: status.rx_inverted, Name.TX_PAIR: status.tx_inverted,
            Name.BIST: status.bist,
        }

    def _figures(self):
        """What the PHY tells that is printed as a number; of bursts and gaps there may be none."""
        status = self.phy_status

        def found(longest, value):
            return Mux(longest == 0, (1 << NUMBER_BITS) - 1, value)

        return {
            Figure.LINE_RATE: status.line_rate, Figure.COMRESETS: status.comresets,
            Figure.COMINITS: status.cominits, Figure.LINKS: status.links,
            Figure.LOCK_LOSSES: status.lock_losses, Figure.SIGNAL_LOSSES: status.signal_losses,
            Figure.CODE_ERRORS: status.code_errors,
            Figure.DISPARITY_ERRORS: status.disparity_errors,
            Figure.RECENT_ERRORS: status.recent_errors,
            Figure.SHORTEST_BURST: found(status.longest_burst, status.shortest_burst),
            Figure.LONGEST_BURST: found(status.longest_burst, status.longest_burst),
            Figure.SHORTEST_GAP: found(status.longest_gap, status.shortest_gap),
            Figure.LONGEST_GAP: found(status.longest_gap, status.longest_gap),
            Figure.TRAINING: status.training, Figure.BIST_ERRORS: status.bist_errors,
        }
