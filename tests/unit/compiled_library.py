"""A component's RTLIL and the C functions around it, as a shared library for the compiled benches."""

import ctypes

from sata_recorder.simulation.build import Translator, wrapped

__all__ = ["compiled_library"]

_HEAD = """
#include "top.cc"
struct Bench {{ Core top; uint64_t in[{inputs}], out[{outputs}]; }};
#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT Bench *create() {{ return new Bench(); }}
EXPORT void destroy(Bench *bench) {{ delete bench; }}
EXPORT uint64_t *inputs(Bench *bench) {{ return bench->in; }}
EXPORT uint64_t *outputs(Bench *bench) {{ return bench->out; }}
static inline void sample(Bench *bench) {{
    auto &top = bench->top;
{set}
}}
static inline void observe(Bench *bench) {{
    auto &top = bench->top;
{get}
}}
"""


def _port_name(port):
    """What a port is called in the C++ of the netlist translator."""
    return "p_" + port.replace("_", "__")


def _lines(form, names):
    """A line for each port: ``{n}`` is its number, ``{port}`` its name."""
    return "\n".join("    " + form.format(n=n, port=_port_name(name)) for n, name in enumerate(names))


def compiled_library(text, inputs, outputs, source, functions, *, options=""):
    """``text`` compiled with the ports named so, and ``source``, in which ``sample(bench)`` takes the
    inputs and ``observe(bench)`` gives the outputs; ``functions``: name, result, arguments of what it
    exports."""
    head = _HEAD.format(
        inputs=len(inputs) + 1, outputs=len(outputs) + 1,
        set=_lines("top.{port}.set<uint64_t>(bench->in[{n}]);", inputs),
        get=_lines("bench->out[{n}] = now(top.{port});", outputs))
    library = ctypes.CDLL(str(wrapped(text, options + head + source, Translator.NETLIST, settled=True)))
    words = ctypes.POINTER(ctypes.c_uint64)
    for name, result, arguments in (
            ("create", ctypes.c_void_p, ()), ("destroy", None, (ctypes.c_void_p,)),
            ("inputs", words, (ctypes.c_void_p,)), ("outputs", words, (ctypes.c_void_p,)),
            *functions):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
