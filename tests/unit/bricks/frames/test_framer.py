"""What the framer gives is read again, to the word, with its gaps."""

import struct

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sata_recorder.bricks.frames import VrlFramer
from sata_recorder.pc.vita49 import AROUND, VrlFrame, frames
from sata_recorder.bricks.frames.frame_sender import advanced, frame_layout
from unit.bricks.frames.framed import Bytes, record

EXAMPLES = settings().max_examples


def read(recorded):
    """The frames, and (number, word) of each of their words."""
    found = list(frames(Bytes(recorded.content)))
    assert all(isinstance(one, VrlFrame) for one in found)
    words = []
    for one in found:
        payload = struct.unpack(f"<{len(one.payload) // 4}I", one.payload)
        words += enumerate(payload, one.first)
    return found, words


def check(recorded, payload, stream_id):
    """All that a reader relies on."""
    found, words = read(recorded)
    assert words == recorded.kept
    assert len(recorded.content) % 512 == 0
    assert [one.count for one in found] == list(range(len(found)))
    assert {one.stream_id for one in found} == {stream_id}
    assert [one.last for one in found] == [False] * (len(found) - 1) + [True]
    assert found[-1].first == recorded.offered and not found[-1].payload
    lost = 0
    for before, after in zip(found, found[1:], strict=False):
        assert after.gap_ahead == (after.first > before.next_word)
        assert before.clock < after.clock <= recorded.clocks
        lost += after.first - before.next_word
        # Only a gap or the end makes a frame shorter.
        assert len(before.payload) == 4 * payload or after.gap_ahead or after.last
    assert lost == recorded.lost == recorded.offered - len(recorded.kept)
    return found


@settings(max_examples=EXAMPLES // 12)
@given(seed=st.integers(0, 2**32 - 1), words=st.integers(0, 300), payload=st.integers(1, 150),
       user=st.sampled_from([1, 0.9, 0.3]), drive=st.sampled_from([1, 0.7, 0.2]),
       burst=st.sampled_from([1, 30]), waits=st.booleans(), recordings=st.integers(1, 2))
def test_words_come_back(seed, words, payload, user, drive, burst, waits, recordings):
    assume(words <= 40 * payload)       # a frame has a sector at least, however short it is
    for number, recorded in enumerate(record(
            seed=seed, words=words, payload=payload, user=user, drive=drive, burst=burst,
            waits=waits, recordings=recordings, stream_id=90)):
        check(recorded, payload, 90 + number)
        assert not (waits and recorded.lost)


def test_gaps():
    """A drive that is slower than the source: a few long gaps."""
    payload = 128 - AROUND
    [recorded] = record(words=4000, payload=payload, drive=0.5, waits=False, seed=3)
    found = check(recorded, payload, 7)
    gaps = [after.first - before.next_word for before, after in zip(found, found[1:], strict=False)
            if after.gap_ahead]
    assert len(gaps) > 5 and min(gaps[:-1]) > payload


def test_time_is_that_of_the_first_word():
    """It counts the clocks from the one after `begin` on; the first word comes in the sixth."""
    [recorded] = record(words=400, payload=100)
    found, _ = read(recorded)
    assert [one.clock for one in found[:-1]] == [5, 105, 205, 305]
    assert found[-1].clock in (404, 405)


def test_clocks_of_a_frame():
    """16 more than it has words of payload, and zeros."""
    payload = 128 - AROUND
    framer, begins = VrlFramer(payload=payload), []

    async def script(ctx):
        ctx.set(framer.begin, 1)
        await ctx.tick()
        ctx.set(framer.begin, 0)
        ctx.set(framer.i.valid, 1)
        ctx.set(framer.o.ready, 1)
        for clock in range(1000):
            if ctx.get(framer.o.valid) and ctx.get(framer.o.payload).to_bytes(4, "little") == b"VRLP":
                begins.append(clock)
            await ctx.tick()
    simulator = Simulator(framer)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()
    assert {after - before for before, after in zip(begins, begins[1:], strict=False)} == {
        payload + 17}


def test_a_word_a_clock():
    """While frames are begun and ended no word is refused, even if the drive is hardly faster."""
    payload = 256 - AROUND
    [recorded] = record(words=12 * payload, payload=payload, user=0.91, waits=False)
    check(recorded, payload, 7)
    assert not recorded.lost


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize("options, text", [
    ({"payload": 0}, "payload: 0 words"), ({"payload": 16257}, "payload: 16257 words, possible are 1 to 16256")])
def test_refusals(options, text):
    with pytest.raises(ValueError, match=text):
        VrlFramer(**options)


def test_room_for_no_more():
    """A source that does not wait: `ready` is low from one clock on, not for a clock within."""
    framer, low = VrlFramer(payload=2034, waits=False), []
    assert len(framer.offered) == len(framer.lost) == len(framer.kept) == 64

    async def script(ctx):
        ctx.set(framer.begin, 1)
        ctx.set(framer.sectors, 57)
        await ctx.tick()
        ctx.set(framer.begin, 0)
        ctx.set(framer.i.valid, 1)
        for clock in range(14_000):
            ctx.set(framer.o.ready, clock < 500 or clock > 6000)
            low.append(not ctx.get(framer.i.ready))
            await ctx.tick()
        assert ctx.get(framer.lost) > 1000
        # It begins 6 clocks after `begin`.
        assert ctx.get(framer.offered) == low.count(False) == low[5:].index(True)
    simulator = Simulator(framer)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()


class _Advance(wiring.Component):
    """A number of 64 bits that continues by this many in each clock."""

    by: In(16)
    value: Out(64, init=(1 << 32) - 70_000)

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.value.eq(advanced(self.value, self.by))
        return m


def test_numbers_have_64_bits():
    """A recording in a ring lasts for years; words and clocks of 43 days are 2^48."""
    shape = frame_layout()
    assert shape["first"].width == shape["clock"].width == 64
    counter = _Advance()

    async def script(ctx):
        expected = (1 << 32) - 70_000
        for by in 1, 0, 65535, 1, 40000, 65535, *[65535] * 70:
            ctx.set(counter.by, by)
            await ctx.tick()
            expected = (expected + by) % (1 << 64)
            assert ctx.get(counter.value) == expected
    simulator = Simulator(counter)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()
