"""Yosys scripts over Amaranth's RTLIL, with the Yosys of the `pyosys` package.

Yosys ends the process it runs in when a pass fails, and it writes its log to that process's
standard output. So every script runs in a Python process of its own.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["YosysError", "run"]

_RUNNER = """
from pyosys import libyosys as ys
design = ys.Design()
for command in open("script.ys"):
    ys.Pass.call(design, command.strip())
"""


class YosysError(Exception):
    """A pass failed; the text is the end of Yosys' log."""


def run(commands: Iterable[str], folder: str | Path) -> str:
    """Run the passes `commands` one after the other in `folder`; returns the log.

    File names in the commands are relative to `folder`. Raises :exc:`YosysError`.
    """
    Path(folder, "script.ys").write_text("".join(f"{command}\n" for command in commands))
    result = subprocess.run([sys.executable, "-c", _RUNNER], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise YosysError("\n".join(result.stdout.rstrip().splitlines()[-20:]))
    return result.stdout
