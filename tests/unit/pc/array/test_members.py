"""Members of an array are recognised in any order; what is not all of one array is refused with the reason."""

import itertools
import os
import random
from dataclasses import replace

import pytest

from sata_recorder.facts.array import LINEAR, RAID0
from sata_recorder.pc.array import SuperblockError, members_among, open_disk, superblock_of
from sata_recorder.pc.volume import DiskReader, Drive, Refused, harm, prepare, renew

from .conftest import ALIGN, KINDS, SECTORS
from .members_on_disk import change, known, refused


def restate(path, **fields):
    """Another superblock, with these fields, and its checksum right."""
    change(path, 8, replace(known(path), **fields).pack())


@pytest.mark.parametrize("level, drives", KINDS)
def test_any_order(made, level, drives):
    paths = made(level, drives)
    orders = list(itertools.permutations(paths)) if drives < 4 else [
        random.Random(seed).sample(paths, drives) for seed in range(10)]
    for order in orders:
        with open_disk(order) as array:
            assert [disk.path for disk in array.disks] == paths
            assert array.path == "array " + " ".join(map(str, paths))
            assert Drive(array.path, array).problems == []
    assert [members_among([path, *paths, "name"][:drives + 1]) for path in paths] == drives * [drives]
    assert members_among([*paths[1:], paths[0], "name"]) == drives and members_among([paths[0], "name"]) == 1


def test_superblocks(made):
    """What they have in common, and what each has alone."""
    found = [known(path) for path in made(RAID0, 3)]
    assert [one.lane for one in found] == [0, 1, 2] and len({one.member for one in found}) == 3
    assert {replace(one, lane=0, member=None) for one in found} == {replace(found[0], member=None)}
    assert found[0].created == found[0].updated > 1.7e9 and found[0].events == 0
    assert known(made(RAID0, 3, "other")[0]).array != found[0].array


@pytest.mark.parametrize("level", [RAID0, LINEAR])
def test_missing(made, level):
    a, b, c, d = made(level, 4)
    refused([a, d, b], f"{a} {d} {b}: lane 2 of 4 is missing (counted from 0): an array needs all")
    refused([d], "lanes 0, 1 and 2 of 4 are missing")
    refused([c, d], "lanes 0 and 1 of 4 are missing")


def test_foreign(made, tmp_path):
    a, b, c = made()
    photo = tmp_path / "photo"
    for content in b"", b"a photo", bytes(5000), random.Random(1).randbytes(1 << 20):
        photo.write_bytes(content)
        refused([a, b, photo], f"{photo}: is no member of an array: it has no md superblock at LBA 8")
        assert members_among([photo, a]) == 1
    prepare(photo, sectors=SECTORS, recordings=1, align=ALIGN, overwrite=True)
    refused([photo, a, b], f"{photo}: is no member of an array")
    refused([a, b, tmp_path / "none"], "none: cannot be read: No such file")
    refused([a, b, tmp_path], "a directory")


def test_of_another_array(made):
    """The odd one is named, also where it comes first."""
    a, b, c = made()
    x, y, z = made(name="other")
    for paths in [a, b, z], [z, a, b], [a, z, b]:
        refused(paths, f"{z}: is of another array than {next(one for one in paths if one != z)}",
                str(known(a).array), str(known(z).array))


def test_there_twice(made, tmp_path):
    a, b, c = made()
    copy, link = tmp_path / "copy", tmp_path / "link"
    copy.write_bytes(b.read_bytes())
    link.symlink_to(b)
    refused([a, b, copy], f"{copy}: is lane 1 of the array, as {b} is: the same drive, or a copy of it")
    refused([a, b, c, copy], f"{copy}: is lane 1")
    refused([a, b, b], f"{b}: is named twice")
    refused([a, b, link], f"{link}: is {b} by another name")
    refused([a, b, c, *(tmp_path / name for name in "uvwxyz")], f"{tmp_path / 'z'}: is drive 9 of 9", "at most 8")


def test_stale(made):
    a, b, c = made()
    restate(a, events=4)
    restate(c, events=4)
    refused([a, b, c], f"{b}: is stale: it has 0 events, {a} 4: something was written to the array without it")
    restate(b, events=4)
    with open_disk([c, b, a]) as array:
        assert array.size


@pytest.mark.parametrize("field, value, words", [
    ("level", LINEAR, "another level"), ("drives", 4, "another number of drives"),
    ("chunk_sectors", 8, "another chunk"), ("created", 5, "another time of creation")])
def test_superblocks_that_differ(made, field, value, words):
    a, b, c = made()
    restate(b, **{field: value})
    refused([a, b, c], f"{b}: its superblock has {words} than that of {a}", f"{value}, not")


def test_another_size(made):
    a, b, c = made()
    os.truncate(b, os.path.getsize(b) - 512)
    refused([a, b, c], f"{b}: is smaller than it was: it has {SECTORS - 1} sectors, and as lane 1 of its array at "
            f"least {SECTORS}")
    os.truncate(b, os.path.getsize(b) + 5000)       # a copy on a larger drive
    with open_disk([c, b, a]) as array:
        assert array.size == 3 * 512 * (SECTORS - 2048)
    restate(b, data_sectors=known(b).data_sectors - 128)
    refused([a, b, c], f"{b}: has 6016 sectors of the array, {a} 6144")
    x, y = made(LINEAR, 2, "other")
    restate(y, data_sectors=known(y).data_sectors - 128)
    with open_disk([x, y]) as array:
        assert array.size == 512 * (2 * 6144 - 128)


def test_damaged(made):
    a, b, c = made()
    with open(b, "r+b") as file:
        file.seek(4096 + 300)
        file.write(b"\1")
    refused([a, b, c], f"{b}: has an md superblock that is damaged")
    refused([b], f"{b}: has an md superblock that is damaged")
    with DiskReader(b) as disk, pytest.raises(SuperblockError, match="damaged"):
        superblock_of(disk)


def test_a_member_is_no_drive(made, tmp_path):
    """Nothing takes it for one that is to be prepared, nor records over it."""
    a, *_ = made()
    words = f"{a}: is a member of an array (Linux md), not a drive of its own: name all of its members"
    for uses in Drive, renew:
        with pytest.raises(Refused) as error:
            uses(a)
        assert words in str(error.value)
    assert harm(a, 5000, 1) == words
    with pytest.raises(Refused, match="holds a part of an array") as error:
        prepare(a, recordings=1, align=ALIGN)
    assert error.value.overwrite
    prepare(a, recordings=1, align=ALIGN, overwrite=True)
    with Drive(a) as drive:
        assert drive.problems == [] and members_among([a, a]) == 1
