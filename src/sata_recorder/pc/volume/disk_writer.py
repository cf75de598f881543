"""Drives and images that are written: which may be, and that nobody else uses them while they are open."""

import os
import resource
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ... import outputs
from ...locks import InUse, is_at, open_locked
from ...facts.units import SECTOR_BYTES
from .device import check_device, device_of
from .disk_reader import DiskReader, check_kind, size_of
from .refused import Refused

__all__ = ["DiskWriter", "is_device", "make_room", "new_target", "prepared_target"]

_ZEROS = bytes(1 << 20)
#: Bytes of a block in `st_blocks`.
_BLOCK_BYTES = 512


class DiskWriter(DiskReader):
    """An open drive or image that is written, sector by sector.

    ``handle`` is the descriptor of the open file. ``sectors`` of 512 bytes is its size, for an image the one that it
    is to have; ``physical`` the drive's physical sector in bytes, 4096 for an image, ``logical`` its logical one.
    """

    def __init__(self, path: str | Path, handle: int, *, sectors: int | None = None, physical: int = 4096,
                 logical: int = SECTOR_BYTES, is_image: bool = True) -> None:
        self.path, self._handle, self.physical, self.logical = path, handle, physical, logical
        self.size = size_of(handle)
        self.sectors = self.size // SECTOR_BYTES if sectors is None else sectors
        self._is_image, self._empty = is_image, False

    def fileno(self) -> int:
        """The open file."""
        return self._handle

    def extend(self) -> None:
        """Makes an image as long as it is to be. Raises :exc:`.refused.Refused` if its file system does not take
        that."""
        size = self.sectors * SECTOR_BYTES
        limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        if limit != resource.RLIM_INFINITY and size > limit:
            raise Refused(f"{self.path}: cannot have {size} bytes: this process may write files of at most {limit} "
                          "bytes (ulimit -f)")
        try:
            if size > os.fstat(self._handle).st_size:
                os.ftruncate(self._handle, size)
        except OSError as error:
            raise Refused(f"{self.path}: its file system takes no file of {size} bytes: {error.strerror}") from None

    def clear(self, needed: int = 0) -> None:
        """Makes an image all zeros, once :func:`make_room` has found room for it, and for the ``needed`` bytes that are
        to be written; a device stays as it is."""
        make_room([self], needed)
        self.wipe()

    def wipe(self) -> None:
        """As :meth:`clear`, without a check for room."""
        if self._is_image:
            outputs.mark(self.path, changing=True)
            self.size, self._empty = self.sectors * SECTOR_BYTES, True
            os.ftruncate(self._handle, 0)
            os.ftruncate(self._handle, self.size)

    def write(self, lba: int, content: bytes | memoryview) -> None:
        """Writes whole sectors from ``lba`` on. Raises ``OSError``."""
        offset, view = lba * SECTOR_BYTES, memoryview(content)
        while view:
            count = os.pwrite(self._handle, view, offset)
            offset, view = offset + count, view[count:]

    def zero(self, lba: int, sectors: int) -> None:
        """Writes zeros to ``sectors`` of 512 bytes from ``lba`` on, where there may be anything else."""
        while sectors and not self._empty:
            count = min(sectors, len(_ZEROS) // SECTOR_BYTES)
            self.write(lba, _ZEROS[:count * SECTOR_BYTES])
            lba, sectors = lba + count, sectors - count

    def flush(self) -> None:
        """Puts what was written on the medium."""
        os.fsync(self._handle)


def make_room(targets: Sequence[DiskWriter], needed: int) -> None:
    """Makes the images among ``targets`` as long as they are to be. Raises :exc:`.refused.Refused`, with all of them
    as they were, if a file system does not take one, or has no room for the ``needed`` bytes that are to be
    written: they might all be written to one image."""
    images = [target for target in targets if not target.is_device]
    before = [os.fstat(target.fileno()) for target in images]
    try:
        for target in images:
            target.extend()
        for target, free in zip(images, _room(images), strict=True):
            if free < needed:
                raise Refused(f"{target.path}: its tables take {needed} bytes, and its file system has {free} that "
                              "are free")
    except BaseException:
        for target, found in zip(images, before, strict=True):
            os.ftruncate(target.fileno(), found.st_size)
            os.utime(target.fileno(), ns=(found.st_atime_ns, found.st_mtime_ns))
        raise


def _room(images):
    """The bytes that each image finds in its file system, together with the other images there."""
    own = Counter()
    for target in images:
        found = os.fstat(target.fileno())
        # An existing image gives its own blocks back; in a file system without holes, a new one has all by now.
        own[found.st_dev] += _BLOCK_BYTES * found.st_blocks
    for target in images:
        here = os.fstatvfs(target.fileno())
        yield here.f_bavail * here.f_frsize + own[os.fstat(target.fileno()).st_dev]


@contextmanager
def new_target(path: str | Path, *, sectors: int | None = None, overwrite: bool = False, serial: str | None = None,
               logical: int | None = None) -> Iterator[DiskWriter]:
    """The :class:`DiskWriter` ``path``, all of which is to be written anew, from ``clear()`` on.

    A block device needs its ``serial`` number; ``logical`` is the bytes of an image's logical sectors, 512 (None) or
    4096. ``sectors`` of 512 bytes is the size that an image gets; None keeps what an existing one has. A new one is
    removed if the body fails; one that this tool has not made needs ``overwrite``.
    Raises :exc:`.refused.Refused`, ``OSError``.
    """
    path = Path(path)
    if is_device(path):
        if sectors is not None:
            raise Refused(f"--size: not for {path}, a block device has its own size")
        if logical is not None:
            raise Refused(f"--logical-sector: not for {path}, a block device has its own")
        with _device(path, serial) as target:
            yield target
        return
    if serial is not None:
        raise Refused(f"--serial {serial}: {path} is no block device")
    if sectors is None and not path.exists():
        raise Refused(f"{path}: no such file; --size makes an image")
    with _image(path, overwrite=overwrite) as handle:
        yield DiskWriter(path, handle, sectors=sectors, logical=logical or SECTOR_BYTES)


@contextmanager
def prepared_target(path: str | Path, *, serial: str | None = None) -> Iterator[DiskWriter]:
    """The :class:`DiskWriter` ``path``, a prepared drive or image, to write single sectors of it.

    Raises :exc:`.refused.Refused`, ``OSError``.
    """
    path = Path(path)
    if is_device(path):
        with _device(path, serial) as target:
            yield target
        return
    if serial is not None:
        raise Refused(f"--serial {serial}: {path} is no block device")
    check_kind(path)
    with _image(path, overwrite=True, changed=True) as handle:
        yield DiskWriter(path, handle)


def is_device(path: str | Path) -> bool:
    """Whether there is a block device ``path``. Raises :exc:`.refused.Refused` for what is neither that nor a file."""
    return Path(path).exists() and stat.S_ISBLK(check_kind(path).st_mode)


@contextmanager
def _device(path, serial):
    device = device_of(path)
    check_device(path, device, serial)
    try:
        # O_EXCL: the kernel refuses what is mounted or otherwise held.
        handle = os.open(path, os.O_RDWR | os.O_EXCL)
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from None
    try:
        yield DiskWriter(path, handle, physical=device.physical_bytes, logical=device.logical_bytes,
                         is_image=False)
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _image(path, *, overwrite, changed=False):
    """The handle of an image, locked, made if it is missing, and marked as this tool's; with
    ``changed`` only if it was before."""
    _check(path, overwrite)
    try:
        handle, made = open_locked(path, writes=True)
    except InUse as error:
        raise Refused(f"{path}: is in use by {error}") from None
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from None
    try:
        if not made:
            _check(path, overwrite)     # it may have come, or been changed, since
        if changed and outputs.may_be_written(path):    # else `clear` marks it, which is what changes it first
            outputs.mark(path, changing=True)
        yield handle
        os.fsync(handle)
    except BaseException:
        if made and is_at(path, handle):
            path.resolve().unlink()
            outputs.unmark(path)
        raise
    finally:
        try:
            # As it is now: what somebody else makes of it later, or has put in its place, is not ours.
            if is_at(path, handle) and outputs.may_be_written(path):
                outputs.mark(path)
        finally:
            os.close(handle)


def _check(path, overwrite):
    try:
        outputs.check(path, overwrite=overwrite)
    except outputs.ForeignFile as error:
        raise Refused(f"{path}: it {error.strerror}", overwrite=True) from None
    except outputs.UnfitPath as error:
        raise Refused(f"{path}: cannot be written: it {error.strerror}") from None
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from None
