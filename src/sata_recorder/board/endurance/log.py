"""The log of a run, one line a sample, and its state: both survive an interruption at any moment.

The log is CSV to which whole lines are added, each of which is on the disk before the run continues. A loss of power
may cut the last line short; it is dropped when the run resumes. The state is a file of its own, replaced as a whole.
"""

import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from ... import outputs
from ...locks import InUse, open_locked

__all__ = ["COLUMNS", "EnduranceLog", "LogError", "state_path"]

#: Columns of the run.
_RUN = {"time": str, "event": str, "lap": int, "lba": int, "bytes": int, "seconds": float, "rate": float,
        "retries": int, "failures": int, "mismatches": int}
#: Columns of the drive, by SMART: members of Health, and what is made of them.
_DRIVE = {"verdict": str, "worn": float, "worn_at_least": bool, "spare": float, "celsius": float, "hours": int,
          "written_bytes": int, "flash_bytes": int, "amplification": float, "least_erased": int, "mean_erased": int,
          "most_erased": int, "bad_blocks": int, "reallocated": int, "uncorrectable": int, "crc_errors": int,
          "bit_error_rate": float, "error_exponent": int}
#: Name and type of each column. ``attributes`` has every raw value, as "5=0 9=2109".
COLUMNS: dict[str, type] = {**_RUN, **_DRIVE, "attributes": str}
_FORMAT = 1
_STATE = "sata-recorder wear"
_EXISTS = "{}: exists; --resume goes on with a log, and a new one needs another name"


class LogError(Exception):
    """A log or a state that cannot be used; one line, which names the file."""


class EnduranceLog:
    """The log at ``path``, and its state beside it, at ``path`` with ``.state`` added.

    ``state`` is the state's plain data; ``rows`` are those of the log, {column: value}, None for what is unknown;
    ``dropped``: a last line was cut short, and is gone. A context manager, which keeps the log locked. Raises
    :class:`LogError`.
    """

    def __init__(self, path: str | Path, handle: int, state: dict[str, Any]) -> None:
        self.path, self.state, self._handle = Path(path), state, handle
        self.rows: list[dict[str, Any]] = []
        self.dropped = False

    @classmethod
    def create(cls, path: str | Path, state: dict[str, Any]) -> Self:
        """A new log. What exists already is never replaced."""
        cls.check_new(path)
        handle, made = _locked(path)
        if not made:
            os.close(handle)
            raise LogError(_EXISTS.format(path))
        log = cls(path, handle, state)
        try:
            log._append(_line(COLUMNS))
            log.save()
        except BaseException:
            os.close(handle)
            log.path.unlink(missing_ok=True)
            raise
        return log

    @classmethod
    def check_new(cls, path: str | Path) -> None:
        """Refuses a name for a new log if something exists there, or nothing can be written there."""
        path = Path(path)
        for one in (path, state_path(path)):
            if one.exists() or one.is_symlink():
                raise LogError(_EXISTS.format(one))
        try:
            outputs.check(path)
        except OSError as error:
            raise LogError(f"{path}: cannot be written: {error.strerror}") from None

    @classmethod
    def resume(cls, path: str | Path) -> Self:
        """The existing log, without a last line that was cut short."""
        path = Path(path)
        for one, what in ((path, "log"), (state_path(path), "state")):
            if not one.is_file():
                raise LogError(f"{one}: there is no such {what} of a run that could go on")
        log = cls(path, _locked(path)[0], {})
        try:
            # The log is locked now, so that no run that is just ending changes it.
            log.state = _state(state_path(path))
            log._read()
        except BaseException:
            os.close(log._handle)
            raise
        return log

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def add(self, row: dict[str, Any]) -> None:
        """Adds a line, which is on the disk when this returns. Raises ``OSError``."""
        self._append(_line("" if row.get(name) is None else row[name] for name in COLUMNS))
        self.rows.append({name: row.get(name) for name in COLUMNS})

    def save(self) -> None:
        """Replaces the state file, as a whole, with ``state``. Raises ``OSError``."""
        target = state_path(self.path)
        part = outputs.part(target)
        try:
            with open(part, "w", encoding="utf-8") as file:
                json.dump({"what": _STATE, "format": _FORMAT, **self.state}, file, indent=2)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync_folder(target.resolve().parent)

    def as_parquet(self) -> bytes:
        """The log as the bytes of a Parquet file; needs polars."""
        import polars
        kinds = {str: polars.String, int: polars.Int64, float: polars.Float64, bool: polars.Boolean}
        frame = polars.DataFrame(self.rows, schema={name: kinds[kind] for name, kind in COLUMNS.items()}, strict=False)
        file = io.BytesIO()
        frame.write_parquet(file)
        return file.getvalue()

    def _append(self, text):
        os.lseek(self._handle, 0, os.SEEK_END)
        data = text.encode()
        while data:
            data = data[os.write(self._handle, data):]
        os.fsync(self._handle)

    def _read(self):
        os.lseek(self._handle, 0, os.SEEK_SET)
        with os.fdopen(os.dup(self._handle), "rb") as file:
            data = file.read()
        lines = data.split(b"\n")
        whole, rest = lines[:-1], lines[-1]
        if not whole or whole[0].decode("utf-8", "replace").split(",") != list(COLUMNS):
            raise LogError(f"{self.path}: is no log of wear: its first line must be the columns {', '.join(COLUMNS)}")
        # A loss of power may leave zeros in place of what was not yet written: of one line at most, since each is on
        # the disk before the next one.
        if not rest and len(whole) > 1 and _rows(whole[-1:]) is None:
            rest = whole.pop()
        rows = _rows(whole[1:])
        if rows is None:
            raise LogError(f"{self.path}: a line before its last one is damaged")
        self.rows = rows
        size = sum(len(line) + 1 for line in whole)
        self.dropped = bool(rest) or size != len(data)
        if self.dropped:
            os.ftruncate(self._handle, size)
            os.fsync(self._handle)


