"""A transfer cut into intervals of time, for pictures."""

import itertools

from ..facts.units import SECTOR_WORDS
from .colours import COLOURS
from .drawing import time_unit

#: Most intervals that can be distinguished.
_MOST = 240
#: From this many commands on, each rate is that of whole commands.
_MANY = 20
#: With this many commands in an interval, it does not matter that it cuts one.
_COMMANDS = 8


class Intervals:
    """What happened between points of time.

    ``times`` are the points, in ``unit``, from 0 on; ``fill`` and ``backlog`` the words at each of
    them. ``shares[account]`` has the percentage of the booked clocks in each interval between
    ``share_times``, every ``coarse``-th of the points. ``rates``, of payload in MB/s, are those between
    ``rate_times``: the ``ends`` of commands, as (clock, words until then), if given, else the points.
    An interval that cuts a command shows a beat of the two periods, the more so the fewer commands it has.
    """

    def __init__(self, clocks, words, accounts, fill, backlog, clock_hz, ends=None, coarse=1):
        self.fill, self.backlog = fill, backlog
        self.unit, scale = time_unit(clocks[-1] / clock_hz)
        self.times = [clock / clock_hz * scale for clock in clocks]
        cuts = ends or list(zip(clocks, words))
        self.rate_times = [clock / clock_hz * scale for clock, _ in cuts]
        self.rates = [4 * count * clock_hz / length / 1e6
                      for length, count in zip(*map(_steps, zip(*cuts)))]
        self.share_times = _every(coarse, self.times)
        booked = {account: _steps(_every(coarse, accounts[account])) for account in COLOURS}
        totals = [sum(column) for column in zip(*booked.values())]
        self.shares = {account: [100 * part / total if total else 0.0
                                 for part, total in zip(parts, totals)]
                       for account, parts in booked.items()}

    @classmethod
    def of(cls, transfer):
        """The intervals of ``transfer``; None if no time passed or nothing was sampled."""
        timeline = transfer.get("timeline") or {}
        chosen, last = [], 0
        for n, clock in enumerate(timeline.get("clock") or ()):
            if clock > last:
                chosen.append(n)
                last = clock
        if not chosen:
            return None
        chosen = chosen[::-1][::-(-len(chosen) // _MOST)][::-1]
        if len(chosen) > 2:
            # The end can come at any time: a last interval of only a few clocks would show nothing.
            earlier, before, end = (timeline["clock"][n] for n in chosen[-3:])
            if 2 * (end - before) < before - earlier:
                del chosen[-2]

        def column(numbers):
            return [0, *(numbers[n] for n in chosen)]

        return cls(*(column(timeline[name]) for name in ("clock", "words")),
                   {account: column(timeline["accounts"][account]) for account in COLOURS},
                   *(column(timeline[name]) for name in ("fill", "backlog")),
                   transfer["clock_hz"], _ends(transfer, timeline["clock"][chosen[-1]]),
                   _coarse(transfer["commands"], len(chosen)))


def _ends(transfer, last):
    """(clock, words) at the ends of every so many commands; None for few commands, whose inside is to be
    seen, if the details of some are missing, and after an error."""
    detail = transfer.get("commands_detail") or {}
    starts = detail.get("start", ())
    if len(starts) < _MANY or detail["thinned"] > 1 or transfer["error"] != "NONE":
        return None
    words = itertools.accumulate(SECTOR_WORDS * sectors for sectors in detail["sectors"])
    ends = [(start + clocks, count) for start, clocks, count in
            zip(starts, detail["clocks"], words) if start + clocks <= last]
    if len(ends) < 2:
        return None
    step = -(-len(ends) // _MOST)
    return [(0, 0), *ends[step - 1::step]]


def _every(step, numbers):
    """The first of ``numbers`` and, counted from the last one, every ``step``-th of the others."""
    return numbers[:1] + numbers[:0:-1][::step][::-1]


def _coarse(commands, intervals):
    """How many intervals to join into one, so that it has enough commands."""
    if commands < _MANY * _COMMANDS or commands >= intervals * _COMMANDS:
        return 1
    return -(-intervals * _COMMANDS // commands)


def _steps(numbers):
    return [after - before for before, after in zip(numbers, numbers[1:])]


def held(values):
    """``values`` with the last one twice: a value for each interval becomes one for each point of time."""
    return [*values, values[-1]]
