"""A recording that becomes a file, for the console."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.pc.console.grammar import EVERY_BITS, NUMBER_BITS
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface import FILE

from .messages import Mistake

#: Clocks after which a drive that is not ready counts as none.
PATIENCE = 1000
#: What answers a recording that is no file, or one in doubt. The others cannot be.
MISTAKES = {
    FileError.NO_DRIVE: Mistake.NOT_READY, FileError.NOT_PREPARED: Mistake.NOT_PREPARED,
    FileError.DAMAGED: Mistake.DAMAGED_TABLE, FileError.FULL: Mistake.FULL,
    FileError.TOO_LONG: Mistake.NO_ROOM, FileError.EMPTY: Mistake.EMPTY,
    FileError.CUT_SHORT: Mistake.CUT_SHORT, FileError.DRIVE: Mistake.UNREADABLE,
    FileError.IN_DOUBT: Mistake.IN_DOUBT, FileError.PARTS_DO_NOT_FIT: Mistake.NO_PARTS,
    FileError.CUT_IN_DOUBT: Mistake.CUT_IN_DOUBT, FileError.CHANGED: Mistake.CHANGED,
}
#: Where the core passes over sectors, too.
SKIPPED = {FileError.SKIPPED: Mistake.IN_DOUBT}


class FileRequest(wiring.Component):
    """Lets the files stage have the core for one recording; else the core is the console's.

    Parameters: ``skips``, the core passes over sectors that it cannot write.
    """

    file: Out(FILE.signature)   # The group of the files, see :mod:`sata_recorder.interface`.
    start: In(1)                # High for one clock: a recording of ``length`` bytes begins, 0: of any number, when
                                # a slot has been found.
    length: In(NUMBER_BITS)
    interval: In(EVERY_BITS)    # Seconds after which it is brought up to date each time; 0: at its end only. It
                                # stays until ``done``, as ``length`` does.
    time_set: In(1)             # High for one clock: ``time`` is when it is, for the next recording.
    time: In(NUMBER_BITS)       # As :class:`sata_recorder.bricks.files.FileTime` has it, except for ``valid``.
    stop: In(1)                 # High for one clock: it shall end early.
    done: Out(1)                # High for one clock: it has ended, and the core is the console's again.
    records: Out(1)             # Its words are accepted.
    mistake: Out(Mistake)       # What is wrong with it, from ``done`` on.
    caused: Out(1)              # ... for ``drive_error`` of the files stage.
    slot: Out(13)               # Its slot, from ``done`` on; 0 if it has none.
    bytes: Out(NUMBER_BITS)     # Its length, likewise.

    def __init__(self, *, skips=False):
        self._mistakes = MISTAKES | (SKIPPED if skips else {})
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        file = self.file
        stops = Signal()
        clocks = Signal(range(PATIENCE + 1))
        found = Signal()            # the search has ended, with a slot or without
        has_slot = Signal()
        given_up = Signal()         # a stop came while a slot was searched for
        time = Signal(NUMBER_BITS)
        m.d.comb += [
            file.length.eq(self.length), file.interval.eq(self.interval),
            self.records.eq(file.state == FileState.RECORDING),
            found.eq((file.state == FileState.READY) | (file.state == FileState.FULL)
                     | (file.state == FileState.REFUSED)
                     | ((file.state == FileState.OFFLINE) & (clocks == PATIENCE))),
            self.caused.eq(~given_up & (
                (file.error == FileError.CUT_SHORT) | (file.error == FileError.CUT_IN_DOUBT)
                | (file.error == FileError.DRIVE))),
            self.slot.eq(Mux(has_slot, file.slot, 0)),
            self.bytes.eq(Mux(has_slot, file.bytes, 0)),
            Cat(file.time, file.time_ten_ms, file.time_offset).eq(time),
        ]
        with m.If(self.time_set):
            m.d.sync += [time.eq(self.time), file.time_valid.eq(1)]
        with m.Switch(file.error):
            for error, mistake in self._mistakes.items():
                with m.Case(error):
                    m.d.comb += self.mistake.eq(mistake)
        with m.If(given_up):
            m.d.comb += self.mistake.eq(Mistake.EMPTY)
        with m.FSM():
            with m.State("RELEASED"):
                m.d.comb += file.release.eq(1)
                m.d.sync += [stops.eq(0), clocks.eq(0), given_up.eq(given_up & ~self.start)]
                with m.If(self.start):
                    m.next = "SEARCH"
            with m.State("SEARCH"):
                m.d.sync += [stops.eq(stops | self.stop),
                             clocks.eq(Mux(file.state == FileState.OFFLINE, clocks + 1, 0))]
                with m.If(stops):
                    m.d.sync += [given_up.eq(1), has_slot.eq(0)]
                    m.next = "RELEASE"
                with m.Elif(found):
                    m.d.comb += file.start.eq(1)
                    m.d.sync += has_slot.eq(file.ready)
                    m.next = "RECORD"
            with m.State("RECORD"):
                m.d.comb += file.stop.eq(stops | self.stop)
                m.d.sync += stops.eq(0)
                with m.If(file.done):
                    m.d.sync += file.time_valid.eq(0)
                    m.next = "RELEASE"
            with m.State("RELEASE"):
                m.d.comb += file.release.eq(1)
                with m.If(file.state == FileState.RELEASED):
                    m.d.comb += self.done.eq(1)
                    m.next = "RELEASED"
        return m
