"""Files that are written: which may be replaced, how a file of this tool is known, how they appear.

A path that is written must be free or name a regular file of this tool, or one of nothing but
zeros. Anything else, such as a block device or a photo, is left as it is; a regular file can be
written with ``overwrite``.
A file is known by what it begins with (:data:`_CONTENT`), so a copy or a checkout of it is known,
too. A raw file, a disk image or a trace, has no such place: it gets a mark beside its content,
which holds its size and the time of its last change. A file that was changed since is not known.
"""

import errno
import json
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

__all__ = ["ForeignFile", "UnfitPath", "check", "check_kind", "fill", "folder", "mark",
           "may_be_written", "parse", "part", "place", "read_text", "unmark", "write"]

#: The extended attribute that is the mark, and the ending of the file that is it where the file
#: system has no such attributes.
_ATTRIBUTE, _BESIDE = "user.sata_recorder", ".sata-recorder"
#: Most bytes of a text that somebody wrote: a device may have no end.
_MOST_TEXT = 16 << 20
#: Bytes of a file that are looked at, at each end.
_LOOK = 4096
_CONTENT = re.compile(
    rb"""\A(?:
      (?://|/\*)\ sata_recorder\ [0-9]                                  # Verilog, C header
    | <\?xml\ [^>]*>\s*<device\ [^>]*>\s*<name>sata_recorder</name>     # CMSIS-SVD
    | \{\s*"module":\ "sata_recorder"                                   # description as JSON
    | \{\s*"good":\ (?:true|false),\s*"problems":\ \[                   # measurement
    | \{\s*"tables":\ \[\s*\{\s*"table":                                # reproductions
    | \{\s*"(?:reproductions|fits)":\ \[
    | \{\s*"requirement":\ \{.*"plans":\ \[
    | \{\s*"core":\ "[^"]*",.*"steps":\ \[                              # run of a campaign
    | \{\s*"board":\ "[^"]*",\s*"title":\ .*"tools":\ \{                # build
    | drive,operation,lba28,generation,                                 # sweep as CSV ...
    | PAR1.*percent_of_ceiling.*PAR1\Z                                  # ... and as Parquet
    | \#\ sata-recorder\ profile:                                       # profile of a drive
    | simulated,operation,lba,seconds,ms,bytes,mb_per_s\n               # how it was measured
    | <!DOCTYPE\ html>.*:\ SATA\ Recorder\ measurement</title>
    | \x89PNG\r\n\x1a\n.{0,200}Software\0sata-recorder
    | <\?xml\ .*<dc:title>sata-recorder</dc:title>                      # SVG
    | \$timescale\ 1\ ns\ \$end\s*\$scope\ module\ sata_recorder\ \$end     # waves
    | \$date.*Icarus\ Verilog.*\$scope\ module\ bench\ \$end\s*\$scope\ module\ core\ \$end
    )""", re.VERBOSE | re.DOTALL)
#: Where a new file would be a device with a wrong name.
_DEVICES = Path("/dev")
_KINDS = ((stat.S_ISDIR, "is a directory"), (stat.S_ISBLK, "is no regular file, but a block device"),
          (stat.S_ISCHR, "is no regular file, but a character device"),
          (stat.S_ISFIFO, "is no regular file, but a pipe"),
          (stat.S_ISSOCK, "is no regular file, but a socket"))


class UnfitPath(OSError):
    """A path that must not be written; ``strerror`` is the reason."""


class ForeignFile(UnfitPath, FileExistsError):
    """A file that is there already and that this tool has not made: ``overwrite`` replaces it."""


def check(path: str | Path, *, overwrite: bool = False) -> None:
    """Refuses a ``path`` that must not be written, before anything is done.

    Symbolic links count as what they lead to. Raises :exc:`ForeignFile` where ``overwrite`` would
    permit it, :exc:`UnfitPath` where nothing does, and ``OSError``.
    """
    path = Path(path)
    try:
        found = check_kind(path)
    except FileNotFoundError:
        parent = path.resolve().parent
        parent.stat()
        if parent == _DEVICES:
            raise UnfitPath(errno.EINVAL, "is in /dev, and there is no such device", str(path)) from None
        _writable(parent, path)
        return
    _writable(path, path)
    if not overwrite and (reason := _foreign(path, found)) and not _blank(path):
        raise ForeignFile(errno.EEXIST, reason, str(path))


def may_be_written(path: str | Path) -> bool:
    """Whether :func:`check` has nothing against ``path``, without ``overwrite``."""
    try:
        check(path)
    except OSError:
        return False
    return True


def check_kind(path: str | Path) -> os.stat_result:
    """The ``os.stat_result`` of the regular file ``path``.

    Raises :exc:`UnfitPath` for anything else, and ``OSError``.
    """
    found = Path(path).stat()
    for is_kind, text in _KINDS:
        if is_kind(found.st_mode):
            raise UnfitPath(errno.EINVAL, text, str(path))
    return found


def _writable(place: Path, path: Path) -> None:
    if not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _foreign(path: Path, found: os.stat_result) -> str | None:
    """Why the regular file ``path`` is not this tool's; None where it is."""
    try:
        with open(path, "rb") as file:
            begin = file.read(_LOOK)
            file.seek(max(len(begin), found.st_size - _LOOK))
            if _CONTENT.match(begin + file.read()):
                return None
    except PermissionError:
        pass
    marked = _marked(path)
    if marked is None:
        return "exists, and sata-recorder has not made it"
    if marked["changing"]:
        if marked["foreign"] and (marked["size"], marked["mtime_ns"]) == (found.st_size, found.st_mtime_ns):
            return "exists, and sata-recorder has not made it"      # it was killed before it wrote anything
        # Written when it was killed. It may have grown since; what is smaller is another file.
        return None if found.st_size >= marked["size"] else _changed(marked, found)
    if (marked["size"], marked["mtime_ns"]) == (found.st_size, found.st_mtime_ns):
        return None
    return _changed(marked, found)


