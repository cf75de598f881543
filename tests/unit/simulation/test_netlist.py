"""The C++ of a netlist does what Amaranth's simulator does, whatever the design."""

import multiprocessing
import random
from concurrent.futures import ProcessPoolExecutor

import pytest
from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from checking import checking_compiler
from short import short

from sata_recorder.simulation import Clocked, compiled_component, netlist
from unit.simulation.random_design import INPUTS, OUTPUTS, RandomDesign

CLOCKS = 120


def stimuli(seed):
    """Words for the inputs, bits 0 to 54: many are all zeros or ones."""
    pick = random.Random(f"{seed} inputs")
    total = sum(INPUTS.values())
    return [pick.choice((pick.getrandbits(total), 0, (1 << total) - 1,
                         1 << pick.randrange(total), pick.getrandbits(total)))
            for _ in range(CLOCKS)]


def in_amaranth(design, words):
    """The outputs of a random design as one word in each clock, in Amaranth's simulator."""
    found = []

    async def bench(context):
        for word in words:
            at = 0
            for name, width in INPUTS.items():
                number = word >> at & (1 << width) - 1
                if name == "b" and number >> width - 1:
                    number -= 1 << width
                context.set(getattr(design, name), number)
                at += width
            answer = at = 0
            for name, width in OUTPUTS.items():
                answer |= context.get(getattr(design, name)) << at
                at += width
            found.append(answer)
            await context.tick()

    simulator = Simulator(design)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found


def compiled(seed, words):
    design = Clocked(compiled_component(RandomDesign(seed), list(INPUTS), list(OUTPUTS)))
    try:
        return [design.clock(word) for word in words]
    finally:
        design.close()


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", short(range(12), range(4)))
def test_random_designs(seed):
    words = stimuli(seed)
    expected = in_amaranth(RandomDesign(seed), words)
    assert compiled(seed, words) == expected


@pytest.mark.parametrize("seed", range(12, 15))
def test_random_designs_without_undefined_behaviour(seed):
    words = stimuli(seed)
    with checking_compiler(), ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        found = pool.submit(compiled, seed, words).result()
    assert found == in_amaranth(RandomDesign(seed), words)


class TwoMemories(wiring.Component):
    """What is read of the first memory goes into the second one, whatever is written meanwhile."""

    a: In(8)
    x: Out(8)

    def elaborate(self, platform):
        m = Module()
        m.submodules.first = first = Memory(shape=8, depth=4, init=[1, 2, 3, 4])
        m.submodules.second = second = Memory(shape=8, depth=4, init=[])
        into_first, into_second = first.write_port(), second.write_port()
        of_first, of_second = (memory.read_port(domain="comb") for memory in (first, second))
        m.d.comb += [
            into_first.addr.eq(self.a), into_first.data.eq(self.a), into_first.en.eq(1),
            of_first.addr.eq(self.a), into_second.addr.eq(self.a),
            into_second.data.eq(of_first.data), into_second.en.eq(self.a[7]),
            of_second.addr.eq(self.a[2:]), self.x.eq(of_second.data),
        ]
        return m


def test_a_memory_is_read_before_any_is_written():
    design = Clocked(compiled_component(TwoMemories(), ["a"], ["x"]))
    pick, first, second = random.Random(1), [1, 2, 3, 4], [0] * 4
    for word in (pick.getrandbits(8) for _ in range(200)):
        assert design.clock(word) == second[word >> 2 & 3]
        if word >> 7:
            second[word & 3] = first[word & 3]
        first[word & 3] = word
    design.close()


class Wide(wiring.Component):
    """A memory whose words are longer than those of a machine, behind a port with a clock."""

    a: In(32)
    at: In(2)
    write: In(1)
    low: Out(64)
    high: Out(50)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(shape=114, depth=4, init=[3, 1 << 113, 7 << 60, 5])
        write, read = memory.write_port(), memory.read_port()
        m.d.comb += [
            write.addr.eq(self.at), write.data.eq(self.a.replicate(4)), write.en.eq(self.write),
            read.addr.eq(self.at), Cat(self.low, self.high).eq(read.data),
        ]
        return m


def test_a_memory_of_long_words():
    low = Clocked(compiled_component(Wide(), ["a", "at", "write"], ["low"]))
    high = Clocked(compiled_component(Wide(), ["a", "at", "write"], ["high"]))
    pick, words, before = random.Random(1), [3, 1 << 113, 7 << 60, 5], None
    for _ in range(300):
        a, at, write = pick.getrandbits(32), pick.randrange(4), pick.getrandbits(1)
        inputs = a | at << 32 | write << 34
        found = low.clock(inputs) | high.clock(inputs) << 64
        assert before is None or found == before
        before = words[at]
        if write:
            words[at] = (a * 0x1_0000_0001_0000_0001_0000_0001) % (1 << 114)
    low.close()
    high.close()


