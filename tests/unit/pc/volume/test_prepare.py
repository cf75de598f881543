"""A drive is prepared: what it then has, and what a failure of the power leaves on the way."""

import contextlib
import errno
import os
import resource
from datetime import UTC, datetime

import pytest

from sata_recorder import outputs
from sata_recorder.pc.volume import (Drive, LayoutError, Refused, Timestamp, finalise_image,
                                      layout, prepare, renew)
from sata_recorder.pc.volume import disk_writer
from sata_recorder.pc.volume.exfat import Malformed, Volume, check
from sata_recorder.pc.volume.partitions import partitions
from sata_recorder.pc.volume.prepare import steps

from .conftest import ALIGN, SECTORS, Disk


def test_prepared(image):
    with Drive(image) as drive:
        assert drive.recordings == [] and drive.problems == []
        assert check(drive.volume) == []
        assert [drive.state(slot) for slot in drive.slots] == 3 * ["free"]
        [(start, _)] = partitions(drive.source)
        assert start == drive.table.partition_lba == drive.volume.boot.partition_offset
        assert [node.path for node in drive.volume.walk()] == [
            "RECORDINGS", *(f"RECORDINGS/REC0000{n}.unused" for n in (1, 2, 3))]
    assert os.path.getsize(image) == 512 * SECTORS
    assert os.stat(image).st_blocks < 1024      # sparse


@pytest.mark.parametrize("before", [None, 0xA5, "prepared"])
def test_power_fails(before):
    """After each write there is no volume and no table, or both are whole; on old content, too."""
    time = Timestamp.of(datetime(2026, 1, 1, tzinfo=UTC))
    planned = layout(SECTORS, recordings=3, align=ALIGN, serial=7, identifier=bytes(16))
    content = bytes([before if isinstance(before, int) else 0]) * 512 * SECTORS
    if before == "prepared":
        old = Disk(content)
        for step in steps(layout(SECTORS, recordings=5, align=ALIGN), time):
            step(old)
        content = old.content
    disk = Disk(content)
    whole = 0
    for step in steps(planned, time):
        step(disk)
        try:
            [(start, _)] = partitions(disk)
            volume = Volume(disk, start)
        except (Malformed, ValueError):
            assert disk.content[1024 * 512:][:8] != b"SATA REC"
            continue
        assert check(volume) == []
        whole += 1
    assert whole > 1 and disk.content[1024 * 512:][:8] == b"SATA REC"
    assert disk.steps[-2] is None, "the header of the table comes after a flush"


def test_recordings_are_not_lost(image, recorded):
    recorded(2, 5000)
    prepare(image, recordings=3, align=ALIGN)       # nothing states that anything is there
    recorded(2, 5000)
    finalise_image(image, 2, 5000)
    with pytest.raises(Refused, match="holds the recording REC00002.dat") as error:
        prepare(image, recordings=3, align=ALIGN)
    assert error.value.overwrite
    with Drive(image) as drive:
        assert len(drive.recordings) == 1
    prepare(image, recordings=3, align=ALIGN, overwrite=True)
    with Drive(image) as drive:
        assert drive.recordings == []


def test_bad_layout_changes_nothing(image, tmp_path):
    before = image.read_bytes()
    for options in {"align": 1000}, {"recordings": 4096}, {"sectors": 1500}:
        with pytest.raises(LayoutError):
            prepare(image, **{"recordings": 3, "align": ALIGN, "overwrite": True} | options)
    assert image.read_bytes() == before
    with pytest.raises(LayoutError):
        prepare(tmp_path / "new", sectors=100, recordings=1)
    assert sorted(os.listdir(tmp_path)) == ["disk.img"]


def test_foreign_files(tmp_path):
    photo = tmp_path / "photo"
    photo.write_bytes(b"a photo")
    with pytest.raises(Refused, match="has not made it"):
        prepare(photo, sectors=SECTORS, recordings=1, align=ALIGN)
    assert photo.read_bytes() == b"a photo"
    for path, words in ((tmp_path, "a directory"), ("/dev/null", "a character device"),
                        (tmp_path / "none/x", "No such file"), (tmp_path / "x", "no such file")):
        with pytest.raises(Refused, match=words):
            prepare(path, sectors=None if path == tmp_path / "x" else SECTORS, recordings=1)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(Refused, match="a pipe"):
        prepare(pipe, sectors=SECTORS, recordings=1)
    with pytest.raises(Refused, match="is no block device"):
        prepare(tmp_path / "x", sectors=SECTORS, recordings=1, serial="S")
    prepare(photo, sectors=SECTORS, recordings=1, align=ALIGN, overwrite=True)
    assert photo.stat().st_size == 512 * SECTORS


def test_a_link_to_an_image_that_is_missing(tmp_path):
    """It is made where the link leads; what fails leaves the link as it was."""
    link, there = tmp_path / "link", tmp_path / "disk.img"
    link.symlink_to(there)
    with pytest.raises(LayoutError):
        prepare(link, sectors=1, recordings=1)
    assert link.is_symlink() and not there.exists()
    prepare(link, sectors=SECTORS, recordings=1, align=ALIGN)
    assert link.is_symlink() and there.stat().st_size == 512 * SECTORS
    assert outputs.may_be_written(there)


def test_in_use(image):
    with Drive(image), pytest.raises(Refused, match="is in use by another user of this process"):
        prepare(image, recordings=1, align=ALIGN)
    prepare(image, recordings=1, align=ALIGN)


