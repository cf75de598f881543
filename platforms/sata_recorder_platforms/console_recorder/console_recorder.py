"""A core that records and plays patterns, as commands at a UART request."""

from importlib.metadata import version
from typing import NamedTuple

from amaranth.hdl import Array, Cat, Const, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from sata_recorder.pc.console.grammar import (ACCESSES, ALIGNMENT, COMMANDS, FILES, FRAMES, HEALTH, HISTOGRAMS, LANES,
                                           MODES, NUMBER_BITS, PARTS, PROTOCOL, TEMPERATURE)
from sata_recorder.interface import PHY_STATUS
from sata_recorder.core.phy import DwordPort
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.facts.units import SECTOR_SHIFT
from sata_recorder.bricks.stack import STAGES, stack

from .access import NO_ACCESSES, attach_access
from .console import FILED, FRAMED, Console
from .core_check import check_core
from .file_request import FileRequest
from .frame_request import FrameRequest
from .keywords import Running
from .lanes import attach_lanes, lane_ports
from .leds import Leds
from .messages import Figure, FrameFigure, Name, Page, Source
from .parser import NUMBERS, Parser
from .pattern import PatternTester
from .pattern_source import attach_source, has_source, with_source
from .phy_page import phy_figures, phy_names
from .printer import NAME_BITS, Printer
from .rate import Rate
from .task import attach_task
from .uart import LineBuffer, Receiver, Transmitter

#: Bytes that may wait while an answer is printed.
_WAITING = 512
#: Sectors by which a command may be longer than what is in the buffer: any number.
_ANY_AHEAD = 1 << 16


class _File(NamedTuple):
    """What the console needs of a recording that becomes a file: whether the operation is one,
    whether its words are accepted, its end, its slot, its length, and the core's error."""

    runs: Value
    records: Value
    done: Value
    slot: Value
    bytes: Value
    error: Value


#: Of a core that makes no files.
_NO_FILE = _File(*[Const(0, 1)] * len(_File._fields))


