"""What a proof is written in: a design under test, its surroundings, assumptions and checks."""

from amaranth.hdl import C, Cat, ClockDomain, Module, Mux, Shape, Signal, Value
from amaranth.lib import data

__all__ = ["Harness"]


class Harness:
    """A closed design to be proved.

    A trace counts until the first clock in which an assumption is broken. A check that fails in a
    clock that counts is a counterexample; a cover is reached in a clock that counts. All of it
    begins in the state after reset, and there is no reset later.

    Members
    -------
    m : Module
    checks, lemmas, covers : dict of str to Value
    inputs : list of Signal         free in each clock
    probes : dict of str to Signal  path in the flattened design, and the signal that shows it
    clocked : list of str           submodules whose flops have clocks of their own

    Parameters
    ----------
    hint : str      the hint that counts
    """

    def __init__(self, hint=""):
        self.m = Module()
        self.domain = ClockDomain("sync", reset_less=True)
        self.m.domains.sync = self.domain
        self.first = Signal(init=1)     #: the first clock
        self.m.d.sync += self.first.eq(0)
        self.checks, self.lemmas, self.covers, self.probes = {}, {}, {}, {}
        self.inputs, self._assumptions, self._hints = [], [], []
        self.clocked = []
        self._wanted = hint

    def dut(self, component, name="dut"):
        """Adds ``component``, with all its inputs undriven."""
        self.m.submodules[name] = component
        return component

    def clock(self, name):
        """Adds a clock domain whose clock may rise and fall in any step. Returns it, and whether the clock rises.

        Its reset is driven by the proof. A trace has steps then, not clocks; a flop that such a clock has shows in the
        step of the edge what its input was in the step before. Only a design under test may use the domain, as
        the engine treats all flops in it so: see `add_clocked`.
        """
        domain = ClockDomain(name)
        self.m.domains += domain
        self.m.d.comb += domain.clk.eq(self.any(1, f"{name}_clk"))
        return domain, domain.clk & ~self.past(domain.clk, init=1)

    def add_clocked(self, component, name="dut"):
        """Adds ``component``, all of whose flops are in domains of `clock`."""
        self.clocked.append(name)
        return self.dut(component, name)

    def any(self, shape, name):
        """A value that may be anything in each clock."""
        signal = Signal(shape, name=f"any_{name}")
        self.inputs.append(Value.cast(signal))
        return signal

    def drive(self, *targets):
        """Lets inputs of the design be anything in each clock."""
        for target in targets:
            value = Value.cast(target)
            self.m.d.comb += value.eq(self.any(len(value), f"{len(self.inputs)}_{value.name}"))

    def constant(self, shape, name):
        """A value that may be anything, and stays."""
        shape = Shape.cast(shape)
        kept = Signal(shape, name=f"kept_{name}")
        value = Signal(shape, name=name)
        self.m.d.comb += value.eq(Mux(self.first, self.any(shape, name), kept))
        self.m.d.sync += kept.eq(value)
        return value

    def probe(self, path, shape=1):
        """A signal inside the design under test, by its ``path`` in the hierarchy."""
        if path not in self.probes:
            self.probes[path] = Signal(shape, name=f"probe_{len(self.probes)}")
        return self.probes[path]

    def assume(self, *conditions):
        self._assumptions += conditions

    def check(self, name, condition):
        assert name not in self.checks
        self.checks[name] = condition

    def lemma(self, name, condition):
        """A check that is proved like the others, and then assumed for them; see `finish`."""
        assert name not in self.lemmas
        self.lemmas[name] = condition

    def cover(self, name, condition, given=1):
        """To be reached by a trace with ``given`` in all clocks: a hint for a long one."""
        assert name not in self.covers
        self.covers[name] = condition & self._so_far(given)

    def hint(self, name, condition):
        """A fault with this hint is looked for in traces in which ``condition`` holds always."""
        if name == self._wanted:
            self._hints.append(condition)

    def ever(self, condition, name=None):
        """Whether ``condition`` held in a clock before this one."""
        signal = Signal(name=name)
        self.m.d.sync += signal.eq(signal | condition)
        return signal

    def past(self, value, init=0, name=None):
        """``value`` in the clock before."""
        value = Value.cast(value)
        signal = Signal(len(value), init=init, name=name)
        self.m.d.sync += signal.eq(value)
        return signal

    def finish(self):
        """The outputs, a bit for each lemma and check or cover. Returns the module.

        ``bad``: to be proved. A lemma may rely on those in front of it, and on all of them in the
        clocks before; a check on all lemmas. ``wrong``: checks that fail, with the hint, whatever
        becomes of the lemmas.
        """
        m = self.m
        counts = self._so_far(self._all(self._assumptions))
        proven = self._so_far(counts & self._all(self.lemmas.values()))
        hinted = self._so_far(counts & self._all(self._hints))
        due = self.past(proven, init=1)
        failed = []
        for lemma in self.lemmas.values():
            holds = self._all([lemma])
            failed.append(counts & due & ~holds)
            due = due & holds
        self.bad = Signal(len(self.lemmas) + len(self.checks), name="bad")
        self.wrong = Signal(len(self.checks), name="wrong")
        self.reached = Signal(len(self.covers), name="cover")
        m.d.comb += [
            self.wrong.eq(Cat(hinted & ~self._all([check]) for check in self.checks.values())),
            self.bad.eq(Cat(*failed,
                            *(proven & ~self._all([check]) for check in self.checks.values()))),
            self.reached.eq(Cat(counts & self._all([cover]) for cover in self.covers.values())),
        ]
        return m

    def _all(self, conditions):
        return Cat(C(1, 1), *(Value.cast(condition).any() for condition in conditions)).all()

    def _so_far(self, condition):
        held, now = Signal(init=1), Signal()
        self.m.d.comb += now.eq(held & condition)
        self.m.d.sync += held.eq(now)
        return now


def one_hot_or_none(value):
    """Whether at most one bit of ``value`` is set."""
    value = value.as_value() if isinstance(value, data.View) else value
    return (value & (value - 1)[:len(value)]) == 0
