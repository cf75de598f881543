"""The states of a state machine, a flop each."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.core.states import OneHotStates
from unit.bench import Bench

NAMES = ("FIRST", "SECOND", "THIRD")


class Machine(wiring.Component):
    """Goes from state to state while ``go``; ``back`` leads to the first one, whatever else there is to do.
    ``over``, known a clock sooner, leads from the second one to the first one."""

    go: In(1)
    back: In(1)
    over: In(1)
    seen: Out(3)
    done: Out(3)

    def elaborate(self, platform):
        m = Module()
        states = OneHotStates(m, *NAMES)
        for place, name in enumerate(NAMES):
            m.d.comb += self.seen[place].eq(states.ongoing(name))
            with states.state(name):
                m.d.comb += self.done[place].eq(1)
                with m.If(self.go):
                    states.enter(NAMES[(place + 1) % 3])
                with m.If(self.back):
                    states.enter("FIRST")
        ends = Signal()
        m.d.sync += ends.eq(states.ongoing("FIRST") & self.go & ~self.back & self.over)
        with states.part("SECOND", ends):
            states.enter("FIRST")
        return m


BENCH = Bench(Machine())


@pytest.mark.parametrize("inputs, states", [
    ([{}, {}, {}], [0, 0, 0]),
    ([{"go": 1}, {"go": 1}, {}, {"go": 1}, {}], [0, 1, 2, 2, 0]),
    ([{"go": 1}, {"go": 1}, {"back": 1}, {}], [0, 1, 2, 0]),
    ([{"go": 1}, {"go": 1, "back": 1}, {}], [0, 1, 0]),
    ([{"go": 1, "over": 1}, {"go": 1}, {}], [0, 1, 0]),
    ([{"go": 1}, {"over": 1}, {"go": 1}, {}], [0, 1, 1, 2]),
])
def test_one_state_at_a_time(inputs, states):
    """From the first one on; what is entered last counts, and only what belongs to the state is done. A condition
    of a state may be known from a flop."""
    found = BENCH.trace([{"go": 0, "back": 0, "over": 0} | values for values in inputs], ["seen", "done"])
    assert [(clock["seen"], clock["done"]) for clock in found] == [(1 << state,) * 2 for state in states]
