"""A drive that falls silent: the core reports it in time, resets it, and works again."""

import pytest
from integration.drives import speak
from integration.small import (COMMAND_CLOCKS, DATA, FLUSH_CLOCKS, LONG, SMALL, connect, content,
                               works)
from sata_drive_model import Drive
from sata_drive_model.behaviour import NEVER
from sata_drive_model.link import DEAD
from sata_drive_model.protocol import fis

from sata_recorder.simulation import Event, Hold
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.core.transport.fis_sender import TRIES

MUTES = [("record", "command"), ("record", "activate"), ("record", "status"), ("record", "r_rdy"),
         ("record", "r_ok"), ("play", "command"), ("play", "data"), ("play", "status"),
         ("play", "r_rdy"), ("play", "r_ok"), ("flush", "command"), ("flush", "status"),
         ("flush", "r_rdy"), ("flush", "r_ok")]


def begin(b, operation, sectors=40):
    """Starts an operation from LBA 50 on; the clock of its start."""
    data = content(1, sectors)
    b.engine.source(data)
    b.engine.sink(128 * sectors)
    if operation == "play":
        b.image.write(50 * 512, data)
    b.start(Operation[operation.upper()], 50, sectors)
    return b.engine.state().cycle


def expire(b, clocks, silent_since):
    """The operation ends in TIMEOUT after ``clocks``, and asks for COMRESET."""
    resets = b.port.resets
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.TIMEOUT
    assert clocks < b.engine.state().cycle - silent_since < 1.08 * clocks
    b.run(1)
    assert b.port.resets == resets + 1
    assert not b.outputs()["ready"]


@pytest.mark.sample(5)
@pytest.mark.parametrize("operation, mute", MUTES)
@pytest.mark.parametrize("sectors", [1, 16, 40])
def test_never_answered(bench, operation, mute, sectors):
    """With and without more words in the stream than the command moves."""
    b = bench(**SMALL, limit=4 * FLUSH_CLOCKS)
    b.behaviour.mute = frozenset({mute})
    start = begin(b, operation, sectors)
    # The data of a command before its missing status are well within the tolerance.
    expire(b, FLUSH_CLOCKS if operation == "flush" else COMMAND_CLOCKS, start)
    b.behaviour.mute = frozenset()
    works(b)


@pytest.mark.parametrize("sectors", [1, 16, 20, 40])
@pytest.mark.parametrize("answer", ["r_ok", "r_rdy"])
def test_data_never_answered(bench, sectors, answer):
    """The command is taken, its data are not; the stream may have no word more to give."""
    class Deaf(Drive):
        def link_plan_receive(self):
            delay = super().link_plan_receive()
            return NEVER if answer == "r_rdy" and self.expecting and self.deaf else delay

        def link_received(self, data, good):
            verdict, delay = super().link_received(data, good)
            return verdict, NEVER if answer == "r_ok" and data[0] == DATA and self.deaf else delay

    b = bench(connect(Deaf), **SMALL, limit=4 * FLUSH_CLOCKS)
    b.drive.deaf = True
    start = begin(b, "record", sectors)
    expire(b, COMMAND_CLOCKS, start)
    b.drive.deaf = False
    works(b)


@pytest.mark.parametrize("operation", ["record", "play", "flush"])
def test_dead_link(bench, operation):
    """The drive sends SYNC for ever, but the PHY sees a link."""
    b = bench(**SMALL)
    b.port.link.state = DEAD
    start = begin(b, operation)
    expire(b, FLUSH_CLOCKS if operation == "flush" else COMMAND_CLOCKS, start)
    works(b)


@pytest.mark.parametrize("operation", ["record", "play"])
@pytest.mark.parametrize("clocks", [60, 300, 1000, 2000, 3000, 4000])
def test_link_dies_in_a_transfer(bench, operation, clocks):
    b = bench(**SMALL)
    begin(b, operation)
    b.run(clocks)
    b.port.link.state = DEAD
    expire(b, COMMAND_CLOCKS, b.engine.state().cycle)
    assert b.outputs()["sectors_done"] in (0, 16, 32)
    works(b)


