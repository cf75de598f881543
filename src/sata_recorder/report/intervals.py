"""A transfer cut into intervals of time, as pictures need it."""

from .drawing import COLOURS, time_unit

__all__ = ["Intervals", "held"]

#: Most intervals that can be told apart.
_MOST = 240


class Intervals:
    """What happened between two points of time.

    ``times`` are the points, in ``unit``, from 0 on; ``fill`` and ``backlog`` the words at each of
    them. One value an interval: ``rates`` of payload in MB/s, and the list ``shares[account]`` in
    percent of the booked clocks.
    """

    def __init__(self, clocks, words, accounts, fill, backlog, clock_hz):
        self.fill, self.backlog = fill, backlog
        self.unit, scale = time_unit(clocks[-1] / clock_hz)
        self.times = [clock / clock_hz * scale for clock in clocks]
        self.rates = [4 * count * clock_hz / length / 1e6
                      for count, length in zip(_steps(words), _steps(clocks))]
        booked = {account: _steps(accounts[account]) for account in COLOURS}
        totals = [sum(column) for column in zip(*booked.values())]
        self.shares = {account: [100 * part / total if total else 0.0
                                 for part, total in zip(parts, totals)]
                       for account, parts in booked.items()}

    @classmethod
    def of(cls, transfer):
        """The intervals of ``transfer``; None where no time passed or nothing was sampled."""
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
            # The end comes when it comes: an interval of a few clocks only would tell nothing.
            earlier, before, end = (timeline["clock"][n] for n in chosen[-3:])
            if 2 * (end - before) < before - earlier:
                del chosen[-2]

        def column(numbers):
            return [0, *(numbers[n] for n in chosen)]

        return cls(*(column(timeline[name]) for name in ("clock", "words")),
                   {account: column(timeline["accounts"][account]) for account in COLOURS},
                   *(column(timeline[name]) for name in ("fill", "backlog")),
                   transfer["clock_hz"])


def _steps(numbers):
    return [after - before for before, after in zip(numbers, numbers[1:])]


def held(values):
    """The last value twice: one value an interval becomes one a point of time."""
    return [*values, values[-1]]
