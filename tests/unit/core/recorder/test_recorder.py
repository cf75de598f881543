"""The recorder: no word is lost, made up or moved, at any rhythm of user and drive."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.knobs import Remedy
from sata_recorder.core.drive_port import DrivePort
from sata_recorder.core.recorder import Recorder
from short import short
from unit.core.recorder.flow import RESERVE, run

EXAMPLES = settings().max_examples
RATES = st.sampled_from([1, 0.9, 0.5, 0.2])
RHYTHM = {"seed": st.integers(0, 2**32 - 1), "user": RATES, "drive": RATES,
          "burst": st.sampled_from([1, 10, 150])}


def words(sectors):
    return [*range(1, 128 * sectors + 1)]


async def whole_recording(flow, sectors):
    await flow.begin("recording", sectors, before=5)
    for _ in range(40_000):
        if len(flow.delivered) == 128 * sectors:
            break
        await flow.record()
    return flow.accepted, flow.delivered


@settings(max_examples=EXAMPLES // 5)
@given(sectors=st.integers(1, 4), depth=st.sampled_from([128, 256]), **RHYTHM)
def test_recording(sectors, depth, **rhythm):
    """Exactly the words of the extent, and no more of what the stream still offers."""
    async def script(flow):
        accepted, delivered = await whole_recording(flow, sectors)
        assert accepted == delivered == words(sectors)
        held = flow.held
        count, high_water, held_cycles = flow.counters()
        # The fill is looked at a clock later; what is refused after the end is not held back.
        assert (count, high_water) == (128 * sectors, flow.highest)
        assert held_cycles <= held
        for _ in range(20):
            await flow.record()
        assert flow.get("counters__words") == 128 * sectors == len(flow.accepted)
        assert flow.get("counters__held_cycles") == held_cycles
    run(script, depth, **rhythm)


@pytest.mark.parametrize("slow", ["user", "drive"])
def test_held_cycles(slow):
    """Only where the buffer is full: a stream that has nothing to offer is not held back."""
    async def script(flow):
        await flow.begin("recording", 8)
        for _ in range(700):
            await flow.record()
        assert not flow.get("port__stopped") and len(flow.accepted) < 1024
        flow.bench.set(i__valid=0)
        await flow.bench.tick()         # the count is a clock late
        return flow.counters()[2], flow.held
    counted, held = run(script, seed=3, **{slow: 0.3})
    assert counted == held
    assert (counted > 0) == (slow == "drive")


@settings(max_examples=EXAMPLES // 5)
@given(stop=st.integers(0, 900), before=st.integers(0, 40), longest=st.integers(1, 6), **RHYTHM)
def test_stopped_recording(stop, before, longest, **rhythm):
    """All that was accepted is delivered, zeros follow; the sectors for it are always asked for."""
    async def script(flow):
        flow.bench.set(knobs__longest=longest)
        await flow.begin("recording", 6, before)
        for _ in range(stop):
            await flow.record()
        await flow.record(stop=True)
        for _ in range(40_000):
            if flow.get("ready"):
                break
            await flow.record()
        # A stop may come with the end of the operation, and is to be seen at the port later.
        await flow.bench.tick(2)
        accepted = len(flow.accepted)
        assert flow.get("ready") and flow.get("port__stopped")
        assert flow.get("counters__words") == accepted
        assert flow.delivered[:accepted] == flow.accepted == words(6)[:accepted]
        assert not any(flow.delivered[accepted:])
        assert len(flow.delivered) % 128 == 0 < len(flow.delivered)
        assert flow.get("port__pending_sectors") == 0
    run(script, **rhythm)


@pytest.mark.parametrize("before", [0, 1, 5, 38])
def test_stop_before_data_may_move(before):
    """From the clock after the start on, a stop counts."""
    async def script(flow):
        await flow.start("recording", 2)
        await flow.bench.tick(before)
        await flow.bench.pulse(control__stop=1)
        await flow.bench.tick(39 - before)
        flow.bench.set(knobs__waits=0)
        for _ in range(20):
            await flow.record()
        return flow.accepted, flow.get("counters__words"), flow.delivered, flow.get("ready")
    assert run(script) == ([], 0, [], 1)


def test_slow_stream_makes_few_pauses():
    """After the buffer ran empty many words come together again, not one at a time."""
    async def script(flow):
        await flow.begin("recording", 8)
        pauses, goes = 0, False
        for _ in range(4000):
            before = len(flow.delivered)
            await flow.record()
            pauses += goes and len(flow.delivered) == before
            goes = len(flow.delivered) > before
        return pauses, len(flow.delivered)
    pauses, delivered = run(script, user=0.2)
    assert delivered > 600 and delivered / pauses > 40


def test_end_of_a_recording_is_not_held_back():
    """The last words come though they are too few for another long run."""
    async def script(flow):
        await flow.begin("recording", 1)
        for _ in range(500):
            await flow.record()
        return flow.delivered
    assert run(script, user=0.7) == words(1)


@pytest.mark.parametrize("kind", ["recording", "playing"])
def test_full_rate(kind):
    """A word a clock on both sides, once words are there."""
    async def script(flow):
        await flow.begin(kind, 4)
        for _ in range(128 * 4 + 80):
            await (flow.record() if kind == "recording" else flow.play(512))
        return flow.delivered
    assert run(script, 256) == words(4)


@settings(max_examples=EXAMPLES // 5)
@given(sectors=st.integers(1, 4), depth=st.sampled_from([128, 256]), **RHYTHM)
def test_play_back(sectors, depth, **rhythm):
    """Nothing is lost if the drive sends up to its limit after ``hold``."""
    async def script(flow):
        await flow.begin("playing", sectors, before=5)
        for _ in range(40_000):
            if len(flow.delivered) == 128 * sectors:
                break
            await flow.play(128 * sectors)
        assert flow.delivered == words(sectors) and flow.lasts == 1 and not flow.lost
        assert flow.counters() == (128 * sectors, flow.highest, flow.held)
        await flow.play(128 * sectors)
        assert flow.get("port__drained") and not flow.get("o__valid")
    run(script, depth, **rhythm)


@pytest.mark.parametrize("depth", [128, 256, 1024])
def test_reserve(depth):
    """The user takes nothing: all words of the reserve are kept."""
    async def script(flow):
        await flow.begin("playing", 20)
        flow.rates["user"] = 0
        for _ in range(depth + 100):
            await flow.play(2560)
        kept = len(flow.accepted)
        assert flow.get("port__hold") and not flow.lost and kept > depth - 96
        for _ in range(200):
            await flow.play(2560)
        assert len(flow.accepted) == kept and not flow.lost
        flow.rates["user"] = 1
        for _ in range(2700):
            await flow.play(2560)
        assert flow.delivered == words(20)
    run(script, depth)


@pytest.mark.parametrize("burst, held", short(
    [(2048, 5), (2048, RESERVE), (1340, 5), (2000, 20)], [(2048, RESERVE), (1340, 5)]))
def test_late_user_of_words_that_must_be_good(burst, held, depth=4096, sectors=60):
    """The words of a Data FIS that has not ended cannot leave the buffer: the drive may continue to
    its end before they do, or it would never come."""
    async def script(flow):
        flow.bench.set(knobs__burst=burst)
        await flow.begin("playing", sectors)
        flow.rates["user"] = 0
        for _ in range(depth + 100):
            await flow.play(128 * sectors)
        assert flow.get("port__hold") and not flow.lost
        flow.rates["user"] = 1
        for _ in range(4 * depth):
            if len(flow.delivered) == 128 * sectors:
                break
            await flow.play(128 * sectors)
        assert flow.delivered == words(sectors) and not flow.lost
    run(script, depth, held_words=held)


@pytest.mark.parametrize("depth", short([128, 256, 1024], [128, 1024]))
def test_more_than_the_reserve_is_reported(depth):
    async def script(flow):
        await flow.begin("playing", 20)
        flow.rates["user"] = 0
        for _ in range(depth + 10):
            assert not flow.lost or len(flow.accepted) > depth
            await flow.play(2560)
        return flow.lost
    assert run(script, depth, held_words=8000)


@settings(max_examples=EXAMPLES // 10)
@given(stop=st.integers(0, 500), **RHYTHM)
def test_stopped_play_back(stop, **rhythm):
    """Nothing is delivered any more; what the drive still sends is taken and forgotten."""
    async def script(flow):
        await flow.begin("playing", 4)
        for _ in range(stop):
            await flow.play(512)
        await flow.play(512, stop=True)
        delivered = len(flow.delivered)
        for _ in range(700):
            await flow.play(512)
            assert not flow.get("port__hold") and not flow.lost
        assert flow.delivered == words(4)[:delivered] and flow.get("counters__words") == delivered
        assert flow.get("port__stopped") and not flow.get("port__pending_sectors")
        await flow.end()
        assert flow.get("port__drained") and flow.accepted == words(4)[:len(flow.accepted)]
    run(script, **rhythm)


@pytest.mark.parametrize("first", ["recording", "playing"])
@pytest.mark.parametrize("second", ["recording", "playing"])
def test_nothing_stays_of_the_operation_before(first, second):
    """A failed operation leaves words in the buffer and numbers in the counters."""
    async def script(flow):
        await flow.begin(first, 50)
        flow.rates["drive" if first == "recording" else "user"] = 0.01
        for n in range(140):
            await (flow.record(stop=n == 100) if first == "recording" else flow.play(10_000))
        flow.bench.set(knobs__fails=1, knobs__bad_from=0, knobs__remedy=Remedy.END)
        await flow.end()
        flow.bench.set(knobs__fails=0)
        assert flow.get("counters__words") + flow.get("counters__high_water") > 0
        flow.__init__(flow.bench)
        await flow.begin(second, 1, before=2)
        assert flow.counters() == (0, 0, 0) and not flow.get("port__stopped")
        for _ in range(300):
            await (flow.record() if second == "recording" else flow.play(128))
        return flow.delivered
    assert run(script) == words(1)


@pytest.mark.parametrize("kind", ["recording", "playing"])
def test_no_path_through(kind):
    """The ports of the user follow from registers: what is given to them has no effect at once."""
    async def script(flow):
        await flow.begin(kind, 2)
        for _ in range(40):
            await (flow.record() if kind == "recording" else flow.play(256))
        seen = set()
        for valid, ready, stop, other in [(0, 0, 0, 0), (1, 0, 0, 1), (0, 1, 0, 0), (1, 1, 1, 1)]:
            flow.bench.set(i__valid=valid, i__payload=valid, o__ready=ready, control__stop=stop,
                           knobs__stalls=other)
            seen.add(tuple(flow.get(name) for name in
                           ("i__ready", "o__valid", "o__payload", "last")))
        return len(seen)
    assert run(script) == 1


@pytest.mark.parametrize("width", [16, 64])
def test_another_width_is_refused(width):
    with pytest.raises(ValueError, match=f"words of {width} bits, .* words of 32 bits"):
        Recorder(depth=128, port=DrivePort(width=width))
