"""`prepare --renew`: the recording table of a sound drive is brought up to date; of any other it stays."""

import pytest
from click.testing import CliRunner

from drive_images import CASES, Unavailable, made, pc_of, prepared, record, saved
from drive_images.table import gpt, version_1
from sata_recorder import outputs
from sata_recorder.cli.verbs import cli
from sata_recorder.pc.volume import Drive, Refused, finalise_image, renew, verify

#: What can be renewed: the slots that are free then. Of all other cases that are not as prepared no
#: byte is changed.
RENEWED = {
    "table of version 1": (1, 2, 3, 4), "table of version 1, recorded": (2, 3, 4),
    "partition renamed": (1, 2, 3, 4), "partition with another GUID": (1, 2, 3, 4),
    "disk with another GUID": (1, 2, 3, 4), "partition of another type": (1, 2, 3, 4),
    "folder with more entries": (1,), "folder with more entries, then emptied": (1, 2, 3, 4),
    "folder in lower case": (1, 2, 3, 4),
    "folder hidden": (1, 2, 3, 4),
    "boot sector with another serial number": (1, 2, 3, 4), "boot code in the boot sector": (1, 2, 3, 4),
    "extended boot sector": (1, 2, 3, 4),
}


def free_of(path):
    with Drive(path) as drive:
        assert drive.changes == []
        return tuple(slot.number for slot in drive.slots if drive.state(slot) == "free")


def at(tmp_path, image):
    path = tmp_path / "disk.img"
    saved(image, path)
    outputs.mark(path)
    return path


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.as_prepared])
def test_drives_that_were_changed(tmp_path, name):
    try:
        image, planned = made(CASES[name])
    except Unavailable as error:
        pytest.skip(str(error))
    path = at(tmp_path, image)
    if name not in RENEWED:
        with pytest.raises(Refused):
            renew(path)
        assert path.read_bytes() == image
        return
    found = renew(path)
    assert len(found.changes) == 1 and found.free == len(RENEWED[name])
    assert free_of(path) == RENEWED[name]
    after = path.read_bytes()
    table = slice(512 * 1024, 512 * (1025 + len(planned.slots)))
    image[table] = after[table]
    assert after == image, "nothing but the table is written"
    assert renew(path).changes == () and path.read_bytes() == after
    number = RENEWED[name][-1]
    finalise_image(path, number, 5000)
    with Drive(path) as drive:
        assert drive.find(number).bytes == 5000 and verify(drive).problems == []


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.as_prepared])
def test_nothing_to_renew(tmp_path, name):
    """A drive that is as prepared is left alone, sound or not."""
    image, _ = made(CASES[name])
    path = at(tmp_path, image)
    try:
        assert renew(path).changes == ()
    except Refused:
        pass
    assert path.read_bytes() == image


def test_not_while_it_is_not_sound(tmp_path):
    """Two changes of which one is harmless."""
    for change, words in (
            (lambda pc, planned: pc.set_flags(dirty=True), "was not unmounted"),
            (lambda pc, planned: pc.add("thief.bin", pc.made(
                "thief.bin", planned.slots[1].first_cluster, 9 * pc.bytes)), "belong"),
            (lambda pc, planned: pc.mark([planned.slots[2].first_cluster], False), "free in the"),
            (lambda pc, planned: pc.rename("RECORDINGS", "OLD"), "RECORDINGS")):
        image, planned = prepared()
        gpt(image, name="holiday")
        change(pc_of(image, planned), planned)
        path = at(tmp_path, image)
        with pytest.raises(Refused, match=words):
            renew(path)
        assert path.read_bytes() == image


def test_power_fails(tmp_path):
    """Until the header is there, there is a table that nobody uses; then all is."""
    image, planned = prepared()
    record(image, planned, 1)
    version_1(image, planned)
    path = at(tmp_path, image)
    renew(path)
    after = path.read_bytes()
    for count in range(5):
        cut = bytearray(image)
        for number in range(1, count + 1):
            place = slice(512 * (1024 + number), 512 * (1025 + number))
            cut[place] = after[place]
        path = at(tmp_path, cut)
        with Drive(path) as drive:
            assert drive.changes and [drive.state(slot) for slot in drive.slots] == [
                "recorded", "changed", "changed", "changed"]
        renew(path)
        assert free_of(path) == (2, 3, 4) and path.read_bytes() == after


def test_a_deleted_recording(tmp_path):
    """A slot that takes no recording takes none then, and is no reason to lose the others."""
    image, planned = prepared()
    record(image, planned, 1)
    record(image, planned, 2)
    pc_of(image, planned).delete("RECORDINGS/REC00001.dat")
    version_1(image, planned)
    found = renew(at(tmp_path, image))
    assert (found.free, found.changed_slots) == (2, (1,))


def test_command(tmp_path):
    def run(*arguments):
        return CliRunner().invoke(cli, ["prepare", str(path), "--renew", *arguments])

    image, planned = prepared()
    version_1(image, planned)
    path = at(tmp_path, image)
    result = run()
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "renewed  the recording table is of version 1, which does not state how the drive was prepared",
        "free     4"]
    result = run()
    assert result.exit_code == 0 and "nothing was written" in result.stdout
    for arguments, words in ((["--recordings", "3"], "--recordings: not together with --renew"),
                             (["--file", "x"], "--file: not together with --renew"),
                             (["--serial", "S"], "no block device")):
        result = run(*arguments)
        assert result.exit_code == 2 and words in result.stderr