def _changed(marked: dict[str, Any], found: os.stat_result) -> str:
    if marked["size"] != found.st_size:
        return (f"has {found.st_size} bytes, and {marked['size']} when sata-recorder wrote it: it "
                "was changed since")
    return "was changed since sata-recorder wrote it"


def _blank(path: Path) -> bool:
    """Whether the file ``path`` has nothing but zeros: nothing is lost with it."""
    try:
        with open(path, "rb", buffering=0) as file:
            while True:
                if hasattr(os, "SEEK_DATA"):
                    file.seek(file.tell(), os.SEEK_DATA)    # holes are zeros
                part = file.read(1 << 20)
                if not part:
                    return True
                if part.count(0) != len(part):
                    return False
    except OSError as error:
        return error.errno == errno.ENXIO       # no data follows


def mark(path: str | Path, *, changing: bool = False, beside: bool = True) -> None:
    """Marks the file ``path`` as it is now as one of this tool.

    ``changing``: it is being written, and counts as this tool's until it is marked again; a file of another
    tool does so from its first change on. Without ``beside`` there is no mark where the file system
    has no extended attributes. Raises ``OSError``.
    """
    path = Path(path).resolve()
    found = path.stat()
    text = json.dumps({"size": found.st_size, "mtime_ns": found.st_mtime_ns}
                      | ({"changing": True} if changing else {})
                      | ({"foreign": True} if changing and _foreign(path, found) and not _blank(path) else {}))
    try:
        os.setxattr(path, _ATTRIBUTE, text.encode())
    except (OSError, AttributeError):
        if beside:
            _beside(path).write_text(text + "\n")
    else:
        _beside(path).unlink(missing_ok=True)


def unmark(path: str | Path) -> None:
    """Removes what :func:`mark` has put at or beside ``path``."""
    path = Path(path).resolve()
    with suppress(OSError, AttributeError):
        os.removexattr(path, _ATTRIBUTE)
    _beside(path).unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(path.name + _BESIDE)


def _marked(path: Path) -> dict[str, Any] | None:
    """The mark of the file ``path``, or None if it is missing or makes no sense."""
    path = path.resolve()
    try:
        text = os.getxattr(path, _ATTRIBUTE)
    except (OSError, AttributeError):
        try:
            text = _beside(path).read_bytes()
        except OSError:
            return None
    try:
        found = json.loads(text)
        return {"size": int(found["size"]), "mtime_ns": int(found["mtime_ns"]),
                "changing": found.get("changing") is True, "foreign": found.get("foreign") is True}
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def part(path: str | Path) -> Path:
    """The path of a new, empty file beside ``path``, with the permissions of a new file; give it
    to :func:`place` or remove it. Raises ``OSError``."""
    target = Path(path).resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:200]}.", dir=target.parent)
    os.close(handle)
    usual = os.umask(0)
    os.umask(usual)
    os.chmod(name, 0o666 & ~usual)
    return Path(name)


def place(part: Path, path: str | Path, *, overwrite: bool = False, beside: bool = False) -> None:
    """Lets the file ``part`` take the place of ``path``, and marks it (``beside``: in any case, see
    :func:`mark`). What came to be there since :func:`part` is refused as :func:`check` does. Raises ``OSError``."""
    check(path, overwrite=overwrite)
    mark(part, beside=False)
    target = Path(path).resolve()
    part.replace(target)
    if beside:
        mark(target)


def read_text(path: str | Path) -> str:
    """The text of the file ``path``, without the mark that some editors put before UTF-8. Raises ``OSError``, also for
    more than 16 MiB, and ``UnicodeDecodeError``."""
    with open(path, "rb") as file:
        content = file.read(_MOST_TEXT + 1)
    if len(content) > _MOST_TEXT:
        raise OSError(errno.EFBIG, f"more than {_MOST_TEXT:,} bytes", str(path))
    return content.decode("utf-8-sig")


def parse(text: str | bytes, reader: Callable[..., Any]) -> Any:
    """What ``reader``, such as ``json.loads`` or ``tomllib.loads``, makes of ``text``. Raises ``ValueError`` alone,
    for text that is nested too deeply, too."""
    try:
        return reader(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def fill(part: Path, content: str | bytes) -> None:
    """Writes ``content``, text or bytes, into the file ``part``. Raises ``OSError``."""
    if isinstance(content, bytes):
        part.write_bytes(content)
    else:
        part.write_text(content, encoding="utf-8")


@contextmanager
def folder(path: str | Path) -> Iterator[Path]:
    """Gives the folder ``path``, which is made where it is missing; what was made and is still
    empty in the end is removed. Raises ``OSError``."""
    path = Path(path)
    made = [one for one in (path, *path.parents) if not one.exists()]
    path.mkdir(parents=True, exist_ok=True)
    try:
        yield path
    finally:
        for one in made:
            try:
                one.rmdir()
            except OSError:
                break


def write(path: str | Path, content: str | bytes, *, overwrite: bool = False) -> None:
    """Writes ``content``, text or bytes, to ``path``: all of it, or nothing.

    Raises :exc:`ForeignFile` and ``OSError`` as :func:`check` does, and ``OSError``.
    """
    check(path, overwrite=overwrite)
    new = part(path)
    try:
        fill(new, content)
        place(new, path, overwrite=overwrite)
    finally:
        new.unlink(missing_ok=True)
