"""The drive model and the analyser: the installed packages, or a copy that is compiled by Cython.

The copy has the same files, the analyser as a sub-package of the drive model; a module with a .pxd
beside it becomes an extension module of the same .py file. It is built once and kept in the cache,
named by its content, like the cores.
"""

import compileall
import fcntl
import functools
import hashlib
import importlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from py_compile import PycInvalidationMode

import sata_drive_model
import sata_drive_model.protocol.rules

from .. import extras
from ..facts.units import DWORD_HZ
from . import analyser, compiler
from .cache import cache_folder, complete, intact_folder, replaced_folder, writing
from .engine import EngineError, MissingTool

NAME = "sata_drive_model_compiled"
FOLDER = Path(sata_drive_model.__file__).parent
#: In the copy the analyser is a sub-package of the drive model, and imports that copy.
ANALYSER = Path(analyser.__file__).parent
SUFFIXES = (".py", ".pxd", ".toml")
#: No slower than -O2 here, and compiled in three quarters of the time.
_OPTIMISE = "-O1"
#: A simulation of fewer clocks is over sooner with the plain drive than after compiling it.
_SHORT = 20_000_000
#: What another process runs to make the compiled copy; with -P no module in the folder of the user comes first.
_IN_BACKGROUND = """
import os
from sata_recorder.simulation.drive_package import drive_model
os.nice(19)
drive_model(compiled=True)
"""
OPTIONS = ("-3", "--cplus", "-X", "annotation_typing=False", "-X", "initializedcheck=False")
#: The module with what Cython would write into each of the others: half of what the C++ compiler has to read.
_SHARED = "cython_shared"
#: The first Cython that can do that in C++, which the extra `fast` asks for, too.
_CYTHON = 3, 3

#: What the harness calls once a clock.
_BRIDGE = """
from libc.stdint cimport uint64_t, uintptr_t
from .port cimport DrivePort

cdef int clock(void *port, uint64_t core, uint64_t *inputs) except -1:
    inputs[0] = (<DrivePort> port).clock(core)
    return 0

def address():
    return <uintptr_t> &clock
"""


def reason():
    """Why the drive model cannot be compiled on this machine, or None if it can."""
    if text := extras.missing("fast"):
        return f"the compiled drive {text}"
    if tuple(map(int, version("cython").split(".")[:2])) < _CYTHON:
        return (f"the compiled drive needs Cython {'.'.join(map(str, _CYTHON))}, and {version('cython')} is installed; "
                f"it comes with {extras.hint('fast')}")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return ("the compiled drive needs the header files of Python: install the Debian package "
                f"python3.{sys.version_info.minor}-dev")
    try:
        compiler.identity()
    except (MissingTool, EngineError) as error:
        return str(error)
    return None


def drive_model(compiled):
    """The drive model's package, with ``Drive``, ``DrivePort`` and all the others.

    Raises :exc:`MissingTool` if it is to be ``compiled`` and :func:`reason` states why it cannot
    be, and ``compiler.CompilerError``.
    """
    return loaded() if compiled else sata_drive_model


def best_drive_model():
    """The compiled drive model where it can be made, else that in Python. Raises ``compiler.CompilerError``."""
    return drive_model(compiled=reason() is None)


def is_compiled(model):
    """Whether ``model``, a drive model's package, is the compiled one."""
    return model.__name__ == NAME


def drive_model_for(clocks):
    """The drive model with which a simulation of about ``clocks`` is over sooner: a short one does not
    wait for the compiler. Raises ``compiler.CompilerError``."""
    if clocks < _SHORT and reason() is None and not is_built():
        return sata_drive_model
    return best_drive_model()