def state_path(path: str | Path) -> Path:
    """The path of the state of the log at ``path``."""
    path = Path(path)
    if not path.name:
        raise LogError(f"{path}: must be the name of a file")
    return path.with_name(path.name + ".state")


def _locked(path):
    try:
        return open_locked(path, writes=True, what="wear")
    except InUse as error:
        raise LogError(f"{path}: is in use by {error}") from None
    except outputs.UnfitPath as error:
        raise LogError(f"{path}: cannot be written: it {error.strerror}") from None
    except OSError as error:
        raise LogError(f"{path}: cannot be written: {error.strerror}") from None


def _state(path):
    try:
        found = outputs.parse(outputs.read_text(path), json.loads)
    except (OSError, ValueError) as error:
        raise LogError(f"{path}: is no state of wear: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(found, dict) or found.get("what") != _STATE:
        raise LogError(f"{path}: is no state of wear")
    if found.get("format") != _FORMAT:
        raise LogError(f"{path}: has format {found.get('format')}, this program knows {_FORMAT}")
    return {name: value for name, value in found.items() if name not in ("what", "format")}


def _line(cells):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(list(cells))
    return text.getvalue()


def _rows(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """Lines as rows; None if one is not whole."""
    found = []
    try:
        for cells in csv.reader(line.decode() for line in lines):
            values = [_value(kind, cell) for kind, cell in zip(COLUMNS.values(), cells, strict=True)]
            found.append(dict(zip(COLUMNS, values)))
    except (ValueError, csv.Error):
        return None
    return found if len(found) == len(lines) else None


def _value(kind, cell):
    if not cell:
        return None
    if "\0" in cell:
        raise ValueError("zeros in the place of text")
    return cell == "True" if kind is bool else kind(cell)


def _sync_folder(path):
    """Puts the names in a folder on the disk, where the system can."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
