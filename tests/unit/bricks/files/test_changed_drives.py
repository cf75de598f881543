"""Drives that another system has changed: the stage takes the slots that everybody takes for free,
and writes nothing to one that is not what was prepared."""

import pytest
from drive_images import CASES, Unavailable, made
from unit.bricks.files.fake_core import FilesCore

from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.file import FileError


def found_free(image):
    """(refusal, the slots that the stage takes one after the other, what it has written): a
    recording of one byte goes into each."""
    core, taken = FilesCore(image), []
    while core.find_slot():
        assert core.record(b"x") == FileError.NONE
        taken.append(core.get("slot"))
    return core.get("refusal"), tuple(taken), core


@pytest.mark.sample(72)
@pytest.mark.parametrize("name", CASES)
def test_the_verdict_of_all(name):
    case = CASES[name]
    try:
        image, planned = made(case)
    except Unavailable as error:
        pytest.skip(str(error))
    before = bytes(image)
    refusal, taken, core = found_free(image)
    assert taken == case.seen_by_hardware
    if not case.as_prepared:
        assert refusal in (FileError.CHANGED, FileError.NOT_PREPARED, FileError.DAMAGED)
        assert bytes(image) == before and core.steps == []
    else:
        assert refusal == FileError.FULL
    # Nothing but data, log and directory sector of these slots was written, and of one that only
    # missed its directory sector that.
    allowed = set()
    for number in taken:
        slot = planned.slots[number - 1]
        allowed |= {*range(slot.lba, slot.lba + slot.sectors), *range(slot.log_lba, slot.log_lba + 5),
                    slot.directory_lba}
    allowed |= {planned.slots[number - 1].directory_lba for number in case.unfinished}
    for step in core.steps:
        if step is not None:
            lba, content = step
            assert {*range(lba, lba + len(content) // 512)} <= allowed
    assert Operation.RECORD not in [operation for operation, *_ in core.starts]
