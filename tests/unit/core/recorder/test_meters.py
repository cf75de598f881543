"""What the recorder counts while an operation runs."""

from contracts.knobs import Remedy
from sata_recorder.core.drive_port import Operation
from unit.core.recorder.on_fake import bench


def test_longest_stall():
    """Of the drive, in a command and between two tries; a slow stream is none."""
    async def script(bench):
        bench.set(control__operation=Operation.RECORD, knobs__longest=1, knobs__retains=1,
                  knobs__stalls=1, knobs__remedy=Remedy.AGAIN)
        await bench.pulse(control__start=1, control__sectors=4)
        while not bench.get("i__ready"):
            await bench.tick()
        bench.set(i__valid=1)
        await bench.tick(101)
        bench.set(i__valid=0, knobs__stalls=0)
        await bench.tick(60)
        waited = bench.get("counters__longest_stall")
        assert 30 < waited < 100
        bench.set(knobs__stalls=1)
        await bench.tick(200)
        bench.set(knobs__stalls=0, knobs__fails=1, knobs__waits=1)
        await bench.tick(150)
        bench.set(knobs__fails=0, knobs__waits=0)
        await bench.tick(10)
        longest = bench.get("counters__longest_stall")
        assert 350 <= longest < 365
        await bench.tick(500)
        assert bench.get("counters__longest_stall") == longest
        assert bench.get("counters__high_water") == 101
    bench(depth=128, retain=True, skips=True).run(script)


def test_stall_of_no_operation():
    """Words that wait before an operation begins, and after one, are no stall of it."""
    async def script(bench):
        bench.set(control__operation=Operation.RECORD, i__valid=1)
        for _ in range(2):
            await bench.tick(300)
            await bench.pulse(control__start=1, control__sectors=4)
            await bench.tick(100)
            assert bench.get("counters__longest_stall") < 20
            while not bench.get("ready"):
                await bench.tick()
            assert 0 < bench.get("counters__longest_stall") < 20
        bench.set(control__operation=Operation.PLAY, i__valid=0, o__ready=1)
        await bench.pulse(control__start=1, control__sectors=1)
        await bench.tick(300)
        assert bench.get("ready") and bench.get("counters__longest_stall") == 0
    bench(depth=128, retain=True, skips=True).run(script)