def test_what_appears_after_the_check_stays(tmp_path, monkeypatch):
    path = tmp_path / "disk.img"
    real = outputs.check
    seen = []

    def check(name, **options):
        real(name, **options)
        if not seen:
            seen.append(name)
            path.write_bytes(b"photo")

    monkeypatch.setattr(outputs, "check", check)
    with pytest.raises(Refused, match="sata-recorder has not made it"):
        prepare(path, sectors=SECTORS, recordings=1, align=ALIGN)
    assert seen and path.read_bytes() == b"photo"


@pytest.fixture
def small_files():
    """Files of this process have at most 4 MiB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_that_this_process_may_not_write(image, tmp_path, small_files):
    before = image.read_bytes()
    for path in image, tmp_path / "new":
        with pytest.raises(Refused, match=r"cannot have 8388608 bytes: .* at most 4194304 bytes \(ulimit -f\)"):
            prepare(path, sectors=SECTORS, recordings=1, align=ALIGN, overwrite=True)
    assert image.read_bytes() == before and sorted(os.listdir(tmp_path)) == ["disk.img"]


def test_a_file_that_the_file_system_does_not_take(image, tmp_path, monkeypatch):
    """An image that is there stays as it is, at full length."""
    real, before = os.ftruncate, image.read_bytes()

    def ftruncate(handle, size):
        if size > len(before):
            raise OSError(errno.EFBIG, "File too large")
        real(handle, size)

    monkeypatch.setattr(disk_writer.os, "ftruncate", ftruncate)
    for path in image, tmp_path / "new":
        with pytest.raises(Refused, match="takes no file of 16777216 bytes: File too large"):
            prepare(path, sectors=2 * SECTORS, recordings=1, align=ALIGN, overwrite=True)
    assert image.read_bytes() == before and sorted(os.listdir(tmp_path)) == ["disk.img"]


@pytest.mark.parametrize("free, refused", [(1 << 14, True), (1 << 20, False)])
def test_a_file_system_without_room(image, tmp_path, monkeypatch, free, refused):
    """What is written of an image must have room; the rest of it are holes."""
    before = image.read_bytes()
    full = os.statvfs_result((4096, 4096, 0, 0, free // 4096, 0, 0, 0, 0, 255))
    monkeypatch.setattr(disk_writer.os, "fstatvfs", lambda handle: full)
    new = tmp_path / "new"
    if not refused:
        prepare(new, sectors=SECTORS, recordings=3, align=ALIGN)
        assert 512 * new.stat().st_blocks <= free
        return
    with pytest.raises(Refused, match=f"take [0-9]+ bytes, and its file system has {free} that are free"):
        prepare(new, sectors=SECTORS, recordings=3, align=ALIGN)
    # The blocks of an image that is there become free.
    prepare(image, sectors=SECTORS, recordings=3, align=ALIGN)
    assert len(before) == image.stat().st_size and sorted(os.listdir(tmp_path)) == ["disk.img"]


def test_what_was_refused_is_not_taken_for_ours(tmp_path):
    photo = tmp_path / "photo"
    photo.write_bytes(b"a photo")
    with pytest.raises(LayoutError):
        prepare(photo, sectors=1, recordings=1, overwrite=True)
    assert outputs.may_be_written(photo) is False
    with pytest.raises(Refused, match="has not made it"):
        prepare(photo, sectors=SECTORS, recordings=1, align=ALIGN)
    assert photo.read_bytes() == b"a photo"


@pytest.mark.parametrize("fails", ["finalise", "renew", "prepare"])
def test_what_somebody_changes_after_a_failure_is_not_taken_for_ours(image, monkeypatch, fails):
    """The mark of an image that is being changed ends with that, however it ends."""
    if fails == "prepare":
        def write(self, lba, content):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(disk_writer.DiskWriter, "write", write)
        with pytest.raises(OSError, match="No space left"):
            prepare(image, recordings=1, align=ALIGN)
        monkeypatch.undo()
    else:
        if fails == "renew":
            with open(image, "r+b") as file:
                file.write(bytes(512))      # without a partition table there is nothing to renew
            outputs.mark(image)
        with pytest.raises(Refused):
            renew(image) if fails == "renew" else finalise_image(image, 4, 1)
    assert outputs.may_be_written(image)
    theirs = 512 * SECTORS * b"x"
    image.write_bytes(theirs)
    with pytest.raises(Refused, match="was changed since"):
        prepare(image, recordings=1, align=ALIGN)
    assert image.read_bytes() == theirs


@pytest.mark.parametrize("is_new", [False, True])
@pytest.mark.parametrize("fails", [False, True])
def test_what_somebody_puts_in_its_place_stays(image, tmp_path, monkeypatch, is_new, fails):
    """The drive is that of the open file; what has got its name meanwhile is neither ours nor removed."""
    path = tmp_path / "new.img" if is_new else image
    photo = tmp_path / "photo"
    photo.write_bytes(b"a photo")

    def flush(self):
        if photo.exists():
            photo.replace(path)
        if fails:
            raise OSError(errno.EIO, "gone bad")

    monkeypatch.setattr(disk_writer.DiskWriter, "flush", flush)
    with pytest.raises(OSError, match="gone bad") if fails else contextlib.nullcontext():
        prepare(path, sectors=SECTORS, recordings=1, align=ALIGN)
    assert path.read_bytes() == b"a photo" and not outputs.may_be_written(path)
