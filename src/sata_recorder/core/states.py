"""State machines whose states are known from flops, not from a decoder of the state."""

from contextlib import contextmanager

from amaranth.hdl import Signal

__all__ = ["OneHotStates"]


class OneHotStates:
    """The states of a state machine, a flop each, for where the time is short; the first one is initial.

    Instead of ``m.FSM()``: ``state`` is what ``m.State`` is, ``enter`` what ``m.next`` is. What is entered last
    counts. ``only``: for some states, whether they exist; nothing is left of one that is never entered.
    """

    def __init__(self, m, *names, only=()):
        self._m = m
        self._flags = {name: Signal(name=f"is_{name.lower()}", init=not place)
                       for place, name in enumerate(names)}
        # Nothing reads the flop of a state that does not exist.
        self._shown = self._flags | {name: self._flags[name] & there for name, there in dict(only).items()}
        # No flag depends on a state that does not lead to it: where a state leads to, itself included.
        self._ways = {name: {name: flag} for name, flag in self._flags.items()}
        self._state = None

    def ongoing(self, name):
        """Whether the state is ``name``."""
        return self._shown[name]

    def state(self, name):
        """A context: what is done in the state ``name``."""
        return self.part(name, self._shown[name])

    @contextmanager
    def part(self, name, when):
        """A context: what of the state ``name`` is done ``when`` this is high, which it is in no other state."""
        self._state = name
        with self._m.If(when):
            yield
        self._state = None

    def enter(self, name):
        """Makes ``name`` the next state."""
        ways = self._ways[self._state]
        ways[name] = self._flags[name]
        self._m.d.sync += [flag.eq(other == name) for other, flag in ways.items()]
