"""What may be written over, and what may not; how a file of the tool is known."""

import json
import os
import shutil
import socket
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from sata_recorder import outputs
from sata_recorder.outputs import ForeignFile, UnfitPath, check, mark, write


@pytest.fixture(params=["attribute", "beside"])
def marks(request, monkeypatch):
    """File systems with extended attributes, and without."""
    if request.param == "beside":
        def none(*arguments, **options):
            raise OSError(95, os.strerror(95))
        monkeypatch.setattr(os, "setxattr", none, raising=False)
        monkeypatch.setattr(os, "getxattr", none, raising=False)
    else:
        try:
            os.setxattr(request.getfixturevalue("tmp_path"), "user.sata_recorder", b"{}")
        except (OSError, AttributeError):
            pytest.skip("no extended attributes here")


def foreign(path, content=b"of somebody"):
    path.write_bytes(content)
    return path


def test_a_new_file(tmp_path):
    check(tmp_path / "new")
    with pytest.raises(FileNotFoundError):
        check(tmp_path / "nowhere" / "new")
    with pytest.raises(NotADirectoryError):
        check(foreign(tmp_path / "file") / "new")


def test_a_device_that_is_not_there_is_no_new_file(tmp_path):
    (tmp_path / "link").symlink_to("/dev/no-such-disk")
    for path in "/dev/no-such-disk", tmp_path / "link":
        with pytest.raises(UnfitPath, match="is in /dev, and there is no such device"):
            check(path, overwrite=True)
    if Path("/dev/shm").is_dir():
        check("/dev/shm/sata-recorder-new")


def test_a_text_has_an_end(tmp_path):
    (tmp_path / "a").write_text("täxt")
    assert outputs.read_text(tmp_path / "a") == "täxt"
    with pytest.raises(OSError, match="more than 16,777,216 bytes"):
        outputs.read_text("/dev/zero")


def test_a_folder_that_stays_empty_goes_again(tmp_path):
    with pytest.raises(ZeroDivisionError), outputs.folder(tmp_path / "a" / "b"):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine").mkdir()
    with outputs.folder(tmp_path / "mine"), outputs.folder(tmp_path / "mine" / "b" / "c") as made:
        write(made.parent / "x", "x")
    assert [one.name for one in (tmp_path / "mine").rglob("*")] == ["b", "x"]
    with outputs.folder(tmp_path / "mine" / "b"):
        pass
    assert (tmp_path / "mine" / "b" / "x").exists()


def test_a_file_of_somebody_else_stays(tmp_path):
    path = foreign(tmp_path / "photo.jpg")
    for refused in (lambda: check(path), lambda: write(path, "x")):
        with pytest.raises(ForeignFile, match="sata-recorder has not made it"):
            refused()
    assert path.read_bytes() == b"of somebody"
    assert [one.name for one in tmp_path.iterdir()] == ["photo.jpg"]
    write(path, "x", overwrite=True)
    assert path.read_text() == "x"


def test_a_link_counts_as_what_it_leads_to(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(foreign(tmp_path / "file"))
    with pytest.raises(ForeignFile):
        check(link)
    write(link, "x", overwrite=True)
    assert link.is_symlink() and (tmp_path / "file").read_text() == "x"


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_regular_file_is_never_written(tmp_path, overwrite):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.relpath(tmp_path / "socket"))
        for path, kind in (("", "a directory"), ("pipe", "a pipe"), ("socket", "a socket"),
                           ("link", "a character device")):
            with pytest.raises(UnfitPath, match=kind):
                check(tmp_path / path, overwrite=overwrite)


def test_a_block_device_is_never_written(tmp_path, monkeypatch):
    path = foreign(tmp_path / "disk")
    found = list(path.stat())
    found[0] = stat.S_IFBLK | 0o660
    monkeypatch.setattr(Path, "stat", lambda self: os.stat_result(found))
    with pytest.raises(UnfitPath, match="a block device"):
        check(path, overwrite=True)


@pytest.mark.parametrize("size", [0, 1 << 20])
def test_a_file_without_data_may_be_written(tmp_path, size):
    with open(tmp_path / "hole", "wb") as file:
        file.truncate(size)
    check(tmp_path / "hole")
    (tmp_path / "zeros").write_bytes(bytes(size))
    check(tmp_path / "zeros")
    with open(tmp_path / "hole", "r+b") as file:
        file.seek(size)
        file.write(b"1")
    with pytest.raises(ForeignFile):
        check(tmp_path / "hole")


