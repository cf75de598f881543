"""When what is known of a failed command counts."""

import pytest

from sata_recorder.core.recorder.resume_point import ResumePoint
from unit.bench import Bench


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("playing", [0, 1])
@pytest.mark.parametrize("event", ["rewind", "skip"])
def test_quiet(verify, playing, event):
    """Not for three clocks after ``rewind`` and ``skip``; nor is anything settled then."""
    async def script(bench):
        bench.set(playing=playing)
        await bench.pulse(begin=1)
        await bench.pulse(command=1)
        await bench.tick(10)
        assert bench.get("quiet") and bench.get("recovery__settled")
        await bench.pulse(**{f"recovery__{event}": 1})
        seen = []
        for _ in range(6):
            seen.append((bench.get("quiet"), bench.get("recovery__settled")))
            await bench.tick()
        assert [quiet for quiet, _ in seen] == [0, 0, 0, 1, 1, 1]
        assert [settled for _, settled in seen[:4]] == [0, 0, 0, 0]
    Bench(ResumePoint(verify=verify)).run(script)


@pytest.mark.parametrize("then", [{"begin": 1}, {"completed": 1}])
def test_what_was_delivered_before_taints_no_later_command(then):
    """Words of a playback that were never found good are those of their own command."""
    async def script(bench):
        async def fails():
            await bench.pulse(recovery__rewind=1)
            await bench.tick(6)
            return bench.get("recovery__tainted")

        bench.set(playing=1)
        await bench.pulse(begin=1)
        await bench.pulse(command=1)
        assert not await fails()
        await bench.pulse(command=1)
        await bench.pulse(moved=1)
        assert await fails()
        await bench.pulse(command=1)
        await bench.pulse(moved=1)
        await bench.pulse(**then)
        await bench.tick(2)
        await bench.pulse(command=1)
        assert not await fails()
    Bench(ResumePoint(verify=False)).run(script)


@pytest.mark.parametrize("playing", [0, 1])
@pytest.mark.parametrize("ends", ["command", "begin"])
def test_no_word_moves_after_a_failure(playing, ends):
    """Until the next command, or the next operation."""
    async def script(bench):
        bench.set(playing=playing)
        await bench.pulse(begin=1)
        await bench.pulse(command=1)
        await bench.tick(5)
        assert (bench.get("stalled"), bench.get("free")) == (0, 1)
        await bench.pulse(recovery__rewind=1)
        for _ in range(20):
            assert (bench.get("stalled"), bench.get("free")) == (1, 0)
            await bench.tick()
        await bench.pulse(**{ends: 1})
        assert (bench.get("stalled"), bench.get("free")) == (0, 1)
    Bench(ResumePoint(verify=True)).run(script)
