"""A core with its power-fail stage against the drive model: STANDBY IMMEDIATE in time."""

import functools

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from integration.drives import answer_by, speak
from integration.small import SMALL
from short import short
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Health, VolatileImage
from sata_drive_model.protocol.fis import register_d2h

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Operation
from sata_recorder.core.phy import DwordPort
from sata_recorder.bricks.stack import stack
from sata_recorder.simulation import Clocked, compiled_component

SECTORS = 40
INPUTS = ("phy__rx_data", "phy__rx_k", "phy__rx_valid", "phy__tx_ready", "phy__link_up",
          "phy__rx_error", "phy__generation", "start", "operation", "power_fail", "words")
OUTPUTS = ("phy__tx_data", "phy__tx_k", "phy__reset", "busy", "done", "error", "ready", "begins",
           "safe", "failed", "stopped_error", "stopped_sectors")
START, OPERATION, POWER_FAIL, WORDS = 42, 43, 45, 46
PHY = (1 << 37) - 1
BUSY, DONE, ERROR, READY, BEGINS, SAFE, FAILED, STOPPED, SECTORS_DONE = (
    37, 38, 39, 43, 44, 45, 46, 47, 51)


class Together(wiring.Component):
    """The core below the stage; words from a counter, all words taken or none."""

    phy: Out(DwordPort())
    start: In(1)
    operation: In(2)
    power_fail: In(1)
    words: In(1)
    busy: Out(1)
    done: Out(1)
    error: Out(4)
    ready: Out(1)
    begins: Out(1)
    safe: Out(1)
    failed: Out(1)
    stopped_error: Out(4)
    stopped_sectors: Out(8)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = stack(Configuration(**SMALL, commands=True, power_fail=True))
        connect(m, core.phy, flipped(self.phy))
        user = core.user
        m.d.comb += [
            user.control.start.eq(self.start), user.control.operation.eq(self.operation),
            user.control.lba.eq(100), user.control.sectors.eq(SECTORS),
            user.i.payload.eq(0x5A5A5A5A), user.i.valid.eq(self.words), user.o.ready.eq(self.words),
            user.power.fail.eq(self.power_fail),
            self.busy.eq(user.status.busy), self.done.eq(user.status.done),
            self.error.eq(user.status.error), self.ready.eq(user.status.ready),
            self.begins.eq(core.core.user.control.start),
            self.safe.eq(user.power.safe), self.failed.eq(user.power.failed),
            self.stopped_error.eq(user.power.error), self.stopped_sectors.eq(user.power.sectors),
        ]
        return m


@functools.cache
def library():
    return compiled_component(Together(), INPUTS, OUTPUTS)


class PowerFailBench:
    """Both, and a drive; what happened in each clock is in ``seen``."""

    def __init__(self, **behaviour):
        self.image = VolatileImage(DiskImage(sectors=1000), loss=1)
        self.drive = Drive(self.image, behaviour=Behaviour(**behaviour), health=Health())
        self.port = DrivePort(self.drive)
        self.design = Clocked(library())
        self._inputs = 0
        self.seen = []

    def run(self, clocks, until=None, **inputs):
        """Lets clocks pass, up to the one in which the output bit ``until`` is high."""
        word = (inputs.get("start", 0) << START | inputs.get("operation", 0) << OPERATION
                | inputs.get("power_fail", 0) << POWER_FAIL | inputs.get("words", 1) << WORDS)
        for _ in range(clocks):
            outputs = self.design.clock(
                self._inputs | self.port.generation << 40 | word)
            self._inputs = self.port.clock(outputs & PHY)
            self.seen.append(outputs)
            word &= ~(1 << START)
            if until is not None and outputs >> until & 1:
                return outputs
        assert until is None, f"output {until} is never high"
        return outputs

    def up(self):
        self.run(20_000, READY)
        return self

    def commands(self):
        return [one.command for one in self.drive.completed][1:]

    def high(self, bit):
        return [clock for clock, outputs in enumerate(self.seen) if outputs >> bit & 1]


@pytest.fixture
def board():
    made = []

    def make(**behaviour):
        made.append(PowerFailBench(**behaviour))
        return made[-1].up()

    yield make
    for one in made:
        one.design.close()


