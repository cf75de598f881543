"""A whole core with or without a source stage, and its drive: what comes beside each beat of a stream, and what becomes
of it."""

import functools
import random
from collections import deque
from dataclasses import dataclass, field

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from integration.files_station import LoggedImage
from unit.core.phy.compiled import Compiled

from sata_recorder.bricks.source import SourceStage
from sata_recorder.bricks.stack import stack
from sata_recorder.bricks.stage import Part, rest
from sata_recorder.interface import COUNTERS, FILE, RECORDING, SOURCE_LOSS, STATUS
from sata_recorder.interface.configuration import Configuration
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingState
from sata_recorder.pc.volume import Drive
from sata_recorder.simulation import drive_package

__all__ = ["BESIDE", "Beat", "Came", "Plain", "Staged", "TakenBelow", "options_of"]

#: What happens beside a beat.
BESIDE = "trigger", "pps", "stop"
_PIECE, _MOST_KEEP = 64, 16         # bits of a port; bytes of the longest beat
_CORE, _SOURCE = 1, 2               # the clocks that rise
_PATIENCE = 400_000
#: Clocks of the core, and of the source, after the start of a recording until what is beside the stream counts.
_COUNTS = 16


def options_of(**options):
    """Of a small core with modes and files, and with short times."""
    return Configuration(**{
        "files": True, "extents": "modes", "buffer_words": 512, "max_command_sectors": 4, "ledger": False,
        "signature_timeout": 1e-3, "identify_timeout": 1e-3, "command_timeout": 1e-3, "flush_timeout": 1e-3,
        "retry_delay": 1e-6, "recovery_timeout": 1e-3} | options)


