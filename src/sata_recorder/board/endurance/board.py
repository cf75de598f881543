"""The board of a run: its requests, and what they do to one drive."""

from typing import Any

from ...pc.console.grammar import OPERATIONS, TRIM_SECTORS
from ...pc.maintenance import LOCKED, NotOffered, ProcedureFailed, Security, identify_words, read_smart, task

__all__ = ["Board", "EnduranceError"]

#: How often a drive that has gone is polled for, and the seconds between two polls.
_LOOKS, _BETWEEN = 60, 1.0
#: Longest silence of the board, in seconds, while an answer to an earlier request is due.
_PATIENCE = 3.0


class EnduranceError(Exception):
    """A run that cannot go on, through no fault of the drive's flash; one line."""


class Board:
    """``client`` is a connected :class:`...pc.console.client.Client`. ``interrupted``: Ctrl-C was pressed while an
    operation ran."""

    trim_sectors = TRIM_SECTORS

    def __init__(self, client: Any) -> None:
        self._client = client
        self.clock_hz = client.version["clock_hz"]

    @property
    def interrupted(self) -> bool:
        return self._client.interrupted

    def check(self, drive: dict[str, Any], sleep: Any) -> None:
        """Waits for a drive that has gone. Raises :class:`EnduranceError` if there is none, or one other than
        ``drive``, an earlier result of :meth:`identity`."""
        if not self.until_ready(sleep):
            raise EnduranceError("there is no drive any more")
        found = self.identity()
        if found["serial"] != drive["serial"]:
            raise EnduranceError(f"the drive's serial number is {found['serial']}, not {drive['serial']}: another "
                                 "drive; nothing more is written")
        if other := [f"{name} is {found[name]}, not {drive[name]}" for name in ("model", "capacity")
                     if found[name] != drive[name]]:
            raise EnduranceError(f"the drive's {' and its '.join(other)}: another drive; nothing more is written")

    def identity(self) -> dict[str, Any]:
        """``model``, ``serial``, ``firmware`` and ``capacity`` of the drive."""
        answer = self._client.request("identify")
        if answer.error:
            raise EnduranceError(f"identify: the board answers {answer.error}")
        found = answer.fields()
        if not found.get("serial"):
            raise EnduranceError("the drive reports no serial number by which it would be known again")
        return {name: found.get(name) for name in ("model", "serial", "firmware", "capacity")}

    def words(self) -> list[int]:
        """The words of IDENTIFY DEVICE."""
        answer = self._client.request("identify raw")
        if answer.error:
            raise ProcedureFailed("identify", answer.error)
        return identify_words(answer.data())

    def record(self, lba: int, sectors: int, pattern: str) -> Any:
        """The answer to a recording that ends with FLUSH CACHE."""
        return self._client.operate(f"record {lba} {sectors} {pattern} flush")

    def play(self, lba: int, sectors: int, pattern: str) -> tuple[int, int, str]:
        """The sectors that were read, the words that differ, and why not all were read, or ""."""
        answer = self._client.operate(f"play {lba} {sectors} {pattern}")
        fields = answer.fields()
        wrong = fields.get("mismatches") or 0
        done = min(sectors, fields.get("sectors_done") or 0)
        if answer.error not in (None, "mismatch"):
            place = fields.get("error_lba")
            return done, wrong, answer.error + (f" at sector {place}" if place is not None else "")
        if done < sectors:
            return done, wrong, "interrupted" if fields.get("stopped") else "sectors were passed over"
        return done, wrong, ""

    def journal(self) -> list[Any] | None:
        """The entries of the latest operation; None if they cannot be read."""
        answer = self._client.request("journal")
        return None if answer.error else answer.fields().get("entries")

    def smart(self, drive: dict[str, Any]) -> tuple[Any, str]:
        """Health, and every raw value as text, of this ``drive`` (:meth:`check`). Raises
        :class:`...pc.maintenance.NotOffered` and :class:`...pc.maintenance.ProcedureFailed`."""
        try:
            found = self.identity()
        except EnduranceError as error:
            raise NotOffered(str(error)) from None
        if found != drive | {"firmware": found["firmware"]}:
            raise NotOffered(f"another drive is connected, {found['model']}, {found['serial']}")
        return self._smart()

    def _smart(self):
        found, health = self.led(read_smart(self.words()))
        whole = {number: one.fields[0][1] if one.fields and not one.fields[0][0] else one.raw
                 for number, one in found.items()}
        return health, " ".join(f"{number}={raw}" for number, raw in whole.items())

    def refusal(self) -> str | None:
        """Why the drive cannot be written at all; None if nothing prevents it."""
        return LOCKED if Security.of(self.words()).locked else None

    def has_commands(self) -> bool:
        """Whether the board passes on ATA commands, such as TRIM and SMART; tried with one that changes nothing."""
        return self._client.operate(task("check-power-mode").line).error != "no-commands"

    def running(self) -> str | None:
        """The operation that runs, or None."""
        answer = self._client.request("status")
        while answer is not None and answer.verb != "link":     # that of an operation which has just ended
            answer = self._client.answer(_PATIENCE)
        if answer is None:
            raise self._client.silent()
        found = answer.fields().get("operation")
        return None if found in (None, "none") else found

    def stop(self) -> None:
        """Ends the operation that runs."""
        self._client.stop()

    def until_ready(self, sleep: Any) -> bool:
        """Waits until a drive is ready; returns whether one is."""
        for _ in range(_LOOKS):
            if self._client.request("status").fields().get("ready"):
                return True
            sleep(_BETWEEN)
        return False

    def led(self, procedure: Any, goes_on: Any = lambda: True) -> Any:
        """Runs a procedure of :mod:`...pc.maintenance` and returns its result; None if ``goes_on``, which is called
        before each of its requests, has ended it."""
        answer = None
        try:
            while True:
                line = procedure.send(answer).line
                if not goes_on():
                    procedure.close()
                    return None
                verb = line.split()[0]
                answer = (self._client.operate if verb in OPERATIONS else self._client.request)(line)
        except StopIteration as end:
            return end.value
