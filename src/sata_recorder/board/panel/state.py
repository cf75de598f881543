"""What the panel knows about the board, its drive, and what it did. All browsers see the same.

The thread of :mod:`.connection` writes it, and so does the code that breaks the simulated drive; the pages
only read it, in a thread of their own. So a series that a page goes through is a tuple, which is replaced
and never changed. ``revision`` changes with each change.
"""

import threading
import time
from dataclasses import dataclass, field
from datetime import datetime

from ...pc.console import SIMULATED_SERIAL
from ...pc.console.grammar import TIMES, VERBS
from .lanes import with_lane, with_ledger
from ...pc.console.sound import sound_fields

_LOG_LINES = 500
_OPERATIONS = 50
#: Requests that the panel sends by itself: their answers are no news.
QUIET = ("status", "counters", "lane")


@dataclass(frozen=True)
class LogLine:
    """``kind``: "sent", "answer", "event", "error", or "drive" for what was done to the drive."""

    kind: str
    text: str
    at: datetime


@dataclass
class PanelState:
    """``connection``: "none", "opening", "open" or "lost"; ``reason`` why it is lost.
    ``simulated``: the panel runs the board itself. ``known_verbs`` {verb: usage} of the
    board, from its `help`. ``operation`` the latest one, ``past`` those before; ``scan`` the
    latest, as is ``care``; ``times`` {bin: commands} of the latest access, None if they were not
    counted separately; ``smart`` attributes and health, as :func:`...pc.maintenance.read_smart` has them, None
    until they are read; ``lanes`` of an array (:class:`.lanes.Lane`), and ``lane``, that of which the board
    shows the ledger. ``journal`` its entries, None until they are known; ``dump`` (LBA, bytes) of the latest
    sector."""

    connection: str = "none"
    reason: str = ""
    port: str = ""
    baud: int = 115200
    simulated: bool = False
    version: dict = field(default_factory=dict)
    known_verbs: dict = field(default_factory=dict)
    status: dict = field(default_factory=dict)
    identity: dict = field(default_factory=dict)
    identify_data: bytes = b""
    operation: object = None
    past: tuple = ()
    scan: object = None
    care: object = None
    smart: tuple | None = None
    counters: dict = field(default_factory=dict)
    lanes: tuple = ()
    lane: int = 0
    journal: list | None = None
    phy: dict = field(default_factory=dict)
    dump: tuple | None = None
    times: dict | None = None
    log: tuple = ()
    revision: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def clock_hz(self):
        """Frequency of the core's clock; 0 before it is known."""
        return self.version.get("clock_hz", 0)

    @property
    def open(self):
        """Whether a board answers."""
        return self.connection == "open"

    @property
    def is_simulated(self):
        """Whether board or drive report that they are a simulation."""
        return self.simulated or self.identity.get("serial") == SIMULATED_SERIAL

    @property
    def busy(self):
        """Whether an operation runs, or a series of them."""
        return bool(self.operation and self.operation.running or self.series())

    def series(self):
        """The scan or the care that runs; None if there is none."""
        return next((one for one in (self.scan, self.care) if one and one.running), None)

    @property
    def capacity(self):
        """Sectors of the drive; 0 before they are known."""
        return self.status.get("capacity") or 0

    @property
    def ready(self):
        """Whether an operation can begin."""
        return self.open and not self.busy and bool(self.status.get("ready"))

    def changed(self):
        """Makes the pages read it again."""
        with self._lock:
            self.revision += 1

    def note(self, kind, text):
        """Adds a line to the log."""
        with self._lock:
            self.log = (*self.log, LogLine(kind, text, datetime.now()))[-_LOG_LINES:]
        self.changed()

    def begin(self, operation):
        """Begins an operation: it becomes the latest one."""
        with self._lock:
            if self.operation is not None:
                self.past = (*self.past, self.operation)[-_OPERATIONS:]
            self.operation = operation
        if operation.moves and not operation.series:
            self.journal = None
        if operation.verb == "access":
            self.times = None
        self.changed()

    def offline(self, connection, reason):
        """The board no longer answers: what runs is lost."""
        self.connection, self.reason = connection, reason
        if self.operation and self.operation.running:
            self.operation.end()
        if series := self.series():
            series.state = "lost"
        self.status = {}
        self.changed()

    def new_board(self, port, baud, simulated):
        """Another connection begins: nothing is known of its board and its drive."""
        self.port, self.baud, self.simulated = port, baud, simulated
        self.version, self.known_verbs, self.status, self.identity = {}, {}, {}, {}
        self.identify_data, self.phy, self.smart, self.lanes = b"", {}, None, ()
        self.connection, self.reason = "opening", ""
        self.changed()

    def forget(self):
        """There is no board any more, and the user knows: back to the beginning. What was done
        stays in the tables."""
        self.connection, self.reason = "none", ""
        self.version, self.status, self.identity, self.identify_data = {}, {}, {}, b""
        self.changed()

    def other_verbs(self):
        """Usage of the board's requests that this program does not know, by verb."""
        return {verb: usage for verb, usage in self.known_verbs.items() if verb not in VERBS}

    def told(self, line, answer):
        """Takes the answer to ``line``, whatever it was. Raises :class:`...pc.console.sound.SpoiltAnswer`."""
        verb = line.split()[0] if line.split() else ""
        if answer.error:
            self.note("error", f"{line}: {answer.error}")
        elif verb not in QUIET:
            self.note("answer", f"{line}: ok")
        if answer.error:
            return
        fields = sound_fields(answer, line)
        match verb:
            case "status":
                self.status = fields
            case "identify" if "raw" in line:
                data = bytes.fromhex("".join(text.partition(": ")[2] for text in answer.lines))
                self.identify_data = data if len(data) == 512 else b""
            case "identify":
                if fields.get("serial") != self.identity.get("serial"):
                    self.smart = None
                self.identity = fields
            case "lane":
                self.lane, self.lanes = fields["lane"], with_lane(self.lanes, fields)
            case "counters":
                self.lanes = with_ledger(self.lanes, self.lane, fields)
                if not self.lane:
                    self.counters = fields
            case "journal":
                self.journal = fields["entries"]
            case "histogram" if fields.get("histogram") == TIMES and self.operation and self.operation.timed:
                self.times = fields["bins"]
            case "phy" if answer.lines:
                self.phy = fields
        self.changed()

    def time_of_day(self):
        """The present time, for names of files."""
        return time.strftime("%Y%m%d-%H%M%S")
