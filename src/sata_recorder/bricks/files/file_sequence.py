"""From the user's start to the done of the recording."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.drive_port import Error
from ...core.states import OneHotStates
from ...interface.file import FileError, FileState
from .signature import SLOT_BITS

__all__ = ["FileSequence"]


class FileSequence(wiring.Component):
    """The states of a recording that becomes a file, and of the drive that it goes to.

    Parameters
    ----------
    prepare, settle : int   Clocks from ``start`` until ``asked`` is known, and from the end of an operation until the
                            numbers of the core and of its segments are settled.

    Members
    -------
    start, stop, release : In(1), and ready, busy, done, state, error, refusal, drive_error, slot, bytes : Out
                            Of :class:`.signature.FilesSignature`.
    core_ready, core_done : In(1), core_error : In(Error), core_in_doubt : In(1)
                            Of the core: ``ready``, ``done``, ``error`` and ``unflushed`` of its status.
    search_done, holds, completes : In(1), search_error : In(FileError), number : In(13), search, search_next : Out(1)
                            Of :class:`.proved_drive.ProvedDrive`.
    finished, paused : In(1)        Of :class:`.file_stream.FileStream`.
    length : In(48)         The bytes of the recording.
    end_done, end_failed, end_changed : In(1), end : Out(1)     Of :class:`.file_end.FileEnd`.
    asked : In(FileError)   Why the recording that was started cannot be.
    goes_on : In(1)         There is room for one more operation of the recording.
    skipped : In(1)         Sectors of the recording were passed over.
    released : Out(1)       The ``state`` is RELEASED.
    keeps : Out(1)          It is not. A flop of its own, for the few paths that are short of time: much depends on
                            ``released``.
    offline, searches, records, settles : Out(1)        No drive is there; slots are being looked for; an operation of
                            the recording runs; it has ended, and its numbers settle.
    counts : Out(1)         Either of the last two.
    begins : Out(1)         One clock: ``start`` comes in READY. It may still be refused.
    starts : Out(1)         One clock: an operation of the recording begins. A clock ago the proof of the drive held.
    closes : Out(1)         One clock: it has ended.
    stops : Out(1)          A stop has come.
    more : Out(1)           The recording is not over.
    failed, doubt, is_partial : Out(1)      An operation of it has failed; has lost what was in the drive's cache; there
                            was another one before this.
    """

    def __init__(self, prepare, settle):
        self._prepare, self._settle = prepare, settle
        self._finishes = Signal()
        self._has_file = Signal()
        super().__init__({
            "start": In(1), "stop": In(1), "release": In(1), "ready": Out(1), "busy": Out(1), "done": Out(1),
            "state": Out(FileState), "error": Out(FileError), "refusal": Out(FileError), "drive_error": Out(Error),
            "slot": Out(SLOT_BITS), "bytes": Out(48),
            "core_ready": In(1), "core_done": In(1), "core_error": In(Error), "core_in_doubt": In(1),
            "search": Out(1), "search_next": Out(1), "search_done": In(1), "search_error": In(FileError),
            "holds": In(1), "completes": In(1), "number": In(SLOT_BITS),
            "finished": In(1), "paused": In(1), "length": In(48),
            "end": Out(1), "end_done": In(1), "end_failed": In(1), "end_changed": In(1),
            "asked": In(FileError), "goes_on": In(1), "skipped": In(1),
            "released": Out(1), "keeps": Out(1, init=1), "offline": Out(1), "searches": Out(1), "records": Out(1),
            "settles": Out(1), "counts": Out(1),
            "begins": Out(1), "starts": Out(1), "closes": Out(1), "stops": Out(1), "more": Out(1),
            "failed": Out(1), "doubt": Out(1), "is_partial": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        clocks = Signal(range(max(self._prepare, self._settle) + 1))
        m.d.comb += [
            self.more.eq(self.paused & ~self.finished & ~self.failed & self.goes_on),
        ]
        m.d.sync += [self.done.eq(self._finishes), clocks.eq(clocks + 1), self.stops.eq(self.stops | self.stop)]
        states = OneHotStates(m, "OFFLINE", "SEARCH", "REFUSED", "RELEASED", "READY", "PREPARE", "START", "RECORD",
                              "ADD", "END")
        m.d.comb += [self.searches.eq(states.ongoing("SEARCH")), self.records.eq(states.ongoing("RECORD")),
                     self.settles.eq(states.ongoing("ADD")), self.released.eq(states.ongoing("RELEASED")),
                     self.ready.eq(states.ongoing("READY")),
                     self.busy.eq(Cat(states.ongoing(name) for name in (
                         "SEARCH", "PREPARE", "START", "RECORD", "ADD", "END")).any()),
                     self.starts.eq(states.ongoing("START"))]
        self._without_drive(m, states)
        self._ready(m, states, clocks)
        self._recording(m, states)
        self._closing(m, states, clocks)
        with m.If(self._has_file):
            m.d.sync += self.bytes.eq(self.length)
        with m.If(self.start & ~self.busy):
            m.d.sync += self.bytes.eq(0)
        with m.If(states.ongoing("READY")):
            m.d.sync += self.stops.eq(0)
        with m.If(states.ongoing("READY") | self.records):
            m.d.sync += clocks.eq(0)
        return m

    def _finish(self, m, error):
        m.d.comb += self._finishes.eq(1)
        m.d.sync += self.error.eq(error)

    def _refuse(self, m, error):
        with m.If(self.start):
            self._finish(m, error)

    def _without_drive(self, m, states):
        """Until there is a slot."""
        with states.state("OFFLINE"):
            m.d.comb += [self.state.eq(FileState.OFFLINE), self.offline.eq(1)]
            self._refuse(m, FileError.NO_DRIVE)
            with m.If(self.release):
                m.d.sync += self.keeps.eq(0)
                states.enter("RELEASED")
            with m.Elif(self.core_ready):
                m.d.comb += self.search.eq(1)
                states.enter("SEARCH")
        with states.state("SEARCH"):
            m.d.comb += [self.state.eq(FileState.SEARCHING), self.end.eq(self.completes)]
            m.d.sync += self.failed.eq(0)
            with m.If(self.search_done):
                m.d.sync += self.refusal.eq(self.search_error)
                states.enter("READY")
                with m.If(self.search_error != FileError.NONE):
                    m.d.sync += self.drive_error.eq(self.core_error)
                    states.enter("REFUSED")
                # The way to the drive has failed, which shows nothing about the drive.
                with m.If((self.search_error == FileError.DRIVE) & (self.core_error != Error.DRIVE_ERROR)):
                    states.enter("OFFLINE")
                with m.If(self.search_error == FileError.RELEASED):
                    states.enter("OFFLINE")
        with states.state("REFUSED"):
            m.d.comb += self.state.eq(Mux(self.refusal == FileError.FULL, FileState.FULL, FileState.REFUSED))
            self._refuse(m, self.refusal)
            with m.If(~self.core_ready | self.release):
                states.enter("OFFLINE")
        with states.state("RELEASED"):
            m.d.comb += self.state.eq(FileState.RELEASED)
            self._refuse(m, FileError.RELEASED)
            with m.If(~self.release):
                m.d.sync += self.keeps.eq(1)
                states.enter("OFFLINE")

    def _ready(self, m, states, clocks):
        """A slot is there, until a recording can begin in it."""
        with states.state("READY"):
            m.d.comb += self.state.eq(FileState.READY)
            # Much follows a start: it does not wait for all that may refuse it.
            m.d.comb += self.begins.eq(self.start)
            m.d.sync += [self.failed.eq(0), self.doubt.eq(0), self.is_partial.eq(0)]
            with m.If(~self.core_ready | ~self.holds | self.release):
                self._refuse(m, Mux(self.release, FileError.RELEASED, FileError.NO_DRIVE))
                states.enter("OFFLINE")
            with m.Elif(self.start):
                m.d.sync += self.slot.eq(self.number)
                states.enter("PREPARE")
        with states.state("PREPARE"):
            m.d.comb += self.state.eq(FileState.RECORDING)
            with m.If(clocks == self._prepare):
                self._go_on(m, states, FileError.NO_DRIVE)
                with m.If(self.asked != FileError.NONE):
                    self._finish(m, self.asked)
                    states.enter("READY")

    def _go_on(self, m, states, error):
        """With an operation of the recording. None begins on a drive that is not proved. Much follows a start: it comes
        from a flop."""
        states.enter("START")
        with m.If(~self.holds):
            m.d.sync += self.drive_error.eq(self.core_error)
            self._finish(m, error)
            states.enter("OFFLINE")

    def _recording(self, m, states):
        """An operation of the recording."""
        with states.state("START"):
            m.d.comb += self.state.eq(FileState.RECORDING)
            m.d.sync += self.counts.eq(1)
            states.enter("RECORD")
        with states.state("RECORD"):
            m.d.comb += self.state.eq(Mux(self.finished, FileState.CLOSING, FileState.RECORDING))
            with m.If(self.core_done):
                m.d.comb += self.closes.eq(1)
                m.d.sync += [
                    self.failed.eq(self.core_error != Error.NONE), self.drive_error.eq(self.core_error),
                    self.doubt.eq(self.doubt | self.core_in_doubt),
                ]
                states.enter("ADD")

    def _closing(self, m, states, clocks):
        """From the end of an operation to the end of the recording, or to the next one."""
        with states.state("ADD"):
            m.d.comb += self.state.eq(FileState.CLOSING)
            with m.If(clocks == self._settle):
                m.d.comb += self.end.eq(self.length != 0)
                m.d.sync += self.counts.eq(0)
                states.enter("END")
                with m.If(self.length == 0):
                    self._finish(m, Mux(self.failed, FileError.CUT_SHORT, FileError.EMPTY))
                    states.enter("READY")
                    with m.If(~self.holds):
                        states.enter("OFFLINE")
        with states.state("END"):
            m.d.comb += self.state.eq(FileState.CLOSING)
            with m.If(self.end_done & self.end_failed):
                m.d.sync += self.drive_error.eq(self.core_error)
                self._finish(m, Mux(self.end_changed, FileError.CHANGED, FileError.CUT_SHORT))
                states.enter("OFFLINE")
            with m.Elif(self.end_done):
                m.d.comb += self._has_file.eq(1)
                with m.If(self.more):
                    m.d.sync += self.is_partial.eq(1)
                    self._go_on(m, states, FileError.CUT_SHORT)
                with m.Else():
                    whole = Mux(self.skipped, FileError.SKIPPED, Mux(self.doubt, FileError.IN_DOUBT, FileError.NONE))
                    self._finish(m, Mux(self.failed, Mux(
                        self.doubt, FileError.CUT_IN_DOUBT, FileError.CUT_SHORT), whole))
                    m.d.comb += self.search_next.eq(1)
                    states.enter("SEARCH")
