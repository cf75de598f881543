"""Random designs of one clock domain, with everything that a netlist of Amaranth's may have."""

import random

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["INPUTS", "OUTPUTS", "RandomDesign"]

INPUTS = {"a": 13, "b": 9, "c": 1, "d": 32}
OUTPUTS = {"x": 24, "y": 33, "z": 7}


class RandomDesign(wiring.Component):
    """A design that follows from ``seed``: inputs a to d, outputs x to z, registers, memories; and
    ``small`` more registers of up to eight bits, which move seldom and are in y."""

    a: In(13)
    b: In(signed(9))
    c: In(1)
    d: In(32)
    x: Out(24)
    y: Out(33)
    z: Out(7)

    def __init__(self, seed, small=0):
        self._seed = seed
        self._small = small
        super().__init__()

    def elaborate(self, platform):
        self._random = random.Random(self._seed)
        m = Module()
        pick = self._random
        registers = [Signal(signed(width) if index % 3 == 2 else width, name=f"r{index}",
                            init=pick.randrange(1 << width - 1))
                     for index, width in enumerate(pick.choices((1, 3, 8, 31, 32, 33, 48, 64, 90),
                                                                k=8))]
        values = [self.a, self.b, self.c, self.d, *registers]
        for index in range(2):
            values += self._memory(m, values, index)
        for index in range(6):
            wire = Signal(pick.choice((1, 5, 32, 40)), name=f"w{index}")
            m.d.comb += wire.eq(self._expression(values, 3))
            with m.If(self._expression(values, 2)):
                m.d.comb += wire.eq(self._expression(values, 2))
            values.append(wire)
        self._block(m, registers, values, 3)
        whole, part, last = pick.sample(registers, 3)
        # However dull the rest is, it moves.
        tick = Signal(24)
        m.d.sync += tick.eq(tick + 1)
        m.d.sync += part[:len(part) // 2 + 1].eq(self._expression(values, 2))
        m.d.comb += [self.x.eq(self._expression(values, 3) + tick),
                     self.y.eq(_narrow(whole) ^ values[-1] ^ self._small_registers(m)),
                     self.z.eq(last)]
        return m

    def _small_registers(self, m):
        """Each is set where a word has a number that it seldom has; the word that they make together."""
        pick = self._random
        registers = [Signal(pick.randint(1, 8), name=f"s{index}") for index in range(self._small)]
        for register in registers:
            with m.If(self.d[:5] == pick.getrandbits(5)):
                m.d.sync += register.eq(pick.choice(registers) + self.a + pick.getrandbits(4))
        found = C(0, 33)
        for index, register in enumerate(registers):
            found ^= register << index % 26
        return found

    def _memory(self, m, values, index):
        pick = self._random
        memory = Memory(shape=pick.choice((6, 32, 48)), depth=8,
                        init=[pick.randrange(64) for _ in range(5)])
        m.submodules[f"memory{index}"] = memory
        write = memory.write_port()
        async_port = memory.read_port(domain="comb")
        sync_port = memory.read_port(domain="sync")
        m.d.comb += [write.addr.eq(self._expression(values, 1)),
                     write.data.eq(self._expression(values, 2)),
                     write.en.eq(self._expression(values, 1)),
                     async_port.addr.eq(self._expression(values, 1)),
                     sync_port.addr.eq(self._expression(values, 1)),
                     sync_port.en.eq(self._expression(values, 1) if index else 1)]
        return [async_port.data, sync_port.data]

    def _block(self, m, registers, values, depth):
        """Statements that set some registers, in nested conditions."""
        pick = self._random
        for register in pick.sample(registers, 3):
            m.d.sync += register.eq(self._expression(values, 2))
        if not depth:
            return
        with m.If(self._expression(values, 2)):
            self._block(m, registers, values, depth - 1)
        with m.Elif(self._expression(values, 1)):
            self._block(m, registers, values, depth - 1)
        with m.Else():
            # Patterns may overlap, and may leave bits open: the first that fits counts.
            with m.Switch(pick.choice([self.a, *(r for r in registers if len(r) >= 3)])[:3]):
                for _ in range(4):
                    with m.Case(*("".join(pick.choices("01-", k=3))
                                  for _ in range(pick.randint(1, 2)))):
                        self._block(m, registers, values, 0)
                with m.Default():
                    self._block(m, registers, values, 0)

    def _expression(self, values, depth):
        pick = self._random
        if not depth:
            value = _narrow(pick.choice(values))
            if pick.random() < 0.2:
                width = pick.choice((1, 8, 33))
                return C(pick.getrandbits(width), width)
            if pick.random() < 0.4 and len(value) > 1:
                low = pick.randrange(len(value) - 1)
                return value[low:pick.randrange(low + 1, len(value))]
            return value
        one, two, three = (self._expression(values, depth - 1) for _ in range(3))
        one, two, three = _narrow(one), _narrow(two), _narrow(three)
        signal = _narrow(pick.choice(values))
        return pick.choice((
            lambda: one + two, lambda: one - two, lambda: one & two,
            lambda: one | two, lambda: one ^ two, lambda: ~signal, lambda: -(signal[:20]),
            lambda: Mux(one, two, three), lambda: signal == two, lambda: signal != one,
            lambda: signal < two, lambda: signal <= one, lambda: signal > two,
            lambda: signal >= one, lambda: Cat(signal, two)[:60], lambda: signal.any(),
            lambda: signal.all(), lambda: signal.xor(), lambda: ~signal.bool(),
            lambda: signal[:40] << values[0][:3], lambda: signal >> values[3][:5],
            lambda: signal[:20] >> values[3][:7],
            # Of a signed word Amaranth's simulator and its RTLIL have different bits after the end.
            lambda: values[3].bit_select(values[0][:5], 9),
            lambda: values[3].word_select(values[0][:3], 7),
            lambda: Cat(*values).bit_select(values[3][:8], 40),
            lambda: signal[:12] * values[1].as_unsigned(), lambda: Array(values[:4])[values[0][:2]],
        ))()


def _narrow(value):
    """What is compared or added fits a word of 64 bits, with a carry or sign."""
    return value if len(value) <= 60 else value[:60]
