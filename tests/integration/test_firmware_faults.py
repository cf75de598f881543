"""Faults in the middle, and a hostile drive, while firmware on a soft processor runs the loop.

The hardwired loop gets the same faults at the same places; both must come to the same end.
"""

import pytest
from integration.small import connect, content, works
from integration.test_firmware import CORE, HZ, LBA, SECTORS, moved
from sata_drive_model import Behaviour
from sata_drive_model.faults import Fault
from short import short

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.firmware import PROCESSORS, Controller, unavailable
from sata_recorder.simulation import Event

pytestmark = [pytest.mark.wide,
              pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))]

RETRIES = 3
#: A core that tries again; the words of a command stay until the drive has reported it done.
RETRY = CORE | {"recovery": True, "retries": RETRIES, "retry_delay": 1000 / HZ,
                "recovery_timeout": 200_000 / HZ, "buffer_words": 4096,
                "retain_sectors": 16}
BAD = {"value": 0x51, "error": 0x40}
#: What the second command or the third meets, and how it ends.
FAULTS = {
    "link loss": (Fault(kind="link_loss", clocks=100), Error.NONE),
    "unplugged for a while": (Fault(kind="unplug", clocks=500), Error.NONE),
    "status missing": (Fault(kind="missing", fis="register d2h"), Error.NONE),
    "silent until the second COMRESET": (Fault(kind="dead", count=2), Error.NONE),
    "bad CRC": (Fault(kind="bad_crc", fis="any"), Error.NONE),
    "drive's frame left": (Fault(kind="escape", fis="any", dword=3), Error.NONE),
    "command refused by R_ERR": (Fault(kind="refused", fis="register h2d"), Error.NONE),
    "one media error": (Fault(kind="media", lba=LBA + 36, count=1, **BAD), Error.NONE),
    "media error": (Fault(kind="media", lba=LBA + 36, count=1 + RETRIES, **BAD),
                    Error.DRIVE_ERROR),
    "aborts": (Fault(kind="abort", count=1 + RETRIES, value=0x51, error=4), Error.DRIVE_ERROR),
    "another drive": (Fault(kind="exchange", clocks=500), Error.OTHER_DRIVE),
}
CASES = [(operation, fault, processor) for operation in (Operation.RECORD_FLUSH, Operation.PLAY)
         for fault in FAULTS for processor in PROCESSORS]
DATA = content(7, SECTORS)


def disturbed(b, operation, fault):
    """Moves the extent; the fault waits from the middle of the second command on."""
    b.image.write(512 * LBA, DATA if operation == Operation.PLAY else bytes(512 * SECTORS))
    b.engine.source(DATA)
    b.engine.sink(128 * SECTORS)
    b.start(operation, LBA, SECTORS)
    b.run(1)
    while b.analyser.payload < 128 * 20:
        b.run(1)
    before = b.image
    b.port.inject([fault])
    b.wait(Event.DONE)
    assert {struck.kind for _, struck in b.port.collect()} == {fault.kind}
    outputs = b.outputs()
    b.run(8)
    received = b.engine.received()
    assert received == DATA[:len(received)]
    told = {name: outputs[name] for name in ("error", "sectors_done", "skipped_sectors", "retries")}
    told["image"] = before.read_sectors(0, LBA + SECTORS + 10)
    if not outputs["error"]:
        assert outputs["sectors_done"] == SECTORS and outputs["words"] == 128 * SECTORS
        assert before.read_sectors(LBA, SECTORS) == DATA
        assert operation != Operation.PLAY or received == DATA
    works(b, sectors=16, clean=False)
    return told


@pytest.mark.sample(3)
@pytest.mark.parametrize("operation, fault, processor", short(
    CASES, [case for case in CASES if case[2] == "picorv32"]))
def test_fault_in_the_middle(bench, operation, fault, processor):
    """The same end, the same sectors, the same image, and the core works on."""
    fault, error = FAULTS[fault]
    fast = Controller(processor, HZ)
    told = [disturbed(bench(connect(), controller=controller, **RETRY), operation, fault)
            for controller in (None, fast)]
    assert told[0] == told[1]
    assert told[1]["error"] == error


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY])
def test_link_lost_between_two_operations(bench, operation):
    """Recovery is the core's, within an operation: this ends the extent, after what is good."""
    b = bench(connect(), controller=Controller("picorv32", HZ / 5), **RETRY)
    b.image.write(512 * LBA, DATA if operation == Operation.PLAY else bytes(512 * SECTORS))
    b.engine.source(DATA)
    b.engine.sink(128 * SECTORS)
    b.start(operation, LBA, SECTORS)
    b.run(1)
    while b.outputs()["sectors_done"] < 16:
        b.run(1)
    b.run(200)
    b.port.drop_link(20_000)
    b.wait(Event.DONE)
    outputs = b.outputs()
    b.run(8)
    assert (outputs["error"], outputs["sectors_done"]) == (Error.NOT_READY, 16)
    if operation == Operation.PLAY:
        assert b.engine.received() == DATA[:512 * 16]
    else:
        assert b.image.read_sectors(LBA, SECTORS) == DATA[:512 * 16] + bytes(512 * 24)
    works(b, sectors=16, clean=False)


@pytest.mark.parametrize("number, processor", short(
    [(number, processor) for number in range(10) for processor in PROCESSORS],
    [(0, "picorv32"), (1, "picorv32")]))
def test_hostile_drive(bench, number, processor):
    """Whatever a legal drive does: the same image and commands, and both ledgers agree."""
    def run(controller):
        b = bench(connect(behaviour=Behaviour.random(number), fis_log=True), controller=controller,
                  **CORE)
        image, _, done = moved(b)
        return image, done
    assert run(Controller(processor, HZ / (1 + number % 4))) == run(None)
