"""Which tools for simulations work on this machine, and what is already compiled. Nothing here raises."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from . import compiler, drive_package
from .build import is_built
from .cache import cache_folder
from .engines import NAMES, REASONS

#: What shows that a compiler has its headers.
_PROGRAM = '#include <cstdint>\nextern "C" std::uint32_t f() { return 1; }\n'
_SECONDS = 120


def compiler_found():
    """(words of the C++ compiler's first line or None, what is wrong with it or None)."""
    return _asked(_compiler)


def _compiler():
    lines = compiler.identity().splitlines()
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        source = Path(folder, "try.cc")
        source.write_text(_PROGRAM)
        order = compiler.command(source, Path(folder, "try.so"), include=())
        try:
            reply = subprocess.run(order, capture_output=True, text=True, errors="replace", timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{shlex.join(order)} did not end within {_SECONDS} s") from None
    if reply.returncode:
        last = (reply.stderr.strip() or "it fails without a message").splitlines()[0]
        raise ValueError(f"{order[0]} compiles no program: {last}")
    name = " ".join(order[:order.index("-O2")])
    version = next((line for line in lines if any(letter.isdigit() for letter in line) and line not in order), "")
    return f"{version} ({name})"


def engine_reasons():
    """The engines by name: why each does not work, or None."""
    return {name: _reason(REASONS[name]) for name in NAMES}


def qemu_reason():
    """Why QEMU's disk cannot be the drive, or None."""
    return _reason(drive_package.qemu_missing)


def cache_found():
    """(folder of the cache or None, what is wrong with it or None)."""
    return _asked(_cache)


def _cache():
    folder = cache_folder()
    with tempfile.TemporaryFile(dir=folder):
        os.listdir(folder)
    return str(folder)


def compiled_already(configuration):
    """What is in the cache: {"drive": ..., "core": ...}, the core being that of ``configuration``; True, False, or
    None if that cannot be known."""
    return {"drive": _asked(drive_package.is_built)[0], "core": _asked(lambda: is_built(configuration))[0]}


def _reason(asked):
    found, problem = _asked(asked)
    return problem or found


def _asked(question):
    # Whoever asks wants to know all that is broken, whatever it is.
    try:
        return question(), None
    except Exception as error:
        return None, f"{getattr(error, 'strerror', None) or error}" or type(error).__name__
