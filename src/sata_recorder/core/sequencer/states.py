"""State machines whose states are known from flops, not from a decoder of the state."""

from contextlib import contextmanager

from amaranth.hdl import C, Signal

__all__ = ["OneHotStates"]


class OneHotStates:
    """The states of a state machine, a flop each, for where the time is short; the first one is initial.

    Instead of ``m.FSM()``: ``state`` is what ``m.State`` is, ``enter`` what ``m.next`` is. What is entered last
    counts. Those that are ``absent`` are never entered, and nothing is left of them.
    """

    def __init__(self, m, *names, absent=()):
        self._m = m
        self._flags = {name: Signal(name=f"is_{name.lower()}", init=not place)
                       for place, name in enumerate(names)}
        # Nobody looks at the flop of a state that is absent.
        self._shown = self._flags | dict.fromkeys(absent, C(0))
        # No flag depends on a state that does not lead to it: where a state leads to, itself included.
        self._ways = {name: {name: flag} for name, flag in self._flags.items()}
        self._state = None

    def ongoing(self, name):
        """Whether the state is ``name``."""
        return self._shown[name]

    @contextmanager
    def state(self, name, when=None):
        """A context: what is done in the state ``name``, or of it ``when`` this is high, which it is in no
        other state."""
        self._state = name
        with self._m.If(self._shown[name] if when is None else when):
            yield
        self._state = None

    def enter(self, name):
        """Makes ``name`` the next state."""
        ways = self._ways[self._state]
        ways[name] = self._flags[name]
        self._m.d.sync += [flag.eq(other == name) for other, flag in ways.items()]
