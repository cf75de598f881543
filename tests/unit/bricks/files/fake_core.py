"""A core in Python, at the ports below the files stage: it moves words to and from a disk."""

import functools

from unit.bricks.files.world import FileWorld
from unit.core.phy.compiled import Compiled

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.bricks.files import FileController
from sata_recorder.interface.recording import RecordingMode, RecordingState, SegmentState
from sata_recorder.pc.volume import Timestamp, verify

__all__ = ["CLOCK_HZ", "TIME", "FilesCore", "brick", "data_of"]

#: So few, so that seconds are short.
CLOCK_HZ = 5000
#: Clocks from ``start`` to the first word, and from the last word to ``done``.
_BEFORE, _BEHIND = 10, 20
#: What the core takes with its start.
_INPUTS = "mode", "words", "part", "chunk", "segments", "extend", "ahead", "position"
#: What of it the core may have taken before.
_GIVEN = "words", "chunk", "extend"
#: What the user is told while it runs.
_ORDER = tuple(f"recording__{name}" for name in ("state", "newest", "oldest", "segment_count"))
#: What the core sees of the stage in each clock.
_SEEN = "i__valid", "i__payload", "o__ready", "control__stop"
#: When a recording began.
TIME = Timestamp(46 << 25 | 11 << 21 | 22 << 16 | 13 << 11, 150, 0x84)


@functools.cache
def brick(modes, lines=False):
    return Compiled(FileController(CLOCK_HZ, modes=modes, lines=lines))


