"""A board as a run of endurance sees it: a script, with a drive whose SMART follows from what is written."""

from sata_recorder.board.endurance import End, EnduranceLog, EnduranceRequest, EnduranceRun, Ways, begin, go_on
from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.client import ConsoleError
from sata_recorder.pc.maintenance import task
from unit.pc.maintenance.real_drives import GOOD, RealDrive, row64

__all__ = ["CAPACITY", "WANTED", "Clock", "Life", "WornBoard"]

CAPACITY = 1 << 16
_EXCEEDED = 0x2CF400
WANTED = EnduranceRequest("SN 1", 0, 0, "ring", None, 1.0, End("bytes", 200 * 10**6))


class Clock:
    """Time that passes only when somebody waits, or the board writes."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


class WornBoard:
    """Stands for :class:`sata_recorder.pc.console.client.Client`, with a drive with an Indilinx Barefoot of this
    ``serial``. It writes ``speed`` bytes a second; its blocks are erased once for each ``erase_bytes``.

    ``lines`` came. ``dies_after`` bytes it takes no write any more; ``bad`` sectors cannot be written; ``lost_after``
    so many recordings the port is gone; ``events``: {number of a recording: what happens instead}; ``before`` is called
    with each line of an operation.
    """

    def __init__(self, clock, *, serial="SN 1", erase_bytes=1 << 20, dies_after=None, bad=(), lost_after=None,
                 speed=100e6):
        self.speed, self.clock, self.serial = speed, clock, serial
        self.erase_bytes, self.dies_after = erase_bytes, dies_after
        self.bad, self.lost_after, self.events = bad, lost_after, {}
        self.version = {"clock_hz": 1e6, "station": 1}
        self.interrupted, self.lines, self.content = False, [], {}
        self.written = self.recordings = 0
        self.before, self.model = lambda line: None, "OCZ-ONYX"
        self.ready, self.dead, self.operation, self.entries = True, False, "none", ()
        self.drive = RealDrive("OCZ-ONYX", "1.6", words=[(169, 1), (105, 8)], sectors=CAPACITY)

    def request(self, line):
        self.lines.append(line)
        verb = line.split()[0]
        if verb == "status":
            return Answer(("link up", f"ready {'yes' if self.ready else 'no'}", "last-error none", "drive-error 0x04",
                           f"operation {self.operation}"), None)
        if verb == "journal":
            return Answer((f"entries {len(self.entries)}", *self.entries), None)
        if not self.ready:
            return Answer((), "not-ready")
        if line == "identify raw":
            data = b"".join(word.to_bytes(2, "little") for word in self.drive.words)
            return Answer(tuple(f"{16 * n:03x}: " + data[16 * n:16 * n + 16].hex(" ") for n in range(32)), None)
        if verb == "identify":
            return Answer((f"model {self.model}", f"serial {self.serial}", "firmware 1.6", f"capacity {CAPACITY}",
                           "lba48 yes"), None)
        raise AssertionError(line)

    def operate(self, line):
        self.lines.append(line)
        if (answer := self.before(line)) is not None:
            return answer
        verb = line.split()[0]
        if verb == "record":
            return self.record(line)
        if verb == "play":
            return self.play(line)
        if verb == "trim":
            lba, sectors = map(int, line.split()[1:])
            self.content = {n: one for n, one in self.content.items() if not lba <= n < lba + sectors}
            return Answer((line,), "drive-error" if self._dies(1) else None)
        if line == task("check-power-mode").line:
            return Answer(("command", "result-count 255"), None)
        erases = self.written // self.erase_bytes
        self.drive.status = _EXCEEDED if self.dead else GOOD
        self.drive.rows = [row64(*pair) for pair in {
            1: 7, 195: 0, 196: 2, 197: 1, 198: 1000, 199: self.written // 512, 202: 1, 205: 5000,
            206: max(0, erases - 1), 207: erases + 1, 208: erases}.items()]
        found = self.drive.answer(line)
        data = found.data()
        lines = tuple(f"{16 * n:03x}: " + data[16 * n:16 * n + 16].hex(" ") for n in range(len(data) // 16))
        fields = (f"{name.replace('_', '-')} {value}" for name, value in found.fields().items())
        return Answer(("command", *fields, *lines), None)

    def stop(self):
        self.lines.append("stop")
        self.operation = "none"

    def _dies(self, size):
        self.dead = self.dead or self.dies_after is not None and self.written + size > self.dies_after
        return self.dead

    def record(self, line):
        self.recordings += 1
        if self.lost_after is not None and self.recordings > self.lost_after:
            raise ConsoleError("/dev/ttyUSB1: no answer")
        if (event := self.events.pop(self.recordings, None)) is not None:
            if (answer := event(line)) is not None:
                return answer
        _, lba, sectors, pattern, _ = line.split()
        lba, sectors = int(lba), int(sectors)
        bad = [sector for sector in self.bad if lba <= sector < lba + sectors]
        if bad or self._dies(512 * sectors):
            place = bad[0] if bad else lba
            self.entries = (f"in-doubt cause drive-error lba {lba} sectors {sectors}",)
            return Answer((line, "sectors-done 0", "words 0", "clocks 1", "stopped no", "retries 0",
                           "skipped-sectors 0", f"drive-error {'0x10' if bad else '0x04'}",
                           f"error-lba {place}"), "drive-error")
        self.written += 512 * sectors
        seconds = 512 * sectors / self.speed
        self.clock.now += seconds
        self.content |= dict.fromkeys(range(lba, lba + sectors), pattern)
        return Answer((line, f"sectors-done {sectors}", f"words {128 * sectors}", f"clocks {round(seconds * 1e6)}",
                       "stopped no", "retries 0", "skipped-sectors 0"), None)

    def play(self, line):
        _, lba, sectors, pattern = line.split()
        wrong = sum(self.content.get(n) != pattern for n in range(int(lba), int(lba) + int(sectors)))
        return Answer((line, f"sectors-done {sectors}", f"mismatches {128 * wrong}"), "mismatch" if wrong else None)


class Life:
    """A run of a board, in the folder ``path``."""

    def __init__(self, path, wanted=WANTED, **options):
        self.clock, self.events = Clock(), []
        self.board = WornBoard(self.clock, **options)
        self.path = path / "life.csv"
        self.request, state = begin(self.board, wanted)
        self.log = EnduranceLog.create(self.path, state)

    def run(self):
        ways = Ways(sleep=self.clock.sleep, monotonic=self.clock.monotonic, told=self.events.append)
        try:
            return EnduranceRun(self.board, self.request, self.log, ways).run()
        finally:
            self.log.__exit__()

    def resume(self, board=None, serial="SN 1"):
        self.board = board or self.board
        self.log = EnduranceLog.resume(self.path)
        try:
            self.request = go_on(self.board, self.log, serial)
        except BaseException:
            self.log.__exit__()
            raise
        return self.run()

    @property
    def recorded(self):
        return [line.split() for line in self.board.lines if line.startswith("record")]
