"""One core and its drive, driven as a user's logic would: bring up, record, play, read counters."""

from dataclasses import dataclass, field

from ..core.drive_port import Operation
from ..core.ledger import Account, Entry, WholeAccount
from ..facts.units import BINS, SECTOR_WORDS
from .accounts import LedgerReading
from .pattern import Bytes
from .signals import Event, Hold
from .timeline import Sample


class Stuck(RuntimeError):
    """The core made no progress for longer than the session's limit."""


@dataclass(frozen=True)
class Outcome:
    """How one operation ended.

    ``outputs`` are the core's in the clock of ``done``; ``begin`` is the clock of the start, and
    ``clocks`` are those from there to done; ``data`` the bytes played (None for a recording, or
    if a consumer had them); ``taken`` the words that crossed the input stream;
    ``received`` those that crossed the output stream, up to a few clocks after ``done``;
    ``lasts`` and ``last_at`` the number of words with tlast and the index of the latest one.
    """

    outputs: dict
    begin: int
    clocks: int
    taken: int = 0
    received: int = 0
    lasts: int = 0
    last_at: int = 0
    data: bytes | None = field(default=None, repr=False)

    @property
    def error(self):
        """The core's error code, 0 for success."""
        return self.outputs["error"]


class Session:
    """Operations on one engine.

    Parameters: ``engine``; ``port`` the drive model's ``DrivePort``, the engine's drive, or a list of them, one for
    each lane of an array: the member ``port`` is then the first;
    ``generation`` of the link; ``limit`` clocks without any progress after which :exc:`Stuck` is
    raised; ``progress`` is called with the session every ``engine.stride`` clocks of an operation.
    ``timeline`` may be set to a :class:`.timeline.Timeline` before an operation, which fills it, and ``watch`` to
    an object whose ``run(clocks)`` runs the engine in a recording with events, no further than its end.
    """

    def __init__(self, engine, port, *, generation=2, limit=20_000_000, progress=None):
        self.engine = engine
        self.ports = port if isinstance(port, list) else [port]
        self.port = self.ports[0]
        self.limit = limit
        self.progress = progress
        self.timeline = self.watch = None
        self._begin = None
        self._playing = False
        engine.set(phy_generation=generation,
                   **{f"phy{lane}_generation": generation for lane in range(1, len(self.ports))})

    def bring_up(self):
        """Resets the core and waits for ``ready``; returns the outputs.

        Returns early when bring-up ends in an error code: then ``ready`` is 0.
        """
        self.engine.set(rst=1)
        self.engine.run(4)
        self.engine.set(rst=0)
        # The core's state before this reset may have been anything: let it take effect.
        self.engine.run(2)
        self.wait(Event.READY | Event.ERROR)
        return self.outputs()

    def run(self, clocks):
        """Lets ``clocks`` clocks pass."""
        self.engine.run(clocks)

    def outputs(self):
        """All outputs of the core in the latest clock, by name."""
        return self.engine.outputs()

    def wait(self, until):
        """Runs until one of the events ``until``; returns those that hold."""
        state = self.engine.state()
        last, moved = None, state.cycle
        reported = state.cycle
        while True:
            found = self._run(self._stride(state.cycle), until)
            if found:
                return found
            state = self.engine.state()
            if self.timeline and self._begin is not None and \
                    self.timeline.due(state.cycle - self._begin):
                self.timeline.add(self._sample(state))
            now = (state.taken, state.received, self.engine.output("sectors_done"))
            if now != last:
                last, moved = now, state.cycle
            if state.cycle - moved >= self.limit:
                raise Stuck(f"no progress for {state.cycle - moved} clocks, at clock "
                            f"{state.cycle}: {self.outputs()}")
            if self.progress and state.cycle - reported >= self.engine.stride:
                reported = state.cycle
                self.progress(self)

    def _run(self, clocks, until):
        return self.engine.run(clocks, until) if self.watch is None else self.watch.run(clocks)

    def _stride(self, cycle):
        """Clocks to run until there is something to check, ``cycle`` being now."""
        stride = min(self.engine.stride, self.limit)
        if self.timeline and self._begin is not None:
            timeline = self.timeline
            due = self._begin + timeline.stride * (len(timeline.samples) + 1)
            stride = max(1, min(stride, due - cycle))
        return stride

    def _sample(self, state):
        analyser = self.port.observer
        words = analyser.payload
        return Sample(state.cycle - self._begin, words, tuple(analyser.accounts()),
                      words - state.received if self._playing else state.taken - words,
                      state.backlog)

    def start(self, operation, lba=0, sectors=0):
        """Pulses ``start``; the operation begins with the next run of the engine."""
        for port in self.ports:
            port.observer.reset()
        self.engine.set(start=1, operation=operation, lba=lba, sectors=sectors)

    def stop(self):
        """Pulses ``stop``."""
        self.engine.set(stop=1)

    def record(self, data, lba, sectors=None, *, stop_after=None, flush=False, hold=Hold(),
               rate=None, depth=None):
        """Records ``data`` (bytes, words, or a producer) from sector ``lba`` on; returns the
        :class:`Outcome`.

        ``sectors`` is the extent, by default what ``data`` fills; a short stream needs
        ``stop_after``, the number of words taken at which ``stop`` is pulsed. With ``flush`` a
        FLUSH CACHE follows. ``hold`` is the stall pattern of the stream; ``rate`` and ``depth`` make
        it one that cannot wait, see :meth:`.engine.Engine.source`.
        """
        if not hasattr(data, "read"):
            data = Bytes(_bytes(data))
        if sectors is None:
            sectors = -(-data.words // SECTOR_WORDS)
        self._playing = False
        mark = stop_after
        if rate is not None and mark is None:
            mark = sectors * SECTOR_WORDS   # what the sensor sends then is ignored
        self.engine.source(data, hold=hold, mark=mark, rate=rate, depth=depth)
        self.start(Operation.RECORD_FLUSH if flush else Operation.RECORD, lba, sectors)
        return self._finish(stop_after is not None, Event.SOURCE)

    def record_with_events(self, lba, sectors, events, *, flush=False):
        """Records words of the engine's source, which was set before, until the operation ends; returns the
        :class:`Outcome` and what came.

        ``events`` are pairs of (words, control) in order: the control is high for the clock after
        this many words have been taken. What came is for each of them a tuple: control, clock,
        words taken before it, outputs in its clock. The other arguments are those of :meth:`record`.
        """
        self._playing = False
        self.start(Operation.RECORD_FLUSH if flush else Operation.RECORD, lba, sectors)
        begin = self._begin = self.engine.state().cycle
        self.engine.run(1)
        came, over = [], False
        for words, control in events:
            if self._reach(words):
                break
            taken = self.engine.state().taken
            self.engine.set(**{control: 1})
            over = self.engine.run(1, Event.DONE)
            came.append((control, self.engine.state().cycle, taken, self.outputs()))
            if over:
                break
        if not self.outputs()["done"]:
            self.wait(Event.DONE)
        return self._ended(begin), came

    def _reach(self, words):
        """Runs until this many words have been taken; returns whether the operation ended first."""
        state = self.engine.state()
        taken, moved = state.taken, state.cycle
        while taken < words:
            if self._run(min(self.engine.stride, -(-(words - taken) // self.engine.beat)), Event.DONE):
                return True
            state = self.engine.state()
            if state.taken != taken:
                taken, moved = state.taken, state.cycle
            if state.cycle - moved >= self.limit:
                raise Stuck(f"no word was taken for {state.cycle - moved} clocks, at clock "
                            f"{state.cycle}: {self.outputs()}")
            if self.progress:
                self.progress(self)
        return False

    def play(self, lba, sectors, *, stop_after=None, hold=Hold(), consumer=None):
        """Plays ``sectors`` from ``lba`` on; ``stop_after`` and ``hold`` as for :meth:`record`.

        ``consumer`` is called with the bytes as they come, in place of keeping them.
        """
        self._playing = True
        self.engine.sink(sectors * SECTOR_WORDS, hold=hold, mark=stop_after, consumer=consumer)
        self.start(Operation.PLAY, lba, sectors)
        return self._finish(stop_after is not None, Event.SINK, played=consumer is None)

    def flush(self):
        """Issues a FLUSH CACHE alone."""
        self.start(Operation.FLUSH)
        return self._finish(False, Event(0))

    def command(self, operation, *, lba=0, blocks=0, data=b"", hold=Hold(), **registers):
        """Issues one ATA command, of a core with ``commands``; returns the :class:`Outcome`.

        ``operation`` states where its data go: PLAY to the stream, RECORD from it, FLUSH nowhere;
        they are ``blocks`` of 512 bytes, those of RECORD are ``data``. ``registers`` are the ports
        task_* without ``task_``: ``command``, ``features``, ``count``, ``device``, ``pio``.
        """
        self.engine.set(**{f"task_{name}": value for name, value in
                           {"features": 0, "count": 0, "device": 0x40, "pio": 0,
                            **registers}.items()}, task_operation=1)
        self._playing = operation == Operation.PLAY
        if self._playing:
            self.engine.sink(blocks * SECTOR_WORDS, hold=hold)
        elif data:
            self.engine.source(Bytes(_bytes(data)), hold=hold)
            blocks = blocks or len(data) // (4 * SECTOR_WORDS)
        self.start(operation, lba, blocks)
        outcome = self._finish(False, Event(0), played=self._playing)
        self.engine.set(task_operation=0)
        return outcome

    def ledger(self, lane=0):
        """The hardware's cycle ledger of the latest operation, of one ``lane`` of an array."""
        if len(self.ports) > 1:
            self.engine.set(array_lane=lane)
        return LedgerReading.of_core(self._ledger_entries([*Account, *Entry]))

    def whole_ledger(self):
        """That of an array as a whole."""
        self.engine.set(array_whole=1)
        entries = self._ledger_entries([*Account, *WholeAccount, *Entry])
        self.engine.set(array_whole=0)
        return LedgerReading.of_whole(entries)

    def _ledger_entries(self, addresses):
        return dict(zip(addresses, self.engine.table("ledger_address", "ledger_data", addresses, 3)))

    def histogram(self, kind):
        """The 32 bins of a histogram, a `HistogramKind`, of a core that has them."""
        return self.engine.table("histogram_address", "histogram_data",
                                 range(BINS * kind, BINS * (kind + 1)), 3)

    def disagreements(self, ledger=None):
        """Where the hardware's ledger of the latest operation, ``ledger`` if it was read before,
        differs from the analyser's: texts. Of an array, those of all lanes that took part; with a queue they wait for
        its extents."""
        if len(self.ports) == 1:
            return (ledger or self.ledger()).differences(LedgerReading.of_model(self.port.observer))
        waits = self.engine.configuration.extents != "single"
        return [f"lane {lane}: {text}" for lane, port in enumerate(self.ports) if port.observer.commands
                for text in self.ledger(lane).differences(LedgerReading.of_model(port.observer), waits=waits)]

    def violations(self):
        """How the core violated the specification as the drive saw it: texts."""
        return [f"clock {found.clock}: {f'lane {lane}: ' if len(self.ports) > 1 else ''}{found}"
                for lane, port in enumerate(self.ports) if port.link for found in port.link.violations]

    def identify(self):
        """The 512 bytes of IDENTIFY DEVICE data that the core keeps."""
        return _bytes(self.engine.table("identify_address", "identify_data", range(SECTOR_WORDS),
                                        2))

    def _finish(self, stopping, mark, played=False):
        begin = self._begin = self.engine.state().cycle
        # The core sees `start` one clock from here, and `done` is never high that early.
        self.engine.run(1)
        if stopping and not self.wait(Event.DONE | mark) & Event.DONE:
            self.stop()
            self.engine.run(1)
        if not (stopping and self.outputs()["done"]):
            self.wait(Event.DONE)
        return self._ended(begin, played)

    def _ended(self, begin, played=False):
        """The outcome of the operation, in the clock of done."""
        outputs, state = self.outputs(), self.engine.state()
        clocks = state.cycle - begin
        if self.timeline:
            self.timeline.end(self._sample(state))
        self._begin = None
        # What is left over in the core would come now.
        self.engine.run(8)
        state = self.engine.state()
        return Outcome(outputs, begin, clocks, taken=state.taken, received=state.received,
                       lasts=state.lasts, last_at=state.last_at,
                       data=self.engine.received() if played else None)


def _bytes(data):
    if isinstance(data, (bytes, bytearray, memoryview)):
        data = bytes(data)
    else:
        data = b"".join(word.to_bytes(4, "little") for word in data)
    if len(data) % 4:
        raise ValueError(f"{len(data)} bytes are not whole 32-bit words")
    return data
