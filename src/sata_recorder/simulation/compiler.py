"""The C++ compiler of this machine."""

import functools
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from .. import extras
from .engine import EngineError, MissingTool

FLAGS = ("-std=c++14", "-fPIC", "-shared", "-fvisibility=hidden", "-w", "-DNDEBUG")


class CompilerError(EngineError):
    """The C++ compiler refused the program."""


@functools.cache
def _base():
    chosen = os.environ.get("CXX")
    if chosen:
        try:
            words = shlex.split(chosen)
        except ValueError as error:
            raise MissingTool(f"CXX is {chosen!r}: {error}") from None
        if not words:
            raise MissingTool(f"CXX is {chosen!r}: it names no compiler")
        if not shutil.which(words[0]):
            raise MissingTool(f"CXX names the compiler {words[0]!r}, which is not on PATH")
        return tuple(words)
    # Clang first: it makes faster code from what CXXRTL writes; what `netlist` writes is as fast from both.
    if path := shutil.which("clang++"):
        return (path,)
    if not extras.missing("compiler"):
        return (sys.executable, "-m", "ziglang", "c++")
    for name in ("g++", "c++"):
        if path := shutil.which(name):
            return (path,)
    raise MissingTool("no C++ compiler found: install g++ (Debian: apt install g++), set CXX, or "
                      f"install ziglang, which comes with {extras.hint('compiler')}")


@functools.cache
def _flags():
    chosen = os.environ.get("CXXFLAGS", "")
    try:
        return (*FLAGS, *shlex.split(chosen))
    except ValueError as error:
        raise MissingTool(f"CXXFLAGS is {chosen!r}: {error}") from None


@functools.cache
def identity():
    """The compiler, its version and the processor, as text: part of the key of all it built."""
    base = _base()
    reply = subprocess.run([*base, "--version"], capture_output=True, text=True)
    if reply.returncode:
        raise CompilerError(f"{shlex.join(base)} --version failed: {reply.stderr.strip()}")
    return "\n".join([*base, *_flags(), reply.stdout, _processor()])


def _processor():
    """What the processor can do: ziglang compiles for the very machine it runs on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def forget():
    """Searches for the compiler again when it is needed next."""
    _base.cache_clear()
    _flags.cache_clear()
    identity.cache_clear()


def command(source, output, *, include, define=(), optimise="-O2"):
    """The command that builds the shared library ``output`` from ``source``."""
    return [*_base(), optimise, *_flags(), *(f"-D{name}" for name in define),
            *(f"-I{folder}" for folder in include), "-o", str(output), str(source)]
