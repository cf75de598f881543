"""Firmware on a soft processor operates the core: same data, same errors, both ledgers equal.

The processors are those of PyPI's packages, the firmware is compiled by GCC for RISC-V, and all of
it runs clock by clock in one simulation with the core and the drive.
"""

import pytest
from integration.small import DATA, SMALL, commands, connect, content
from sata_drive_model import Behaviour
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.firmware import EXTENTS, PROCESSORS, WAITS, Controller, unavailable
from sata_recorder.lab.measurement import Job, JobError, as_data, execute
from sata_recorder.simulation import Event, Pattern

pytestmark = [pytest.mark.wide,
              pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))]

HZ = 75e6
#: A core without recovery: the first error ends an operation. Its timeouts are those of SMALL, in
#: clocks.
CORE = SMALL | {"clock_hz": HZ, "recovery": False} | {
    name: seconds * SMALL["clock_hz"] / HZ for name, seconds in SMALL.items() if "timeout" in name}
LBA, SECTORS = 50, 40
IDENTIFY_DEVICE = 0xEC


@pytest.fixture
def run(bench):
    """Makes a bench: `run(processor, **options)`, hardwired for None."""
    def make(processor, *, wait="polling", extent="command", ratio=1, port=None, **options):
        controller = processor and Controller(processor, ratio * HZ, wait, extent)
        return bench(port=port or connect(fis_log=True, **options), controller=controller, **CORE)
    return make


def data_fises(b):
    """The payload of the Data FISes that crossed the port, with their directions, in order."""
    return [(way, dwords) for _, way, what, dwords in b.analyser.log if what == DATA]


def moved(b, flush=True):
    """Records and plays back; what can be compared between two of them."""
    data = content(1, SECTORS)
    recorded = b.record(data, LBA, flush=flush)
    assert (recorded.error, recorded.taken) == (0, 128 * SECTORS)
    assert recorded.outputs["sectors_done"] == SECTORS
    assert recorded.outputs["words"] == 128 * SECTORS
    b.check()
    played = b.play(LBA, SECTORS)
    assert (played.error, played.received) == (0, 128 * SECTORS)
    assert played.data == data
    assert played.last_at == 128 * SECTORS - 1
    b.check()
    return b.image.read_sectors(0, 200), data_fises(b), commands(b)


@pytest.mark.parametrize("processor", short(PROCESSORS, ["picorv32"]))
def test_the_same_as_the_sequencer(run, processor):
    """One command an operation: the same bytes on the image, the same Data FISes and commands."""
    assert moved(run(processor)) == moved(run(None))


def test_overhead_between_operations(run):
    """The clocks between two operations are the host's, and all of them are booked."""
    def host(b):
        moved(b, flush=False)
        overheads = [record.overhead for record in b.analyser.commands]
        assert overheads[0] is None and len(overheads) == 3
        ledger = b.ledger()
        assert ledger.overhead == (min(overheads[1:]), max(overheads[1:]))
        assert ledger.accounts["turnaround"] == sum(record.turnaround for record in
                                                    b.analyser.commands[1:])
        return ledger.accounts["turnaround"]
    hardwired, whole = host(run(None)), host(run("picorv32", extent="whole"))
    fast, slow = host(run("picorv32")), host(run("picorv32", ratio=1 / 5))
    assert hardwired == whole < fast < slow


@pytest.mark.parametrize("processor", short(
    [name for name in PROCESSORS if PROCESSORS[name].interrupts], ["picorv32"]))
def test_interrupt(run, processor):
    assert moved(run(processor, wait="interrupt", ratio=2 / 3))[0] == moved(run(None))[0]


def test_28_bit_commands(run):
    b = run("picorv32", port=connect(fis_log=True, unit={"lba48": False}))
    assert {opcode for opcode, _, _ in moved(b)[2]} >= {0xCA, 0xC8}


@pytest.mark.parametrize("operation", ["record", "play"])
@pytest.mark.parametrize("fault", [
    {"reject_command": 2, "fail_status": 0x51, "fail_error": 0x04},
    {"fail_lba": LBA + 16 + 7},
], ids=["rejected", "bad sector"])
def test_error_in_the_second_command(run, operation, fault):
    """The driver ends with the error of the hardwired loop, and reports the same good sectors."""
    def failed(processor):
        b = run(processor)
        b.image.write(512 * LBA, content(2, SECTORS))
        for name, value in fault.items():
            setattr(b.behaviour, name, value)
        outcome = b.record(content(3, SECTORS), LBA) if operation == "record" else \
            b.play(LBA, SECTORS)
        told = {name: outcome.outputs[name] for name in ("error", "drive_status", "drive_error",
                                                         "sectors_done")}
        for name in fault:
            setattr(b.behaviour, name, getattr(Behaviour(), name))
        if not b.outputs()["ready"]:
            b.wait(Event.READY)
        assert b.record(content(4, 20), 1000).error == 0, "it goes on"
        assert b.image.read_sectors(1000, 20) == content(4, 20)
        return told
    told = failed("picorv32")
    assert told == failed(None)
    assert told["error"] == Error.DRIVE_ERROR


