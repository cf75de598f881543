"""Prepared disks in memory, and what is on them as the tools of the PC see it."""

import functools

import pytest
from unit.files.fake_core import FakeCore

from sata_recorder.recordings import Drive, prepare

SECTORS, ALIGN = 4096, 16 << 10


@functools.cache
def _content(folder, slots, align, recording_bytes):
    path = folder / "prepared.img"
    prepare(path, sectors=SECTORS, recordings=slots, align=align, recording_bytes=recording_bytes,
            overwrite=True)
    return path.read_bytes()


@pytest.fixture
def disk(tmp_path_factory):
    """``disk(slots)``: the content of a prepared disk, as a bytearray."""
    folder = tmp_path_factory.getbasetemp()

    def disk(slots=3, align=ALIGN, recording_bytes=None):
        return bytearray(_content(folder, slots, align, recording_bytes))

    return disk


@pytest.fixture
def seen(tmp_path):
    """``seen(disk)``: a `Drive` of this content."""
    opened = []

    def seen(content):
        path = tmp_path / f"seen{len(opened)}.img"
        path.write_bytes(content)
        opened.append(Drive(path))
        return opened[-1]

    yield seen
    for drive in opened:
        drive.close()


@pytest.fixture
def recorder(disk):
    """``recorder(disk, ...)``: a :class:`FakeCore` that has found a slot."""
    def recorder(content=None, **options):
        core = FakeCore(disk() if content is None else content, **options)
        assert core.find_slot()
        return core

    return recorder
