"""Any component of one clock domain, compiled and clocked from Python.

The engines of this package are built around the ports of the core; this takes whatever else is to be
simulated: its inputs as one word, its outputs as another, one call a clock.
"""

import ctypes

from .build import Translator, wrapped

_SOURCE = """
#include "top.cc"
#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT Core *create() {{ return new Core(); }}
EXPORT void destroy(Core *core) {{ delete core; }}
EXPORT uint64_t clock_once(Core *core, uint64_t in) {{
{set}
    core->clock();
    uint64_t out = {get};
    core->commit();
    return out;
}}
"""


def compiled_component(component, inputs, outputs):
    """The library of ``component``, whose outputs depend on its inputs only through flops.

    ``inputs`` and ``outputs`` name the ports that make up the words, from bit 0 on, as
    ``amaranth.back.rtlil`` names them; an input that is not named is 0. Raises
    :class:`.engine.EngineError` and :class:`.engine.MissingTool`.
    """
    from amaranth.back import rtlil
    text = rtlil.convert(component, name="top", emit_src=False)
    source = _source(_widths(text), inputs, outputs)
    library = ctypes.CDLL(str(wrapped(text, source, Translator.NETLIST)))
    library.create.restype = ctypes.c_void_p
    library.destroy.argtypes = [ctypes.c_void_p]
    library.clock_once.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    library.clock_once.restype = ctypes.c_uint64
    return library


class Clocked:
    """A component as it is after power-on, of a library that :func:`compiled_component` made."""

    def __init__(self, library):
        self._library = library
        self._top = ctypes.c_void_p(library.create())
        self._clock = library.clock_once

    def clock(self, word):
        """Lets one clock pass with these inputs, and returns the outputs in it."""
        return self._clock(self._top, word)

    def close(self):
        """Frees the state of the simulation."""
        if self._top is not None:
            self._library.destroy(self._top)
            self._top = None


def _widths(text):
    """The ports of the module `top` of RTLIL ``text``: name to bits."""
    body = text.partition("\nmodule \\top\n")[2].partition("\nend\n")[0]
    widths = {}
    for line in body.splitlines():
        words = line.split()
        if words[:1] == ["wire"] and {"input", "output"} & {*words}:
            width = int(words[words.index("width") + 1]) if "width" in words else 1
            widths[words[-1].removeprefix("\\")] = width
    return widths


def _source(widths, inputs, outputs):
    def places(names):
        at = 0
        for name in names:
            yield f"p_{name.replace('_', '__')}", at, widths[name]
            at += widths[name]
        assert at <= 64, f"{at} bits do not fit a word"

    return _SOURCE.format(
        set="\n".join(f"    core->{port}.set<uint64_t>(in >> {at} & {(1 << width) - 1:#x}ull);"
                      for port, at, width in places(inputs)),
        get=" | ".join(f"now(core->{port}) << {at}" for port, at, _ in places(outputs)))
