"""The sequence that a drive is qualified with, over the console of a board: simulated or real.

Long operations are asked for words and clocks while they run. What lies between the data of short
ones is read from the ledger, which tells the drive's part from the host's and the protocol's.
"""

from dataclasses import dataclass, field

from ..units import SECTOR_BYTES
from .fit import late_rate, phases

__all__ = ["DriveFigures", "QualificationError", "qualify"]

#: Seconds between two looks at a long operation.
_LOOK = 0.02
#: Short commands of each kind; windows of reading; sectors between two that do not follow.
_SHORT, _WINDOWS = 12, 5
#: Part of what the link carries from which on the drive is not what limits.
_LINK = 0.97
#: Bytes of RAM that a drive has at least: those of a Data FIS.
_LEAST_BUFFER = 8192


class QualificationError(RuntimeError):
    """The sequence cannot be done, or the drive has failed in it; one line."""


@dataclass
class DriveFigures:
    """What was found; rates in bytes a second, times in s, None where the drive never was the
    limit, or where it could not be told.

    ``written`` and ``read`` are points of (bytes, seconds); ``read_rates`` (place as a fraction of
    the capacity, rate).
    """

    model: str = "A DRIVE"
    capacity: int = 1
    generation: int = 2
    lba48: bool = True
    simulated: bool = False
    sectors: int = 0
    written: list = field(default_factory=list, repr=False)
    link_rate: float = 0.0
    write_rate: float | None = None
    cache_bytes: int | None = None
    cache_rate: float | None = None
    write_buffer: int | None = None
    write_command: float | None = None
    write_completion: float | None = None
    write_jitter: float = 0.0
    write_shows: str = "hold"
    flush: float | None = None
    read_rates: list = field(default_factory=list)
    read_command: float | None = None
    read_access: float | None = None
    read_completion: float | None = None
    read_shows: str = "hold"


def qualify(client, *, lba=0, sectors=None, progress=None, simulated=False):
    """Writes and reads ``sectors`` from ``lba`` on (None: to the drive's end) on the board at the
    other end of ``client``, a connected :class:`..console.client.Client`. What was there is gone.

    ``progress`` is called with a name and with the part that is done. Returns the
    :class:`DriveFigures`. Raises :class:`QualificationError`, and what the client raises.
    """
    return _Sequence(client, lba, sectors, progress or (lambda name, part: None), simulated).run()