@pytest.mark.parametrize("dword", [0, 1, 500, 2040])
@pytest.mark.parametrize("fault", ["stuck_read", "stuck_write"])
def test_hold_for_ever(bench, fault, dword):
    b = bench(**LONG)
    setattr(b.behaviour, fault, (1, dword))
    operation = "play" if fault == "stuck_read" else "record"
    begin(b, operation, 64)
    while b.drive.fis_index < 1:
        b.run(1)
    b.run(3000)
    before = b.engine.state()
    assert (before.taken if operation == "record" else before.received) < 64 * 128
    resets = b.port.resets
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.TIMEOUT
    assert COMMAND_CLOCKS - 3000 < b.engine.state().cycle - before.cycle < 1.05 * COMMAND_CLOCKS
    b.run(1)
    assert b.port.resets == resets + 1
    setattr(b.behaviour, fault, None)
    works(b)


@pytest.mark.parametrize("operation", ["record", "play"])
def test_command_refused_for_ever(bench, operation):
    """The drive lives, and answers each try with R_ERR."""
    b = bench(**SMALL)
    b.behaviour.refuse_command = 1_000_000
    begin(b, operation)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.COMMAND_REFUSED
    # Bring-up has begun again meanwhile, and its command is refused, too.
    assert 1_000_000 - b.behaviour.refuse_command in range(TRIES, 2 * TRIES)
    b.behaviour.refuse_command = 0
    works(b)


@pytest.mark.parametrize("chatter", [fis.set_device_bits(), fis.dma_setup()])
@pytest.mark.parametrize("operation", ["record", "play"])
def test_talk_beside_the_point_is_no_progress(bench, operation, chatter):
    class Chatty(Drive):
        def link_sent(self, frame, outcome):
            super().link_sent(frame, outcome)
            if frame.fis == chatter and self.behaviour.mute:
                speak(self, chatter, 100)

    b = bench(connect(Chatty), **SMALL)
    b.behaviour.mute = frozenset({"command"})
    start = begin(b, operation)
    speak(b.drive, chatter, 200)
    expire(b, COMMAND_CLOCKS, start)
    b.behaviour.mute = frozenset()
    works(b)


@pytest.mark.parametrize("operation, options", [
    ("record", {"command_latency": 39_000}), ("record", {"completion_latency": 39_000}),
    ("record", {"r_rdy_delay": 19_000}), ("record", {"r_ok_delay": 19_000}),
    ("play", {"command_latency": 39_000}), ("play", {"data_latency": 39_000, "data_fis_dwords": 2000}),
    ("play", {"completion_latency": 39_000}), ("flush", {"flush_latency": 59_000})])
def test_slow_drive_within_the_limit(bench, operation, options):
    b = bench(**SMALL)
    for name, latency in options.items():
        setattr(b.behaviour, name, latency)
    begin(b, operation)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0 and b.port.resets == 1
    assert b.engine.state().cycle > 19_000


def test_hold_within_the_limit(bench):
    b = bench(**SMALL, underrun=(1000, 39_000), throttle=(1000, 39_000))
    data = content(1, 16)
    assert b.record(data, 0).error == 0
    assert b.play(0, 16).data == data
    b.check()
    assert b.ledger().accounts["device_hold"] >= 39_000


@pytest.mark.parametrize("hold", [Hold(700, 50_000), Hold(1000, 90_000)])
def test_slow_user_is_no_timeout(bench, hold):
    b = bench(**SMALL)
    data = content(1, 40)
    assert b.record(data, 0, hold=hold).error == 0
    b.check()
    assert b.play(0, 40, hold=hold).data == data
    b.check()
    assert b.ledger().accounts["host_hold"] > 50_000 and b.port.resets == 1


def test_timeout_of_a_drive_behind_a_slow_user(bench):
    """The user takes nothing for long; when it does, the drive turns out to be dead."""
    b = bench(**SMALL)
    b.image.write(50 * 512, content(1, 40))
    b.engine.sink(5120, hold=Hold(100, 100_000))
    b.start(Operation.PLAY, 50, 40)
    b.run(1000)
    b.port.link.state = DEAD
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.TIMEOUT
    assert b.port.resets == 1 or b.port.resets == 2
    works(b)


def test_reset_is_repeated_until_the_drive_is_back(bench):
    b = bench(**SMALL)
    b.behaviour.mute = frozenset({"signature", "command"})
    b.start(Operation.FLUSH)
    b.run(1)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.TIMEOUT
    b.run(100_000)
    assert b.port.resets >= 1 + 3
    assert not b.outputs()["ready"]
    b.behaviour.mute = frozenset()
    works(b)
