"""Results that are kept: a stopped sweep continues where it was, a search repeats no run.

One file per result (its SHA-256, then JSON), named after the digest of everything that decides it.
"""

import hashlib
import json
import os
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ... import __version__
from ...simulation import cache_folder, drive_model, writing

PACKAGE = Path(__file__).resolve().parents[2]
_MODEL = Path(drive_model(compiled=False).__file__).resolve().parent
_SUFFIXES = (".py", ".pxd", ".cc", ".h")
#: The packages above a measurement. They choose jobs, whose conditions are in the keys, and
#: show the results: a change there leaves the results as they are.
ABOVE = ("report", "lab/campaign", "lab/sweep", "lab/studies", "lab/plan", "board", "pc/console", "cli")


def sources():
    """A digest of the version, the tools and the source of gateware, drive model and engines."""
    digest = hashlib.sha256()
    for text in (__version__, version("amaranth"), version("pyosys")):
        digest.update(text.encode() + b"\n")
    for folder in (PACKAGE, _MODEL):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES):
            name = path.relative_to(folder).as_posix()
            if folder == PACKAGE and any(Path(room) in Path(name).parents for room in ABOVE):
                continue
            content = path.read_bytes()
            digest.update(f"{name} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:32]


#: The digest of the source that this process runs: a file edited later must not be taken for it.
SOURCES = sources()


class Store:
    """Results by key, in the files of ``folder`` (default: ``results`` in the cache folder).

    Files appear complete or not at all, so several processes may share a folder. A file that is
    damaged counts as missing. Raises :exc:`...simulation.EngineError` if the folder cannot be
    made or written, ``OSError`` if it cannot be read.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder) if folder is not None else cache_folder() / "results"
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def key(*parts: object) -> str:
        """The key for ``parts`` (anything JSON can hold) and the source that decides a result.

        Raises ``TypeError`` for a part that JSON cannot hold.
        """
        text = json.dumps([SOURCES, *parts], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def get(self, key: str) -> dict[str, Any] | None:
        """The dictionary that was put under ``key``, or None if it is missing or damaged."""
        try:
            text = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        digest, _, body = text.partition(b"\n")
        if digest.decode("ascii", "replace") != _check(body):
            return None
        return json.loads(body)

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Keeps the dictionary ``result`` under ``key``, replacing what is there.

        Raises ``TypeError`` or ``ValueError`` for what JSON cannot hold.
        """
        body = json.dumps(result, allow_nan=False).encode()
        with writing(self.folder):
            handle, name = tempfile.mkstemp(prefix=f"{key}-", dir=self.folder)
            try:
                with open(handle, "wb") as file:
                    file.write(_check(body).encode() + b"\n" + body)
                os.replace(name, self._path(key))
            except BaseException:
                os.unlink(name)
                raise

    def _path(self, key):
        return self.folder / f"{key}.result"


def _check(body):
    return hashlib.sha256(body).hexdigest()
