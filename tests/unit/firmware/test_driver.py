"""The driver in C, compiled for this machine, against registers that this test simulates."""

import ctypes
import shutil

import pytest
from unit.firmware.compiled_driver import NAME, CompiledDriver, compiled_library

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.firmware import FIRMWARE_FOLDER

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc for C on this machine")

DONE, READY, BUSY, LBA48 = 1 << 0, 1 << 1, 1 << 2, 1 << 4
CAPACITY = 0x3_0000_1000

START, STOP = 1 << 0, 1 << 1


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled_library(tmp_path_factory.mktemp("driver"))


class DriverCore:
    """The registers of a core whose operations end after ``polls`` looks at STATUS.

    ``results`` are the errors and sectors of the operations, in order (default: all good);
    ``operations`` lists (operation, lba, sectors) that were started. In the operation number
    ``stops_in``, of which ``good`` sectors are done then, the stream runs dry: it ends with a
    STOP only. ``stop`` is the driver's word, set with the look number ``stop_at``.
    """

    def __init__(self, library, *, lba48=True, results=(), polls=3, interrupts=False,
                 operation_sectors=65536, stop_at=None, stops_in=None, good=0):
        self.results = list(results)
        self.polls = polls
        self.operations = []
        self.accesses = []
        self.waits = 0
        self.stops = 0
        self.stop = ctypes.c_uint32()
        self._looks, self._stop_at, self._stops_in, self._good = 0, stop_at, stops_in, good
        self.values = {"ID": 0x41544153, "INTERRUPT_ENABLE": 0, "ERROR": 0,
                       "STATUS": READY | (LBA48 if lba48 else 0),
                       "CAPACITY_LOW": CAPACITY & 0xFFFF_FFFF, "CAPACITY_HIGH": CAPACITY >> 32,
                       "SKIPPED_SECTORS_LOW": 0, "SKIPPED_SECTORS_HIGH": 0}
        self._left = 0
        self.driver = CompiledDriver(library, self.read, self.write, wait=self.wait if interrupts else None,
                                     operation_sectors=operation_sectors,
                                     stop=self.stop if stop_at is not None else None)
        self.sata = self.driver.sata

    def read(self, offset):
        name = NAME[offset]
        self.accesses.append(name)
        if name == "STATUS" and self._left:
            self._looks += 1
            if self._looks == self._stop_at:
                self.stop.value = 1
            if len(self.operations) - 1 != self._stops_in or self.stops:
                self._left -= 1
            if self._left == 0:
                self.values["STATUS"] = self.values["STATUS"] & ~BUSY | DONE | READY
            assert self._looks < 1000, "it waits for ever"
        return self.values[name]

    def write(self, offset, value):
        name = NAME[offset]
        self.accesses.append(name)
        if name == "STATUS":
            self.values[name] &= ~(value & DONE)
            return
        if name != "CONTROL":
            assert name in ("LBA_LOW", "LBA_HIGH", "SECTORS_LOW", "SECTORS_HIGH",
                            "INTERRUPT_ENABLE"), "read-only"
            self.values[name] = value
            return
        if value == STOP:
            self.stops += 1
            if len(self.operations) - 1 == self._stops_in:
                self.values["SECTORS_DONE_LOW"] = self._good
            return
        assert value & 0xFF == START and self._left == 0, "a start while an operation runs"
        sectors = self.wide("SECTORS")
        self.operations.append((value >> 8, self.wide("LBA"), sectors))
        error, done = self.results.pop(0) if self.results else (0, sectors)
        self.values |= {"ERROR": error | 0xF00, "SECTORS_DONE_LOW": done & 0xFFFF_FFFF,
                        "SECTORS_DONE_HIGH": done >> 32}
        self.values["STATUS"] = self.values["STATUS"] & ~(DONE | READY) | BUSY
        self._left = self.polls

    def wide(self, name):
        return self.values[f"{name}_HIGH"] << 32 | self.values[f"{name}_LOW"]

    def wait(self, context):
        assert context == 4711
        assert self.values["INTERRUPT_ENABLE"] == 1, "nothing would ever wake it"
        self.waits += 1

    def move(self, operation, lba, sectors):
        return self.driver.move(operation, lba, sectors)


def test_present(library):
    core = DriverCore(library)
    assert library.sata_present(ctypes.byref(core.sata))
    core.values["ID"] = 0xFFFF_FFFF
    assert not library.sata_present(ctypes.byref(core.sata))


def test_wait_ready(library):
    core = DriverCore(library)
    core.values["STATUS"] = 0
    core.values["ERROR"] = Error.NOT_ATA | 0xF00
    assert library.sata_wait_ready(ctypes.byref(core.sata)) == Error.NOT_ATA
    core.values["STATUS"] = READY
    assert library.sata_wait_ready(ctypes.byref(core.sata)) == 0


def test_capacity_reads_the_low_word_first(library):
    core = DriverCore(library)
    assert library.sata_capacity(ctypes.byref(core.sata)) == CAPACITY
    assert core.accesses == ["CAPACITY_LOW", "CAPACITY_HIGH"]


@pytest.mark.parametrize("lba48, limit, longest", [
    (True, 65536, 65536), (True, 100, 100), (False, 65536, 256), (False, 100, 100)])
def test_an_operation_for_each_command(library, lba48, limit, longest):
    core = DriverCore(library, lba48=lba48, operation_sectors=limit)
    lba, sectors = 0xFFFF_FF00, 2 * longest + 7
    assert core.move(Operation.RECORD, lba, sectors) == (Error.NONE, sectors)
    assert core.operations == [(Operation.RECORD, lba, longest),
                               (Operation.RECORD, lba + longest, longest),
                               (Operation.RECORD, lba + 2 * longest, 7)]


