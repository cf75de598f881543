"""Commands that fail: no word is lost, doubled or made up, and none comes in a wrong place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.recorder.recovery import PlayBack, Recording, bench, run

EXAMPLES = settings().max_examples
RATES = st.sampled_from([1, 0.9, 0.5, 0.2])
COURSE = {"seed": st.integers(0, 2**32 - 1), "sectors": st.integers(1, 8),
          "user": RATES, "drive": RATES, "failures": st.sampled_from([0, 0.3, 0.7]),
          "skips": st.sampled_from([0, 0.3, 1]), "longest": st.integers(1, 5)}
STOP = st.one_of(st.none(), st.integers(0, 2000))


@settings(max_examples=EXAMPLES // 3)
@given(depth=st.sampled_from([128, 512]), retain=st.booleans(), stop=STOP, **COURSE)
def test_recording(depth, retain, **course):
    run(Recording, depth=depth, retain=retain, **course)


@settings(max_examples=EXAMPLES // 5)
@given(retain=st.booleans(), stop=STOP, fis=st.sampled_from([20, 300, 700]), **COURSE)
def test_play_back_of_verified_words(**course):
    run(PlayBack, depth=4096, **course)


@settings(max_examples=EXAMPLES // 5)
@given(retain=st.booleans(), stop=STOP, fis=st.sampled_from([20, 300]), **COURSE)
def test_play_back_of_words_as_they_come(**course):
    run(PlayBack, depth=256, **course)


@pytest.mark.parametrize("user, drive", [(1, 1), (0.3, 1), (0.8, 0.9)])
def test_long_fises(user, drive):
    """The longest there are. A user that takes every word at once never has the drive held."""
    played = run(PlayBack, depth=4096, seed=1, sectors=60, user=user, drive=drive, failures=0,
                 longest=60, whole=2048)
    assert (played.holds > 0) == (user == 0.3)


def test_a_fis_waits_for_its_end():
    """No word of it is delivered before, however long that takes."""
    async def script(bench):
        await bench.pulse(port__extent__ready=1, control__start=1, control__sectors=16)
        bench.set(port__playing=1, o__ready=1)
        await bench.tick(5)
        for word in range(2048):
            await bench.pulse(port__read_data__valid=1, port__read_data__payload=word)
        await bench.tick(100)
        assert bench.get("counters__words") == 0 and not bench.get("o__valid")
        assert bench.get("counters__high_water") == 2048
        assert not bench.get("port__drained") and not bench.get("port__hold")
        await bench.pulse(port__verified=1)
        await bench.tick(2048 + 3)
        assert bench.get("counters__words") == 2048 and bench.get("port__drained")
    bench(depth=4096, retain=False).run(script)


def test_without_skips():
    """The recorder of a core that never passes over anything."""
    for seed in range(3):
        for kind, depth in (Recording, 512), (PlayBack, 4096), (PlayBack, 256):
            run(kind, depth=depth, retain=True, skipping=False, seed=seed, sectors=6, user=0.7,
                drive=0.8, skips=0, longest=4, always=True)


def test_replay_of_a_recording_that_was_stopped():
    """The zeros that fill the command do not come in front of the words that are replayed."""
    async def script(bench):
        await bench.pulse(port__extent__ready=1, control__start=1, control__sectors=4)
        bench.set(port__recording=1)
        await bench.pulse(port__command=1, port__retain=1)
        for word in range(1, 51):
            bench.set(i__valid=1, i__payload=word)
            await bench.tick()
        bench.set(i__valid=0)
        await bench.pulse(control__stop=1)

        async def take(count):
            taken = []
            bench.set(port__write_data__ready=1)
            while len(taken) < count:
                if bench.get("port__write_data__valid"):
                    taken.append(bench.get("port__write_data__payload"))
                await bench.tick()
            bench.set(port__write_data__ready=0)
            await bench.tick(5)
            return taken

        for count in 100, 60, 128:
            assert await take(count) == [*range(1, 51), *[0] * (count - 50)]
            assert bench.get("port__pending_sectors") == 0
            await bench.pulse(port__recovery__rewind=1)
            await bench.tick(6)
            assert bench.get("port__pending_sectors") == 1
            assert bench.get("port__recovery__resume_offset") == 0
            assert bench.get("port__recovery__settled")
            await bench.pulse(port__command=1, port__retain=1)
    bench(depth=128, retain=True, skips=True).run(script)
