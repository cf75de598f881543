"""smartctl of smartmontools, if it is installed."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

__all__ = ["NotAnswered", "find_smartctl", "run_smartctl"]

#: Where Debian has it, which is not in every user's PATH.
FOLDERS = "/usr/sbin:/sbin:/usr/local/sbin"


class NotAnswered(Exception):
    """smartctl could not be started, or did not answer; the text states why, in one line."""


def find_smartctl() -> str | None:
    """The path of smartctl; None if it is not installed."""
    return shutil.which("smartctl") or shutil.which("smartctl", path=FOLDERS)


def run_smartctl(program: str, arguments: Sequence[str], patience: float) -> bytes:
    """What ``program`` prints, bytes. Raises :class:`NotAnswered`, after ``patience`` seconds at the latest:
    a drive that hangs may hang smartctl, too, and it is left alone then."""
    try:
        process: Any = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=os.environ | {"LC_ALL": "C"})
    except OSError as error:
        raise NotAnswered(f"{program}: {error.strerror}") from None
    try:
        return process.communicate(timeout=patience)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        try:
            process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            process.stdout.close()
        raise NotAnswered(f"smartctl did not answer within {patience:g} s") from None
