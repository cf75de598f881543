"""The last status of the drive, and the one that ends a command."""

from sata_recorder.core.command.drive_status import DriveStatus
from unit.bench import Bench

BENCH = Bench(DriveStatus())


def statuses(*rows):
    """(status, error, error_lba, error_device) after all of ``rows``."""
    names = ["status", "error", "error_lba", "error_device"]
    return tuple(BENCH.trace([*rows, {}], names)[-1].values())


def register(status, error=0, lba=0, device=0):
    return {"fis__register_d2h": 1, "fis__status": status, "fis__error": error, "fis__lba": lba,
            "fis__device": device}


def test_the_lba_of_the_last_error_is_kept():
    assert statuses(register(0x51, 0x40, 0x123456789ABC, 5), register(0x50, 0, 7, 1)) == (
        0x50, 0, 0x123456789ABC, 5)
    assert statuses(register(0x70, 4, 9, 2), register(0x51, 0x10, 8, 3)) == (0x51, 0x10, 8, 3)


def test_end_status_counts_when_its_data_fis_has_ended():
    setup = {"fis__pio_setup": 1, "fis__status": 0x58, "fis__end_status": 0x51, "fis__error": 4,
             "block_begins": 1}
    assert statuses(register(0x50, 1), setup) == (0x50, 1, 0, 0)
    assert statuses(register(0x50, 1), setup, {"fis__data": 1, "block_ends": 1}) == (0x51, 4, 0, 0)


def test_current_and_failed():
    setup = {"fis__end_status": 0x50, "block_begins": 1}
    for status, failed in (0x50, 0), (0x51, 1), (0x70, 1), (0x10, 1), (0x58, 0):
        seen = BENCH.trace([setup, register(status), {"fis__data": 1, "fis__status": status}],
                            ["current", "failed"])
        assert seen[1] == {"current": status, "failed": failed}
        assert seen[2] == {"current": 0x50, "failed": 0}