class Divider(wiring.Component):
    """Numbers without a sign; 0 where the divisor is."""

    a: In(40)
    b: In(8)
    narrow: Out(6)
    wide: Out(8)
    quotient: Out(40)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [self.narrow.eq(self.a % self.b), self.wide.eq(self.b % self.a),
                     self.quotient.eq(self.a // self.b)]
        return m


def test_divisions():
    design = Clocked(compiled_component(Divider(), ["a", "b"], ["narrow", "wide", "quotient"]))
    pick = random.Random(1)
    for _ in range(500):
        a, b = pick.getrandbits(pick.choice((1, 8, 40))), pick.getrandbits(pick.choice((1, 8)))
        narrow, wide, quotient = (a % b & 63, b % a if a else 0, a // b) if b else (0, 0, 0)
        assert design.clock(a | b << 40) == narrow | wide << 6 | quotient << 14
    design.close()


class Sums(wiring.Component):
    """A register whose bits are sums of bits, some of them inverted, as a CRC's are, and two are always
    1; and a word in which one bit is none."""

    a: In(32)
    crc: Out(32)
    other: Out(32)

    def __init__(self):
        pick = random.Random(3)
        self.rows = [[pick.randrange(32) for _ in range(9)] for _ in range(32)]
        self.inverted = pick.getrandbits(32)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        word = Signal(32)
        m.d.comb += word.eq(self.crc ^ self.a)
        sums = []
        for place, row in enumerate(self.rows):
            bit = word[row[0]]
            for column in row[1:]:
                bit = bit ^ word[column]
            sums.append(~bit if self.inverted >> place & 1 else bit)
        m.d.sync += self.crc.eq(Cat(sums[:14], C(3, 2), sums[16:]))
        m.d.comb += self.other.eq(Cat(sums[:7], self.a[3] & self.a[4], sums[8:]))
        return m

    def sum(self, word):
        """The sums of the bits of ``word``."""
        bits = [sum(word >> column for column in row) & 1 for row in self.rows]
        return sum(bit << place for place, bit in enumerate(bits)) ^ self.inverted


def test_sums_of_bits():
    design = Sums()
    one = Clocked(compiled_component(Sums(), ["a"], ["crc", "other"]))
    pick, crc = random.Random(1), 0
    for _ in range(200):
        a = pick.getrandbits(32)
        following = design.sum(crc ^ a)
        other = following & ~(1 << 7) | (a >> 3 & a >> 4 & 1) << 7
        assert one.clock(a) == crc | other << 32
        crc = following | 3 << 14
    one.close()


def sums_of_bits(last):
    """A module whose output is 8 sums of 17 bits of its input; the last one adds the bit ``last``."""
    cells, made = {}, 200
    outputs = []
    for place in range(8):
        before = 10 + place
        for column in range(16):
            made += 1
            other = last if (place, column) == (7, 15) else 10 + (place * 5 + column * 3 + 1) % 16
            cells[f"xor{made}"] = {
                "type": "$xor", "parameters": {"A_SIGNED": "0", "B_SIGNED": "0"},
                "connections": {"A": [before], "B": [other], "Y": [made]}}
            before = made
        outputs.append(before)
    return {"ports": {"clk": {"direction": "input", "bits": [2]},
                      "i": {"direction": "input", "bits": [*range(10, 26)]},
                      "j": {"direction": "input", "bits": [*range(30, 46)]},
                      "o": {"direction": "output", "bits": outputs}},
            "netnames": {}, "cells": cells}


def test_sums_of_one_word_are_tables():
    assert "sum0(" in netlist.text(netlist.Netlist(sums_of_bits(12)))


def test_sums_of_two_words_are_gates():
    assert "sum0(" not in netlist.text(netlist.Netlist(sums_of_bits(31)))


def module(kind, *, ports=None, cells=None, **parameters):
    """A module with clk, an input i of 64 bits, an output o of 1 bit and one cell that makes o."""
    numbers = {name: f"{number:032b}" for name, number in
               ({"A_SIGNED": 0, "B_SIGNED": 0, "CLK_POLARITY": 1} | parameters).items()}
    wires = {"A": [*range(10, 74)], "B": [*range(10, 74)], "Y": [5]} if ports is None else ports
    return {"ports": {"clk": {"direction": "input", "bits": [2]},
                      "i": {"direction": "input", "bits": [*range(10, 74)]},
                      "o": {"direction": "output", "bits": [5]}},
            "netnames": {}, "cells": {"it": {"type": kind, "parameters": numbers,
                                             "connections": wires}} | (cells or {})}


def test_a_known_cell():
    assert "p_o.word" in netlist.text(netlist.Netlist(module("$eq")))


@pytest.mark.parametrize("strange, words", [
    (module("$div"), "cell it of type .div"),
    (module("$modfloor", A_SIGNED=1), "cell it of type .modfloor is signed"),
    (module("$add", ports={"A": ["0"] * 65, "B": ["1"], "Y": [5]}), "it .* has 65 bits"),
    (module("$dff", ports={"CLK": [10], "D": [11], "Q": [5]}), "rising edge of clk"),
    (module("$dff", ports={"CLK": [2], "D": [11], "Q": [5]}, CLK_POLARITY=0), "rising edge of clk"),
    (module("$not", ports={"A": [999], "Y": [5]}), "net 999 has no driver"),
    (module("$not", ports={"A": [10], "Y": [6]}), "net 5 has no driver"),
    (module("$not", ports={"A": [5], "Y": [5]}), "it depends on itself"),
])
def test_what_is_refused(strange, words):
    with pytest.raises(netlist.UnknownCell, match=words):
        netlist.text(netlist.Netlist(strange))
