"""A recorder above a fake drive."""

import functools

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from contracts.fake_drive import FakeDrive
from contracts.knobs import Knobs
from sata_recorder.core.drive_port import DrivePort
from sata_recorder.interface import CONTROL, COUNTERS, JOURNAL, QUEUE
from sata_recorder.core.recorder import Recorder
from sata_recorder.facts.units import SECTOR_WORDS
from unit.compiled_bench import CompiledBench

__all__ = ["RecorderOnFake", "bench", "compiled"]


class RecorderOnFake(wiring.Component):
    """A recorder above the fake ``drive``; a bench sees both as ``recorder`` and ``drive``.

    Parameters, beside the drive: those of :class:`Recorder`.

    Members: those of the recorder above its port, the queue among them if the drive has one, ``knobs`` of
    the drive, and ``ready``: no operation runs.
    """

    def __init__(self, drive, **parameters):
        self.drive = drive
        self.recorder = Recorder(port=drive.port.signature.flip(), **parameters)
        super().__init__({
            "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)), "last": Out(1),
            "control": In(CONTROL.signature), "counters": In(COUNTERS.signature),
            "journal": In(JOURNAL.signature),
            "knobs": In(Knobs()), "ready": Out(1),
            **({"queue": In(QUEUE.signature)} if drive.queued else {}),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.drive = drive = self.drive
        m.submodules.recorder = recorder = self.recorder
        connect(m, recorder.port, drive.port)
        connect(m, flipped(self.knobs), drive.knobs)
        connect(m, flipped(self.i), recorder.i)
        connect(m, recorder.o, flipped(self.o))
        connect(m, flipped(self.control), recorder.control)
        connect(m, flipped(self.counters), recorder.counters)
        connect(m, flipped(self.journal), recorder.journal)
        if drive.queued:
            connect(m, flipped(self.queue), recorder.queue)
        m.d.comb += [self.last.eq(recorder.last), self.ready.eq(recorder.port.extent.ready)]
        return m


@functools.cache
def bench(*, held_words=DrivePort().reserve_words, **parameters):
    """The bench of a recorder above a drive of 64 sectors with the words 1, 2, 3, ..."""
    sectors = 64
    drive = FakeDrive(sectors=sectors, command_sectors=sectors, held_words=held_words)
    return compiled(drive, range(1, SECTOR_WORDS * sectors + 1), **parameters)


def compiled(drive, words=(), **parameters):
    """The bench of a recorder above ``drive``, on whose disk are ``words`` when a run begins."""
    return CompiledBench(RecorderOnFake(drive, **parameters), inside=("recorder", "drive"),
                         contents=[(drive.words, [*words])])
