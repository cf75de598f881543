"""A drive that never stops talking keeps no operation busy for ever: only what the command itself
moves on counts against its timeout."""

import pytest
from integration.small import SMALL, connect, content, works
from sata_drive_model import Drive
from sata_drive_model.link import Frame
from sata_drive_model.protocol import fis

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event

#: What a drive may send without end: FIS and options of its frame.
STORMS = {
    "Set Device Bits": (fis.set_device_bits(0x50), {}),
    "DMA Setup": (fis.dma_setup(), {}),
    "BIST Activate": (fis.bist_activate(), {}),
    "BSY": (fis.register_d2h(0xD0), {}),
    "DMA Activate": (fis.dma_activate(), {}),
    "PIO Setup": (fis.pio_setup(0x58, 0xD0, 512), {}),
    "bad data": (fis.data(bytes(64)), {"damage": 1}),
    "much bad data": (fis.data(bytes(8192)), {"damage": 1}),
    "bad Set Device Bits": (fis.set_device_bits(0x50), {"damage": 1}),
    "unknown": (b"\x77\0\0\0" + bytes(16), {}),
}
LIMIT = 40_000      # clocks of SMALL's timeout of a data command
FLUSH_LIMIT = 60_000


class Storm(Drive):
    """Sends ``storm`` without end, one after the other, in the place of the ``at``th FIS."""

    at = storm = None       # at None: no storm
    sent = 0

    def enqueue(self, data, latency, tag, **options):
        if self.at is None or tag == "signature":
            super().enqueue(data, latency, tag, **options)
        elif self.at > 0:
            self.at -= 1
            super().enqueue(data, latency, tag, **options)
        else:
            self.blow()

    def blow(self):
        data, options = STORMS[self.storm]
        self.sent += 1
        self.link.send(Frame(data, self.link.now, tag="storm", **options))

    def link_sent(self, frame, outcome):
        if frame.tag != "storm":
            super().link_sent(frame, outcome)
        elif self.at is not None:
            self.blow()


@pytest.mark.sample(7)
@pytest.mark.parametrize("at", [0, 1, 2, 3])
@pytest.mark.parametrize("storm", STORMS)
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY, Operation.RECORD_FLUSH])
def test_fises_without_end_in_an_operation(bench, operation, storm, at):
    b = bench(connect(Storm), **SMALL)
    data = content(1, 4)
    b.engine.source(data)
    b.engine.sink(512)
    b.image.write(50 * 512, data)
    b.drive.storm, b.drive.at = storm, at
    b.start(operation, 50, 4)
    b.run(1)
    ended = b.engine.run(2 * LIMIT + FLUSH_LIMIT, Event.DONE)
    outputs = b.outputs()
    assert ended, f"after {b.drive.sent} FISes: {outputs}"
    assert b.drive.sent == 0 or outputs["error"] in (Error.TIMEOUT, Error.PROTOCOL), outputs
    assert b.drive.sent > 0 or outputs["error"] == Error.NONE and at > 1
    b.drive.at = None
    works(b, clean=False)


@pytest.mark.sample(3)
@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("storm", STORMS)
def test_fises_without_end_in_identify_device(bench, storm, at):
    """Each attempt of the bring-up ends, and the next one begins with COMRESET."""
    b = bench(connect(Storm), **SMALL, up=False)
    b.drive.storm, b.drive.at = storm, at
    b.engine.set(rst=1)
    b.run(4)
    b.engine.set(rst=0)
    for _ in range(20):
        b.run(10_000)
        if b.port.resets >= 3:
            break
    assert b.port.resets >= 3, f"after {b.drive.sent} FISes"
    assert b.drive.sent > 2 and not b.outputs()["ready"]
    b.drive.at = None
    works(b, clean=False)
