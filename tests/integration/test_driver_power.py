"""The driver in C, compiled for this machine, operates a core through its registers, while power fails at any clock:
what it counts is on the drive, and it reports no success where there was none."""

import functools
import shutil

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from integration.drives import answer_by, fail
from integration.small import SMALL
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Health
from short import short
from unit.firmware.compiled_driver import INTERRUPTED, OFFSET, CompiledDriver, compiled_library

from sata_recorder.bricks.stack import stack
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.core.phy import DwordPort
from sata_recorder.firmware import AxiLiteManager
from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Clocked, compiled_component

pytestmark = [pytest.mark.wide,
              pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc for C on this machine")]

#: An extent of two operations; clocks between two accesses of the processor.
LBA, LONGEST, SECTORS, GAP = 100, 2, 4, 7
#: Power is back after so many clocks, or after one.
LASTING, PULSE = 3000, 1
#: More clocks than two operations take, and than anything that ends.
ENOUGH, PATIENCE = 1600, 60_000
INPUTS = ("phy__rx_data", "phy__rx_k", "phy__rx_valid", "phy__tx_ready", "phy__link_up", "phy__rx_error",
          "phy__generation", "power_fail", "access", "writes", "word", "value")
OUTPUTS = ("phy__tx_data", "phy__tx_k", "phy__reset", "ended", "irq", "shown")
POWER_FAIL, ACCESS, WRITES, WORD, VALUE = 42, 43, 44, 45, 51
PHY = (1 << 37) - 1
ENDED, IRQ, SHOWN = 37, 38, 39


class Operated(wiring.Component):
    """The core with its registers, and an access to one of the first 64; words that never run dry, and are taken."""

    phy: Out(DwordPort())
    power_fail: In(1)
    access: In(1)
    writes: In(1)
    word: In(6)
    value: In(10)
    ended: Out(1)
    irq: Out(1)
    shown: Out(16)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = stack(Configuration(
            **SMALL, commands=True, power_fail=True, control="axi-lite"))
        m.submodules.manager = manager = AxiLiteManager()
        connect(m, core.phy, flipped(self.phy))
        connect(m, manager.axil, core.user.axil)
        bus = manager.bus
        m.d.comb += [
            core.user.power.fail.eq(self.power_fail),
            core.user.i.payload.eq(0x5A5A5A5A), core.user.i.valid.eq(1), core.user.o.ready.eq(1),
            manager.tick.eq(1), bus.valid.eq(self.access), bus.strobes.eq(self.writes.replicate(4)),
            bus.address.eq(self.word << 2), bus.write_data.eq(self.value),
            self.irq.eq(core.user.axil.irq), self.ended.eq(bus.ready), self.shown.eq(bus.read_data),
        ]
        return m


@functools.cache
def core_library():
    return compiled_component(Operated(), INPUTS, OUTPUTS)


class OperatedBench:
    """The driver, the core and a drive.

    The processor lets ``gap`` clocks pass after each access, and ``pause`` more after a write to CONTROL; with
    ``interrupts`` the driver sleeps until irq is high, or power is back.
    """

    def __init__(self, library, *, interrupts=False, gap=GAP):
        self.drive = Drive(DiskImage(sectors=1000), health=Health(), behaviour=Behaviour(
            command_latency=30, completion_latency=20, activate_latency=10))
        self.port = DrivePort(self.drive)
        self.design = Clocked(core_library())
        self.driver = CompiledDriver(library, self.read, self.write, operation_sectors=LONGEST,
                                     wait=self.wait if interrupts else None)
        self.gap, self.pause = gap, 0
        self._inputs = 0
        self._failure = range(0)
        self.now = self._started = 0

    def clock(self, word=0):
        outputs = self.design.clock(self._inputs | self.port.generation << 40 | word
                                    | (self.now in self._failure) << POWER_FAIL)
        self._inputs = self.port.clock(outputs & PHY)
        self.now += 1
        return outputs

    def fail(self, clocks, lasts):
        """Power fails after so many ``clocks``, and is back when it ``lasts`` no longer."""
        self._failure = range(self.now + clocks, self.now + clocks + lasts)

    def _access(self, offset, value=None):
        word = 1 << ACCESS | offset >> 2 << WORD
        if value is not None:
            assert value < 1 << 10
            word |= 1 << WRITES | value << VALUE
        while not (outputs := self.clock(word)) >> ENDED & 1:
            pass
        for _ in range(self.gap + self.pause * (value is not None and offset == OFFSET["CONTROL"])):
            self.clock()
        return outputs >> SHOWN

    def read(self, offset):
        """A driver that waits for ever sees all bits set, and ends."""
        return self._access(offset) if self.now < self._started + PATIENCE else 0xFFFF_FFFF

    def write(self, offset, value):
        self._access(offset, value)

    def wait(self, context):
        until = max(self._failure.stop, self.now + 1000)
        while self.now < until and not self.clock() >> IRQ & 1:
            pass

    def settle(self):
        """Waits until power is back and the drive is ready."""
        while self.now < self._failure.stop or not self.read(OFFSET["STATUS"]) & 2:
            self.clock()
        self.drive.completed.clear()
        self._started = self.now
        return self

    def over(self):
        """Whether what was called has ended by itself."""
        return self.now < self._started + PATIENCE

    def good(self, *codes):
        """Commands of these that the drive has completed without error."""
        return [one for one in self.drive.completed if one.command in codes and not one.status & 1]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled_library(tmp_path_factory.mktemp("driver"))


@pytest.fixture
def board(library):
    made = []

    def make(**options):
        made.append(OperatedBench(library, **options))
        return made[-1].settle()

    yield make
    for one in made:
        one.design.close()


def failures(step):
    """Each ``step``-th clock, from those of the first access on."""
    return range(0, ENOUGH, step)


@pytest.mark.parametrize("step", short([1, 23], [23]))
@pytest.mark.parametrize("lasts", [LASTING, PULSE])
@pytest.mark.parametrize("interrupts", [False, True])
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH, Operation.PLAY])
def test_what_is_counted_is_on_the_drive_whenever_power_fails(board, operation, interrupts, lasts, step):
    """In an operation, between two, and before and after them."""
    b = board(interrupts=interrupts)
    ends = set()
    for clocks in failures(step):
        b.settle()
        b.fail(clocks, lasts)
        error, done = b.driver.move(operation, LBA, SECTORS)
        moved = sum(one.sectors for one in b.good(0x35, 0xCA, 0x25, 0xC8))
        assert b.over() and done <= moved <= SECTORS, clocks
        assert error in (Error.NONE, INTERRUPTED) and (error == INTERRUPTED or done == SECTORS), clocks
        if error == Error.NONE and operation == Operation.RECORD_FLUSH:
            assert b.good(0xEA, 0xE7), clocks
        ends.add((error, done))
    assert ends >= {(INTERRUPTED, 0), (INTERRUPTED, LONGEST), (Error.NONE, SECTORS)}


