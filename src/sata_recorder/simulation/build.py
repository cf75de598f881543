"""Compiles a core into a shared library: Amaranth, RTLIL, C++, machine code; cached by content.

The C++ is that of :mod:`.netlist`; or CXXRTL's, which knows all of Yosys and can write waves.

What was built is kept in the :mod:`.cache`.
"""

import gc
import hashlib
import importlib.util
import json
import re
import subprocess
import tempfile
import zlib
from enum import Enum, auto
from importlib.metadata import version
from pathlib import Path

from amaranth.hdl._ir import PortDirection

from ..facts.channels import MOST_CHANNELS
from ..firmware import (FIRMWARE_FOLDER, PROCESSORS, FirmwareError, compiler_identity,
                        whole_rtlil)
from ..interface import ARRAY_STREAMS, LANE_PHYS, QUEUE, named_ports
from ..interface.group import WORD
from . import compiler, netlist
from .cache import cache_folder, cached, intact, publish
from .engine import EngineError
from .signals import CONTROLS, OPTIONAL_PULSES, OUTPUTS, PULSES, controls, outputs

PACKAGE = Path(__file__).resolve().parents[1]
#: The packages that are above the gateware: a change there leaves a core as it is.
ABOVE = ("firmware", "simulation", "report", "lab", "board", "pc", "cli")
HARNESS = Path(__file__).with_name("harness.cc")
_PARTS = [Path(__file__).with_name(name) for name in ("bench.h", "bench_ports.h", "fast_path.h", "streams.h")]
#: Outputs that the clock loop reads in each cycle.
_LOOP = "".join(path.read_text() for path in _PARTS)
_PORT_NAMES = ("phy", *(group.name for group in LANE_PHYS.values()),
               "s_axis", *(f"s{number}_axis" for number in range(MOST_CHANNELS)))
