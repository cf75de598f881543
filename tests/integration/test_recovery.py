"""Recoveries of the whole core against drives that do not keep to what a friendly drive would do."""

import pytest
from integration.small import RETRY, RETRY_UNRETAINED, connect, content, works
from sata_drive_model import Drive

from sata_recorder.lab.campaign import CORES
from sata_recorder.core.drive_port import Error
from sata_recorder.simulation import Hold

pytestmark = pytest.mark.wide


class Stubborn(Drive):
    """Goes on with a read after R_ERR to one of its Data FISes, of which a word was damaged; reports
    so at the end of the command, or never."""

    damaged = 2             # the Data FIS
    status_then = 0x50

    def _data_sent(self, dwords, outcome):
        if outcome is False and not self.refused:
            self.refused = 1
            outcome = True
        super()._data_sent(dwords, outcome)

    refused = 0

    def _next_read(self, latency):
        if self.fis_index == self.damaged and not self.refused:
            self.behaviour.bad_data_crc = self.damaged
            good, self.image.read = self.image.read, lambda offset, size: bytes(size)
            super()._next_read(latency)
            self.image.read = good
        else:
            super()._next_read(latency)

    def conclude(self, status, error=0, *arguments, **options):
        if self.refused == 1 and self.command == 0x25:
            self.refused = 2
            status, error = self.status_then, 0x84 * (self.status_then & 1)
        super().conclude(status, error, *arguments, **options)


@pytest.mark.parametrize("depth", [4096, 256])
@pytest.mark.parametrize("status", [0x50, 0x51])
def test_drive_goes_on_after_a_refused_data_fis(bench, status, depth):
    b = bench(connect(Stubborn, data_fis_dwords=256),
              **RETRY if depth == 4096 else RETRY_UNRETAINED)
    b.drive.status_then = status
    data = content(3, 40)
    b.image.write(50 * 512, data)
    outcome = b.play(50, 40)
    assert b.drive.refused == 2
    assert outcome.data == data[:len(outcome.data)] or depth < 4096
    if depth == 4096:
        assert (outcome.error, outcome.outputs["retries"]) == (0, 1)
        assert outcome.data == data
    else:
        assert outcome.error == Error.DATA_CRC and outcome.outputs["sectors_done"] == 0
    works(b)


class LeavesOut(Drive):
    """Leaves a Data FIS of a read out, once, and gives the read up two later, with the status ``then``; the LBA is
    that of the last sector."""

    then = None

    def _next_read(self, latency):
        if self.then and self.fis_index == 1:
            self.position += 256
        if self.then and self.fis_index == 3:
            (status, error), self.then = self.then, None
            self.conclude(status, error, latency, self.lba + self.count - 1)
        else:
            super()._next_read(latency)


@pytest.mark.parametrize("depth", [4096, 256])
@pytest.mark.parametrize("status", [(0x51, 0x04), (0x71, 0x04), (0x70, 0x00)], ids=["ABRT", "DF and ABRT", "DF"])
def test_an_error_of_no_sector_confirms_no_words(bench, status, depth):
    """The LBA of a status states where an error is if it is UNC or IDNF: else it may be what the command, or the
    drive, has left there."""
    b = bench(connect(LeavesOut, data_fis_dwords=256, data_latency=300),
              **RETRY if depth == 4096 else RETRY_UNRETAINED)
    data = content(9, 40)
    b.image.write(50 * 512, data)
    b.drive.then = status
    outcome = b.play(50, 40)
    assert b.drive.then is None and outcome.error == Error.DRIVE_ERROR
    assert outcome.outputs["sectors_done"] == 0
    works(b)


@pytest.mark.parametrize("sectors", [8, 20])
def test_words_of_a_last_command_that_is_passed_over(bench, sectors):
    """They are taken before the operation ends, and are no part of the next one."""
    b = bench(connect(reject_command=100), configuration=CORES["skip"])
    outcome = b.record(content(5, sectors), 50)
    assert (outcome.error, outcome.taken) == (0, 128 * sectors)
    assert outcome.outputs["skipped_sectors"] == sectors
    b.behaviour.reject_command = 0
    works(b)


@pytest.mark.quick
def test_slow_user_of_a_play_back_that_fails(bench):
    """The words of the sectors that are done are delivered before it ends."""
    b = bench(connect(fail_lba=50 + 20), **RETRY)
    data = content(6, 40)
    b.image.write(50 * 512, data)
    outcome = b.play(50, 40, hold=Hold(1, 40))
    assert outcome.error == Error.DRIVE_ERROR
    assert len(outcome.data) >= 512 * outcome.outputs["sectors_done"] >= 512 * 16
    assert outcome.data == data[:len(outcome.data)]
