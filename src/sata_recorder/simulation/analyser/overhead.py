"""The overhead between two commands: from the last payload dword of one to the first of the next."""

from .states import ACCOUNTS

_COUNT = len(ACCOUNTS)
#: Different splits of the overhead that are remembered, to be shared.
_SPLITS = 1024


class OverheadMeter:
    """Enters the overhead before a command in its `Record`, split into accounts.

    ``follows``: the command that runs has come right after another one of its operation.
    """

    __slots__ = ("follows", "_first", "_before", "_tail", "_tail_clock", "_new_tail", "_new_tail_clock",
                 "_between", "_splits")

    def __init__(self):
        self.follows = False
        self._first = self._before = None
        self._tail = self._new_tail = None
        self._tail_clock = self._new_tail_clock = 0
        self._between = [0] * _COUNT    # of what is no data command since the last payload
        self._splits = {}

    def discard(self):
        """Forgets the first payload: none of the command that runs has come yet."""
        self._first = None

    def starts(self, now, tally):
        """A payload dword comes in clock ``now``, maybe the command's first; ``tally`` has the cycles
        before."""
        if self._first is None:
            self._first = now
            self._before = tally.now()

    def book(self, record):
        """The first payload of the command of ``record`` has come whole."""
        if not self.follows or self._tail is None:
            return
        self.follows = False
        record.overhead = self._first - self._tail_clock - 1 - sum(self._between)
        record.overhead_split = self._shared(tuple([after - before - between for (
            after, before, between) in zip(self._before, self._tail, self._between)]))

    def _shared(self, split):
        if len(self._splits) == _SPLITS:
            self._splits.clear()
        return self._splits.setdefault(split, split)

    def mark(self, tally, clock):
        """The latest payload dword came in clock ``clock``."""
        self._new_tail, self._new_tail_clock = tally.before_last(), clock

    def add(self, spent):
        """What is no data command has taken the cycles ``spent`` of each account: they are no overhead."""
        self._between = [before + more for before, more in zip(self._between, spent)]

    def end(self):
        """The data command has ended: the next overhead begins after its last payload."""
        if self._new_tail is not None:
            self._tail, self._tail_clock = self._new_tail, self._new_tail_clock
            self._between = [0] * _COUNT
