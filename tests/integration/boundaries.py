"""A core whose recording continues with any extents, and that counts words refused for no reason."""

import functools
import struct
from unittest import mock

import sata_drive_model as model
from sata_recorder.core import core
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Operation
from sata_recorder.interface import named_ports
from sata_recorder.core.recorder import Recorder
from sata_recorder.simulation import Event
from sata_recorder.simulation.build import Translator, compiled, rtlil
from sata_recorder.simulation.signals import controls, outputs
from sata_recorder.facts.units import SECTOR_WORDS

__all__ = ["CORE", "ProbedRecorder", "WriteLog", "check_writes", "extents", "go_on", "probed"]

#: A small buffer: at the ceiling rate it is full at most boundaries.
CORE = Configuration(buffer_words=512, max_command_sectors=8, extents="queued", clock_hz=1e6,
                     signature_timeout=0.05, identify_timeout=0.05, command_timeout=0.05,
                     flush_timeout=0.05, retry_delay=1e-6)
BUFFER_SECTORS = CORE.buffer_words // SECTOR_WORDS
CAPACITY = 1 << 20
#: Clocks between two looks at ``queue_ready``.
_LOOK = 64


class ProbedRecorder(Recorder):
    """Counts in ``counters.dropped``, which is 0 where the core stalls, the clocks in which a word
    is refused though the buffer has room for it."""

    def _user_side(self, m, begin, stopped, buffer, *parts):
        super()._user_side(m, begin, stopped, buffer, *parts)
        refuses = self.i.valid & ~self.i.ready & buffer.i.ready & self.port.recording & ~stopped
        with m.If(begin):
            m.d.sync += self.counters.dropped.eq(0)
        with m.Elif(refuses):
            m.d.sync += self.counters.dropped.eq(self.counters.dropped + 1)


@functools.cache
def probed(configuration):
    """The library of a core with a :class:`ProbedRecorder`."""
    with mock.patch.object(core, "Recorder", ProbedRecorder):
        component = core.SataRecorder(configuration)
        text = rtlil(component, named_ports(component))
    return compiled(text, controls(configuration), Translator.NETLIST, outputs(configuration))


def extents(rng, count, *, whole=1, capacity=CAPACITY):
    """``count`` extents of more sectors than the buffer holds, anywhere; multiples of ``whole``."""
    most, least = max(20, 4 * whole) // whole, -(-(BUFFER_SECTORS + 4) // whole)
    found = []
    for _ in range(count):
        sectors = whole * rng.randrange(least, most + 1)
        found.append((rng.randrange(1, capacity - sectors), sectors))
    return found


def go_on(bench, first, others, *, ahead, flush=False, faults=None):
    """Records in ``first``, and in ``others`` after it; returns the outputs in the clock of done.

    The source must be set. ``faults(bench)`` is called at each boundary.
    """
    engine = bench.engine
    engine.set(queue_ahead=ahead)
    bench.start(Operation.RECORD_FLUSH if flush else Operation.RECORD, *first)
    engine.run(1)
    begin = engine.state().cycle
    waiting = [*others][::-1]
    while waiting:
        if engine.outputs()["queue_ready"]:
            lba, sectors = waiting.pop()
            engine.set(queue_valid=1, queue_lba=lba, queue_sectors=sectors)
            assert not engine.run(1, Event.DONE), bench.outputs()
            if faults:
                faults(bench)
        assert not engine.run(_LOOK, Event.DONE), bench.outputs()
    bench.wait(Event.DONE)
    return bench.outputs() | {"clocks": engine.state().cycle - begin}


class WriteLog(model.DiskImage):
    """A disk that keeps the order in which its sectors were written, and what is in them."""

    def __init__(self):
        super().__init__(sectors=CAPACITY)
        self.writes = []

    def write(self, offset, data):
        self.writes.append((offset // 512, data))
        super().write(offset, data)


def check_writes(image, spans, first=1):
    """Each sector was written once, in order, with the words that are due."""
    wanted = (lba + n for lba, sectors in spans for n in range(sectors))
    number = first
    for lba, data in image.writes:
        for n in range(len(data) // 512):
            assert lba + n == next(wanted)
            words = struct.unpack_from("<128I", data, 512 * n)
            assert words == tuple(range(number, number + SECTOR_WORDS)), (lba + n, number)
            number += SECTOR_WORDS
    assert next(wanted, None) is None