@pytest.mark.parametrize("step", short([1, 23], [23]))
def test_a_sector_that_was_not_written_is_not_counted_whenever_power_fails(board, step):
    """STANDBY IMMEDIATE succeeds after an operation that has failed."""
    b = board()
    for clocks in failures(step):
        b.settle()
        b.drive.behaviour.fail_lba = LBA + 1
        b.fail(clocks, LASTING)
        error, done = b.driver.move(Operation.RECORD, LBA, SECTORS)
        b.drive.behaviour.fail_lba = None
        assert b.over() and error in (Error.DRIVE_ERROR, INTERRUPTED) and done == 0, clocks


@pytest.mark.parametrize("step", short([1, 5], [5]))
def test_a_flush_that_failed_is_no_success_whenever_power_fails(board, step):
    b = board()
    answer_by(b.drive, lambda register, answer: fail(b.drive) if register.command == 0xEA else answer(register))
    for clocks in range(0, 500, step):
        b.settle()
        b.fail(clocks, LASTING)
        error = b.driver.call("operate", Operation.FLUSH, 0, 0)
        assert b.over() and error in (Error.DRIVE_ERROR, INTERRUPTED), clocks


@pytest.mark.parametrize("gap, step", short([(GAP, 1), (300, 1), (300, 7)], [(300, 7)]))
def test_a_flush_that_was_not_started_is_no_success_whenever_power_fails(board, gap, step):
    """A slow processor sees nothing of a failure that is over when it looks, but DONE of the operation before."""
    b = board(gap=gap)
    for clocks in range(0, 8 * (gap + 8), step):
        b.settle()
        assert b.driver.call("operate", Operation.FLUSH, 0, 0) == Error.NONE
        b.drive.completed.clear()
        b.fail(clocks, PULSE)
        error = b.driver.call("operate", Operation.FLUSH, 0, 0)
        assert error == INTERRUPTED or error == Error.NONE and b.good(0xEA), clocks


def test_an_operation_is_seen_to_end_in_whichever_clock_it_does(board):
    """BUSY falls a clock before DONE rises."""
    b = board()
    for b.pause in range(2 * (GAP + 8)):
        b.settle()
        assert b.driver.move(Operation.RECORD, LBA, SECTORS) == (Error.NONE, SECTORS), b.pause


def test_a_drive_that_comes_back_is_waited_for_with_an_old_error(board):
    """ERROR is that of the operation before, until the next one begins."""
    b = board()
    b.port.drop_link(2000)
    while b.read(OFFSET["STATUS"]) & 2:
        pass
    assert b.driver.move(Operation.RECORD, LBA, SECTORS) == (Error.NOT_READY, 0)
    assert b.driver.call("operate", Operation.RECORD, LBA, LONGEST) == Error.NOT_READY
    assert b.driver.call("readiness") == Error.NOT_READY
    assert b.driver.call("wait_ready") == Error.NONE and b.over()
    assert b.driver.move(Operation.RECORD, LBA, SECTORS) == (Error.NONE, SECTORS)
