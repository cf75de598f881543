"""The thread that talks to a board: requests in, answers into the :class:`.state.PanelState`.

The board answers in order, except for the answer to an operation, which comes when the operation has ended
and is recognized by its first word (docs/console.md).
"""

import queue
import threading
import time
from collections import deque

from ...pc.console.client import Client, ConsoleError
from ...pc.console.grammar import ACCESS_WAYS, CLEAR, DRIVE_FAILING, DRIVE_TOO_HOT, ENDLESS, FILE_VERBS, OPERATIONS
from ...pc.console.grammar import VERBS, BadLine, checked, number
from ...pc.maintenance import erases
from .lanes import round_of
from .live import LiveOperation
from .state import QUIET

#: Seconds between two polls of the board, while an operation runs and while none does.
_BUSY, _IDLE = 0.2, 1.0
#: Seconds that the thread waits for a line of the board before it looks for requests.
_TURN = 0.05


class RefusedRequest(ValueError):
    """A request that cannot be made now; one line for the user who made it."""


class Connection:
    """Talks to the board at ``port`` (a device, or a URL of pyserial) in a thread of its own.

    ``state`` is a :class:`.state.PanelState`; ``timeout`` the longest silence of the board in s.
    The requests return at once; their answers become part of the state.
    """

    def __init__(self, state, port, *, baud=115200, timeout=3.0):
        self._state = state
        self._port, self._baud, self._timeout = port, baud, timeout
        self._requests = queue.SimpleQueue()
        self._closing = threading.Event()
        self._expected = deque()        # (line, whether it begins an operation)
        self._asked = 0.0               # when the status was requested
        self._cleared = False           # whether the histogram was, and no operation was begun since
        self._client = None
        self._left = False              # the connection was closed, and not lost
        self._thread = threading.Thread(target=self._run, daemon=True, name="console")

    def open(self):
        """Starts the thread; the state shows when the board answers."""
        self._thread.start()

    def close(self):
        """Ends the connection; what the board is doing continues. Returns whether the board was still answering: the
        state still shows it then."""
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()
        return self._left

    # Requests of the pages ------------------------------------------------------------------------

    def ask(self, line):
        """Sends a request of the protocol. Raises :class:`RefusedRequest`."""
        state = self._state
        words = line.split()
        if not words:
            raise RefusedRequest("no request: a line begins with a verb")
        verb = words[0].lower()
        try:
            line = checked(words) if verb in VERBS or verb not in state.known_verbs else \
                " ".join(words)
        except BadLine as error:
            raise RefusedRequest(str(error)) from None
        if name := erases(line):
            raise RefusedRequest(f"{name} destroys what is on the drive: `sata-recorder console` does it, "
                                 "and asks for the drive's serial number")
        if not state.open:
            raise RefusedRequest("there is no connection to a board")
        if state.known_verbs and verb not in state.known_verbs and verb != "help":
            raise RefusedRequest(f"{verb}: this board has no such request")
        if verb in OPERATIONS and state.busy:
            raise RefusedRequest(f"{verb}: an operation runs; stop it first")
        if verb in OPERATIONS:
            self._begin(line)
            self._state.operation.timed, self._cleared = self._cleared, False
        elif line == f"histogram {CLEAR}":
            self._cleared = True
        if verb == "stop" and state.operation and state.operation.running:
            state.operation.stopping = True
        if verb == "stop" and (series := state.series()):
            series.state = "stopped"
            state.changed()
            if not (state.operation and state.operation.moves and state.operation.running):
                return          # what the series has begun ends by itself
        self._requests.put(line)

    def scan(self, scan):
        """Begins ``scan``, a :class:`.scan.Scan`. Raises :class:`RefusedRequest`."""
        if not self._state.open:
            raise RefusedRequest("there is no connection to a board")
        if self._state.busy:
            raise RefusedRequest("scan: an operation runs; stop it first")
        self._state.scan = scan
        self._state.note("sent", f"scan: {scan.verb} {len(scan.plan):,} blocks of "
                                 f"{scan.plan[0][1]:,} sectors from {scan.plan[0][0]:,} on")

    def care(self, care):
        """Begins ``care``, a :class:`.care.Care`. Raises :class:`RefusedRequest`."""
        if not self._state.open:
            raise RefusedRequest("there is no connection to a board")
        if self._state.busy:
            raise RefusedRequest(f"{care.name}: an operation runs; stop it first")
        self._state.care = care
        self._state.note("sent", care.name)

    def _begin(self, line, series=None):
        """Makes the operation of ``line`` known at once, so that no other one begins."""
        verb, *rest = line.split()
        places = VERBS[verb].numbers
        # The numbers of a `command` are registers, not an extent.
        numbers = [number(word) for word in rest[:len(places)]] if places[:1] == ("LBA",) else []
        lba, sectors = (*numbers, None, None)[:2]
        pattern = next((word for word in rest if word in ("inc32", "dec32")), "inc32")
        self._state.begin(LiveOperation(
            verb, self._state.clock_hz, lba=lba, sectors=1 if verb == "dump" else sectors,
            pattern=pattern if verb in ("record", "play", *FILE_VERBS, *ENDLESS) else None, series=series,
            numbers=tuple(map(number, rest[:len(places)])) if verb in (*FILE_VERBS, *ENDLESS, "access") else (),
            way=next((word for word in rest if word in ACCESS_WAYS), ACCESS_WAYS[0]) if verb == "access" else None))

    # The thread -----------------------------------------------------------------------------------

    def _run(self):
        state = self._state
        try:
            with Client(self._port, baud=self._baud, timeout=self._timeout,
                        on_event=self._event) as self._client:
                self._client.connect()
                state.version = self._client.version
                self._learn()
                state.connection = "open"
                state.note("event", f"connected to {state.version['core']} at {self._port}")
                while not self._closing.is_set():
                    self._turn()
            self._left = True
        except ConsoleError as error:
            state.offline("lost", str(error))
            state.note("error", str(error))
        except BaseException as error:
            state.offline("lost", f"the panel itself has failed: {error!r}")
            raise

    def _event(self, text):
        bad = text.startswith("error") or text in (DRIVE_FAILING, DRIVE_TOO_HOT)
        self._state.note("error" if bad else "event", text)
        if text.startswith("ready"):
            self._requests.put("identify")
            self._requests.put("identify raw")

    def _learn(self):
        """Asks what the board can do, for its status and its drive, and what it is doing."""
        client, state = self._client, self._state
        for line in ("help", "status", "identify", "identify raw"):
            answer = client.request(line)
            if line == "help":
                state.known_verbs = {"help": "help"} | {
                    text.split()[0].rstrip(":"): text for text in answer.lines}
            elif answer.error != "not-ready":
                state.told(line, answer)
        if "lane" in state.known_verbs:
            state.told("lane first", client.request("lane first"))
        running = state.status.get("operation", "none")
        if running != "none":
            state.begin(LiveOperation(running, state.clock_hz))
            state.note("event", f"found an operation running: {running}")

    def _turn(self):
        """Sends what is waiting, and takes one answer."""
        state = self._state
        # An error without lines may be the answer to an operation, until something shows that it was accepted.
        while not any(begins for _, begins in self._expected):
            try:
                line = self._requests.get_nowait()
            except queue.Empty:
                break
            self._send(line)
        self._next_of_series()
        now = time.monotonic()
        if not self._asking() and now - self._asked >= (_BUSY if state.busy else _IDLE):
            self._asked = now
            self._send("status")
            if state.lanes:
                for line in round_of(state.lanes):
                    self._send(line)
            elif state.operation and state.operation.running and state.operation.moves:
                self._send("counters")
        answer = self._client.answer(_TURN)
        if answer is not None:
            self._understand(answer)
        elif self._asking() and time.monotonic() - self._client.heard > self._timeout:
            raise self._client.silent()

    def _asking(self):
        """Whether an answer is due that does not wait for the drive."""
        return any(not begins for _, begins in self._expected)

    def _send(self, line):
        self._expected.append((line, line.split()[0] in OPERATIONS))
        # The latest line may have come a while ago: silence is counted from now.
        self._client.heard = max(self._client.heard, time.monotonic())
        self._client.send(line)
        if line.split()[0] not in QUIET:
            self._state.note("sent", line)
        if line.split()[0] in OPERATIONS:
            self._asked = 0.0       # the answer to what comes next shows that it was accepted

    def _next_of_series(self):
        """Sends the next block of a scan, or the next request of a care, if one is due."""
        state, series = self._state, self._state.series()
        if not series or self._expected or (state.operation and state.operation.running):
            return
        line = series.next_line()
        self._begin(line, series)
        self._expected.append((line, True))
        self._client.send(line)
        self._asked = time.monotonic()      # the status of a short block is not requested

    def _understand(self, answer):
        """Takes an answer; only reports one that noise on the line has damaged."""
        try:
            self._take(answer)
        except ValueError:
            series = self._state.series()
            if series and self._state.operation.series is series:
                series.state, series.error = "failed", "spoilt-answer"
            self._state.note("error", f"an answer that cannot be read: {' / '.join(answer.lines)}")

    def _take(self, answer):
        """Takes one answer: to the operation that runs, or to the oldest request."""
        operation = self._state.operation
        running = operation if operation and operation.running else None
        if running and answer.lines and answer.verb == running.verb:
            self._expected = deque(item for item in self._expected if not item[1])
            self._ended(running, answer)
            return
        while self._expected:
            line, begins = self._expected.popleft()
            if begins and not (answer.error and not answer.lines):
                continue        # it was accepted: its own answer comes later, or has come
            if begins and running:
                self._ended(running, answer)
            else:
                self._told(line, answer, running)
            return
        self._state.note("event", f"an answer that nobody requested: {answer.verb}")

    def _told(self, line, answer, running):
        self._state.told(line, answer)
        if answer.error or not running:
            return
        if line == "status":
            if self._state.status["operation"] == running.verb:
                running.told_status(self._state.status)
        elif line == "counters" and running.moves and not self._state.lane:
            running.told_counters(self._state.counters)

    def _ended(self, operation, answer):
        """Ends an operation that is over or was refused, and requests what follows."""
        state = self._state
        operation.end(answer)
        if operation.verb == "dump" and answer.data():
            state.dump = operation.lba, answer.data()
        series = operation.series
        if series and series.state in ("running", "stopped"):
            stopped = series.state == "stopped"
            self._of_series(series, answer)
            if stopped and series.state != "failed":
                series.state = "stopped"
        else:
            state.note("error" if operation.error else "answer", summary(operation))
        if not series or not series.running:
            self._requests.put("counters")
        if operation.verb == "access" and operation.timed:
            self._requests.put("histogram")
        # The answer of a file does not state whether there are entries.
        if "journal_entries" in operation.fields or not series and (operation.error or operation.verb in FILE_VERBS):
            self._requests.put("journal")
        elif operation.moves and not series:
            state.journal = []
        state.changed()

    def _of_series(self, series, answer):
        """Takes the answer to the latest request of a scan or a care."""
        if series is self._state.scan:
            series.told(answer, self._state.clock_hz)
            return
        series.take(answer)
        if series.error:
            self._state.note("error", series.error)
        elif series.told:
            self._state.note("answer", f"{series.name}: {series.told}")


def summary(operation):
    """How an operation ended, in one line."""
    extent = f" {operation.lba:,}" if operation.lba is not None else ""
    if operation.moves and operation.sectors is not None:
        extent = f" sectors {operation.lba:,} to {operation.lba + operation.sectors - 1:,}"
    rate = operation.fields.get("mb_per_s")
    told = f", {rate:.2f} MB/s" if isinstance(rate, (int, float)) and (operation.moves or operation.way) else ""
    return f"{operation.verb}{extent}: {operation.error or operation.state}{told}"
