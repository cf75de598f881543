"""The board of a run: its requests, one drive, and what is done to it."""

from typing import Any

from ...pc.console.grammar import OPERATIONS, TRIM_SECTORS
from ...pc.maintenance import LOCKED, ProcedureFailed, Security, identify_words, read_smart

__all__ = ["Board", "EnduranceError"]

#: How often a drive that has gone is looked for, and seconds between two looks.
_LOOKS, _BETWEEN = 60, 1.0


class EnduranceError(Exception):
    """A run that cannot go on, through no fault of the drive's flash; one line."""


class Board:
    """``client`` is a connected :class:`...pc.console.client.Client`. ``interrupted``: Ctrl-C has come while an
    operation ran."""

    trim_sectors = TRIM_SECTORS

    def __init__(self, client: Any) -> None:
        self._client = client
        self.clock_hz = client.version["clock_hz"]
        self.capacity = 0

    @property
    def interrupted(self) -> bool:
        return self._client.interrupted

    def check(self, serial: str, sleep: Any) -> None:
        """Raises :class:`EnduranceError` where the drive is another one, or there is none. One that has gone is waited
        for."""
        if not self.until_ready(sleep):
            raise EnduranceError("there is no drive any more")
        found = self.identity()
        if found["serial"] != serial:
            raise EnduranceError(f"the drive's serial number is {found['serial']}, not {serial}: another drive; "
                                 "nothing more is written")
        self.capacity = found["capacity"]

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
        """Those of IDENTIFY DEVICE."""
        answer = self._client.request("identify raw")
        if answer.error:
            raise ProcedureFailed("identify", answer.error)
        return identify_words(answer.data())

    def record(self, lba: int, sectors: int, pattern: str) -> Any:
        """The answer to a recording that ends with FLUSH CACHE."""
        return self._client.operate(f"record {lba} {sectors} {pattern} flush")

    def play(self, lba: int, sectors: int, pattern: str) -> tuple[int, str]:
        """Words that differ, and what is wrong with sectors that cannot be read, "": nothing."""
        answer = self._client.operate(f"play {lba} {sectors} {pattern}")
        fields = answer.fields()
        if answer.error in (None, "mismatch"):
            return fields.get("mismatches") or 0, ""
        place = fields.get("error_lba")
        return fields.get("mismatches") or 0, answer.error + (f" at sector {place}" if place is not None else "")

    def journal(self) -> list[Any] | None:
        """The entries of the latest operation; None where they cannot be read."""
        answer = self._client.request("journal")
        return None if answer.error else answer.fields().get("entries")

    def smart(self) -> tuple[Any, str]:
        """Health, and every raw value as text. Raises :class:`...pc.maintenance.NotOffered` and
        :class:`...pc.maintenance.ProcedureFailed`."""
        found, health = self.led(read_smart(self.words()))
        whole = {number: one.fields[0][1] if one.fields and not one.fields[0][0] else one.raw
                 for number, one in found.items()}
        return health, " ".join(f"{number}={raw}" for number, raw in whole.items())

    def refusal(self) -> str | None:
        """Why the drive cannot be written at all; None where nothing speaks against it."""
        return LOCKED if Security.of(self.words()).locked else None

    def running(self) -> str | None:
        """The operation that runs, None: none."""
        found = self._client.request("status").fields().get("operation")
        return None if found in (None, "none") else found

    def stop(self) -> None:
        """Ends the operation that runs."""
        self._client.stop()

    def until_ready(self, sleep: Any) -> bool:
        """Waits until a drive is identified; whether one is."""
        for _ in range(_LOOKS):
            if self._client.request("status").fields().get("ready"):
                return True
            sleep(_BETWEEN)
        return False

    def led(self, procedure: Any) -> Any:
        """What a procedure of :mod:`...pc.maintenance` returns."""
        answer = None
        try:
            while True:
                line = procedure.send(answer).line
                verb = line.split()[0]
                answer = (self._client.operate if verb in OPERATIONS else self._client.request)(line)
        except StopIteration as end:
            return end.value