@pytest.mark.wide
def test_idle(board):
    b = board()
    begin = len(b.seen)
    b.run(5000, SAFE, power_fail=1)
    assert b.high(BEGINS) == [begin + 2] and b.commands() == [0xE0]
    assert b.drive.settings.power == 0 and not b.high(FAILED)


@pytest.mark.parametrize("clocks", short([1, 2, 30, 60, 300, 700, 1500, 2500, 4000],
                                         [2, 60, 700, 4000]))
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY, Operation.RECORD_FLUSH])
def test_operation_that_runs(board, operation, clocks):
    """The command in flight ends, then STANDBY IMMEDIATE comes: nothing of it is lost."""
    b = board(command_latency=100, completion_latency=50)
    b.run(clocks, start=1, operation=operation)
    before, fails = b.high(BEGINS), len(b.seen)
    outputs = b.run(40_000, SAFE, power_fail=1)
    begins, = [clock for clock in b.high(BEGINS) if clock not in before]
    # The end of STANDBY IMMEDIATE is none of the user's; the core's `busy` falls with `done`.
    settled, = b.high(DONE)
    assert begins == max(settled, fails + 1) + 1
    assert all(one >> BUSY & 1 for one in b.seen[fails + 1:])
    assert b.commands()[-1] == 0xE0 and not outputs >> FAILED & 1
    assert outputs >> ERROR & 0xF == 0 and outputs >> STOPPED & 0xF == 0
    written = [one for one in b.drive.completed if one.command in (0x35, 0xCA)]
    moved = [one for one in b.drive.completed if one.command in (0x35, 0xCA, 0x25, 0xC8)]
    # One that had ended before is not one that was stopped.
    assert outputs >> SECTORS_DONE & 0xFF == (
        sum(one.sectors for one in moved) if settled > fails else 0)
    b.drive.power_off()
    assert b.image.lost == []
    data = b"".join(b.image.read_sectors(one.lba, one.sectors) for one in written)
    # The command in flight of a recording that is stopped is filled with zeros.
    words = data.rstrip(b"\0")
    assert set(words) <= {0x5A} and len(data) - len(words) < 512 * SMALL["max_command_sectors"]
    assert bool(written) or operation == Operation.PLAY or clocks < 100


def test_start_and_failure_in_one_clock(board):
    b = board()
    b.run(1, start=1, operation=Operation.RECORD, power_fail=1)
    b.run(40_000, SAFE, power_fail=1)
    assert len(b.high(BEGINS)) == 2 and b.commands()[-1] == 0xE0


def test_a_play_back_that_nobody_takes(board):
    b = board()
    b.run(3000, start=1, operation=Operation.PLAY, words=0)
    b.run(40_000, SAFE, power_fail=1, words=0)
    assert b.commands()[-1] == 0xE0


def test_a_recording_without_words(board):
    b = board()
    b.run(3000, start=1, operation=Operation.RECORD, words=0)
    b.run(40_000, SAFE, power_fail=1, words=0)
    assert b.commands()[-1] == 0xE0


def test_no_start_counts_meanwhile(board):
    b = board()
    b.run(3000, power_fail=1)
    b.run(3000, start=1, operation=Operation.RECORD, power_fail=1)
    assert b.commands() == [0xE0]
    assert b.seen[-1] >> BUSY & 1 and not b.high(DONE)
    outputs = b.run(10, power_fail=0)
    assert not outputs >> BUSY & 1 and not outputs >> SAFE & 1
    b.run(20_000, DONE, start=1, operation=Operation.RECORD)
    assert b.commands()[1:] == [0x35] * 3


def test_a_short_pulse(board):
    """STANDBY IMMEDIATE is issued even if the power is back before it."""
    b = board()
    b.run(1, power_fail=1)
    b.run(5000)
    assert b.commands() == [0xE0] and b.high(SAFE) and not b.seen[-1] >> BUSY & 1


def test_drive_that_refuses(board):
    b = board()
    b.drive.behaviour.mute = frozenset({"command"})
    outputs = b.run(100_000, FAILED, power_fail=1)
    assert outputs >> ERROR & 0xF == 5 and not b.high(SAFE)