def test_no_more_than_was_there_before_is_left_when_the_disk_is_full(tmp_path, monkeypatch):
    write(tmp_path / "a", "old", overwrite=True)

    def full(part, content):
        part.write_text(content[:1])
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(outputs, "fill", full)
    for name in "a", "b":
        with pytest.raises(OSError, match="No space left"):
            write(tmp_path / name, "new", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_a_marked_file_is_known(tmp_path, marks):
    path = foreign(tmp_path / "disk.img")
    mark(path)
    before = path.read_bytes()
    check(path)
    assert path.read_bytes() == before


def test_a_marked_file_is_known_elsewhere(tmp_path, marks):
    mark(foreign(tmp_path / "disk.img"))
    (tmp_path / "folder").mkdir()
    for path in list(tmp_path.glob("disk.img*")):
        shutil.move(path, tmp_path / "folder" / path.name)
    check(tmp_path / "folder" / "disk.img")


def test_a_foreign_file_of_a_killed_run_is_known_from_its_first_change_on(tmp_path, marks):
    """With ``overwrite``: killed before it wrote anything, it has not made the file."""
    path = tmp_path / "photo"
    path.write_bytes(b"photo")
    outputs.mark(path, changing=True)
    assert not outputs.may_be_written(path)
    path.write_bytes(b"disk image")
    assert outputs.may_be_written(path)
    outputs.unmark(path)
    assert not outputs.may_be_written(path)


def test_a_marked_file_that_was_changed_is_not_known(tmp_path, marks):
    path = foreign(tmp_path / "disk.img", b"1" * 1000)
    mark(path)
    os.truncate(path, 999)
    with pytest.raises(ForeignFile, match="has 999 bytes, and 1000 when"):
        check(path)
    path.write_bytes(b"1" * 1000)
    os.utime(path, ns=(0, 5))
    with pytest.raises(ForeignFile, match="was changed since"):
        check(path)


def test_a_file_of_a_killed_run_is_known(tmp_path, marks):
    path = foreign(tmp_path / "disk.img", b"1" * 1000)
    mark(path, changing=True)
    with open(path, "ab") as file:
        file.write(b"more")
    check(path)
    path.write_bytes(b"photo")
    with pytest.raises(ForeignFile):
        check(path)


@pytest.mark.parametrize("junk", ["", "junk", "[]", '{"size": "x"}', "\udcff"])
def test_junk_is_no_mark(tmp_path, monkeypatch, junk):
    path = foreign(tmp_path / "disk.img")
    monkeypatch.delattr(os, "getxattr", raising=False)
    (tmp_path / "disk.img.sata-recorder").write_text(junk, errors="surrogateescape")
    with pytest.raises(ForeignFile):
        check(path)


def test_a_mark_of_another_file_is_none(tmp_path, marks):
    """Somebody moved his own file to where one of the tool was."""
    mark(foreign(tmp_path / "disk.img", b"1"))
    os.replace(foreign(tmp_path / "photo.jpg"), tmp_path / "disk.img")
    with pytest.raises(ForeignFile):
        check(tmp_path / "disk.img")


@pytest.mark.parametrize("content", [
    b"module sata_recorder_user;\n  sata_recorder core (); // sata_recorder 0.1.0\n",
    b'#include "sata_recorder.h"\n', b'{"module": "mine"}', b'{"tables": [1, 2]}',
    b"<?xml version='1.0'?><device><name>mine</name></device>", b"a,b,c\n",
    b"<!DOCTYPE html><title>About the SATA Recorder</title>", b"\x89PNG\r\n\x1a\nmine",
    b"<?xml version='1.0'?><svg/>", b"$timescale 1 ns $end $scope module top $end",
    b"see:\n// sata_recorder 0.1.0\n", b"PAR1 mine PAR1",
])
def test_a_file_that_only_speaks_of_the_tool_is_foreign(tmp_path, content):
    with pytest.raises(ForeignFile):
        check(foreign(tmp_path / "file", content))


def test_a_mark_is_small_and_says_what_it_is(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "setxattr", raising=False)
    mark(foreign(tmp_path / "disk.img"))
    told = json.loads((tmp_path / "disk.img.sata-recorder").read_text())
    assert told == {"size": 11, "mtime_ns": (tmp_path / "disk.img").stat().st_mtime_ns}


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_that_appears_meanwhile_is_checked_too(tmp_path, overwrite):
    part = outputs.part(tmp_path / "a")
    part.write_text("new")
    (tmp_path / "a").write_text("mine")
    with nullcontext() if overwrite else pytest.raises(ForeignFile):
        outputs.place(part, tmp_path / "a", overwrite=overwrite)
    assert (tmp_path / "a").read_text() == ("new" if overwrite else "mine")