def compile_in_background():
    """Lets a process of low priority make the compiled copy, for the next simulation, unless one is doing so."""
    try:
        with alone(fcntl.LOCK_NB):
            pass
    except BlockingIOError:
        return
    subprocess.Popen([sys.executable, "-P", "-c", _IN_BACKGROUND], start_new_session=True, stdin=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def drive_port(drive, *, model=sata_drive_model, trace=False, **options):
    """A ``DrivePort`` of ``model`` whose ``observer`` is a :class:`.analyser.PortAnalyser` of the
    same kind, plain or compiled; ``trace`` lets that log FISes; ``options`` are the port's."""
    own = sys.modules[f"{NAME}.analyser"] if is_compiled(model) else analyser
    observer = own.PortAnalyser(trace)
    port = model.DrivePort(drive, observer=observer, **options)
    observer.drive_of = lambda: port.drive
    return port


def line_rate(clock_hz, generation):
    """(line dwords, clocks): how much slower the line of a link of ``generation`` is than a core's clock."""
    return Fraction(DWORD_HZ[generation] / clock_hz).limit_denominator(1000).as_integer_ratio()


def qemu_missing():
    """Why QEMU's disk cannot be the drive on this machine, or None if it can."""
    try:
        sata_drive_model.qemu.qemu_program()
    except sata_drive_model.QemuError as error:
        return str(error)
    return None


def native(drive):
    """The address of the C function that is ``drive``'s clock; None if Python must be called.

    ``drive`` is anything that an engine takes as its drive.
    """
    if type(drive).__module__ != f"{NAME}.port":
        return None
    return sys.modules[f"{NAME}.bridge"].address()


@functools.cache
def loaded():
    if text := reason():
        raise MissingTool(text)
    path = built() / "__init__.py"
    spec = importlib.util.spec_from_file_location(NAME, path,
                                                  submodule_search_locations=[str(path.parent)])
    package = sys.modules[NAME] = importlib.util.module_from_spec(spec)
    # A violation's rule is the same object, whichever copy has found it.
    sys.modules[f"{NAME}.protocol.rules"] = sata_drive_model.protocol.rules
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True   # it would have no digest
    try:
        spec.loader.exec_module(package)
        importlib.import_module(f"{NAME}.analyser")
        importlib.import_module(f"{NAME}.bridge")
    except BaseException:
        for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
            del sys.modules[name]
        raise
    finally:
        sys.dont_write_bytecode = writes
    return package


def built():
    """The folder of the compiled copy."""
    files = _all_files()
    target = _target(files)
    if intact_folder(target):
        return target / NAME
    with writing(target.parent), alone():
        if intact_folder(target):       # another process has just made it
            return target / NAME
        with tempfile.TemporaryDirectory(prefix="drive-", dir=target.parent) as folder:
            package = Path(folder) / NAME
            for name, content in files.items():
                (package / name).parent.mkdir(parents=True, exist_ok=True)
                (package / name).write_bytes(content)
            (package / "bridge.pyx").write_text(_BRIDGE)
            build(package, [name.with_suffix(".py") for name in files if name.suffix == ".pxd"])
            compileall.compile_dir(package, quiet=2,
                                   invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
            complete(Path(folder))
            replaced_folder(folder, target)
            os.makedirs(folder, exist_ok=True)
    return target / NAME


def is_built():
    """Whether :func:`built` has the compiled copy in the cache. Raises as :func:`drive_model` does."""
    return intact_folder(_target(_all_files()))


@contextmanager
def alone(how=0):
    """Only one process at a time compiles a drive for this cache. With ``LOCK_NB``, raises ``BlockingIOError`` if
    another one does."""
    folder = os.open(cache_folder(), os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | how)
        yield
    finally:
        os.close(folder)


def _target(files):
    return cache_folder() / f"drive-{digest(files)}"


def _all_files():
    """What the compiled copy is made of."""
    files = _files(FOLDER)
    for name, content in _files(ANALYSER).items():
        files["analyser" / name] = content.replace(b"sata_drive_model", NAME.encode())
    return files


def _files(folder):
    """Path below ``folder`` to content, of all that a package is made of."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.suffix in SUFFIXES}


def digest(files):
    digest = hashlib.sha256()
    for part in (_BRIDGE, *OPTIONS, _SHARED, _OPTIMISE, *compiler.FLAGS, compiler.identity(), version("cython"),
                 sysconfig.get_config_var("EXT_SUFFIX"), sys.version,
                 *(part for name, content in files.items() for part in (str(name), content))):
        part = part if isinstance(part, bytes) else part.encode()
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:32]


def build(package, modules):
    """Makes extension modules of ``modules`` and of the bridge, in place, and one that they share."""
    cython = (sys.executable, "-m", "cython", *OPTIONS)
    _run([*cython, "--generate-shared", f"{NAME}/{_SHARED}.cpp"], package.parent)
    _run([*cython, "--shared", f"{NAME}.{_SHARED}", *(f"{NAME}/{name}" for name in (*modules, "bridge.pyx"))],
         package.parent)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")

    def compile_module(name):
        source = package / Path(name).with_suffix(".cpp")
        order = compiler.command(source, source.with_suffix(suffix),
                                 include=(sysconfig.get_path("include"),), optimise=_OPTIMISE)
        _run(order, package)
        source.unlink()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_module, (_SHARED, *modules, "bridge.pyx")))


def _run(order, folder):
    reply = subprocess.run(order, cwd=folder, capture_output=True, text=True)
    if reply.returncode:
        raise compiler.CompilerError(f"{' '.join(order)} failed:\n{reply.stderr.strip()}")
