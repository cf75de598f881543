"""The sequence by which a drive is qualified, over the console of a board: simulated or real.

Words and clocks of long operations are read while they run. What comes between the data of short
ones is read from the ledger, which separates the drive's part from the host's and the protocol's.
"""

import math
from dataclasses import dataclass, field

from .fit import late_rate, phases
from .operations import Operations, QualificationError
from .ram import filled_after
from .short import read_times, write_access, write_times
from .standstills import Periodic, periodic, standstills
from .trim import TrimEffect, TrimTrial

#: Windows of reading, and an order in which no window comes right after its neighbour.
_WINDOWS, _ORDER = 5, (0, 2, 4, 1, 3)
#: Fewest sectors that are measured.
_LEAST_SECTORS = 512
#: Above this part of the link's rate the drive is not the limit.
_LINK = 0.97
#: Part of all progress that comes before the trial of TRIM.
_BEFORE_TRIAL = 0.4
#: How much larger than the RAM the first piece, which fills it, may be.
_BLURRED = 1.5
#: Bytes of RAM that a drive has at least: those of a Data FIS.
_LEAST_BUFFER = 8192
#: A window of writing takes this many times the time that it takes to fill the drive's RAM.
_STEADY = 1.5
#: Parts of the distance between two standstills: what is written in excess to meet one, and by how much places
#: that are the same may differ. The part of a standstill that the drive's RAM does not hide.
_MARGIN, _SAME, _STOOD = 0.08, 0.05, 0.3


@dataclass
class DriveFigures:
    """What was found: rates in bytes a second, times in s, None if the drive never was the
    limit, or if the figure could not be found.

    ``written`` are points of (bytes, seconds) of the long recording; ``read_rates`` and
    ``write_rates`` (place as a fraction of the capacity, rate); ``windows`` (kind, LBA, points) of
    all that was measured in one go. ``stalls`` are those of the long recording,
    ``longest_stall`` the longest that the board has counted in it. ``histograms``: of that recording the
    times of "commands" and of "stalls" as the board has counted them, each {n: count of 2^n to 2^(n+1) - 1
    clocks} of a clock of ``clock_hz``; empty where the board has none. ``misaligned``: how much longer, in s, a
    write not aligned to 4 KiB takes. ``trim_failure``: why there is no ``trim``. ``measured``: the sides, "write" and
    "read", that were.
    """

    model: str = "A DRIVE"
    capacity: int = 1
    generation: int = 2
    lba48: bool = True
    simulated: bool = False
    lba: int = 0
    sectors: int = 0
    written: list = field(default_factory=list, repr=False)
    windows: list = field(default_factory=list, repr=False)
    link_rate: float = 0.0
    write_rate: float | None = None
    write_rates: list = field(default_factory=list)
    cache_bytes: int | None = None
    cache_rate: float | None = None
    write_buffer: int | None = None
    write_command: float | None = None
    write_access: float | None = None
    write_completion: float | None = None
    write_jitter: float = 0.0
    write_shows: str = "hold"
    stalls: list = field(default_factory=list)
    regular_stalls: Periodic | None = None
    stalls_of_full_cache: bool = False
    longest_stall: float | None = None
    clock_hz: float = 0.0
    histograms: dict = field(default_factory=dict)
    trim: TrimEffect | None = None
    trim_failure: str | None = None
    flush: float | None = None
    flush_resets_stalls: bool | None = None
    misaligned: float | None = None
    read_rates: list = field(default_factory=list)
    read_command: float | None = None
    read_access: float | None = None
    read_completion: float | None = None
    read_shows: str = "hold"
    measured: tuple = ("write", "read")


