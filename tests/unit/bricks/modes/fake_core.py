"""A core without SATA: the recorder above a fake drive, with the status that a sequencer has."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from contracts.fake_drive import FakeDrive
from contracts.knobs import Knobs
from sata_recorder.interface import AWAY, BASE, QUEUE, STREAMS, UserSignature
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import COMING, Coming
from sata_recorder.bricks.modes import RecordingController
from sata_recorder.bricks.stack import Stack
from unit.core.recorder.on_fake import RecorderOnFake

__all__ = ["recording_on_fake"]


class ModesCore(wiring.Component):
    """Counts what its drive has completed. It has no IDENTIFY DEVICE data and no ledger."""

    def __init__(self, drive, **parameters):
        self.drive, self.inner = drive, RecorderOnFake(drive, **parameters)
        super().__init__({"user": In(UserSignature(QUEUE)), "knobs": In(Knobs()), "coming": In(Coming)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.inner = inner = self.inner
        user, status = flipped(self.user), self.user.status
        connect(m, flipped(self.knobs), inner.knobs)
        connect(m, inner.o, user.o)
        for name in "i", "control", "counters", "journal", "queue":
            connect(m, getattr(user, name), getattr(inner, name))
        was_busy = Signal()
        port = inner.recorder.port
        m.d.comb += [
            self.user.last.eq(inner.last),
            status.busy.eq(~port.extent.ready), status.ready.eq(port.extent.ready),
            status.done.eq(was_busy & ~status.busy),
        ]
        m.d.sync += was_busy.eq(status.busy)
        with m.If(port.extent.valid & port.extent.ready):
            m.d.sync += status.sectors_done.eq(0)
        with m.Elif(port.completed):
            m.d.sync += status.sectors_done.eq(status.sectors_done + self.drive.count)
        return m


def recording_on_fake(**parameters):
    """The stage of the modes above a :class:`ModesCore`."""
    core = ModesCore(FakeDrive(sectors=64, command_sectors=8, queued=True), **parameters)
    return Stack(core, dict.fromkeys((*STREAMS, AWAY, *BASE, QUEUE), core.user) | {COMING: core},
                 [RecordingController(Configuration(extents="modes"))])
