"""The driver in C on a core that power failure or a stage has taken from it."""

import shutil

import pytest
from unit.firmware.compiled_driver import INTERRUPTED, compiled_library
from unit.firmware.test_driver import BUSY, DONE, READY, START, DriverCore

from sata_recorder.core.drive_port import Error, Operation

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc for C on this machine")

#: How often the core shows that it is taken before power is back.
TAKEN = 20


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled_library(tmp_path_factory.mktemp("driver"))


class FailingPower(DriverCore):
    """Power fails in the operation number ``fails_in``, which ends after ``good`` sectors; or, without ``good``, after
    it: at the access ``fails_at`` that follows its DONE. The core ignores each START for some looks at STATUS. Then
    error and sectors are those of STANDBY IMMEDIATE: none, ``shows`` accesses after the failure."""

    def __init__(self, library, *, fails_in=0, good=None, fails_at=0, shows=3, **options):
        super().__init__(library, **{"operation_sectors": 1000, **options})
        self.fails_in, self.partial, self.fails_at, self.shows = fails_in, good, fails_at, shows
        self.taken = self.since = 0
        self.failed = self.ended = False

    def _passes(self):
        """An access begins."""
        if not self.failed:
            self.ended |= self.fails_in == len(self.operations) - 1 and self.values["STATUS"] & DONE
            if self.ended and (self.partial is not None or self.fails_at == 0):
                self.failed, self.taken = True, TAKEN
            self.fails_at -= bool(self.ended)
            return
        self.since += 1
        if self.since == self.shows:
            self.values |= {"ERROR": 0, "SECTORS_DONE_LOW": 0}

    def read(self, offset):
        self._passes()
        value = super().read(offset)
        if self.accesses[-1] == "STATUS" and self.taken:
            self.taken -= 1
            return value & ~READY | BUSY
        return value

    def write(self, offset, value):
        self._passes()
        if offset == 8 and value & 0xFF == START and self.taken:
            self.accesses.append("CONTROL")
            return
        super().write(offset, value)
        if offset == 8 and len(self.operations) - 1 == self.fails_in and self.partial is not None:
            self.values["SECTORS_DONE_LOW"] = self.partial


@pytest.mark.parametrize("shows", range(1, 12))
def test_sectors_after_a_failure_of_power_are_not_counted(library, shows):
    """Those of the operation that it has stopped count as long as the core shows them."""
    core = FailingPower(library, fails_in=2, good=300, shows=shows)
    error, done = core.move(Operation.RECORD, 0, 10_000)
    assert error == INTERRUPTED and done in (2000, 2300)


@pytest.mark.parametrize("fails_at", range(9))
@pytest.mark.parametrize("shows", [1, 2, 3, 50])
@pytest.mark.parametrize("operation", [Operation.RECORD_FLUSH, Operation.PLAY])
def test_a_failure_between_two_operations_counts_none_of_the_next(library, operation, shows, fails_at):
    core = FailingPower(library, fails_in=1, fails_at=fails_at, shows=shows)
    error, done = core.move(operation, 0, 10_000)
    assert error == INTERRUPTED and done in (1000, 2000)
    assert len(core.operations) == 2


@pytest.mark.parametrize("fails_at", range(5))
@pytest.mark.parametrize("shows", [1, 2, 3])
@pytest.mark.parametrize("stop_at", [None, 1])
def test_an_operation_that_has_failed_is_none_that_was_stopped(library, stop_at, shows, fails_at):
    """Where the error is not seen any more it is not taken for success, with a stop neither."""
    core = FailingPower(library, fails_in=0, fails_at=fails_at, shows=shows, stop_at=stop_at,
                        results=[(Error.DRIVE_ERROR, 0)])
    error, done = core.move(Operation.RECORD, 0, 10_000)
    assert error in (INTERRUPTED, Error.DRIVE_ERROR) and done == 0


def test_a_start_is_not_written_while_the_core_is_busy(library):
    """Files have it, for example: nothing would ever end."""
    core = DriverCore(library)
    core.values["STATUS"] = BUSY | DONE
    assert core.driver.call("start", Operation.FLUSH, 0, 0) == INTERRUPTED
    assert core.driver.call("operate", Operation.FLUSH, 0, 0) == INTERRUPTED
    assert core.move(Operation.PLAY, 0, 10) == (INTERRUPTED, 0)
    assert "CONTROL" not in core.accesses


def test_an_operation_that_does_not_run_is_over(library):
    core = DriverCore(library)
    assert core.driver.call("done") == 1
    assert core.driver.call("wait") == INTERRUPTED


def test_sectors_that_were_passed_over_are_no_failure(library):
    core = DriverCore(library, operation_sectors=10, results=[(0, 7), (0, 10), (0, 9)])
    core.values["SKIPPED_SECTORS_LOW"] = 3
    assert core.move(Operation.RECORD, 0, 30) == (Error.NONE, 26)


def test_a_drive_that_is_away_is_not_too_small(library):
    core = DriverCore(library, operation_sectors=10)
    core.values |= {"STATUS": 0, "CAPACITY_LOW": 0, "CAPACITY_HIGH": 0}
    assert core.move(Operation.RECORD, 5, 30) == (Error.NOT_READY, 0)
    assert core.operations == []


@pytest.mark.parametrize("error", [Error.NONE, Error.NOT_READY, Error.LINK_LOST, Error.DRIVE_ERROR, Error.PROTOCOL])
def test_how_an_operation_ended_is_not_what_is_wrong_with_the_drive(library, error):
    """A drive that comes back is waited for; or until a stop."""
    core = DriverCore(library, stop_at=0)
    core.values |= {"STATUS": DONE, "ERROR": error}
    assert core.driver.call("readiness") == Error.NOT_READY
    core.stop.value = 1
    assert core.driver.call("wait_ready") == Error.NOT_READY
    core.values["STATUS"] = DONE | READY
    assert core.driver.call("readiness") == Error.NONE


@pytest.mark.parametrize("error", [Error.NOT_ATA, Error.NO_DMA_LBA, Error.SECTOR_SIZE, Error.IDENTIFY_FAILED,
                                   Error.TIMEOUT, Error.OTHER_DRIVE])
def test_a_drive_that_was_not_brought_up_is_not_waited_for(library, error):
    core = DriverCore(library)
    core.values |= {"STATUS": 0, "ERROR": error}
    assert core.driver.call("wait_ready") == error