def qualify(client, *, lba=0, sectors=None, places=0, trim=False, progress=None, simulated=False):
    """Writes and reads ``sectors`` from ``lba`` on (None: to the drive's end) on the board at the
    other end of ``client``, a connected :class:`...pc.console.client.Client`; and, with ``places`` of 2
    or more, a fifth of that at as many places from ``lba`` to the drive's end. The data there
    are lost.

    With ``trim``, these ``sectors`` are written twice more at the end, the second time after TRIM.

    ``progress`` is called with a name and with the part that is done. Returns the
    :class:`DriveFigures`. Raises :class:`.operations.QualificationError`, and what the client
    raises.
    """
    progress = progress or (lambda name, part: None)
    share = _BEFORE_TRIAL if trim else 1.0
    operations = Operations(client, lambda name, part: progress(name, share * part))
    found = _Sequence(operations, lba, sectors, places, trim, simulated)
    return found.run(lambda name, part: progress(name, share + (1 - share) * part))


class _Sequence:
    def __init__(self, operations, lba, sectors, places, trim, simulated):
        self._do = operations
        status, identity = operations.ask("status"), operations.ask("identify")
        capacity = identity["capacity"]
        sectors = capacity - lba if sectors is None else sectors
        if not 0 <= lba < capacity or sectors < _LEAST_SECTORS or lba + sectors > capacity:
            raise QualificationError(
                f"sectors {lba:,} to {lba + sectors - 1:,}: the drive has {capacity:,}, and "
                f"at least {_LEAST_SECTORS:,} of them are needed")
        self._trial = TrimTrial(operations, lba, sectors) if trim else None
        self._lba, self._sectors, self._places = lba, sectors, places
        self._lag = 0.0
        self.found = DriveFigures(
            model=identity["model"], capacity=capacity, generation=status["generation"],
            lba48=identity["lba48"], simulated=simulated, lba=lba, sectors=sectors,
            clock_hz=operations.hz)

    def run(self, trial_progress):
        found, do = self.found, self._do
        pieces, points, ledger = self._write()
        self._flush()
        times = write_times(do, self._lba)
        found.write_command, found.write_completion = times.command, times.completion
        found.write_jitter = times.jitter
        found.write_access, found.misaligned = write_access(
            do, self._lba, self._sectors, found.write_rate, found.write_completion)
        self._sizes(pieces, points, ledger, times)
        self._flush_and_stalls()
        if self._places > 1:
            found.write_rates = self._rates("record", "write", 0.65)
        found.read_rates = self._rates("play", "read", 0.8)
        known = [rate for _, rate in found.read_rates if rate]
        found.read_command, found.read_access, found.read_completion = read_times(
            do, self._lba, self._sectors, found.read_shows, min(known, default=None))
        if self._trial:
            try:
                found.trim = self._trial.run(trial_progress)
            except QualificationError as error:     # all the rest is known
                found.trim_failure = str(error)
        return found

    # Writing --------------------------------------------------------------------------------------

    def _write(self):
        """The long recording: its pieces of one rate, its points, and its ledger."""
        found = self.found
        has_histograms = self._do.histograms_clear()
        points, _, ledger = self._do.points("record", self._lba, self._sectors, "write", 0.0, 0.6)
        if has_histograms:
            found.histograms = {kind: self._do.histogram(kind) for kind in ("commands", "stalls")}
        found.written = points
        found.windows.append(("write", self._lba, points))
        found.link_rate = self._link_rate(ledger)
        found.longest_stall = ledger["longest_stall"] / self._do.hz
        waits = {"hold": ledger["device_hold"], "status": ledger["completion_wait"],
                 "activate": ledger["activate_wait"]}
        found.write_shows = max(waits, key=waits.get) if any(waits.values()) else "hold"
        size, seconds = zip(*points[1:]) if len(points) > 1 else ((), ())
        # With a late status the drive pauses after each command anyway.
        if found.write_shows != "status":
            found.stalls, shorter = standstills(size, seconds)
            if periodic(found.stalls):
                size, seconds = shorter
        try:
            pieces = phases(size, seconds)
        except ValueError:
            raise QualificationError(
                f"{self._sectors:,} sectors are written too fast to measure a rate: more are needed"
            ) from None
        if pieces[-1].rate <= _LINK * found.link_rate:
            found.write_rate = pieces[-1].rate
        return pieces, list(zip(size, seconds)), ledger

    def _sizes(self, pieces, points, ledger, times):
        """Finds the sizes of the drive's RAM, of its cache and of what is between standstills: from the
        straight ``pieces`` through the ``points``, and from recordings that fill the RAM."""
        found = self.found
        if found.write_rate is not None:
            first = pieces[-2].end if len(pieces) > 1 else 0.0
            size = self._ram(times, self._ahead(points, first, pieces[-1], ledger))
            self._lag = size + self._do.buffer_bytes
            if len(pieces) > 1 and self._filling(pieces, points):
                pieces = pieces[1:]
            if size >= _LEAST_BUFFER:
                found.write_buffer = round(size)
            if len(pieces) > 1 and pieces[-1].rate < pieces[0].rate:
                found.cache_bytes = round(pieces[-2].end - self._lag)
                found.cache_rate = pieces[0].rate
        if len(found.stalls) == 1 and found.stalls[0].at <= self._lag:
            # The RAM was full before the drive had reached its first sector: what stood still was no medium.
            found.stalls = []
        told = periodic(found.stalls)
        if told is not None:
            self._regular(told)

    def _filling(self, pieces, points):
        """Whether the first of the ``pieces`` is not a rate of the medium: the drive's RAM filled at the
        rate of the link, and few ``points`` may blur its end."""
        first, second = pieces[:2]
        link = self.found.link_rate
        if first.rate > _LINK * link:
            return True
        near = [size for size, _ in points if size >= first.end][:2]
        blurred = near[-1] - near[0] if near else 0.0
        full = self._lag * link / max(link - second.rate, (1 - _LINK) * link)
        return first.end < _BLURRED * full + blurred

    def _ram(self, times, lag):
        """Bytes of the drive's RAM. ``lag`` is about how many bytes the medium lags behind the
        pattern: those in that RAM and in the recorder's buffer."""
        about = max(0.0, lag - self._do.buffer_bytes)
        filled = filled_after(self._do, self._lba, self._sectors, times,
                              max(_LEAST_BUFFER, about))
        if filled is None:
            return about
        size, seconds = filled
        draining = seconds - times.command - self.found.write_access
        return size - self.found.write_rate * max(0.0, draining)

    def _regular(self, told):
        """Notes standstills that are alike and equally far apart, with bytes counted on the medium."""
        found = self.found
        first = max(_LEAST_BUFFER, told.first - self._lag)
        if told.every is None:
            found.regular_stalls = Periodic(told.seconds, first, None)
            return
        cache = found.cache_bytes
        if cache and first > cache and \
                abs(first - cache - told.every) < abs(first - told.every):
            found.stalls_of_full_cache = True
            first = told.every
        # One that the drive's RAM has hidden may have come before it.
        first -= told.every * max(0, math.ceil(first / told.every - _SAME) - 1)
        found.regular_stalls = Periodic(told.seconds, min(first, told.every), told.every)

    def _ahead(self, points, first, phase, ledger):
        """Bytes by which the medium is behind the pattern in ``phase``, which begins at ``first``
        bytes: those in the drive's RAM and in the recorder's buffer. The medium began when the
        drive had received the command, and had found the place."""
        there = sorted(size - phase.rate * seconds for size, seconds in points
                       if first <= size <= phase.end)
        begun = ledger["command"] / max(1, ledger["commands"]) / self._do.hz + \
            self.found.write_command + self.found.write_access
        return max(0.0, there[len(there) // 2] + phase.rate * begun) if there else 0.0

    def _link_rate(self, ledger):
        """What the link carries of one stream in the clocks that neither drive nor host has taken."""
        names = ("framing", "align", "phy_wait", "handshake")
        clocks = ledger["payload"] + sum(ledger[name] for name in names)
        return 4 * self._do.hz * ledger["payload"] / clocks

    def _flush(self):
        """Measures the second of two flushes: by then nothing waits to be written."""
        self._do.seconds("flush")
        self.found.flush, _ = self._do.seconds("flush")

    def _flush_and_stalls(self):
        """Finds whether a flush restarts the count of bytes to the next standstill, by a recording that
        follows a flush and ends between the two places where the standstill may be."""
        stalls = self.found.regular_stalls
        if stalls is None or stalls.every is None:
            return
        every, anew = stalls.every, stalls.first
        since = self._do.recorded - (self.found.stalls[-1].at - self._lag)

        def told(before):
            """Bytes to the next one, if the count goes on, once this many more were written before the
            flush; None if that shows nothing: the RAM hides it, or both places are one."""
            going_on = every - (since + before) % every
            apart = abs(going_on - anew) > 2 * _MARGIN * every
            return going_on if apart and min(going_on, anew) > self._until_full() else None
        wanted = (0.0, *((every - place - since) % every for place in
                         (0.5 * anew, min(every, anew + 0.3 * every))))
        before = next((size for size in wanted if told(size)), None)
        if before is None:
            return
        going_on = told(before)
        size = min(going_on, anew) + _MARGIN * every + self._until_full()
        if before + size > 512 * self._sectors:
            return
        self._do.do(f"record {self._lba} {round(before / 512)} flush" if before else "flush")
        _, ledger = self._do.do(f"record {self._lba} {round(size / 512)}")
        met = ledger["longest_stall"] / self._do.hz > _STOOD * stalls.seconds
        self.found.flush_resets_stalls = met == (anew < going_on)

    # Places ---------------------------------------------------------------------------------------

    def _until_full(self):
        """Bytes of a recording at the link's rate after which the drive's RAM is full: it drains
        meanwhile."""
        rate, link = self.found.write_rate, self.found.link_rate
        return self._lag * link / (link - rate) if rate else 0.0

    def _windows(self, least):
        """(first sector, sectors) of what is measured by place, in an order in which none follows
        the one before; at least ``least`` bytes each, if the part has that many."""
        size = min(self._sectors, max(self._sectors // _WINDOWS, round(least / 512)))
        if self._places < 2:
            step = (self._sectors - size) // (_WINDOWS - 1)
            return [(self._lba + n * step, size) for n in _ORDER]
        room = self.found.capacity - self._lba - size
        return [(self._lba + round(room * n / (self._places - 1)), size)
                for n in range(self._places)]

    def _rates(self, verb, name, part):
        """(place, rate) of each window: of its later part, after what the drive's RAM took or had
        before has been used up."""
        found, shows, rates = self.found, {"hold": 0, "data": 0}, []
        skip = self._until_full() if verb == "record" else 0
        windows = self._windows(_STEADY * skip)
        for n, (lba, size) in enumerate(windows):
            share = 0.15 / len(windows)
            points, told, ledger = self._do.points(verb, lba, size, name, part + share * n, share)
            shows["hold"] += ledger["device_hold"]
            shows["data"] += ledger["data_wait"]
            if verb == "play":
                points.append((4 * told["words"], told["clocks"] / self._do.hz))
            found.windows.append((name, lba, points))
            try:
                size_seconds = list(zip(*points[1:])) or [(), ()]
                if verb == "record" and found.regular_stalls:
                    size_seconds = standstills(*size_seconds)[1]
                rate = late_rate(*size_seconds, skip=skip)
            except ValueError:
                raise QualificationError(
                    f"{size:,} sectors from {lba:,} on: too few to measure a rate, or the drive's RAM "
                    "takes them; more are needed") from None
            rates.append(((lba + size / 2) / found.capacity,
                          rate if rate <= _LINK * found.link_rate else None))
        if verb == "play":
            found.read_shows = max(shows, key=shows.get)
        return sorted(rates)
