"""The room in the buffer, as those see it who look at what is recorded."""

import pytest

from sata_recorder.core.drive_port import DrivePort, Operation
from sata_recorder.core.recorder import Recorder
from sata_recorder.core.recorder.memory import MemoryShape
from unit.compiled_bench import CompiledBench


@pytest.mark.parametrize("depth, memory, most", [
    (128, None, 128), (4096, None, 4096), (98304, MemoryShape(98304, fifo=64), 65535)])
def test_it_is_what_the_words_in_the_buffer_leave(depth, memory, most):
    """At most as much as can be told."""
    async def script(bench):
        bench.set(port__extent__ready=1)
        await bench.pulse(control__start=1, control__operation=Operation.RECORD, control__sectors=2)
        bench.set(port__extent__ready=0, port__recording=1)
        words = 0
        for _ in range(200):
            bench.set(i__valid=1)
            words += bench.get("i__ready")
            await bench.tick()
            bench.set(i__valid=0)
            await bench.tick(4)
            assert bench.get("port__room") == min(max(depth - words, 0), most)
        return words
    bench = CompiledBench(Recorder(depth=depth, memory=memory, port=DrivePort(looks=True)))
    assert bench.run(script) > 50