class _Sequence:
    def __init__(self, client, lba, sectors, progress, simulated):
        self._client, self._progress = client, progress
        self._hz = client.version["clock_hz"]
        status, identity = self._ask("status"), self._ask("identify")
        capacity = identity["capacity"]
        sectors = capacity - lba if sectors is None else sectors
        least = 2 * (_SHORT + _WINDOWS)
        if not 0 <= lba < capacity or sectors < least or lba + sectors > capacity:
            raise QualificationError(
                f"sectors {lba:,} to {lba + sectors - 1:,}: the drive has {capacity:,}, and "
                f"at least {least:,} of them are needed")
        self._lba, self._sectors = lba, sectors
        self.found = DriveFigures(
            model=identity["model"], capacity=capacity, generation=status["generation"],
            lba48=identity["lba48"], simulated=simulated, sectors=sectors)

    def run(self):
        self._write()
        self._flush()
        self._short_writes()
        self._read()
        self._short_reads()
        return self.found

    def _ask(self, line):
        answer = self._client.request(line)
        if answer.error:
            raise QualificationError(f"{line}: the board answers {answer.error}")
        return answer.fields()

    def _operate(self, line, **options):
        """Does an operation and returns its fields, and its ledger."""
        answer = self._client.operate(line, **options)
        if answer.error not in (None, "mismatch"):
            place = answer.fields().get("error_lba")
            raise QualificationError(f"{line}: {answer.error}"
                                     + (f" at sector {place:,}" if place is not None else ""))
        return answer.fields(), self._ask("counters")

    def _long(self, verb, lba, sectors, name, part, share):
        """An operation with its points (bytes, seconds), its last one included; and its ledger."""
        points = [(0, 0.0)]

        def look(fields):
            # When all words are through, the clocks go on to the status: that is no rate.
            if fields["operation"] == verb and fields["words"] < 128 * sectors and \
                    fields["clocks"] / self._hz > points[-1][1]:
                points.append((4 * fields["words"], fields["clocks"] / self._hz))
                self._progress(name, part + share * fields["words"] / (128 * sectors))
        told, ledger = self._operate(f"{verb} {lba} {sectors}", on_progress=look, interval=_LOOK)
        return points, told, ledger

    # Writing --------------------------------------------------------------------------------------

    def _write(self):
        found = self.found
        points, told, ledger = self._long("record", self._lba, self._sectors, "write", 0.0, 0.6)
        found.written = points
        found.link_rate = self._link_rate(ledger)
        waits = {"hold": ledger["device_hold"], "status": ledger["completion_wait"],
                 "activate": ledger["activate_wait"]}
        found.write_shows = max(waits, key=waits.get) if any(waits.values()) else "hold"
        try:
            pieces = phases(*zip(*points[1:]))
        except ValueError:
            raise QualificationError(
                f"{self._sectors:,} sectors are written too fast to tell a rate: more are needed"
            ) from None
        first = 0.0
        # The drive's RAM fills at the rate of the link, which few points may blur.
        if len(pieces) > 2 or pieces[0].rate > _LINK * found.link_rate and len(pieces) > 1:
            first, pieces = pieces[0].end, pieces[1:]
        if pieces[-1].rate > _LINK * found.link_rate:
            return
        found.write_rate = pieces[-1].rate
        ahead = self._ahead(points, first, pieces[0], ledger)
        own = 4 * self._client.version["buffer_words"]
        if ahead - own >= _LEAST_BUFFER:
            found.write_buffer = round(ahead - own)
        if len(pieces) > 1 and pieces[-1].rate < pieces[0].rate:
            found.cache_bytes = round(pieces[-2].end - ahead)
            found.cache_rate = pieces[0].rate

    def _ahead(self, points, first, phase, ledger):
        """Bytes that the medium is behind the pattern in ``phase``, which begins at ``first``
        bytes: those in the drive's RAM and in the recorder's buffer. The medium began when the
        drive took the first word."""
        there = sorted(size - phase.rate * seconds for size, seconds in points[1:]
                       if first <= size <= phase.end)
        begun = (ledger["command"] + min(ledger["activate_wait"], self._hz)) / self._hz \
            if ledger["commands"] == 1 and self.found.write_shows != "activate" else 0.0
        return max(0.0, there[len(there) // 2] + phase.rate * begun) if there else 0.0

    def _link_rate(self, ledger):
        """What the link carries of one stream: the clocks that no drive and no host has taken."""
        names = ("framing", "align", "phy_wait", "handshake")
        clocks = ledger["payload"] + sum(ledger[name] for name in names)
        return 4 * self._hz * ledger["payload"] / clocks

    def _flush(self):
        """The second of two: by then nothing waits to be written."""
        self._operate("flush")
        told, _ = self._operate("flush")
        self.found.flush = told["clocks"] / self._hz

    def _short_writes(self):
        waits, ends = [], []
        for n in range(_SHORT):
            _, ledger = self._operate(f"record {self._lba + n} 1")
            waits.append(ledger["activate_wait"] / self._hz)
            ends.append(ledger["completion_wait"] / self._hz)
            self._progress("short writes", 0.6 + 0.05 * n / _SHORT)
        self.found.write_command, self.found.write_completion = min(waits), min(ends)
        self.found.write_jitter = _spread(waits)

    # Reading --------------------------------------------------------------------------------------

    def _read(self):
        """Windows over the range, each read in one operation; its rate is that of its later part,
        when what was read ahead is used up."""
        found, shows = self.found, {"hold": 0, "data": 0}
        size = self._sectors // _WINDOWS
        for n in range(_WINDOWS):
            lba = self._lba + n * size
            points, told, ledger = self._long("play", lba, size, "read", 0.65 + 0.06 * n, 0.06)
            shows["hold"] += ledger["device_hold"]
            shows["data"] += ledger["data_wait"]
            points.append((4 * told["words"], told["clocks"] / self._hz))
            try:
                rate = late_rate(*zip(*points[1:]))
            except ValueError:
                raise QualificationError(f"{size:,} sectors are read too fast to tell a rate: more "
                                         "are needed") from None
            place = (lba + size / 2) / found.capacity
            found.read_rates.append((place, rate if rate <= _LINK * found.link_rate else None))
        found.read_shows = max(shows, key=shows.get)

    def _short_reads(self):
        following, jumping, ends = [], [], []
        far = self._sectors // 2
        for n in range(_SHORT):
            _, ledger = self._operate(f"play {self._lba + (n % 2) * far + 7 * n} 1")
            jumping.append(ledger["data_wait"] / self._hz)
            ends.append(ledger["completion_wait"] / self._hz)
            self._progress("short reads", 0.95 + 0.05 * n / _SHORT)
        for n in range(_SHORT):
            _, ledger = self._operate(f"play {self._lba + n} 1")
            following.append(ledger["data_wait"] / self._hz)
        self.found.read_command = min(following[1:])
        self.found.read_access = max(0.0, sorted(jumping)[_SHORT // 2] - min(following[1:]))
        self.found.read_completion = min(ends)
        self._progress("done", 1.0)


def _spread(values):
    """How much more than the least there may be, where that is not a few clocks."""
    spread = max(values) - min(values)
    return spread * (len(values) + 1) / (len(values) - 1) if spread > 0.02 * max(values) and \
        spread > 2e-7 else 0.0