class FilesCore(FileWorld):
    """The stage above a core whose drive is ``disk``, a bytearray.

    ``command_sectors`` is the longest command: after a stop the one that runs is filled with zeros.
    ``steps`` has what was written, as (LBA, content), and None for each FLUSH CACHE. ``fails`` is a
    function of (operation, LBA) that gives the :class:`Error` with which an operation ends, after
    ``fail_after`` sectors of it. ``journal`` has the entries that the journal shows, as four
    numbers each. ``in_doubt`` is how many of the next operations leave ``unflushed`` set.

    With ``lines`` a word that is last ends a line.

    With ``modes`` it has those of a recording. In RING and TRIGGERED ``firsts`` are the first
    sectors of the segments, each in its part, ``table`` has their entries, as eight numbers each,
    and with word number ``ends`` the recording ends by itself. A segment counts from the first word
    of the next one on. ``resumed`` is how often a recording continued.
    """

    def __init__(self, disk, *, command_sectors=8, model="SATA DRIVE MODEL", serial="SN0001",
                 modes=False, lines=False, **options):
        super().__init__(brick(modes, lines), **options)
        self._at, self._of = ({name.removeprefix("core__"): place for name, place in ports.items()
                               if name.startswith("core__")} for ports in (self.dut.inputs, self.dut.outputs))
        self.modes, self.firsts, self.table, self.ends = modes, [0], [], None
        self.mode_inputs = None     # of the latest recording in RING or TRIGGERED
        self._order = [0, 0, 0, 0]  # state, newest, oldest, segments
        self._given = {}
        self._taken, self._written = [], 0      # of a recording in RING or TRIGGERED
        self.segment_state = SegmentState.BEFORE
        self._suspended, self._resumes, self.resumed = False, False, 0
        self._is_direct = False     # what runs, or ran, is no operation of a recording
        self._continued = None      # the mode of the latest one that is
        self._segment = [0, 0]
        self.disk, self.command_sectors = disk, command_sectors
        self.steps, self.journal, self.journal_count = [], [], None
        self.fails = lambda operation, lba: Error.NONE
        self.fail_after = 0
        self.in_doubt = self.dropped = 0
        self.ready = True
        self.meanwhile = lambda: None   # what happens to a drive that is away in an operation
        self.starts = []            # (operation, LBA, sectors)
        self.identify = [0] * 128
        self._text(27, model.ljust(40))
        self._text(10, serial.ljust(20))
        self.running = None
        self._behind, self._later = 0, None
        self._fields = [0, 0]
        self._dword = self._error = 0
        self.unflushed = self._away = False
        self._counts = 0, 0
        self.following = None           # the operation that was started in the clock before

    def _text(self, word, text):
        for n in range(0, len(text), 2):
            place, value = word + n // 2, ord(text[n]) << 8 | ord(text[n + 1])
            self.identify[place // 2] |= value << 16 * (place % 2)

    def below(self):
        dut = self.dut
        if self.running is None:
            self.running, self.following = self.following, None
        run = self.running
        inputs = {"i__ready": 0, "o__valid": 0, "status__done": 0}
        if run is not None:
            try:
                inputs |= next(run)
            except StopIteration:
                self.running, self._behind = None, 12
        if self._behind:
            self._behind -= 1
            if not self._behind and self._later:
                self._order, self._later = self._later, None
        i, at = dut.i, self._at
        i[at["status__ready"]] = self.ready and self.running is None
        i[at["status__error"]] = self._error
        i[at["status__unflushed"]] = self.unflushed
        i[at["away"]] = self._away or not self.ready
        i[at["counters__words"]], i[at["status__sectors_done"]] = self._counts
        i[at["counters__dropped"]] = self.dropped
        i[at["journal__data"]], i[at["identify__data"]] = self._fields[0], self._dword
        i[at["journal__count"]] = len(self.journal) if self.journal_count is None else self.journal_count
        for name, value in inputs.items():
            i[at[name]] = value
        if self.modes:
            number = self._segment_now()
            i[at["recording__segment_data"]] = self._segment[0]
            i[at["recording__segment_state"]] = self.segment_state if self._order[0] == RecordingState.RUNNING else 0
            i[at["suspension__suspended"]], i[at["suspension__position"]] = self._suspended, len(self._taken)
            i[at["suspension__first_sector"]] = self.firsts[number] if number < len(self.firsts) else 0
            for name, value in zip(_ORDER, self._order):
                i[at[name]] = value
        dut.edge(0)
        # What the stage answers in this clock.
        o, of = dut.o, self._of
        self._seen = {name: o[of[name]] for name in _SEEN}
        if self.modes:
            self._seen["suspend"] = o[of["suspension__suspend"]]
            self._suspended = self._suspended and not o[of["suspension__abandon"]]
        if o[of["status__clear_unflushed"]]:
            self.unflushed = False
        address = o[of["journal__address"]]
        # What lies after the entries is old.
        self._fields = [self._fields[1], self.journal[address // 4][address % 4]
                        if address < 4 * len(self.journal) else 0xDEAD]
        if self.modes:
            address = o[of["recording__segment_address"]]
            # The table keeps the last 16.
            held = [entry for number, entry in enumerate(self.table) if number % 16 == address // 8]
            self._segment = [self._segment[1], held[-1][address % 8] if held else 0xDEAD << 32]
        self._dword = self.identify[o[of["identify__address"]]]
        if self.modes and o[of["suspension__take"]]:
            self._given = {name: o[of[f"recording__{name}"]] for name in _GIVEN}
        if o[of["control__start"]]:
            assert self.running is None, "a start while the core is busy"
            inputs = {name: o[of[f"recording__{name}"]] for name in _INPUTS} \
                if self.modes else {"mode": RecordingMode.UNTIL_STOPPED}
            if self.modes:
                direct = o[of["suspension__direct"]]
                assert direct or not self._suspended or self._continued == inputs["mode"]
                self._continued = self._continued if direct else inputs["mode"]
                self._resumes = o[of["suspension__resume"]]
                assert self._resumes == (self._suspended and not direct)
                self._is_direct = direct
                if o[of["suspension__taken"]]:
                    inputs |= self._given | {"position": 0}
            self.following = self._operate(inputs, *(o[of[f"control__{name}"]]
                                         for name in ("operation", "lba", "sectors")))

    def _operate(self, inputs, operation, lba, sectors):
        """The inputs of the stage in each clock of an operation."""
        self.starts.append((Operation(operation), lba, sectors))
        self._counts, self._error = (0, 0), Error.NONE
        if not self.ready:
            self._error = Error.NOT_READY
            yield {"status__done": 1}
            return
        failure = self.fails(operation, lba)
        if not self._suspended or self._resumes:
            self._order = [RecordingState.RUNNING, 0, 0, 0]
        self._error = failure
        if failure:
            sectors = min(sectors, self.fail_after)
        elif not self._resumes and 512 * (lba + sectors) > len(self.disk):
            self._error, sectors = Error.OUT_OF_RANGE, 0
        elif not sectors and not self._resumes and operation != Operation.FLUSH:
            self._error = Error.ZERO_SECTORS
        if operation == Operation.FLUSH:
            self._flush(failure)
        elif operation == Operation.PLAY:
            yield from self._play(lba, sectors)
        else:
            if inputs["mode"] == RecordingMode.UNTIL_STOPPED:
                yield from self._record(lba, sectors)
                if self.modes and not self._is_direct:
                    self._suspended = bool(self._seen["suspend"]) and not failure
            else:
                self.mode_inputs = inputs
                yield from self._record_again(
                    lba, inputs["part"] if inputs["mode"] == RecordingMode.TRIGGERED else sectors,
                    self.fail_after if failure else None, self._resumes)
            if operation == Operation.RECORD_FLUSH:
                self._flush(self._error)
        for _ in range(_BEHIND):
            yield {}
        if self.in_doubt:
            self.in_doubt -= 1
            self.unflushed = self._away = True
            self.meanwhile()
            yield {}
            self._away = False
        yield {"status__done": 1}

    def _flush(self, error):
        if not error:
            self.steps.append(None)

    def _play(self, lba, sectors):
        for _ in range(_BEFORE):
            yield {}
        for n in range(128 * sectors):
            place = 512 * lba + 4 * n
            word = int.from_bytes(self.disk[place:place + 4], "little")
            while True:
                valid = self.rng.random() < 0.8
                yield {"o__valid": valid, "o__payload": word}
                if valid and self._seen["o__ready"]:
                    break

    def _record(self, lba, sectors):
        stops, words = False, []
        for _ in range(_BEFORE):
            yield {}
            stops |= bool(self._seen["control__stop"])
        while len(words) < 128 * sectors and not stops:
            ready = self.rng.random() < 0.9
            yield {"i__ready": ready}
            if ready and self._seen["i__valid"]:
                words.append(self._seen["i__payload"])
            stops = bool(self._seen["control__stop"])
        # Whole commands, of zeros at the end.
        full = min(-(-len(words) // (128 * self.command_sectors)) * self.command_sectors, sectors)
        content = b"".join(word.to_bytes(4, "little") for word in words).ljust(512 * full, b"\0")
        self._counts = len(words), full
        for start in range(0, full, self.command_sectors):
            part = content[512 * start:512 * (start + self.command_sectors)]
            self.disk[512 * (lba + start):512 * (lba + start) + len(part)] = part
            self.steps.append((lba + start, part))


    def _segment_now(self):
        """The number of the segment that is being recorded."""
        return max(n for n, first in enumerate(self.firsts) if not n or 128 * first
                   < len(self._taken))

    def _record_again(self, lba, part, fail_after, resumes):
        """RING, TRIGGERED: each part is filled again and again."""
        if not resumes:
            self._taken, self._written = [], 0
        self.resumed += resumes
        self._suspended = False
        stops, words, before = False, self._taken, len(self._taken)
        lba, part = self._place = self._place if resumes else (lba, part)
        for _ in range(_BEFORE):
            yield {}
            stops |= bool(self._seen["control__stop"])
        while not stops and len(words) != self.ends:
            ready = self.rng.random() < 0.9
            self._order[3] = self._segment_now()
            yield {"i__ready": ready}
            if ready and self._seen["i__valid"]:
                words.append(self._seen["i__payload"])
            stops = bool(self._seen["control__stop"])
        self._suspended = bool(stops and self._seen["suspend"])
        self._order[0] = RecordingState.CLOSING
        written = -(-len(words) // 128)
        if fail_after is not None:
            written = min(written, self._written + fail_after)
            self._suspended = False
        content = b"".join(word.to_bytes(4, "little") for word in words).ljust(512 * written, b"\0")
        for sector in range(self._written, written):
            number = max(n for n, first in enumerate(self.firsts) if first <= sector)
            place = lba + part * number + (sector - self.firsts[number]) % part
            data = content[512 * sector:512 * sector + 512]
            self.disk[512 * place:512 * place + 512] = data
            self.steps.append((place, data))
        self._counts, self._written = (len(words) - before, written - self._written), written
        for _ in range(_BEHIND):
            yield {}
        # The numbers and the last entry come after `done`.
        number = self._segment_now() if self._suspended else len(self.firsts) - 1
        self._later = [RecordingState.IDLE, written, max(self.firsts[number], written - part),
                       number if self._suspended else len(self.table)]


def data_of(core, seen, number=1):
    """The data of a recording as the PC has it; all else is in order. That it has no log, as after an
    update alone, may be noted."""
    drive = seen(core.disk)
    found = verify(drive)
    recording = drive.find(number)
    notes = [note for note in found.notes if recording.log or "it has no log" not in note]
    assert (found.problems, notes) == ([], [])
    assert recording.is_file
    return drive.memmap(recording).tobytes()
