"""A sensor that cannot wait: what is lost, how deep its FIFO must be, and the highest rate.

"No loss" holds for the recording that was measured: a longer one may meet a stall that this one
did not, so it should be as long as the slowest thing that the drive does.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from ...simulation import ENDLESS, Pattern, Rate
from .job import Job
from .job_error import JobError
from .measurement import execute
from .rates import words_per_clock
from .source_stage import carried
from .store import Store

#: The search ends when the rates without and with loss are this near, as a share.
TOLERANCE = 0.005
#: It starts at a word a clock and gives up below this share of that.
LOWEST = 1 / 4096


class ProbeFailed(RuntimeError):
    """The recording itself failed; the text states how, in one line."""


@dataclass(frozen=True)
class Probe:
    """What happened to one recording.

    ``rate`` in bytes a second; ``fifo_words`` in front of the core (None: endless);
    ``arrived`` and ``lost`` words; ``gaps``, the places where words were lost; ``backlog_high``,
    the most words that waited in that FIFO; ``high_water``, the most words in the core's own buffer
    of ``buffer_words``; ``seconds`` that it took.
    """

    rate: float
    fifo_words: int | None
    arrived: int
    lost: int
    gaps: int
    backlog_high: int
    high_water: int
    buffer_words: int
    seconds: float


@dataclass(frozen=True)
class Search:
    """``rate`` is the highest without loss that was found, in bytes a second (None: words were lost
    at every rate), ``lossy`` the lowest with loss (None: nothing was lost at any), ``probes`` all
    recordings in the order in which they were made."""

    rate: float | None
    lossy: float | None
    probes: list


@dataclass(frozen=True)
class Spread:
    """``rates`` are the highest without loss with each of ``seeds``, in bytes a second (None: words
    were lost at every rate)."""

    seeds: list
    rates: list


def probe(job: Job, *, store: Store | None = None, engine: str = "auto",
          progress: Callable[..., object] | None = None) -> Probe:
    """The :class:`Probe` of recording ``job``, which has an ``input_rate``.

    The data are generated, whatever those of the job are. Nothing is written except into the
    :class:`.store.Store` ``store``, in which the result may already be.
    Raises :exc:`ProbeFailed` and what :func:`.measurement.execute` raises.
    """
    job = replace(job, operation="record", data=Pattern("random", job.seed, ENDLESS), image=None, images=(),
                  trace=None, vcd=None, vcd_scope=None, samples=0)
    key = Store.key("probe", job.conditions())
    known = store.get(key) if store else None
    if known is not None:
        return Probe(**known)
    measurement = execute(job, engine, progress)
    if measurement.problems or not measurement.transfers:
        raise ProbeFailed("; ".join(measurement.problems))
    (transfer,) = measurement.transfers
    source = transfer.source
    found = Probe(source.rate, source.fifo_words, source.arrived, source.lost, source.gap_count,
                  source.backlog_high, transfer.counters["high_water"], transfer.buffer_words,
                  transfer.seconds)
    if store:
        store.put(key, asdict(found))
    return found


def needed_fifo(job: Job, *, store: Store | None = None, engine: str = "auto",
                progress: Callable[..., object] | None = None) -> int:
    """The depth in words that loses nothing of ``job``; raises as :func:`probe` does.

    It is the most words that waited in an endless FIFO before the core, at least 1; if the source of ``job`` does not
    wait, that before a core whose source does.
    """
    waits = job.configuration.model_copy(update={"source_waits": True})
    found = probe(replace(job, configuration=waits, fifo_words=None), store=store, engine=engine, progress=progress)
    return max(1, found.backlog_high)


def highest_rate(job: Job, *, store: Store | None = None, engine: str = "auto", tolerance: float = TOLERANCE,
                 lowest: float = LOWEST, progress: Callable[..., object] | None = None,
                 probing: Callable[..., Any] = probe) -> Search:
    """Searches for the highest rate at which ``job`` loses nothing with its FIFO: a :class:`Search`.

    The rates lie between what the stream carries, at most a word a clock, and the share ``lowest`` of that; bisection
    ends when the two found differ by less than the share ``tolerance``. ``progress(low, high, probes)`` is called
    before each recording with the bounds so far in bytes a second (None: not known) and the number
    of recordings made. Raises as :func:`probe` does, and :exc:`.job_error.JobError` for an
    endless FIFO.
    """
    if job.fifo_words is None:
        raise JobError("fifo_words", "endless", "loses nothing at any rate")
    clock_hz = job.configuration.clock_hz
    top = carried(job.configuration, job.source_hz)
    bounds: list[float | None] = [None, None]
    probes: list[Any] = []

    def lossless(rate):
        share = words_per_clock(rate if rate == top else _short(rate), clock_hz)
        if progress:
            progress(*bounds, len(probes))
        asked = replace(job, input_rate=Rate(share.numerator, share.denominator))
        found = probing(asked, store=store, engine=engine)
        probes.append(found)
        bounds[1 if found.lost else 0] = found.rate
        return not found.lost

    if not lossless(top):
        _bracket(lossless, bounds, probes, top * lowest)
    while bounds[0] and bounds[1] and bounds[1] - bounds[0] > tolerance * bounds[1]:
        lossless(Fraction(bounds[0] + bounds[1]) / 2)
    return Search(bounds[0], bounds[1], probes)


def spread_of_rates(job: Job, seeds: int, *, store: Store | None = None, engine: str = "auto",
                    progress: Callable[..., object] | None = None, probing: Callable[..., Any] = probe) -> Spread:
    """The :class:`Spread` of :func:`highest_rate` over this many ``seeds``, from the job's own on."""
    chosen = list(range(job.seed, job.seed + seeds))
    rates = [highest_rate(replace(job, seed=seed), store=store, engine=engine, progress=progress,
                          probing=probing).rate for seed in chosen]
    return Spread(chosen, rates)


def _short(rate):
    """``rate`` rounded down to six digits: it can be written, and run again."""
    unit = Fraction(10) ** (math.floor(math.log10(rate)) - 5)
    return rate // unit * unit


def _bracket(lossless, bounds, probes, bottom):
    """Finds a rate without loss, downwards from the rate that the drive took at the top rate."""
    first = probes[0]
    taken = 4 * (first.arrived - first.lost) / first.seconds
    for share in (0.995, 1.005) if taken * 1.005 < bounds[1] else (0.995,):
        if not lossless(Fraction(max(taken * share, bottom))):
            break
    while not bounds[0] and bounds[1] > bottom:
        lossless(Fraction(max(bounds[1] / 2, bottom)))