@pytest.mark.parametrize("lba, sectors, error", [
    (0, 0, Error.ZERO_SECTORS), ((1 << 20) - 10, 20, Error.OUT_OF_RANGE),
    ((1 << 20) - 20, 40, Error.OUT_OF_RANGE)])
def test_refused(run, lba, sectors, error):
    for processor in ("picorv32", None):
        b = run(processor)
        assert b.play(lba, sectors).error == error
        assert [opcode for opcode, _, _ in commands(b)] == [IDENTIFY_DEVICE]


def test_refused_while_the_drive_is_away(run):
    """No count of the request is that of the one before."""
    b = run("picorv32")
    moved(b)
    assert b.record(content(2, SECTORS), LBA).outputs["longest_stall"]
    b.port.drop_link(2000)
    while b.outputs()["ready"]:
        b.run(1)
    refused = b.record(content(3, 2), LBA)
    assert (refused.error, refused.taken) == (Error.NOT_READY, 0)
    names = "words", "sectors_done", "high_water", "held_cycles", "longest_stall"
    assert [refused.outputs[name] for name in names] == [0] * len(names)


@pytest.mark.parametrize("fault, error", [
    (lambda b: b.port.drop_link(3), Error.LINK_LOST),
    (lambda b: setattr(b.behaviour, "mute", frozenset({"status"})), Error.TIMEOUT)],
    ids=["link", "silence"])
def test_drive_lost_in_the_second_command(run, fault, error):
    def failed(processor):
        b = run(processor)
        b.engine.source(content(7, SECTORS))
        b.start(Operation.RECORD, LBA, SECTORS)
        while b.outputs()["words"] < 128 * 20:
            b.run(1)
        fault(b)
        b.wait(Event.DONE)
        told = b.outputs()
        b.behaviour.mute = frozenset()
        b.wait(Event.READY)
        assert b.record(content(8, 20), 1000).error == 0, "it goes on"
        return told["error"], told["sectors_done"]
    assert failed("picorv32") == failed(None) == (error, 16)


@pytest.mark.parametrize("supply", [2, SECTORS], ids=["dry", "flowing"])
@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("extent", EXTENTS)
def test_stop_recording(run, extent, wait, supply):
    """It ends in the command that runs, all that was taken is on the drive, and FLUSH follows."""
    b = run("picorv32", extent=extent, wait=wait)
    b.image.write(512 * LBA, b"\xFF" * 512 * SECTORS)
    data = content(5, supply)
    outcome = b.record(data, LBA, SECTORS, stop_after=200, flush=True)
    assert outcome.error == 0 and 200 <= outcome.taken == outcome.outputs["words"]
    assert outcome.outputs["sectors_done"] == 16
    assert b.image.read_sectors(LBA, SECTORS) == data[:4 * outcome.taken].ljust(
        512 * 16, b"\0") + b"\xFF" * 512 * (SECTORS - 16)
    assert [opcode for opcode, _, _ in commands(b)][-2:] == [0x35, 0xEA]
    b.check()


@pytest.mark.parametrize("extent", EXTENTS)
def test_stop_playing(run, extent):
    def stopped(processor):
        b = run(processor, extent=extent)
        data = content(9, SECTORS)
        b.image.write(512 * LBA, data)
        outcome = b.play(LBA, SECTORS, stop_after=3000)
        assert outcome.received >= 3000 and outcome.data == data[:4 * outcome.received]
        b.check()
        return outcome.error, outcome.outputs["sectors_done"]
    assert stopped("picorv32") == stopped(None) == (0, 32)


@pytest.mark.parametrize("extent, lasts", [("command", 3), ("whole", 1)])
def test_each_operation_has_a_last_word(run, extent, lasts):
    assert run("picorv32", extent=extent).play(LBA, SECTORS).lasts == lasts


def test_reset_of_a_slow_processor(run):
    """A reset of a few clocks is seen by a processor that ticks more rarely."""
    b = run("picorv32", ratio=1 / 40)
    assert b.bring_up()["ready"]
    data = content(6, 16)
    assert b.record(data, LBA).error == 0
    assert b.image.read_sectors(LBA, 16) == data


@pytest.mark.parametrize("lba48", [True, False])
def test_measurement(lba48):
    """Host, drive and protocol of each command, and nothing to complain about."""
    job = Job(configuration=Configuration(**CORE), operation="both", lba=LBA, sectors=SECTORS,
              data=Pattern("random", 3, 128 * SECTORS), lba48=lba48, flush=True,
              capacity=1 << 20, controller=Controller("picorv32", HZ / 3))
    measurement = execute(job)
    assert measurement.problems == []
    for transfer in measurement.transfers:
        assert transfer.overhead["host"].count == 2
        assert transfer.overhead["host"].minimum > 500
        assert transfer.overhead["drive"].maximum < 50 > transfer.overhead["protocol"].maximum
    assert as_data(measurement)["controller"]["processor"] == "picorv32"
    with pytest.raises(JobError, match="the engine icarus simulates the core alone"):
        execute(job, "icarus")