class ConsoleRecorder(wiring.Component):
    """A core with a pattern as its stream, and a console.

    The line protocol is in docs/console.md. Everything is in the domain `sync`.

    Parameters: ``configuration`` of the core, whose ``clock_hz`` is the clock of the UART, too; its
    ``on_overflow`` must be "stall", because the pattern waits for the drive. ``baud`` of the UART is at
    most clock_hz / 8. With ``phy_status`` the PHY reports about itself: the request `phy` shows it, else it
    is answered by an error. ``below`` are stages under all others, which a core with a memory needs; with
    ``arrays`` the core may be one; with ``clocked`` its source may have a clock. Raises ``ValueError``.
    """

    def __init__(self, configuration, *, baud=115200, phy_status=False, below=(), arrays=False, clocked=False):
        self._has_phy_status = phy_status
        self._below = below
        self._configuration = configuration
        self._baud = baud
        check_core(configuration, baud, below, arrays, clocked)
        super().__init__({
            "phy": Out(DwordPort()),        # The PHY, and what it reports.
            **lane_ports(configuration),    # phy1 and so on: those of the other lanes of an array.
            "uart_rx": In(1, init=1),       # The line from the host, high while nothing is sent; may be asynchronous.
            "uart_tx": Out(1, init=1),      # The line to the host, high while nothing is sent.
            "link": Out(1),                 # An LED: on with an identified drive, flashing with a link alone.
            "activity": Out(1),             # An LED: an operation runs, or has ended less than 50 ms ago.
            "error": Out(1),                # An LED: an operation, a verification or a bring-up has failed since the
                                            # last operation began.
            **({"phy_status": Out(PHY_STATUS.signature)} if phy_status else {}),
            # The clock of the source, where it has one of its own.
            **({"s_axis_aclk": In(1)} if configuration.source_clock else {}),
        })

    def _version(self):
        config = self._configuration
        return (f"station {PROTOCOL}\ncore sata-recorder-{version('sata-recorder')}\n"
                f"clock-hz {config.clock_hz:.0f}\nbuffer-words {config.buffered_words}\n")

    def _parts(self):
        """Options that this board has, and others do not."""
        config = self._configuration
        has = {COMMANDS: config.commands, FILES: config.files, MODES: config.extents == "modes",
               HISTOGRAMS: config.histograms, FRAMES: config.frames, ALIGNMENT: config.alignment,
               HEALTH: config.smart_commands > 0, TEMPERATURE: config.smart_temperature,
               ACCESSES: config.extents == "queued", LANES: config.drives > 1}
        return [part for part in PARTS if has[part]]

    def elaborate(self, platform):
        m = Module()
        config = self._configuration
        accesses = config.extents == "queued"
        divisor = round(config.clock_hz / self._baud)
        m.submodules.receiver = receiver = Receiver(divisor)
        m.submodules.line_buffer = line_buffer = LineBuffer(_WAITING)
        m.submodules.parser = parser = Parser(files=config.files, parts=self._parts())
        m.submodules.console = console = Console(
            phy_status=self._has_phy_status, commands=config.commands, files=config.files,
            modes=config.extents == "modes", histograms=config.histograms, frames=config.frames,
            accesses=accesses, lanes=config.drives > 1)
        m.submodules.printer = printer = Printer(self._version(), self._parts())
        m.submodules.transmitter = transmitter = Transmitter(divisor)
        core = stack(with_source(config), (*self._below, *STAGES))
        m.submodules.core = ResetInserter(console.restart)(core)
        m.submodules.tester = tester = PatternTester()
        m.submodules.rate = rate = Rate(config.clock_hz)
        user = core.user
        status, counters = user.status, user.counters

        # From the received line to the answer.
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

        # The core. A dump is a playback of one sector.
        numbers = [parser.numbers.word_select(place, NUMBER_BITS) for place in range(NUMBERS)]
        lba, sectors = numbers[:2]
        dumps = Signal()            # one sector, or the 512 bytes of a command
        commands = Signal()
        trims = Signal()
        file = self._file(m, core, console, numbers)
        lanes = attach_lanes(m, self, core, console, printer.index, config.drives)
        access = attach_access(m, user, console, numbers, printer.index) if accesses else NO_ACCESSES
        m.d.comb += [
            dumps.eq(console.running.matches(Running.DUMP, Running.COMMAND)),
            commands.eq(console.running == Running.COMMAND),
            trims.eq(console.running == Running.TRIM),
            console.stream_id.eq(numbers[0]), console.sectors.eq(sectors),
            console.seconds.eq(numbers[3] if config.files else 0),
            user.control.start.eq((console.start & ~file.runs & ~access.runs) | access.start),
            user.control.operation.eq(console.operation),
            user.control.lba.eq(Mux(access.runs, access.lba, Mux(commands, sectors, Mux(trims, 0, lba)))),
            user.control.sectors.eq(Mux(access.runs, access.size, Mux(dumps | trims, 1, sectors))),
            user.control.stop.eq(console.stop),
            console.link_up.eq(lanes.link_up), console.ready.eq(status.ready),
            console.error.eq(status.error),
            console.done.eq(Mux(access.runs, access.done, status.done | file.done)),
            *([console.health.eq(user.health.drive_health)] if config.smart_commands else []),
            console.journal_count.eq(user.journal.count),
        ]
        self._temperature(m, user, console)
        connect(m, core.phy, flipped(self.phy))

        # Its streams, and how fast they were.
        connect(m, user.o, tester.user.o)
        segments = Const(0, 1)
        if config.extents == "modes":
            segments = self._modes(m, core, console, numbers)
        if config.long_logical_sectors:
            m.d.comb += console.long_sectors.eq(user.sector.long_sectors)
        if has_source(config):
            attach_source(m, self, core, console, Mux(file.runs, 0, lba), status.done | file.done)
        elif config.commands:
            attach_task(m, user, tester, console, numbers, commands, trims, long_sectors=config.long_logical_sectors)
        else:
            connect(m, user.i, tester.user.i)
        clocks = self._clocks(m, console, Mux(file.runs, file.records, status.busy | access.busy))
        m.d.comb += [
            tester.lba.eq(Mux(access.runs, access.words_lba, Mux(file.runs, 0, lba))),
            tester.load.eq(access.words_load), tester.wait.eq(access.words_wait),
            tester.start.eq(console.start), tester.active.eq(console.active),
            tester.decreasing.eq(console.decreasing), tester.index.eq(counters.words),
            tester.keep.eq(dumps), console.different.eq(tester.mismatches != 0),
            rate.words.eq(Mux(access.runs, access.words, Mux(file.runs, file.bytes[2:], counters.words))),
            rate.clocks.eq(clocks),
            rate.start.eq(console.rate_start),
        ]

        # What is printed.
        page = console.print.page
        memory = Signal(NUMBER_BITS)
        sources = self._sources(user, tester, console) | {
            Source.SLOT: file.slot, Source.BYTES: file.bytes,
            Source.SEGMENTS: segments,
            Source.PART: numbers[2], Source.AFTER: numbers[3],
            Source.LBA: lba, Source.SECTORS: sectors, Source.CLOCKS: clocks,
            Source.RATE: rate.hundredths, Source.MEMORY: memory}
        m.d.sync += printer.value.eq(Array(sources[source] for source in Source)[printer.source])
        names = self._names(user, console) | {Name.FILE_CAUSE: file.error} | lanes.names
        figures = Const(0, NUMBER_BITS)
        if self._has_phy_status:
            names |= phy_names(self.phy_status)
            figures = self._phy(m, console, printer.index)
        m.d.comb += [printer.names.word_select(int(name), NAME_BITS).eq(value) for name, value in names.items()]
        counts = self._histograms(m, user, console, printer)
        frame_figure = self._frames(m, user, console, numbers, printer)
        others = Mux(page == Page.ACCESS, access.figure, user.ledger.data) if accesses else user.ledger.data
        m.d.comb += [
            memory.eq(Mux(page == Page.ENTRY, user.journal.data, Mux(
                page == Page.PHY, figures, Mux(page == Page.HISTOGRAM, counts, Mux(
                    page.matches(Page.OPERATION, Page.FILE), frame_figure, Mux(
                        page == Page.LANE, lanes.figure, others) if lanes.names else others))))),
            tester.address.eq(printer.index),
            user.ledger.address.eq(printer.index),
            user.identify.address.eq(printer.index),
            user.journal.address.eq(Cat(printer.index[:2], console.entry[:5])),
        ]

        self._leds(m, console, status.busy, lanes.link_up)
        return m

    def _phy(self, m, console, index):
        """The requested figure of the PHY, which does what the console requests of it."""
        status = self.phy_status
        m.d.comb += [status.clear.eq(console.phy_clear), status.bist_start.eq(console.phy_bist)]
        figures = phy_figures(status)
        return Array(figures[figure] for figure in Figure)[index[:4]]

    def _clocks(self, m, console, counts):
        """How many clocks of the latest operation ``counts`` was high in."""
        clocks = Signal(48)
        with m.If(console.start):
            m.d.sync += clocks.eq(0)
        with m.Elif(counts):
            m.d.sync += clocks.eq(clocks + 1)
        return clocks

    def _leds(self, m, console, busy, link_up):
        m.submodules.leds = leds = Leds(self._configuration.clock_hz)
        m.d.comb += [
            leds.up.eq(link_up),
            leds.usable.eq(console.usable),
            leds.busy.eq(busy),
            leds.fault.eq(console.fault),
            leds.clear.eq(console.start),
            self.link.eq(leds.link),
            self.activity.eq(leds.activity),
            self.error.eq(leds.error),
        ]

    def _file(self, m, core, console, numbers):
        """The files stage, if there is one."""
        if not self._configuration.files:
            return _NO_FILE
        request = FileRequest(skips=self._configuration.skips_but_files)
        m.submodules.file_request = ResetInserter(console.restart)(request)
        is_file = Signal()
        m.d.comb += [
            is_file.eq(console.running.matches(*FILED)),
            request.start.eq(console.start & is_file), request.stop.eq(console.stop),
            request.length.eq(Mux(console.running == Running.FILE, numbers[0], 0)),
            request.interval.eq(numbers[3]), request.time.eq(numbers[0]),
            request.time_set.eq(console.time_set),
            console.file_mistake.eq(request.mistake), console.file_caused.eq(request.caused),
        ]
        connect(m, request.file, core.user.file)
        m.d.comb += core.user.file_end.keep.eq(~0)
        return _File(is_file, request.records, request.done, request.slot, request.bytes,
                     request.file.drive_error)

    def _modes(self, m, core, console, numbers):
        """The mode of a recording; how many segments it had."""
        recording = core.user.recording
        kept = Signal(16)
        rings = Signal()
        in_slot, placed = Signal(), Signal()
        chunk = max(1, self._configuration.buffer_words >> SECTOR_SHIFT)
        m.d.comb += [
            rings.eq(console.running.matches(Running.RING, Running.RING_AT)),
            in_slot.eq(console.running == Running.SEGMENTS),
            placed.eq(console.running == Running.SEGMENTS_AT),
            recording.chunk.eq(chunk), recording.trigger.eq(console.trigger),
            recording.part.eq(Mux(placed, numbers[2], numbers[0])),
            # The words of the pattern will come, so commands may be long; but what a command
            # promises beyond a stop would be written over the oldest words of a ring.
            recording.ahead.eq(Mux(rings, 0, _ANY_AHEAD)),
        ]
        with m.If(rings):
            m.d.comb += recording.mode.eq(RecordingMode.RING)
        with m.Elif(in_slot | placed):
            m.d.comb += [recording.mode.eq(RecordingMode.TRIGGERED),
                         recording.words.eq(Mux(placed, numbers[3], numbers[1]))]
        if not self._configuration.files:
            return recording.segment_count
        # A moment later the core has other recordings, those of the files stage.
        with m.If(core.user.file.done):
            m.d.sync += kept.eq(recording.segment_count)
        return Mux(placed, recording.segment_count, kept)

    def _histograms(self, m, user, console, printer):
        """The requested bin of the histograms, if there are any."""
        if not self._configuration.histograms:
            return Const(0, 1)
        histogram = user.histogram
        m.d.comb += [histogram.clear.eq(console.histogram_clear),
                     histogram.address.eq(Cat(printer.index[:5], console.histogram))]
        return histogram.data

    def _temperature(self, m, user, console):
        """How hot the drive reports that it is, if it is queried."""
        if self._configuration.smart_temperature:
            told = user.temperature
            m.d.comb += [console.heat.eq(told.drive_heat),
                         console.warm.eq(told.drive_heat.any() & ~told.drive_temperature[-1])]

    def _frames(self, m, user, console, numbers, printer):
        """The frames of a recording, if the core makes them; the requested figure of a recording."""
        misaligned = Const(0, 1)
        if self._configuration.alignment:
            m.d.comb += user.alignment.clear.eq(console.start)
            misaligned = user.alignment.misaligned
        celsius = [user.temperature.drive_temperature] if self._configuration.smart_temperature else []
        if not self._configuration.frames:
            figures = [misaligned] * FrameFigure.CELSIUS + celsius
            return Array(figures)[printer.index[:2]] if celsius else misaligned
        m.submodules.frames = request = FrameRequest()
        m.d.comb += [
            request.set.eq(console.frames_set), request.first.eq(numbers[0]),
            request.start.eq(console.start), request.records.eq(console.running.matches(*FRAMED)),
            console.framed.eq(request.framed), user.frame.enable.eq(request.enable),
            user.frame.stream_id.eq(request.stream_id),
        ]
        return Array([request.stream_id, user.frame.kept, misaligned, *celsius])[printer.index[:2]]

    def _sources(self, user, tester, console):
        """The numbers that can be printed."""
        status, counters = user.status, user.counters
        found = dict.fromkeys(
            (Source.RESULT_LBA, Source.RESULT_COUNT, Source.RESULT_DEVICE), Const(0, 1))
        if self._configuration.commands:
            found = {Source.RESULT_LBA: user.task.result_lba,
                     Source.RESULT_COUNT: user.task.result_count,
                     Source.RESULT_DEVICE: user.task.result_device}
        high_water = user.memory.high_water if self._configuration.memory else counters.high_water
        return found | {
            Source.CAPACITY: status.capacity, Source.SECTORS_DONE: status.sectors_done,
            Source.WORDS: counters.words, Source.HELD_CYCLES: counters.held_cycles,
            Source.MISMATCHES: tester.mismatches, Source.FIRST: tester.first,
            Source.EXPECTED: tester.wanted, Source.GOT: tester.got,
            Source.ENTRIES: console.entries, Source.HIGH_WATER: high_water,
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
            Name.HEALTH: console.health, Name.HEAT: console.heat,
            Name.ERROR: status.error, Name.MISTAKE: console.mistake,
            Name.RUNNING: Mux(console.active, console.running, Running.NONE),
            Name.LINK: console.link_up, Name.READY: status.ready,
            Name.STOPPED: console.stopped, Name.LBA48: status.lba48,
            Name.HISTOGRAM: console.histogram,
            Name.PATTERN: Cat(console.decreasing, console.operation[1]),
            Name.RECOVERING: status.recovering,
            Name.MARK: user.journal.data[:4], Name.CAUSE: user.journal.data[4:8],
        }