class StagedRecorder(wiring.Component):
    """The stack of a ``configuration`` with modes and files, with its stream in pieces of 64 bits.

    Members
    -------
    source_clk : In(1)      The clock of the source, if it has one.
    low, high, valid, last, keep, trigger, pps, stop : In       A beat, and what comes beside it.
    ready : Out(1)
    word, passes, pulse : Out       Below the stage: a word, whether it is accepted, and the pulse.
    file, recording, status, counters, source_loss      Groups of its user.
    tx, rx                  The dword port.
    """

    def __init__(self, configuration):
        self._stack = whole = stack(configuration)
        self._stage = next((one for one in whole.stages if isinstance(one, SourceStage)), None)
        self._passed = [FILE, STATUS, COUNTERS, *([SOURCE_LOSS] if SOURCE_LOSS.exists(configuration) else [])]
        recording = {name: member for name, member in RECORDING.signature.members.items()
                     if name not in BESIDE}
        super().__init__({
            **({"source_clk": In(1)} if configuration.source_clock else {}),
            "low": In(_PIECE), "high": In(_PIECE), "valid": In(1), "last": In(1), "keep": In(_MOST_KEEP),
            **{name: In(1) for name in BESIDE}, "ready": Out(1),
            "word": Out(32), "passes": Out(1), "pulse": Out(1),
            **{group.name: In(group.signature) for group in self._passed},
            "recording": In(wiring.Signature(recording)), "tx": Out(37), "rx": In(42)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._stack
        user, phy, stage = core.user, core.phy, self._stage
        names = [group.name for group in self._passed]
        connect(m, Part(flipped(self), *names), Part(user, *names))
        connect(m, flipped(self.recording), rest(user.recording, "trigger", "pps"))
        below = user if stage is None else stage.core
        beside = user.recording if stage is None else user.source_trigger
        if "source_clk" in self.signature.members:
            m.d.comb += user.source_clock.clk.eq(self.source_clk)
        m.d.comb += [
            user.i.payload.eq(Cat(self.low, self.high)), user.i.valid.eq(self.valid), self.ready.eq(user.i.ready),
            user.file_end.last.eq(self.last), user.file_end.keep.eq(self.keep),
            beside.trigger.eq(self.trigger), beside.pps.eq(self.pps),
            (user.file.stop if stage is None else user.source.stop).eq(self.stop),
            self.word.eq(below.i.payload), self.passes.eq(below.i.valid & below.i.ready),
            self.pulse.eq(below.recording.pps),
            self.tx.eq(Cat(phy.tx_data, phy.tx_k, phy.reset)),
            Cat(phy.rx_data, phy.rx_k, phy.rx_valid, phy.tx_ready, phy.link_up, phy.rx_error,
                phy.generation).eq(self.rx),
        ]
        return m


@functools.cache
def _compiled(configuration):
    # A stop without the stage is that of the file.
    return Compiled(StagedRecorder(configuration), ("sync", "source") if configuration.source_clock else ("sync",))


@dataclass(frozen=True)
class Beat:
    """``keep``: bytes of it before the end of a line or of the file; None: none ends with it."""

    data: int
    keep: int | None = None


@dataclass(frozen=True)
class Came:
    """Something at the source in recording number ``recording``: a `Beat`, one that was lost, or the name of what
    came beside the beats."""

    what: object
    recording: int
    is_lost: bool = False


@dataclass
class TakenBelow:
    """What a recording has taken below the stage: its words, and how many of them were before each pulse."""

    words: list = field(default_factory=list)
    pulses: list = field(default_factory=list)
    error: FileError = FileError.NONE
    triggers: int = 0
    lost: int = 0
    intact: int = 0


class _Core:
    """A core with a drive of ``content``; ``taken`` has its recordings."""

    def __init__(self, configuration, content, seed, drive):
        self.configuration, self.rng = configuration, random.Random(seed)
        self.dut = dut = _compiled(configuration)
        dut.restart()
        model = drive_package.drive_model(compiled=True)
        behaviour = model.Behaviour()
        for name, number in drive.items():
            setattr(behaviour, name, number)
        self.image = LoggedImage(content)
        self.port = drive_package.drive_port(model.Drive(self.image, behaviour=behaviour), model=model, seed=1)
        self._clock, self._answer = self.port.clock, 0
        self._i, self._o = dut.inputs, dut.outputs
        self.taken, self.running = [], False
        self._pulsed = False
        dut.set(rst=1)
        dut.edge(_CORE)
        dut.set(rst=0)
        dut.edge(0)

    def get(self, name):
        return self.dut.o[self._o[name]]

    def _before_core(self):
        """What there is before an edge of the core's clock."""
        dut = self.dut
        pulse = dut.o[self._o["pulse"]]
        if self.running:
            run = self.taken[-1]
            if pulse and not self._pulsed:
                run.pulses.append(len(run.words))
            if dut.o[self._o["passes"]]:
                run.words.append(dut.o[self._o["word"]])
        self._pulsed = pulse
        dut.i[self._i["rx"]] = self._answer | 2 << 40
        self._answer = self._clock(dut.o[self._o["tx"]])

    def _beat(self, beat):
        """The pins of a beat, or of none."""
        bits = 0 if beat is None else beat.data
        ends = beat is not None and beat.keep is not None
        self.dut.set(valid=beat is not None, low=bits & (1 << _PIECE) - 1, high=bits >> _PIECE, last=ends,
                     keep=(1 << beat.keep) - 1 if ends else 0)

    def tick(self):
        """A clock of the core."""
        raise NotImplementedError

    def find_slot(self):
        for _ in range(_PATIENCE):
            state = self.get("file__state")
            if state in (FileState.READY, FileState.FULL, FileState.REFUSED):
                break
            self.tick()
        assert state == FileState.READY, FileState(state).name

    def begin(self, length=0, **mode):
        """Starts a recording as a file."""
        self.find_slot()
        inputs = {"file__start": 1, "file__length": length, **{f"recording__{name}": n for name, n in mode.items()}}
        self.dut.set(**inputs)
        self.taken.append(TakenBelow())
        self.running = True
        self.tick()
        self.dut.set(file__start=0)

    def finish(self):
        """To the end of the recording."""
        for _ in range(_PATIENCE):
            self.tick()
            if self.get("file__done"):
                break
        else:
            raise AssertionError(f"it does not end: {FileState(self.get('file__state')).name}, "
                                 f"{len(self.taken[-1].words)} words")
        self.running, run = False, self.taken[-1]
        run.error, run.triggers = FileError(self.get("file__error")), self.get("recording__triggers")
        if not self.configuration.source_waits:
            run.lost, run.intact = self.get("source_loss__lost"), self.get("source_loss__intact")
        for _ in range(self.rng.choice((1, 30))):
            self.tick()

    def files(self, path):
        """The recordings as a PC has them: bytes, entries of the segments, lines."""
        path.write_bytes(self.image.content)
        with Drive(path) as drive:
            return [_as_seen(drive, one) for one in drive.recordings if one.is_file]


def _as_seen(drive, recording):
    # Times, and what had to wait, are those of the run.
    entries = [(one.entry.first, one.entry.is_triggered and one.entry.trigger, one.entry.end, one.entry.is_complete,
                one.entry.more_triggers) for one in recording.segments]
    return drive.read(recording).tobytes(), entries, recording.log.lines


class Staged(_Core):
    """A core with a source stage. ``clocks``: periods of the core and of the source, in one unit; ``offers``: how
    probable it is that a clock of the source offers a beat.

    ``came`` is the log of the source. ``due`` has for each of ``BESIDE``, and for "last", numbers of beats, from
    the first of the recording on, at which it is to come.
    """

    def __init__(self, configuration, content, *, seed, clocks=(1, 1), phase=0, offers=1.0, drive):
        super().__init__(configuration, content, seed, drive)
        self._width, self.offers = configuration.source_width, offers
        self._bytes = self._width // 8
        self._periods, self._next = clocks, [clocks[0], clocks[1] + phase]
        self.came, self.due, self._offsets = [], {}, None
        self.count = 0              # beats that were accepted
        self._words, self._parts = 0, 0     # words that they have filled, and beats of the next one
        self._held = None
        self._high = dict.fromkeys(BESIDE, False)
        self._raised = {}           # the word at which each came latest
        self._open = 0              # clocks of the core in which what is beside the stream has counted
        self.most_stop = None       # no stop comes after this many beats
        self.alone = 0.0            # how probable it is that something comes without a beat

    def place(self, offsets, most_stop=None):
        """What is to come in the next recording, by the beats from the next one on; of a source that does not wait from
        that on which comes when something beside the stream counts."""
        self._offsets, self._limit, self._raised, self.due = offsets, most_stop, {}, {}
        if self.configuration.source_waits:
            self._place()

    def _place(self):
        if self._offsets is not None:
            self.due = {kind: deque(sorted(self.count + n for n in found)) for kind, found in self._offsets.items()}
            self.most_stop = None if self._limit is None else self.count + self._limit
            self._offsets = None

    def tick(self):
        if not self.configuration.source_clock:
            self._source(_CORE)
            return
        core, source = self._next
        while source < core:
            self._source(_SOURCE)
            source += self._periods[1]
        both = source == core
        self._next = [core + self._periods[0], source + (self._periods[1] if both else 0)]
        if both:
            self._source(_SOURCE | _CORE)
        else:
            self._edge(_CORE)

    def _edge(self, clocks):
        if clocks & _CORE:
            self._before_core()
            running = self.running and self.get("recording__state") == RecordingState.RUNNING
            waits = self.configuration.source_waits
            self._open = self._open + 1 if running and (waits or self.taken[-1].words) else 0
        self.dut.edge(clocks)

    def _source(self, clocks):
        """A clock of the source."""
        dut, rng = self.dut, self.rng
        if self._held is None and rng.random() < self.offers:
            lasts = self.due.get("last")
            keep = None
            if lasts and self.count >= lasts[0]:
                keep = rng.randint(1, self._bytes)
            self._held = Beat(rng.getrandbits(self._width), keep)
        self._beat(self._held)
        counts = self._open >= _COUNTS * max(1, -(-self._periods[1] // self._periods[0]))
        if counts:
            self._place()
        for kind in BESIDE:
            self._high[kind] = counts and not self._high[kind] and self._comes(kind)
            dut.i[self._i[kind]] = self._high[kind]
        ready = dut.o[self._o["ready"]]
        self._log("trigger", "pps")
        if self._held is not None and ready:
            self._note(self._held)
            self.count += 1
            if self._held.keep is not None and self.due.get("last"):
                self.due["last"].popleft()
            self._held = None
        elif self._held is not None and not self.configuration.source_waits:
            self._note(self._held, is_lost=True)
            self._held = None
        self._log("stop")
        self._edge(clocks)

    def _comes(self, kind):
        """Whether ``kind`` is due."""
        due = self.due.get(kind)
        if not due or due[0] > self.count or self._raised.get(kind) == self._words:
            return False
        if self._held is None and self.rng.random() >= self.alone:
            return False
        due.popleft()
        if kind == "stop" and self.most_stop is not None and self.count > self.most_stop:
            return False
        self._raised[kind] = self._words
        return True

    def _log(self, *kinds):
        for kind in kinds:
            if self._high[kind]:
                self._note(kind)

    def _note(self, what, is_lost=False):
        self.came.append(Came(what, len(self.taken), is_lost))
        if is_lost:
            return
        # The end of a line or of the file fills a word, as does a stop.
        ends = what.keep is not None if isinstance(what, Beat) else what == "stop"
        self._parts += isinstance(what, Beat)
        if self._parts and (ends or self._parts * self._width >= 32):
            self._words, self._parts = self._words + 1, 0


class Plain(_Core):
    """A core without a stage, which gets words as its user has them; what comes before them as in ``script``."""

    def __init__(self, configuration, content, *, seed, offers=1.0, drive):
        super().__init__(configuration, content, seed, drive)
        self.offers = offers
        self.words, self.events = deque(), {}
        self._held = None
        self._high = set()
        self._open = 0

    def script(self, words, events):
        """The `Beat` objects of the next recording, and by the number of words before them what comes there."""
        self.words, self.events, self._held = deque(words), {place: set(kinds) for place, kinds in events.items()}, None

    def tick(self):
        dut = self.dut
        taken = len(self.taken[-1].words) if self.running else 0
        counts = self.running and self.get("recording__state") == RecordingState.RUNNING
        self._open = self._open + 1 if counts else 0
        due = self.events.get(taken) or set()
        # Each edge needs a clock before it in which its pin is low.
        comes = due if self._open > _COUNTS and not due & self._high else set()
        # No word passes before what is before it, nor one that is after a stop.
        waits = bool(due - comes) or "stop" in comes
        if self._held is None and self.words and self.rng.random() < self.offers:
            self._held = self.words[0]
        self._beat(None if waits else self._held)
        passes = not waits and self._held is not None and bool(dut.o[self._o["ready"]])
        for kind in BESIDE:
            dut.i[self._i[kind]] = kind in comes
        self._high = comes
        if comes:
            del self.events[taken]
        dut.edge(0)
        assert passes == bool(dut.o[self._o["passes"]])
        self._before_core()
        if passes:
            self.words.popleft()
            self._held = None
        dut.edge(_CORE)
