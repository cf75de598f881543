"""What TRIM does to the rate of writing: a part of the drive before and behind it."""

from dataclasses import dataclass

from ..console.grammar import TRIM_SECTORS
from ..maintenance import NotOffered, identify_words, trim_range
from .operations import QualificationError

__all__ = ["TrimEffect", "TrimTrial"]


@dataclass(frozen=True)
class TrimEffect:
    """Rates in bytes a second of a recording over what was recorded before, and of the same one behind
    TRIM of its sectors, which took ``seconds``."""

    before: float
    behind: float
    seconds: float


class TrimTrial:
    """Of ``sectors`` from ``lba`` on, by the :class:`.operations.Operations` ``do``. Nothing is done to
    the drive until :meth:`run`. Raises :class:`.operations.QualificationError` where board or drive has
    no TRIM."""

    def __init__(self, do, lba, sectors):
        self._do, self._lba, self._sectors = do, lba, sectors
        # Of no sectors: a board that has the request refuses the number only.
        if do.error(f"trim {lba} 0") != "range":
            raise QualificationError("trim: the board has no TRIM: it was built without `commands`")
        identity = do.ask("identify raw")
        words = identify_words(bytes.fromhex(identity["data"]))
        self._steps = trim_range(words, do.ask("identify")["capacity"], lba, sectors, TRIM_SECTORS)
        try:
            self._step = next(self._steps)
        except NotOffered as error:
            raise QualificationError(str(error)) from None

    def run(self):
        """The :class:`TrimEffect`."""
        before = self._rate()
        seconds = 0.0
        while self._step is not None:
            answer, clocks = self._do.answer(self._step.line)
            seconds += clocks / self._do.hz
            self._do.progress("trim", self._step.share)
            try:
                self._step = self._steps.send(answer)
            except StopIteration:
                self._step = None
        return TrimEffect(before, self._rate(), seconds)

    def _rate(self):
        # Of the medium, not of the RAM before it: nothing waits there at either end.
        self._do.answer("flush")
        told, _ = self._do.do(f"record {self._lba} {self._sectors} flush")
        return 4 * told["words"] * self._do.hz / told["clocks"]
