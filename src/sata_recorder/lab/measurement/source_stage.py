"""A source with a width or a clock of its own: which are possible, and how the simulation feeds them."""

from fractions import Fraction
from typing import Any

from ...facts.units import WORD_BYTES
from ...interface.group import WORD
from ...simulation import Rate
from .job_error import JobError
from .rates import format_rate

__all__ = ["SOURCE_HZ", "beat_rate", "carried", "check_beats", "check_source", "clock_ratio", "fifo_words_of",
           "has_source_stage", "unit_bytes"]

#: The slowest and the fastest clock of a source.
SOURCE_HZ = (10e3, 1e9)
#: The largest denominator of a ratio of clocks: an error of 10^-6.
_CLOCKS = 10 ** 6
#: Rounding changes ratios of clocks and rates by at most this factor.
_ROUNDED = 1 + Fraction(2, _CLOCKS)


def has_source_stage(configuration: Any) -> bool:
    """Whether the core has a stage that turns what the source gives into words in the core's clock."""
    return bool(configuration.source_width != WORD or configuration.source_clock)


def carried(configuration: Any, source_hz: float | None) -> Fraction:
    """The most bytes a second that the beats of the source can carry into the core: a beat in each clock of
    ``source_hz`` (None: of the core), but no more than a word in each clock of the core."""
    core = WORD_BYTES * Fraction(configuration.clock_hz)
    return min(core, Fraction(configuration.source_width, 8) * Fraction(source_hz or configuration.clock_hz))


def unit_bytes(configuration: Any) -> int:
    """The bytes that are lost together: a word, or a shorter beat of a source that does not wait."""
    return WORD_BYTES if configuration.source_waits else min(WORD_BYTES, configuration.source_width // 8)


def fifo_words_of(job: Any) -> int | None:
    """The words of the FIFO before the core, at least a beat; None: endless, 0: no FIFO, since the source does not
    wait."""
    if not job.configuration.source_waits:
        return 0
    return None if job.fifo_words is None else max(job.fifo_words, _words_a_beat(job.configuration))


def _words_a_beat(configuration):
    return max(1, configuration.source_width // WORD)


def clock_ratio(job: Any) -> Rate:
    """Clocks of the source per clock of the core."""
    if job.source_hz is None:
        return Rate(1, 1)
    ratio = Fraction(job.source_hz) / Fraction(job.configuration.clock_hz)
    return Rate(*ratio.limit_denominator(_CLOCKS).as_integer_ratio())


def beat_rate(job: Any) -> Rate | None:
    """What arrives of a stream that cannot wait, per clock of the source: beats, or words if beats are shorter and
    wait. None: the job has no input rate."""
    if job.input_rate is None:
        return None
    core, ratio = job.configuration, clock_ratio(job)
    rate = Fraction(job.input_rate.words, job.input_rate.clocks) * Fraction(ratio.clocks, ratio.words)
    beats = min(Fraction(1), rate * WORD / core.source_width)
    if core.source_waits and core.source_width < WORD:
        beats *= Fraction(core.source_width, WORD)
    return Rate(*beats.as_integer_ratio())


def check_source(job: Any) -> None:
    """Checks that the core can take what the source gives, and that the simulation can give it.
    Raises :exc:`.job_error.JobError`."""
    core, hz = job.configuration, job.source_hz
    if hz is not None and not core.source_clock:
        raise JobError("source_hz", f"{hz:g}", "needs ", ("source_clock", "true"), " of the core")
    if not has_source_stage(core):
        return
    if core.source_clock and hz is None:
        raise JobError("source_hz", None, "is missing, and the core has source_clock = true: its frequency")
    if hz is not None and not SOURCE_HZ[0] <= hz <= SOURCE_HZ[1]:
        raise JobError("source_hz", f"{hz:g}", f"must be {SOURCE_HZ[0] / 1e3:g} kHz to {SOURCE_HZ[1] / 1e9:g} GHz")
    what = ("source_hz", f"{hz:g}") if core.source_clock else ("source_width", core.source_width)
    for other, given in ((("operation", "play"), job.operation == "play"),
                         (("controller", job.controller and job.controller.processor), job.controller is not None),
                         (("mode", job.recording and job.recording.mode), job.recording is not None)):
        if given:
            raise JobError(*what, "not together with ", other)
    if job.input_rate is not None:
        _check_rate(job)
    if not core.source_waits:
        _check_loss(job)
    elif job.fifo_words not in (None, 1) and job.fifo_words % _words_a_beat(core):
        raise JobError("fifo_words", job.fifo_words,
                       f"must be a multiple of {_words_a_beat(core)}, the words of a beat")


def _check_rate(job):
    core, rate = job.configuration, job.input_rate
    asked = WORD_BYTES * Fraction(core.clock_hz) * Fraction(rate.words, rate.clocks)
    check_beats("input_rate", asked, core, job.source_hz)
    if asked > carried(core, job.source_hz) * _ROUNDED:
        raise JobError("input_rate", format_rate(asked), f"the core takes a word of {WORD} bits in each of its clocks, "
                       f"at {core.clock_hz / 1e6:g} MHz {format_rate(carried(core, job.source_hz))}")


def check_beats(field: str, rate: Fraction | float, core: Any, source_hz: float | None) -> None:
    """Checks that the beats of the source, one in each clock of ``source_hz`` (None: of the core), have room for
    ``rate`` bytes a second, whatever the ``core``, a configuration, takes.
    Raises :exc:`.job_error.JobError` for ``field``."""
    hz = source_hz or core.clock_hz
    most = Fraction(core.source_width, 8) * Fraction(hz)
    if rate > most * _ROUNDED:
        raise JobError(field, format_rate(rate),
                       f"beats of {core.source_width} bits at {hz / 1e6:g} MHz carry {format_rate(most)}")


def _check_loss(job):
    """Checks that what the stage loses can be compared: it needs a rate, and no FIFO before the core."""
    core = job.configuration
    if job.input_rate is None:
        raise JobError("input_rate", None, "is missing, and the core has source_waits = false: what comes whether "
                       "there is room or not has a rate")
    if job.fifo_words != 1:
        raise JobError("fifo_words", "endless" if job.fifo_words is None else job.fifo_words,
                       "not together with source_waits = false: what finds the core's own FIFO of source_depth = "
                       f"{core.source_depth} full is lost")
