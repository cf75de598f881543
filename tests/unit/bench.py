"""A component in Amaranth's simulator, clock by clock."""

from amaranth.hdl import Value
from amaranth.sim import Simulator

__all__ = ["Bench"]


class Bench:
    """Compiles ``component`` once; each ``run`` begins with its reset.

    Members are named as in Verilog: ``frame__payload__word``. A script sets the inputs of a clock,
    looks at what is visible in it, and ends it with ``tick``.
    """

    def __init__(self, component, *, clocked=True):
        self._component = component
        self._simulator = Simulator(component)
        if clocked:
            self._simulator.add_clock(1e-6)
        self._simulator.add_testbench(self._process)
        self._values = {}
        self._used = False

    async def _process(self, context):
        self._context = context
        self._result = await self._script(self, *self._arguments, **self._keywords)

    def run(self, script, *arguments, **keywords):
        """What the coroutine function ``script(bench, *arguments, **keywords)`` returns."""
        self._script, self._arguments, self._keywords = script, arguments, keywords
        self._inputs = {}
        if self._used:
            self._simulator.reset()
        self._used = True
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
            found = self._component
            for part in name.split("__"):
                found = getattr(found, part)
            value = self._values[name] = Value.cast(found)
        return value

    def set(self, **inputs):
        for name, value in inputs.items():
            if self._inputs.get(name) != value:     # every change costs time
                self._inputs[name] = value
                self._context.set(self._value(name), value)

    def get(self, name):
        return self._context.get(self._value(name))

    async def tick(self, clocks=1):
        for _ in range(clocks):
            await self._context.tick()

    async def pulse(self, **inputs):
        """Gives ``inputs`` for one clock, then 0."""
        self.set(**inputs)
        await self.tick()
        self.set(**dict.fromkeys(inputs, 0))