def test_without_a_drive(board):
    b = board()
    b.port.unplug()
    b.run(100)
    outputs = b.run(1000, FAILED, power_fail=1)
    assert outputs >> ERROR & 0xF == 1 and not b.high(SAFE)


def written(board):
    """A drive with sectors of a recording in its cache, and in no other place."""
    b = board()
    b.run(20_000, DONE, start=1, operation=Operation.RECORD)
    b.run(10)
    assert b.image.unflushed
    return b


def safe_later(b):
    """Power holds until the drive is safe: nothing is lost, and what was said before is taken back."""
    outputs = b.run(200_000, SAFE, power_fail=1)
    assert not outputs >> FAILED & 1 and b.high(FAILED)
    assert not [clock for clock in b.high(SAFE) if b.seen[clock] >> FAILED & 1]
    assert b.commands()[-1] == 0xE0
    begins = len(b.high(BEGINS))
    b.run(3000, power_fail=1)
    assert len(b.high(BEGINS)) == begins and b.seen[-1] >> SAFE & 1
    b.drive.power_off()
    assert b.image.lost == []


@pytest.mark.parametrize("clocks", short([0, 1, 2, 3, 20, 90, 150], [1, 90]))
def test_drive_that_is_brought_up(board, clocks):
    """It is asked as soon as it is ready, not only in the clock in which power fails."""
    b = written(board)
    b.port.drop_link(3)
    b.run(clocks + 1)
    safe_later(b)


@pytest.mark.parametrize("clocks", short([1, 2, 3, 5, 20, 40, 60], [5, 40]))
def test_link_that_falls_meanwhile(board, clocks):
    """STANDBY IMMEDIATE is under way."""
    b = written(board)
    b.drive.behaviour.other_latency = 500
    b.run(clocks, power_fail=1)
    b.port.drop_link(3)
    safe_later(b)


def test_operation_that_has_timed_out(board):
    """Its end asks for a COMRESET: the drive is not ready then."""
    b = written(board)
    b.drive.behaviour.mute = frozenset({"command"})
    b.run(100, start=1, operation=Operation.PLAY)
    b.run(60_000, DONE, power_fail=1)
    b.drive.behaviour.mute = frozenset()
    safe_later(b)
    assert b.seen[-1] >> STOPPED & 0xF == 5


def test_standby_that_times_out(board):
    b = written(board)
    b.drive.behaviour.mute = frozenset({"command"})
    b.run(100_000, FAILED, power_fail=1)
    b.drive.behaviour.mute = frozenset()
    safe_later(b)


def test_drive_that_has_failed_is_asked_once(board):
    """Until it is brought up again; without power's failing it is not asked at all."""
    b = board()
    b.drive.behaviour.good_status = 0x51
    outputs = b.run(20_000, FAILED, power_fail=1)
    assert outputs >> ERROR & 0xF == 7
    b.run(5000, power_fail=1)
    assert len(b.high(BEGINS)) == 1 and b.seen[-1] >> FAILED & 1
    b.drive.behaviour.good_status = 0x50
    b.port.drop_link(3)
    b.run(5000, SAFE, power_fail=1)
    assert len(b.high(BEGINS)) == 2


@pytest.mark.parametrize("latency", [60, 300])
def test_a_drive_that_takes_its_good_status_back(board, latency):
    """Before STANDBY IMMEDIATE counts as done, and after it: its cache is not written."""
    b = board()

    def revoked(register, answer):
        speak(b.drive, register_d2h(0x50), 20)
        b.drive.fail(latency=latency)
    answer_by(b.drive, revoked)
    b.run(5000, FAILED, power_fail=1)
    b.run(1000, power_fail=1)
    assert b.seen[-1] >> FAILED & 1 and not b.seen[-1] >> SAFE & 1
    assert bool(b.high(SAFE)) == (latency == 300) and len(b.high(BEGINS)) == 1


def test_power_that_is_back_before_the_drive(board):
    b = board()
    b.port.drop_link(3)
    b.run(20)
    b.run(20, power_fail=1)
    outputs = b.run(20_000, READY)
    assert not outputs >> FAILED & 1 and len(b.high(BEGINS)) == 1 and not b.high(SAFE)
