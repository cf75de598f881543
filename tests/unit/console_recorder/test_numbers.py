"""Numbers of the board: read, printed, divided, and the words of its patterns."""

import pytest
from amaranth.sim import Simulator
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sata_recorder.simulation.pattern import Pattern
from sata_recorder_platforms.console_recorder.digits import Digits
from sata_recorder_platforms.console_recorder.leds import Leds
from sata_recorder_platforms.console_recorder.number import Number
from sata_recorder_platforms.console_recorder.pattern import Checker, Generator
from sata_recorder_platforms.console_recorder.rate import Rate

MOST = 2**48 - 1
#: Numbers of all sizes.
SIZES = st.integers(0, 48).flatmap(lambda bits: st.integers(0, 2**bits - 1))


def simulate(design, testbench):
    simulator = Simulator(design)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


@settings(max_examples=25)
@given(st.lists(st.tuples(SIZES, st.sampled_from(["d", "#x", "05d"])), min_size=1, max_size=5))
@example([(MOST, "d"), (MOST, "#x"), (MOST + 1, "d"), (MOST + 1, "#x"), (10 * MOST, "d"), (0, "d")])
def test_number(numbers):
    number = Number()

    async def type_in(ctx):
        for value, form in numbers:
            ctx.set(number.clear, 1)
            await ctx.tick()
            ctx.set(number.clear, 0)
            for char in format(value, form):
                ctx.set(number.char, ord(char))
                ctx.set(number.valid, 1)
                await ctx.tick()
                ctx.set(number.valid, 0)
                await ctx.tick()
                while ctx.get(number.busy):
                    await ctx.tick()
            assert ctx.get(number.bad) == (value > MOST)
            if value <= MOST:
                assert ctx.get(number.value) == value

    simulate(number, type_in)


@settings(max_examples=15)
@given(st.lists(st.tuples(SIZES, st.sampled_from(["015d", "02x", "08x"])), min_size=1, max_size=4))
@example([(MOST, "015d"), (MOST, "02x"), (MOST, "08x"), (0, "015d")])
def test_digits(numbers):
    digits = Digits()

    async def print_out(ctx):
        for value, form in numbers:
            ctx.set(digits.value, value)
            ctx.set(digits.hexadecimal, form != "015d")
            ctx.set(digits.short, form == "02x")
            ctx.set(digits.start, 1)
            await ctx.tick()
            ctx.set(digits.start, 0)
            found = ""
            while True:
                clocks = 0
                while ctx.get(digits.busy):
                    await ctx.tick()
                    clocks += 1
                assert clocks <= 100
                if not ctx.get(digits.left):
                    break
                found += f"{ctx.get(digits.digit):x}"
                ctx.set(digits.step, 1)
                await ctx.tick()
                ctx.set(digits.step, 0)
            short = {"015d": value, "02x": value % 2**8, "08x": value % 2**32}[form]
            assert found == format(short, form)

    simulate(digits, print_out)


@settings(max_examples=15)
@given(st.sampled_from([37.5e6, 75e6, 150e6, 1e9]),
       st.lists(st.tuples(SIZES, SIZES), min_size=1, max_size=4))
@example(75e6, [(0, 1), (1, 2), (2**40, 2**40 + 1), (MOST - 1, MOST)])
def test_rate(clock_hz, pairs):
    """Hundredths of MB/s, the way a person would compute them, or one less."""
    rate = Rate(clock_hz)

    async def compute(ctx):
        for pair in pairs:
            words, clocks = sorted(pair)
            clocks += words == clocks
            ctx.set(rate.words, words)
            ctx.set(rate.clocks, clocks)
            ctx.set(rate.start, 1)
            await ctx.tick()
            ctx.set(rate.start, 0)
            await ctx.tick().repeat(32)
            exact = words * 4 * int(clock_hz) // (clocks * 10**4)
            assert ctx.get(rate.hundredths) in (exact, exact - 1)

    simulate(rate, compute)


@pytest.mark.parametrize("lba", [0, 5, 2**25 - 1, 2**48 - 1])
@pytest.mark.parametrize("kind", ["inc32", "dec32"])
def test_generator_is_the_pattern_of_measure(lba, kind):
    generator = Generator()
    found = []

    async def read(ctx):
        ctx.set(generator.lba, lba)
        ctx.set(generator.decreasing, kind == "dec32")
        ctx.set(generator.begin, 1)
        await ctx.tick()
        ctx.set(generator.begin, 0)
        for number in range(300):
            if number % 3 == 0:
                await ctx.tick()
            found.append(ctx.get(generator.word))
            ctx.set(generator.advance, 1)
            await ctx.tick()
            ctx.set(generator.advance, 0)

    simulate(generator, read)
    data = b"".join(word.to_bytes(4, "little") for word in found)
    assert data == Pattern(kind, 128 * lba, 300).read(0, 300)


def test_checker():
    checker = Checker()

    async def compare(ctx):
        for wrong in [], [0], [3, 4, 9], [9]:
            ctx.set(checker.clear, 1)
            await ctx.tick()
            ctx.set(checker.clear, 0)
            for word in range(10):
                ctx.set(checker.expected, word)
                ctx.set(checker.i.payload, word + 0x100 * (word in wrong))
                ctx.set(checker.i.valid, 1)
                await ctx.tick()
                ctx.set(checker.i.valid, 0)
                ctx.set(checker.i.payload, 0xFFFFFFFF)      # not valid: counts for nothing
                if word % 3:
                    await ctx.tick().repeat(word % 3)
            await ctx.tick().repeat(2)
            assert ctx.get(checker.mismatches) == len(wrong)
            if wrong:
                assert ctx.get(checker.first) == wrong[0]
                assert ctx.get(checker.wanted) == wrong[0]
                assert ctx.get(checker.got) == wrong[0] + 0x100

    simulate(checker, compare)


def test_lights():
    lights = Leds(1000)       # so that 50 ms are 50 clocks, a flash 250 of them

    async def watch(ctx):
        async def clocks_of(light, level):
            count = 0
            while ctx.get(light) == level:
                await ctx.tick()
                count += 1
            return count

        ctx.set(lights.up, 1)
        await clocks_of(lights.link, 0)
        assert await clocks_of(lights.link, 1) == await clocks_of(lights.link, 0) == 250
        ctx.set(lights.usable, 1)
        await ctx.tick().repeat(2)
        for _ in range(600):
            assert ctx.get(lights.link)
            await ctx.tick()
        ctx.set(lights.busy, 1)
        await ctx.tick().repeat(2)
        assert ctx.get(lights.activity)
        ctx.set(lights.busy, 0)
        assert 50 <= await clocks_of(lights.activity, 1) <= 53
        ctx.set(lights.fault, 1)
        await ctx.tick()
        ctx.set(lights.fault, 0)
        await ctx.tick().repeat(1000)
        assert ctx.get(lights.error)
        ctx.set(lights.clear, 1)
        await ctx.tick().repeat(2)
        assert not ctx.get(lights.error)
        ctx.set(lights.up, 0)
        await ctx.tick().repeat(2)
        assert not ctx.get(lights.link)

    simulate(lights, watch)