@pytest.mark.parametrize("lba48", [True, False])
def test_one_operation(library, lba48):
    core = DriverCore(library, lba48=lba48, operation_sectors=0)
    assert core.move(Operation.PLAY, 5, 1 << 33) == (Error.NONE, 1 << 33)
    assert core.operations == [(Operation.PLAY, 5, 1 << 33)]


def test_flush_follows_the_last_one_only(library):
    core = DriverCore(library, operation_sectors=10)
    core.move(Operation.RECORD_FLUSH, 0, 20)
    assert [operation for operation, _, _ in core.operations] == [Operation.RECORD,
                                                                  Operation.RECORD_FLUSH]


def test_the_first_error_ends_it(library):
    core = DriverCore(library, operation_sectors=10, results=[(0, 10), (Error.DRIVE_ERROR, 3)])
    assert core.move(Operation.RECORD, 0, 40) == (Error.DRIVE_ERROR, 13)
    assert len(core.operations) == 2


def test_an_error_of_the_last_operation(library):
    core = DriverCore(library, operation_sectors=10, results=[(0, 10), (Error.LINK_LOST, 4)])
    assert core.move(Operation.RECORD_FLUSH, 0, 20) == (Error.LINK_LOST, 14)


@pytest.mark.parametrize("lba, sectors", [(CAPACITY - 5, 30), (CAPACITY + 1, 30), (0, CAPACITY + 1),
                                          (1 << 47, 30), (2, (1 << 48) - 1)])
def test_beyond_the_capacity(library, lba, sectors):
    core = DriverCore(library, operation_sectors=10)
    assert core.move(Operation.RECORD, lba, sectors) == (Error.OUT_OF_RANGE, 0)
    assert core.operations == []


def test_up_to_the_capacity(library):
    core = DriverCore(library, operation_sectors=10)
    assert core.move(Operation.RECORD, CAPACITY - 30, 30) == (Error.NONE, 30)


def test_the_core_refuses_no_sectors(library):
    core = DriverCore(library, results=[(Error.ZERO_SECTORS, 0)])
    assert core.move(Operation.PLAY, 0, 0) == (Error.ZERO_SECTORS, 0)


@pytest.mark.parametrize("interrupts", [False, True])
@pytest.mark.parametrize("limit", [0, 10])
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY, Operation.RECORD_FLUSH])
def test_stop_of_a_dry_stream(library, operation, limit, interrupts):
    """The operation that runs gets one STOP, no other follows, and what was recorded is flushed."""
    core = DriverCore(library, operation_sectors=limit, interrupts=interrupts, stop_at=5, stops_in=0,
                good=4)
    assert core.move(operation, 0, 100) == (Error.NONE, 4)
    assert core.stops >= 1
    flush = [(Operation.FLUSH, 0, 0)] if limit and operation == Operation.RECORD_FLUSH else []
    first = Operation.RECORD if flush else operation
    assert core.operations == [(first, 0, limit or 100), *flush]
    assert core.stops == len(core.operations), "one for each that ran"


def test_stop_behind_the_first_operation(library):
    core = DriverCore(library, operation_sectors=10, polls=3, stop_at=3)
    assert core.move(Operation.RECORD, 0, 100) == (Error.NONE, 10)
    assert core.operations == [(Operation.RECORD, 0, 10)] and core.stops == 0


def test_an_error_of_the_flush_after_a_stop(library):
    core = DriverCore(library, operation_sectors=10, stop_at=3,
                results=[(0, 10), (Error.DRIVE_ERROR, 0)])
    assert core.move(Operation.RECORD_FLUSH, 0, 100) == (Error.DRIVE_ERROR, 10)


def test_no_flush_after_an_error(library):
    core = DriverCore(library, operation_sectors=10, stop_at=1, results=[(Error.LINK_LOST, 2)])
    assert core.move(Operation.RECORD_FLUSH, 0, 100) == (Error.LINK_LOST, 2)
    assert len(core.operations) == 1


def test_start_without_waiting(library):
    """What a program uses that has something else to do meanwhile."""
    core = DriverCore(library, polls=3, results=[(0, 7)])
    sata = ctypes.byref(core.sata)
    library.sata_start(sata, Operation.PLAY, 1 << 40, 9)
    assert core.operations == [(Operation.PLAY, 1 << 40, 9)]
    assert [library.sata_done(sata) for _ in range(4)] == [0, 0, 1, 1]
    assert library.sata_wait(sata) == Error.NONE and library.sata_sectors_done(sata) == 7
    library.sata_stop(sata)
    assert core.stops == 1


def test_polling(library):
    core = DriverCore(library, polls=50)
    core.move(Operation.PLAY, 0, 10)
    assert core.accesses.count("STATUS") >= 50
    assert "INTERRUPT_ENABLE" not in core.accesses


def test_interrupt(library):
    core = DriverCore(library, operation_sectors=10, interrupts=True)
    assert core.move(Operation.PLAY, 0, 20) == (Error.NONE, 20)
    assert core.waits == 4      # each look at STATUS but the last one of an operation
    assert core.values["INTERRUPT_ENABLE"] == 0


def test_no_file_is_long():
    sizes = {path.name: len(path.read_text().splitlines())
             for path in FIRMWARE_FOLDER.iterdir()}
    assert len(sizes) == 5 and max(sizes.values()) <= 400
