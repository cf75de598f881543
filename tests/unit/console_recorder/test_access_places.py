"""The places of accesses, from the gateware: those of the model in Python, and never outside the span."""

from itertools import islice

from amaranth.sim import Simulator
from hypothesis import given, settings
from hypothesis import strategies as some

from sata_recorder.lab.access import Places
from sata_recorder_platforms.console_recorder.access_places import AccessPlaces


def taken(span, count, *, pauses=(0,), begin_again=None):
    """The first ``count`` places of ``span``, each taken so many clocks of ``pauses`` after it was there; the span is
    begun once more after the first one, with ``begin_again`` clocks between."""
    places, found = AccessPlaces(), []

    async def take(ctx):
        ctx.set(places.span, span)
        for wait in [0] if begin_again is None else [begin_again, 0]:
            ctx.set(places.begin, 1)
            await ctx.tick()
            ctx.set(places.begin, 0)
            for _ in range(wait):
                await ctx.tick()
        for number in range(count):
            while not ctx.get(places.valid):
                await ctx.tick()
            for _ in range(pauses[number % len(pauses)]):
                await ctx.tick()
                assert ctx.get(places.valid)
            found.append(ctx.get(places.lba))
            ctx.set(places.take, 1)
            await ctx.tick()
            ctx.set(places.take, 0)

    simulator = Simulator(places)
    simulator.add_clock(1e-6)
    simulator.add_testbench(take)
    simulator.run()
    return found


@settings(max_examples=40)
@given(some.data())
def test_as_the_model(data):
    align = data.draw(some.sampled_from([1, 8]))
    in_order = data.draw(some.booleans())
    size = data.draw(some.integers(1, 2048 // align)) * align if in_order else data.draw(some.integers(1, 2048))
    # Lengths that are powers of two, just above and below, and any other.
    near = data.draw(some.integers(11, 46)).__rpow__(2) + data.draw(some.integers(-9, 9))
    span = max(size, data.draw(some.sampled_from([near, size, size + 1, size + 8]) | some.integers(size, 1 << 46)))
    lba, seed = data.draw(some.integers(0, (1 << 48) - span - 1)), data.draw(some.integers(0, (1 << 48) - 1))
    found = taken({"lba": lba, "sectors": span, "size": size, "long": align == 8, "in_order": in_order, "seed": seed},
                  12, pauses=data.draw(some.sampled_from([(0,), (0, 3)])),
                  begin_again=data.draw(some.none() | some.integers(0, 8)))
    assert all(lba <= place and place + size <= lba + span for place in found)
    assert found == [*islice(Places(lba, span, size, align, "sequential" if in_order else "random", seed), 12)]


def test_every_place_of_a_small_span_and_no_other():
    found = taken({"lba": 70, "sectors": 13, "size": 3, "long": 0, "in_order": 0, "seed": 9}, 200)
    assert set(found) == set(range(70, 81))
