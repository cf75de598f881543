"""The bench of the unit tests: a component in Amaranth's simulator, clock by clock.

A test that gives the inputs of each clock as a table uses ``trace``::

    BENCH = Bench(PrimitiveDecoder())
    seen = BENCH.trace([{"link_up": 1, "valid": 1, "dword": 7}, {"link_up": 1}], ["rx__strobe"])
    assert [clock["rx__strobe"] for clock in seen] == [0, 1]

A test whose next input depends on what it saw writes a script, a coroutine function, and gives it
to ``run``::

    async def script(bench):
        bench.set(frame__valid=1, frame__payload__word=5)
        while not bench.get("frame__ready"):
            await bench.tick()
        return bench.get("tx__send")
    assert BENCH.run(script) == 1

The first run of a bench costs more than all others: a module makes one for all of its tests. One whose
scripts take some ten thousand clocks in all is a :class:`unit.compiled_bench.CompiledBench`.
"""

from amaranth.hdl import Value
from amaranth.sim import Simulator

__all__ = ["Bench", "World"]


class Bench:
    """Compiles ``component`` at the first run. Each ``run`` begins with its reset.

    Members are named as in Verilog, with ``__`` for each level: ``frame__payload__word``, ``lanes__0``. A script
    sets the inputs of a clock, looks at what is visible in it, and ends it with ``tick``. Inputs
    keep their values until they are set again.

    Parameters
    ----------
    component : the Amaranth component
    clocked : bool      It has a clock domain ``sync``; a combinational one has none.
    """

    def __init__(self, component, *, clocked=True):
        self.component = component
        self._clocked = clocked
        self._simulator = None
        self._values = {}

    async def _process(self, context):
        self._context = context
        self._result = await self._script(self, *self._arguments, **self._keywords)

    def run(self, script, *arguments, **keywords):
        """What the coroutine function ``script(bench, *arguments, **keywords)`` returns."""
        self._script, self._arguments, self._keywords = script, arguments, keywords
        self._inputs = {}
        if self._simulator is None:
            # Not before: a process that imports the module may run none of its tests.
            self._simulator = Simulator(self.component)
            if self._clocked:
                self._simulator.add_clock(1e-6)
            self._simulator.add_testbench(self._process)
        else:
            self._simulator.reset()
        self._simulator.run()
        return self._result

    def trace(self, rows, outputs):
        """Gives the inputs in each of ``rows`` (a dict a clock; what is not named is 0).

        Returns a dict of ``outputs`` for each clock.
        """
        names = {name for row in rows for name in row}

        async def script(bench):
            seen = []
            for row in rows:
                bench.set(**dict.fromkeys(names, 0) | row)
                seen.append({name: bench.get(name) for name in outputs})
                await bench.tick()
            return seen
        return self.run(script)

    def _value(self, name):
        value = self._values.get(name)
        if value is None:
            found = self.component
            for part in name.split("__"):
                found = found[int(part)] if part.isdecimal() else getattr(found, part)
            value = self._values[name] = Value.cast(found)
        return value

    def set(self, **inputs):
        """Sets inputs of this clock and of those after it."""
        for name, value in inputs.items():
            if self._inputs.get(name) != value:     # every change costs time
                self._inputs[name] = value
                self._context.set(self._value(name), value)

    def get(self, name):
        """What is visible in this clock."""
        return self._context.get(self._value(name))

    def peek(self, row):
        """What a row of a ``MemoryData`` of the component holds in this clock."""
        return self._context.get(row)

    def poke(self, row, value):
        """Puts ``value`` into a row of a ``MemoryData``."""
        self._context.set(row, value)

    async def tick(self, clocks=1):
        """Ends this clock, and more of them."""
        for _ in range(clocks):
            await self._context.tick()

    async def pulse(self, **inputs):
        """Gives ``inputs`` for one clock, then 0."""
        self.set(**inputs)
        await self.tick()
        self.set(**dict.fromkeys(inputs, 0))


class World:
    """Plays what is around the component of a bench; each kind of world has a ``tick`` of its own."""

    def __init__(self, bench):
        self.bench = bench
        self.clock = 0

    def get(self, name):
        return self.bench.get(name)

    async def until(self, condition, most=60_000):
        for _ in range(most):
            if condition():
                return
            await self.tick()
        raise AssertionError("it does not come")
