"""Prepared disks in memory."""

import functools

import pytest
from unit.bricks.files.fake_core import FilesCore
from unit.bricks.files.mode_slots import SECTORS as MODE_SECTORS

from sata_recorder.pc.volume import prepare

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
def recorder(disk):
    """``recorder(disk, ...)``: a :class:`FilesCore` that has found a slot."""
    def recorder(content=None, **options):
        core = FilesCore(disk() if content is None else content, **options)
        assert core.find_slot()
        return core

    return recorder


@pytest.fixture
def mode_recorder(disk):
    """``mode_recorder(...)``: a :class:`FilesCore` with modes that has found a slot of 32 sectors."""
    def mode_recorder(content=None, **options):
        content = disk(3, recording_bytes=512 * MODE_SECTORS) if content is None else content
        core = FilesCore(content, modes=True, **options)
        assert core.find_slot()
        return core

    return mode_recorder