_EACH_CLOCK = {name.replace("__", "_") for name in [
    *(f"m_axis_tdata{place or ''}" for place in range(max(ARRAY_STREAMS) // WORD)),
    *re.findall(r"\bnow\(core\.p_(\w+)\)", _LOOP),
    *(f"{port}_{name}" for port in _PORT_NAMES for name in re.findall(r"\bnow\(core\.port##__(\w+)\)", _LOOP))]}
_CXXRTL = Path(__file__).with_name("cxxrtl_core.h")
#: A core runs as fast with either, within a few per cent; paths are for simulations that take long.
_QUICKLY, _WELL = "-O1", "-O2"
TOP = "sata_recorder"


class Translator(Enum):
    """What makes C++ of a core."""

    NETLIST = auto()    # :mod:`.netlist`
    CXXRTL = auto()     # Yosys, another opinion about the same core
    WAVES = auto()      # Yosys, with what VCD needs: a tenth of the speed


#: The macros with which the harness is compiled for each.
_MACROS = {Translator.NETLIST: (), Translator.CXXRTL: ("CXXRTL",), Translator.WAVES: ("CXXRTL", "WAVES")}


def rtlil(component, ports):
    """RTLIL text of ``component``, free of source locations so that it depends on content only."""
    from amaranth.back import rtlil as backend
    # This makes a million objects, hardly any of which is garbage before the end: searching for some
    # would take a third of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return backend.convert(component, name=TOP, ports=ports, emit_src=False)
    finally:
        if collects:
            gc.enable()


def library(configuration, translator=Translator.NETLIST, controller=None):
    """Path of the compiled ``stack(configuration.simulated)``, with its memory if it has one, or of that core with the
    :class:`..firmware.Controller` that operates it.

    Nothing is elaborated if the package's source and the configuration are those of an earlier
    call. A library of ``Translator.WAVES`` can write VCD. Raises :exc:`.engine.EngineError` if compiling fails, and
    :exc:`.cache.CacheError` if the cache cannot be written.
    """
    names = controls(configuration, controller)
    results = outputs(configuration)

    def build():
        if controller is None:
            text = _core_rtlil(configuration)
        else:
            try:
                text = whole_rtlil(configuration, controller.processor, TOP)
            except FirmwareError as error:
                raise EngineError(str(error)) from None
        return compiled(text, names, translator, results, configuration)

    return _remembered(_recipe_of(configuration, translator, controller), build, _whole(translator))


def _core_rtlil(configuration):
    from ..bricks.stack import STAGES, stack
    from .simulated_memory import SimulatedMemory, cells_rtlil
    from .word_streams import WordStreams
    core = stack(configuration.simulated, (SimulatedMemory, *STAGES))
    ports = named_ports(core)
    if configuration.array_width > WORD:
        core = WordStreams(core, ports)
        ports = core.ports
    for stage in core.stages:
        ports |= {name: (signal, PortDirection.Output) for name, signal in stage.watched.items()}
    return rtlil(core, ports) + cells_rtlil(configuration)


def is_built(configuration):
    """Whether the library of this ``configuration`` is in the cache, see :func:`library`."""
    translator = Translator.NETLIST
    return _known(_index(_recipe_of(configuration, translator, None)), _whole(translator)) is not None


def _recipe_of(configuration, translator, controller):
    """The digest of all that decides what :func:`library` makes."""
    ports = _port_list(controls(configuration, controller), outputs(configuration), configuration)
    return _digest(_recipe(ports, translator), _SOURCES,
                   configuration.model_dump_json(), _operated(controller))


def _index(recipe):
    return cache_folder() / f"{recipe}.index"


def _known(index, whole):
    """Path of the library that the file ``index`` names; None if there is none that is ``whole``."""
    if intact(index) and re.fullmatch(r"[0-9a-f]{32}\.so", name := index.read_text()):
        known = index.with_name(name)
        if whole(known):
            return known
    return None


def _remembered(recipe, build, whole=intact):
    """Path of the library that ``build()`` makes. It is not called again for the same ``recipe``, the digest
    of all that decides, the source of the gateware included, while the library is ``whole``."""
    index = _index(recipe)
    if (known := _known(index, whole)) is not None:
        return known
    built = build()
    if _sources() == _SOURCES:
        publish(index, lambda path: path.write_text(built.name))
    return built


def compiled(text, names=CONTROLS, translator=Translator.NETLIST, results=OUTPUTS, source=None):
    """Path of the library compiled from RTLIL ``text``, whose top is ``sata_recorder`` and has the
    control inputs ``names``, the outputs ``results``, and the source stage of the configuration ``source`` (None:
    without one). Raises :exc:`.engine.EngineError` if the text has something that the ``translator`` does not
    know."""
    ports = _port_list(names, results, source)
    target = cache_folder() / f"{_digest(_recipe(ports, translator), text)}.so"

    def build(path):
        with tempfile.TemporaryDirectory(prefix="sata-recorder-") as name:
            folder = Path(name)
            module = translate(text, folder, translator)
            if module is not None:
                publish(netlist_file(target), lambda part: part.write_bytes(
                    zlib.compress(json.dumps(module).encode(), 1)))
            (folder / "ports.inc").write_text(ports)
            run_compiler(HARNESS, path, (folder, HARNESS.parent, _runtime()), _MACROS[translator])

    return cached(target, build, _whole(translator))


def netlist_file(path):
    """Where the netlist of the core in the library ``path`` is kept, if it has one."""
    return path.with_suffix(".netlist")


def _whole(translator):
    """The function that tells whether a core's library, made by ``translator``, is as it was built."""
    if translator is not Translator.NETLIST:
        return intact
    return lambda path: intact(path) and intact(netlist_file(path))


def fast_path(path, assumed):
    """Path of the library with the fast path of the core in the library ``path`` for the values
    ``assumed``, see :func:`.netlist.fast_path_text`. Raises :exc:`.engine.EngineError`."""
    target = path.with_name(f"{path.stem}-{_digest(repr(assumed))}.path")

    def build(part):
        kept = netlist_file(path)
        if not intact(kept):
            raise EngineError(f"the netlist {kept} is damaged")
        module = json.loads(zlib.decompress(kept.read_bytes()))
        with tempfile.TemporaryDirectory(prefix="sata-recorder-") as name:
            source = Path(name, "path.cc")
            source.write_text(netlist.fast_path_text(netlist.Netlist(module), assumed, _EACH_CLOCK))
            run_compiler(source, part, (), optimise=_WELL)

    return cached(target, build)


def wrapped(text, source, translator=Translator.CXXRTL, *, settled=False):
    """Path of the library compiled from the C++ ``source``, which includes ``top.cc``: RTLIL
    ``text``, whose top is ``top``. With ``Translator.NETLIST``, ``clock()`` computes all outputs, or,
    if they are ``settled``, only ``settle()`` does. Raises as :func:`compiled` does.
    """
    target = cache_folder() / f"{_digest(text, source, _tools(translator), str(settled))}.so"

    def build(path):
        with tempfile.TemporaryDirectory(prefix="sata-recorder-") as name:
            folder = Path(name)
            translate(text, folder, translator, "top", () if settled else None)
            (folder / "bench.cc").write_text(source)
            run_compiler(folder / "bench.cc", path, (folder, _runtime()))

    return cached(target, build)


def wrapped_design(make, recipe, source, more=""):
    """Path of the library compiled from the C++ ``source``, which includes ``top.cc``: the design
    that ``make()`` gives, with the RTLIL ``more``, elaborated only if ``recipe``, a text with all
    that decides besides the gateware of this package, is a new one. Raises as :func:`compiled` does."""
    from amaranth.back import rtlil as backend

    def build():
        text = backend.convert(make(), name="top", emit_src=False) + more
        return wrapped(text, source, Translator.NETLIST)

    return _remembered(_digest("design", source, recipe, more, _tools(Translator.NETLIST), _SOURCES),
                       build)


def _runtime():
    """The include folder of the CXXRTL runtime."""
    package = Path(importlib.util.find_spec("pyosys").origin).parent
    return package / "share/include/backends/cxxrtl/runtime"


def translate(text, folder, translator, top=TOP, each_clock=_EACH_CLOCK):
    """Writes the C++ of the module ``top`` into ``folder``, as a file named after it; returns its
    netlist, as Yosys's JSON has it, if ``translator`` needs one."""
    from ..export import yosys
    source = folder / f"{top}.cc"
    (folder / "top.il").write_text(text)
    if translator is Translator.NETLIST:
        yosys.run(["read_rtlil top.il", f"hierarchy -top {top}", "flatten", "proc", "opt_merge",
                   "opt_clean", "write_json top.json"], folder)
        module = json.loads((folder / "top.json").read_text())["modules"][top]
        try:
            source.write_text(netlist.text(netlist.Netlist(module), each_clock))
        except netlist.UnknownCell as error:
            raise EngineError(f"{top} cannot be translated: {error}") from None
        return module
    else:
        # write_cxxrtl flattens by itself. No opt or wreduce before it: they make feedback wires,
        # which would need more than one evaluation a clock.
        level = 4 if translator is Translator.WAVES else 0
        log = yosys.run(["read_rtlil top.il", f"write_cxxrtl -g{level} {source.name}"], folder)
        if "feedback arcs" in log or "feedback wires" in log:
            raise EngineError(f"{top} cannot be translated: its wires feed back, so one evaluation "
                              "a clock is not enough")


def run_compiler(source, target, include, define=(), optimise=_QUICKLY):
    order = compiler.command(source, target, include=include, define=define, optimise=optimise)
    reply = subprocess.run(order, capture_output=True, text=True)
    if reply.returncode:
        raise compiler.CompilerError(f"{' '.join(order)} failed:\n{reply.stderr.strip()}")


def _port_list(inputs, results, configuration):
    """The control ports for the C preprocessor, with the names that CXXRTL gives them; the dword ports and streams of
    the ``configuration``, None: those of a core with one drive."""
    pulses = [*PULSES, *(name for name in OPTIONAL_PULSES if name in inputs)]
    lists = {macro: [(name, f"p_{name.replace('_', '__')}") for name in names] for macro, names in
             {"CONTROL": inputs, "PULSE": pulses, "OUTPUT": results}.items()}
    words = 1 if configuration is None else configuration.array_width // WORD
    lists["LANE"] = [(0, "p_phy"), *((lane, f"p_{group.name}") for lane, group in LANE_PHYS.items()
                                     if f"{group.name}_generation" in inputs)]
    lists["STREAM"] = [(number, f"p_{name}__axis") for number, name in enumerate(_stream_names(configuration))]
    lists["PLAYED"] = [(place, f"p_m__axis__tdata{place or ''}") for place in range(words)]
    return "".join([*(f"#ifndef {macro}\n#define {macro}(name, port)\n#endif\n" for macro in lists),
                    *(f"{macro}({name}, {port})\n" for macro, pairs in lists.items() for name, port in pairs),
                    *(f"#undef {macro}\n" for macro in lists), _core_macros(configuration)])


def _stream_names(configuration):
    """The prefixes of the ports of the streams that are recorded."""
    if configuration is None or configuration.channels == 1:
        return ["s"]
    return [f"s{number}" for number in range(configuration.channels)]


def _core_macros(configuration):
    """What the harness has to know about the queue and the source stage, for the C preprocessor."""
    if configuration is None:
        return ""
    wide = configuration.array_width > WORD
    bits = configuration.channel_width if configuration.channels > 1 else \
        configuration.array_width if wide else configuration.source_width
    facts = {"QUEUE_PINS": int(QUEUE in configuration.groups),
             "SOURCE_BITS": bits,
             "SOURCE_CLOCK": int(configuration.source_clock),
             "SOURCE_STAGE": int(configuration.source_width != WORD or configuration.source_clock),
             "SOURCE_WAITS": int(configuration.source_waits)}
    return "".join(f"#ifndef {name}\n#define {name} {value}\n#endif\n" for name, value in facts.items())


def _recipe(ports, translator):
    """Everything but the core that decides what is in a library."""
    parts = (HARNESS, *_PARTS)
    return "\n".join([*(path.read_text() for path in parts), ports, _tools(translator)])


def _tools(translator):
    """What makes machine code of RTLIL, as text that changes with it."""
    parts = (_CXXRTL,) if translator is not Translator.NETLIST else \
        sorted(Path(netlist.__file__).parent.glob("*.py"))
    return "\n".join([*(path.read_text() for path in parts), translator.name, _QUICKLY, _WELL,
                      compiler.identity(), version("pyosys")])


def _digest(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part.encode())
    return digest.hexdigest()[:32]


def _operated(controller):
    """All that decides what is built besides the core, as text."""
    if controller is None:
        return ""
    source = PROCESSORS[controller.processor]
    return "\n".join([controller.processor, source.version, compiler_identity(),
                      *(path.read_text() for path in sorted(FIRMWARE_FOLDER.parent.rglob("*"))
                        if path.suffix in (".py", ".c", ".h", ".S", ".ld"))])


def _sources():
    """The source of the gateware, with the tools that elaborate it."""
    files = sorted(path for path in PACKAGE.rglob("*.py")
                   if path.relative_to(PACKAGE).parts[0] not in ABOVE)
    return "\n".join([version("amaranth"), Path(__file__).read_text(),
                      *(f"{path.relative_to(PACKAGE)}\n{path.read_text()}" for path in files)])


# The source that this process runs: a file edited since then must not be taken for it.
_SOURCES = _sources()
