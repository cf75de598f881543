"""Commands that fail: no word is lost, doubled or made up, and none comes in a wrong place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.knobs import Remedy
from sata_recorder.core.drive_port import Operation
from unit.core.recorder.on_fake import bench
from unit.core.recorder.recovery import PlayBack, Recording, run

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
        bench.set(o__ready=1)
        await bench.pulse(control__start=1, control__sectors=16)
        words = 0
        while words < 2048:
            words += bench.get("recorder__port__read_data__valid")
            await bench.tick()
        bench.set(knobs__stalls=1)
        await bench.tick(100)
        assert bench.get("counters__words") == 0 and not bench.get("o__valid")
        assert bench.get("counters__high_water") == 2048
        assert not bench.get("recorder__port__drained") and not bench.get("recorder__port__hold")
        bench.set(knobs__stalls=0)
        await bench.tick(2048 + 4)
        assert bench.get("counters__words") == 2048 and bench.get("recorder__port__drained")
    bench(depth=4096, retain=False, skips=True).run(script)


@pytest.mark.parametrize("depth", [256, 4096])
@pytest.mark.parametrize("good", [0, 40, 128, 168])
def test_what_was_passed_over_is_not_repeated(depth, good):
    """A command after one that was passed over fails before a word of it is good."""
    failures = [(good, Remedy.SKIP), (0, Remedy.AGAIN), (0, Remedy.RESUME)]
    sectors, came = 6, []

    async def script(bench):
        bench.set(control__operation=Operation.PLAY, knobs__longest=2, o__ready=1)
        await bench.pulse(control__start=1, control__sectors=sectors)
        for _ in range(5000):
            if bench.get("recorder__port__command"):
                number, remedy = failures.pop(0) if failures else (0, None)
                bench.set(knobs__fails=remedy is not None, knobs__fail_after=number,
                          knobs__bad_from=number, knobs__remedy=remedy or Remedy.AGAIN)
            if bench.get("o__valid"):
                came.append(bench.get("o__payload"))
            await bench.tick()
        assert bench.get("ready")
    bench(depth=depth, retain=False, skips=True).run(script)
    words = [*range(1, 1 + 128 * sectors)]
    words[good:256] = [0] * (256 - good)
    assert came == words


def test_a_stop_forgets_zeros_that_are_due():
    """Those of 59 sectors that were passed over would take 7,552 clocks."""
    async def script(bench):
        bench.set(control__operation=Operation.PLAY, knobs__longest=60, knobs__fails=1, knobs__fail_after=100,
                  knobs__bad_from=100, knobs__remedy=Remedy.SKIP)
        await bench.pulse(control__start=1, control__sectors=60)
        while not bench.get("recorder__port__recovery__skip"):
            await bench.tick()
        await bench.tick(300)
        assert not bench.get("ready") and not bench.get("recorder__port__recovery__settled")
        await bench.pulse(control__stop=1)
        await bench.tick(1000)
        assert bench.get("ready")
    bench(depth=256, retain=False, skips=True).run(script)


@pytest.mark.parametrize("seed", range(3))
def test_without_skips(seed):
    """The recorder of a core that never skips anything."""
    course = {"seed": seed, "skipping": False, "retain": True, "sectors": 6, "user": 0.7,
              "drive": 0.8, "skips": 0, "longest": 4}
    run(Recording, depth=512, always=True, **course)
    for depth in 4096, 256:
        run(PlayBack, depth=depth, **course)


def test_replay_of_a_recording_that_was_stopped():
    """The zeros that fill the command do not come in front of the words that are replayed."""
    async def script(bench):
        def port(name):
            return bench.get(f"recorder__port__{name}")

        bench.set(control__operation=Operation.RECORD, knobs__longest=1, knobs__retains=1,
                  knobs__stalls=1)
        await bench.pulse(control__start=1, control__sectors=4)
        accepted = 0
        while accepted < 50:
            bench.set(i__valid=1, i__payload=7000 + accepted)
            accepted += bench.get("i__ready")
            await bench.tick()
        bench.set(i__valid=0)
        await bench.pulse(control__stop=1)
        for count in 100, 60, 128:
            bench.set(knobs__stalls=0, knobs__fails=count < 128, knobs__fail_after=count)
            taken = []
            while len(taken) < count:
                if port("write_data__valid") and port("write_data__ready"):
                    taken.append(port("write_data__payload"))
                await bench.tick()
            bench.set(knobs__stalls=1)
            await bench.tick(5)
            assert taken == [*range(7000, 7050), *[0] * (count - 50)]
            assert port("pending_sectors") == 0
            bench.set(knobs__stalls=0)
            if count < 128:
                while not port("recovery__rewind"):
                    await bench.tick()
                await bench.tick(6)
                assert port("pending_sectors") == 1
                assert port("recovery__resume_offset") == 0 and port("recovery__settled")
                while not port("command"):
                    await bench.tick()
                await bench.tick()
        await bench.tick(50)
        assert bench.get("ready")
    bench(depth=128, retain=True, skips=True).run(script)
