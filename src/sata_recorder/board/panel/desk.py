"""The desk at which all browsers sit: one board, one connection to it, one state."""

import tempfile
import threading
from datetime import datetime
from pathlib import Path

from ...pc.console.grammar import CLEAR, TRIM_SECTORS
from ...pc.console.simulated import SimulatedBoard, SimulationFailed
from ...pc.maintenance import NotOffered, enter_standby, identify_words, read_smart, trim_range
from ...pc.volume import LayoutError, Refused, Timestamp, prepare
from .care import Care
from .connection import Connection, RefusedRequest
from .own_data import OwnData
from .scan import BadScan, Scan, planned_blocks
from .state import PanelState

#: Longest silence in s of a board at a port, and of a simulated one, which this machine may be too
#: busy to run.
_PATIENCE, _PATIENCE_SIMULATED = 3.0, 60.0
#: Bytes of a file that a browser may put onto a simulated drive.
MOST_LOADED = 64 << 20
#: Sectors and recordings of a drive that is prepared for a simulated board without an image.
_PREPARED, _RECORDINGS = 1 << 20, 4


class Desk:
    """What the pages call. Requests to the board return at once, or raise :class:`.connection.RefusedRequest`, whose
    text is for the user. ``state`` is the :class:`.state.PanelState`, ``own_data`` records files of the user's."""

    def __init__(self):
        self.state = PanelState()
        self.own_data = OwnData()
        self._connection = None
        self._board = None
        self._again = None
        self._folder = None         # of the drive that this panel has prepared
        self._attempt = 0           # connections that were begun or ended so far
        self._lock = threading.Lock()

    # Connections ----------------------------------------------------------------------------------

    def connect(self, port, baud=115200):
        """Connects to the board at ``port``."""
        if not port.strip():
            raise RefusedRequest("no port: it is a device such as /dev/ttyUSB1, or a URL")
        self._again = lambda: self.connect(port, baud)
        self._begin(lambda: port.strip(), port.strip(), baud, simulated=False)

    def connect_simulated(self, **options):
        """Starts a simulated board (see :class:`...pc.console.simulated.SimulatedBoard`) and connects to it."""
        self._again = lambda: self.connect_simulated(**options)

        def start():
            made = options
            if "files" in options.get("offers", ()) and options.get("image") is None:
                made = options | {"image": self._prepared(options.get("capacity")), "capacity": None}
            self._board = SimulatedBoard(**made)
            return self._board.start()
        self._begin(start, "simulated board", options.get("baud") or 115200, simulated=True)

    def _prepared(self, capacity):
        """The image of a drive with room for recordings; it vanishes with the panel."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="sata-recorder-panel-")
        path = Path(self._folder.name) / "drive.img"
        try:
            prepare(path, sectors=capacity or _PREPARED, recordings=_RECORDINGS, overwrite=True)
        except (LayoutError, Refused, OSError) as error:
            raise SimulationFailed(f"its drive cannot be prepared: {error}") from None
        return path

    def connect_again(self):
        """Makes the latest connection again."""
        if self._again is None:
            raise RefusedRequest("there was no connection yet")
        self._again()

    def _begin(self, start, name, baud, simulated):
        if self.state.connection == "opening":
            raise RefusedRequest("a connection is being made")
        self.disconnect()
        self.state.new_board(name, baud, simulated)

        attempt = self._attempt

        def run():
            try:
                port = start()
            except SimulationFailed as error:
                if attempt == self._attempt:
                    self.state.offline("lost", f"the simulated board did not start: {error}")
                    self.state.note("error", self.state.reason)
                return
            with self._lock:
                if attempt != self._attempt:
                    return          # somebody has disconnected in the meantime
                self.state.port = port
                patience = _PATIENCE_SIMULATED if simulated else _PATIENCE
                self._connection = Connection(self.state, port, baud=baud, timeout=patience)
                self._connection.open()

        threading.Thread(target=run, daemon=True, name="connect").start()

    def disconnect(self):
        """Ends the connection, and the simulated board if there is one."""
        with self._lock:
            self._attempt += 1
            connection, self._connection = self._connection, None
            board, self._board = self._board, None
            left = connection is not None and connection.close()
            if board:
                board.close()
            if left:
                # Not before the simulated board has ended: until then the image of its drive is in use.
                self.state.offline("none", "")

    # Requests -------------------------------------------------------------------------------------

    def ask(self, line):
        """Sends a line of the protocol."""
        if self._connection is None:
            raise RefusedRequest("there is no connection to a board")
        self._connection.ask(line)

    def scan(self, verb, lba, sectors, block, count, pattern="inc32"):
        """Begins a scan, see :func:`.scan.planned_blocks`."""
        if self._connection is None:
            raise RefusedRequest("there is no connection to a board")
        try:
            plan = planned_blocks(lba, sectors, block, count, self.state.capacity)
        except BadScan as error:
            raise RefusedRequest(str(error)) from None
        self._connection.scan(Scan(verb, pattern, plan))

    def file(self, line):
        """Sends the time, and then ``line``, which begins a file."""
        if self.state.busy:
            raise RefusedRequest(f"{line.split()[0]}: an operation runs; stop it first")
        self.ask(f"time {Timestamp.of(datetime.now().astimezone()).packed:#x}")
        self.ask(line)

    def access(self, planned):
        """Begins accesses, ``planned`` as :class:`.accesses.PlannedAccess`; clears the histograms of a board that has
        some, so that they count the commands of these accesses alone."""
        if self.state.busy:
            raise RefusedRequest("access: an operation runs; stop it first")
        self.ask(planned.places)
        if "histogram" in self.state.known_verbs:
            self.ask(f"histogram {CLEAR}")
        self.ask(planned.line)

    def read_smart(self):
        """Reads the drive's SMART data, which become part of the state."""
        def finish(result):
            self.state.smart = result
            return f"the drive's health is {result[1].verdict.value}"
        self._care("smart", lambda: read_smart(self._identify_words()), finish)

    def stand_by(self):
        """Flushes the drive's cache, and puts the drive into standby."""
        self._care("standby", enter_standby, lambda mode: "the drive's cache is flushed, and its power mode is "
                   f"{mode:#04x}")

    def trim(self, lba, sectors):
        """Trims an extent: the drive may forget it."""
        self._care("trim", lambda: trim_range(self._identify_words(), self.state.capacity, lba, sectors,
                                              TRIM_SECTORS),
                   lambda done: f"{done:,} sectors from {lba:,} on")

    def _identify_words(self):
        if not self.state.identify_data:
            raise NotOffered("no drive is identified")
        return identify_words(self.state.identify_data)

    def _care(self, name, procedure, finish):
        if self._connection is None:
            raise RefusedRequest("there is no connection to a board")
        try:
            self._connection.care(Care(name, procedure(), finish))
        except NotOffered as error:
            raise RefusedRequest(str(error)) from None

    def order(self, line):
        """Does what ``line`` orders to the simulated drive; returns what was done."""
        if self._board is None:
            raise RefusedRequest("the drive is not a simulated one of this panel")
        try:
            told = self._board.order(line)
        except SimulationFailed as error:
            raise RefusedRequest(str(error)) from None
        self.state.note("drive", told)
        return told

    def load(self, lba, name, content):
        """Puts ``content``, of a file that is called ``name``, onto the simulated drive; returns what was done."""
        with tempfile.NamedTemporaryFile(prefix="sata-recorder-", suffix=".load") as file:
            file.write(content)
            file.flush()
            self.order(f"load {lba} {file.name}")
        return f"{name}: {len(content):,} bytes are on the drive, from sector {lba:,} on"

    def pull(self):
        """Ends the simulated board at once, like a pulled cable."""
        if self._board is None:
            raise RefusedRequest("the board is not a simulated one of this panel")
        self._board.kill()
