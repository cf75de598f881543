"""The run: it writes pieces of the span in order, lap after lap, and reads SMART at intervals."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from ...pc.maintenance import NotOffered, ProcedureFailed, WriteTrouble, diagnose, needs_diagnosis, trim_range
from .board import Board, EnduranceError
from .log import EnduranceLog
from .request import EnduranceRequest

__all__ = ["EnduranceError", "EnduranceRun", "Ending", "Ways"]

#: Seconds that a piece should take, most sectors of the first piece and of any, and fewest pieces of a lap: what is
#: being written when a drive fails is in doubt.
_PIECE, _FIRST, _MOST, _LEAST = 5.0, 1 << 14, 1 << 25, 8
#: Sectors that are read back at once: after one that cannot be read, the rest of these are not read.
_READ = 1 << 14
#: Pieces begin and end on this many sectors, those of a page of most flash.
_ALIGNED = 8
#: How often one piece is tried, and how many times in a row ``_ALIGNED`` sectors are passed over, before the run ends.
_TRIES, _PASSED = 3, 64
#: After so many readings of SMART in a row without the mean erases, a run that they should end fails.
_UNKNOWN = 3
#: Laps take these patterns in turn, so that data of the lap before are noticed.
_PATTERNS = ("inc32", "dec32")


def _nothing(text: str) -> None:
    pass


@dataclass(frozen=True)
class Ways:
    """How a run waits and reports: ``sleep`` and ``monotonic`` as in :mod:`time`; ``told`` is called with each event,
    one line, ``progress`` after each piece with the bytes written and the bytes a second, ``sampled`` after each line
    of the log."""

    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    told: Callable[[str], None] = _nothing
    progress: Callable[[int, float], None] = field(default=lambda written, rate: None)
    sampled: Callable[[], None] = field(default=lambda: None)


@dataclass(frozen=True)
class Ending:
    """How a run ended: ``kind`` is "reached", "read-only", "failed", or "interrupted"; ``text`` what happened, in one
    line, ``safe`` what is on the drive, as lines."""

    kind: str
    text: str
    safe: tuple[str, ...] = ()


class EnduranceRun:
    """Writes through ``client``, a connected :class:`...pc.console.client.Client`, and keeps ``log``
    (:class:`.log.EnduranceLog`), whose state shows how far the run is. :meth:`run` returns the :class:`Ending`."""

    def __init__(self, client: Any, request: EnduranceRequest, log: EnduranceLog, ways: Ways | None = None) -> None:
        self.request, self.log, self._ways = request, log, ways or Ways()
        self._board = Board(client)
        self._state, self._drive = log.state["progress"], log.state["drive"]
        at_rate = _MOST if request.rate is None else int(request.rate * _PIECE / SECTOR_BYTES)
        self._most = max(_ALIGNED, min(_MOST, request.sectors // _LEAST, at_rate) // _ALIGNED * _ALIGNED)
        self._sectors = min(_FIRST, self._most)
        self._tries = self._passed = self._unknown = 0
        self._limit: int | None = None
        self._untrimmed: str | None = None

    def run(self) -> Ending:
        """Runs until the requested end, or the drive's. Raises :class:`.board.EnduranceError` for what is no fault of
        the drive, and what the client raises; the log and the state are whole even then."""
        ending, event = None, "resumed" if self.log.rows else "begun"
        due = 0.0
        while ending is None:
            if self._ways.monotonic() >= due or event:
                self._sample(event)
                due, event = self._ways.monotonic() + self.request.every, ""
                ending = self._reached(erases=True)
            else:
                ending = self._reached()
            if ending is None:
                ending, event = self._piece()
        if ending.kind == "read-only":
            ending = Ending(ending.kind, ending.text, self._read_back())
        self._sample(ending.text)
        return ending

    def _reached(self, erases=False):
        end, state = self.request.end, self._state
        value = {"bytes": state["bytes"], "seconds": state["seconds"]}.get(end.kind)
        if end.kind == "erases" and erases:
            value = self.log.rows[-1]["mean_erased"]
            self._unknown = self._unknown + 1 if value is None else 0
            if self._unknown == _UNKNOWN:
                return Ending("failed", f"mean erases are unknown: {_UNKNOWN} readings of SMART in a row did not have "
                              "them", self._written())
        if end.limit is None or value is None or value < end.limit:
            return None
        return Ending("reached", str(end), self._written())

    # Writing --------------------------------------------------------------------------------------

    def _piece(self):
        """Writes one piece; returns (the ending or None, what happened or "")."""
        request, state = self.request, self._state
        if not self._board.interrupted:
            self._board.check(self._drive, self._ways.sleep)
            self._trim()
        if self._board.interrupted:
            return Ending("interrupted", "interrupted", self._written()), ""
        begun = self._ways.monotonic()
        lba = request.lba + state["offset"]
        sectors = min(self._limit or self._sectors, request.sectors - state["offset"])
        self._limit = None
        # What an earlier piece has left in doubt stays so until it is written.
        end = max(lba + sectors, sum(state["pending"] or ()))
        state["pending"] = [lba, end - lba]
        self.log.save()
        answer = self._board.record(lba, sectors, _PATTERNS[state["lap"] % 2])
        fields = answer.fields()
        state["retries"] += fields.get("retries") or 0
        if answer.error:
            return self._failed(answer, lba, sectors)
        self._tries = self._passed = 0
        stopped, skipped = bool(fields.get("stopped")), fields.get("skipped_sectors") or 0
        # After a stop the core pads the command with zeros, whose sectors count as done, too.
        done = min(sectors, fields["words"] // SECTOR_WORDS) // _ALIGNED * _ALIGNED if stopped else sectors
        skipped = min(skipped, done)
        event = self._skipped(lba, done, skipped) if skipped else ""
        rate = self._account(done - skipped, self._ways.monotonic() - begun, fields)
        if request.verify and done:
            self._verify(lba, done, _PATTERNS[state["lap"] % 2])
        self._forward(done)
        if self._untrimmed:
            return Ending("failed", f"the drive takes writes, and no TRIM: {self._untrimmed}", self._written()), ""
        if stopped or self._board.interrupted:
            return Ending("interrupted", "interrupted", self._written()), ""
        self._ways.progress(state["bytes"], rate)
        self._pace(SECTOR_BYTES * done, self._ways.monotonic() - begun)
        return None, event

    def _skipped(self, lba, sectors, skipped):
        """Notes sectors that the core has passed over, which are not written; returns what happened."""
        places = [[one["lba"], one["sectors"]] for one in self._board.journal() or () if one["kind"] == "skipped"]
        if sum(size for _, size in places) != skipped:
            places = [[lba, sectors]]
        self._state["failures"] += 1
        self._state["passed"] += [[*place, self._state["lap"]] for place in places]
        text = f"{skipped} sectors from sector {places[0][0]} on were not written: the core has passed over them"
        self._ways.told(text)
        return text

    def _trim(self):
        """Trims the span before a lap of the sequential pattern. A drive at its end refuses TRIM as it refuses writes:
        the write that follows shows why TRIM failed."""
        request, board = self.request, self._board
        self._untrimmed = None
        if request.pattern == "sequential" and not self._state["offset"]:
            self._state["pending"] = [request.lba, request.sectors]
            self.log.save()
            try:
                board.led(trim_range(board.words(), self._drive["capacity"], request.lba, request.sectors,
                                     board.trim_sectors), self._still)
            except (NotOffered, ProcedureFailed) as error:
                self._untrimmed = str(error)

    def _still(self):
        """Whether the next extent may be trimmed: trimming a whole drive takes minutes, and it may be replaced."""
        if not self._board.interrupted:
            self._board.check(self._drive, self._ways.sleep)
        return not self._board.interrupted

    def _account(self, sectors, seconds, fields):
        """Counts what was written, and sizes the next piece so that it takes about as long as it should; returns the
        rate by the board's clock."""
        state, size = self._state, SECTOR_BYTES * sectors
        state["bytes"] += size
        state["seconds"] += seconds
        board = fields["clocks"] / self._board.clock_hz
        state["board_bytes"] += size
        state["board_seconds"] += board
        if seconds > 0 and sectors:
            wanted = int(sectors * _PIECE / seconds)
            self._sectors = max(_ALIGNED, min(self._most, 2 * self._sectors, wanted) // _ALIGNED * _ALIGNED)
        return size / board if board else 0.0

    def _forward(self, sectors):
        state, request = self._state, self.request
        state["offset"] += sectors
        place, end = request.lba + state["offset"], sum(state["pending"] or ())
        # With the sequential pattern, nothing after the piece is left of the lap before.
        state["pending"] = [place, end - place] if place < end and (request.pattern == "ring" or not state["offset"]) \
            else None
        if state["offset"] >= request.sectors:
            state["offset"] = 0
            state["lap"] += 1
            state["passed"] = [one for one in state["passed"] if one[2] == state["lap"] - 1]
        self.log.save()

    def _pace(self, size, seconds):
        """Waits until a piece has taken as long as it should at the requested rate."""
        left = 0.0 if self.request.rate is None else size / self.request.rate - seconds
        if left > 0:
            self._state["seconds"] += left
            self._ways.sleep(left)

    def _failed(self, answer, lba, sectors):
        """A piece was not written: what that means for the drive, and for the run."""
        state, fields = self._state, answer.fields()
        if answer.error == "other-drive":
            raise EnduranceError("another drive was connected while it was written; nothing more is written to it")
        if answer.error != "not-ready" and not needs_diagnosis(fields, answer.error):
            raise EnduranceError(f"record {lba} {sectors}: the board answers {answer.error}")
        state["failures"] += 1
        found = self._board.led(diagnose(fields, answer.error, self._board.journal(), smart=True, try_again=True))
        self._ways.told(found.text)
        if found.trouble is WriteTrouble.READ_ONLY:
            return Ending("read-only", found.text, self._written()), ""
        if found.trouble is WriteTrouble.BAD_SECTOR and found.tried:
            return self._around(lba, found.tried[0][0], found.text)
        self._tries += 1
        away = found.trouble is WriteTrouble.LINK or answer.error == "not-ready"
        if found.trouble is WriteTrouble.LOCKED or self._tries == _TRIES or away and not self._board.until_ready(
                self._ways.sleep):
            return Ending("failed", found.text, self._written()), ""
        return None, found.text

    def _around(self, lba, place, text):
        """Goes around sector ``place``, which cannot be written, in a piece from ``lba`` on: the next piece ends
        before it; if nothing is before it, it is passed over."""
        before = (place - self.request.lba) // _ALIGNED * _ALIGNED + self.request.lba - lba
        if before > 0:
            self._limit = before
            return None, ""
        size = min(_ALIGNED, self.request.lba + self.request.sectors - lba)
        self._state["passed"].append([lba, size, self._state["lap"]])
        self._passed += 1
        self._forward(size)
        if self._passed == _PASSED:
            return Ending("failed", f"{_PASSED * _ALIGNED} sectors in a row could not be written: {text}",
                          self._written()), ""
        return None, f"sectors {lba} to {lba + size - 1} are passed over: {text}"

    # Reading --------------------------------------------------------------------------------------

    def _verify(self, lba, sectors, pattern):
        _, wrong, unreadable = self._board.play(lba, sectors, pattern)
        self._state["mismatches"] += wrong
        if wrong or unreadable:
            self._ways.told(f"sectors {lba} to {lba + sectors - 1}: {wrong} words differ"
                            + (f", and {unreadable}" if unreadable else ""))
        self._state["failures"] += bool(unreadable)

    def _parts(self):
        """(first sector, sectors, lap) of what was written last, the latest lap first: without what was passed over,
        and without the piece that was being written."""
        request, state = self.request, self._state
        parts = [(request.lba, state["offset"], state["lap"])]
        if state["lap"] and (request.pattern == "ring" or not state["offset"]):
            parts.append((request.lba + state["offset"], request.sectors - state["offset"], state["lap"] - 1))
        pending = [(*state["pending"], None)] if state["pending"] else []
        for lba, sectors, lap in parts:
            place, end = lba, lba + sectors
            for first, size, of in sorted([*map(tuple, state["passed"]), *pending], key=lambda one: one[0]):
                if of in (lap, None) and first < end and first + size > place:
                    if first > place:
                        yield place, first - place, lap
                    place = max(place, first + size)
            if place < end:
                yield place, end - place, lap

    def _doubts(self):
        """Which sectors may hold anything, as lines."""
        if self._state["pending"]:
            lba, sectors = self._state["pending"]
            yield f"sectors {lba} to {lba + sectors - 1} were being written: they have older data, newer, or neither"

    def _written(self):
        """What was flushed to the drive and should be there, as lines."""
        lines = [f"sectors {lba} to {lba + sectors - 1} were written in lap {lap + 1} and flushed: `sata-recorder "
                 f"console --port PORT play {lba} {sectors} {_PATTERNS[lap % 2]}` compares them"
                 for lba, sectors, lap in self._parts()]
        return (*(lines or ["nothing was written and flushed"]), *self._doubts())

    def _read_back(self):
        """Reads and compares all that was written and flushed; returns lines that state what is safe."""
        lines = []
        for lba, sectors, lap in self._parts():
            wrong, done, place, why = 0, 0, lba, ""
            while place < lba + sectors and not self._board.interrupted:
                count = min(_READ, lba + sectors - place)
                read, differ, failed = self._board.play(place, count, _PATTERNS[lap % 2])
                wrong, done, place, why = wrong + differ, done + read, place + count, why or failed
            good = f"{wrong} words differ" if wrong else "as written"
            rest = "" if done == sectors else f"; the other {sectors - done} are unknown: {why or 'interrupted'}"
            lines.append(f"sectors {lba} to {lba + sectors - 1}, written in lap {lap + 1} and flushed: {done} were "
                         f"read, {good}{rest}")
        return (*(lines or ["nothing was written and flushed"]), *self._doubts())

    # SMART ----------------------------------------------------------------------------------------

    def _sample(self, event):
        """Adds a line to the log, with what the drive reports now."""
        state = self._state
        self.log.save()
        try:
            health, attributes = self._board.smart(self._drive)
        except (NotOffered, ProcedureFailed) as error:
            health, attributes, event = None, "", "; ".join(filter(None, (event, f"no SMART: {error}")))
        rate = state["board_bytes"] / state["board_seconds"] if state["board_seconds"] else None
        state["board_bytes"] = state["board_seconds"] = 0
        row = {"time": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
               "event": " ".join(event.split()) or None, "lap": state["lap"],
               "lba": self.request.lba + state["offset"], "rate": rate, "attributes": attributes}
        row |= {name: state[name] for name in ("bytes", "seconds", "retries", "failures", "mismatches")}
        if health is not None:
            least, mean, most = health.erased or (None, None, None)
            row |= {name: value for name, value in vars(health).items() if name in _OF_HEALTH}
            row |= {"verdict": health.verdict.value, "least_erased": least, "mean_erased": mean, "most_erased": most}
        self.log.add(row)
        self.log.save()
        self._ways.sampled()


_OF_HEALTH = ("worn", "worn_at_least", "spare", "celsius", "hours", "written_bytes", "flash_bytes", "amplification",
              "bad_blocks", "reallocated", "uncorrectable", "crc_errors", "bit_error_rate", "error_exponent")
