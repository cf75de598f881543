"""What the recorder counts while an operation runs."""

from unit.recorder.recovery import bench


def test_longest_stall():
    """Of the drive, in a command and between two tries; a slow stream is none."""
    async def script(bench):
        await bench.pulse(port__extent__ready=1, control__start=1, control__sectors=4)
        bench.set(port__recording=1, i__valid=1)
        await bench.pulse(port__command=1, port__retain=1)
        await bench.tick(100)
        bench.set(i__valid=0, port__write_data__ready=1)
        await bench.tick(60)
        waited = bench.get("counters__longest_stall")
        assert 30 < waited < 100
        bench.set(port__write_data__ready=0)
        await bench.tick(200)
        await bench.pulse(port__recovery__rewind=1)
        await bench.tick(150)
        bench.set(port__write_data__ready=1)
        await bench.pulse(port__command=1)
        await bench.tick(10)
        longest = bench.get("counters__longest_stall")
        assert 350 <= longest < 365
        await bench.tick(500)
        assert bench.get("counters__longest_stall") == longest
        assert bench.get("counters__high_water") == 101
    bench(depth=128, retain=True).run(script)
