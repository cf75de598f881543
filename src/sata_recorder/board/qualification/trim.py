"""What TRIM does to the rate of writing: a part of the drive before and after it."""

from dataclasses import dataclass

from ...pc.console.grammar import TRIM_SECTORS
from ...pc.maintenance import NotOffered, identify_words, trim_range
from .operations import QualificationError


#: Part of the trial that each of its recordings takes.
_RECORDING = 0.45


@dataclass(frozen=True)
class TrimEffect:
    """Rates in bytes a second of a recording over what was recorded before, and of the same one after
    TRIM of its sectors, which took ``seconds``."""

    before: float
    after: float
    seconds: float


class TrimTrial:
    """The trial on ``sectors`` from ``lba`` on, by the :class:`.operations.Operations` ``do``. Nothing is
    done to the drive until :meth:`run`. Raises :class:`.operations.QualificationError` if board or drive
    has no TRIM."""

    def __init__(self, do, lba, sectors):
        self._do, self._lba, self._sectors = do, lba, sectors
        # For no sectors: a board that has the request refuses only the number.
        if do.error(f"trim {lba} 0") != "range":
            raise QualificationError("trim: the board has no TRIM: it was built without `commands`")
        identity = do.ask("identify raw")
        words = identify_words(bytes.fromhex(identity["data"]))
        self._steps = trim_range(words, do.ask("identify")["capacity"], lba, sectors, TRIM_SECTORS)
        try:
            self._step = next(self._steps)
        except NotOffered as error:
            raise QualificationError(str(error)) from None

    def run(self, progress):
        """The :class:`TrimEffect`; ``progress`` is called with a name and the part of it that is done."""
        before = self._rate(lambda part: progress("before TRIM", _RECORDING * part))
        seconds = 0.0
        while self._step is not None:
            progress("TRIM", _RECORDING + (1 - 2 * _RECORDING) * self._step.share)
            answer, clocks = self._do.answer(self._step.line)
            seconds += clocks / self._do.hz
            try:
                self._step = self._steps.send(answer)
            except StopIteration:
                self._step = None
        after = self._rate(lambda part: progress("after TRIM", 1 - _RECORDING * (1 - part)))
        return TrimEffect(before, after, seconds)

    def _rate(self, progress):
        # The rate of the medium, not of the RAM in front of it: nothing waits there at either end.
        self._do.answer("flush")
        told, _ = self._do.do(f"record {self._lba} {self._sectors} flush", on_progress=lambda fields:
                              progress(fields["words"] / (128 * self._sectors)))
        return 4 * told["words"] * self._do.hz / told["clocks"]
