"""A component with several clock domains, compiled and driven edge by edge."""

import ctypes
import functools
import re

from amaranth.back import rtlil
from amaranth.hdl import ValueCastable
from amaranth.lib.wiring import In

from unit.compiled_library import compiled_library
from unit.core.phy.one_clock import one_clock

__all__ = ["Compiled"]

_SOURCE = """
EXPORT void edge(Bench *bench, unsigned clocks) {{
    auto &top = bench->top;
    sample(bench);
    if (clocks) {{
        {rises}
        top.clock();
        top.commit();
    }}
    top.settle();       // what depends on the new state without a flop
    observe(bench);
}}
"""


class Compiled:
    """``component`` with its ports under the names they have in Verilog.

    ``i`` and ``o`` are arrays of 64-bit words: index them with ``inputs[name]`` and
    ``outputs[name]``. ``edge(clocks)`` lets the clocks rise whose bits are set (bit n is the nth of
    ``domains``): they sample ``i`` as it is now, and ``o`` is what follows. ``edge(0)`` evaluates.
    Amaranth resets are ports too: ``rst``, ``tx_rst``. A clock may be a member of the component.
    """

    def __init__(self, component, domains=("sync",)):
        names = [("", domain)[domain != "sync"] for domain in domains]
        clocks = [f"{name}_clk".lstrip("_") for name in names]
        resets = [f"{name}_rst".lstrip("_") for name in names]
        found_inputs, found_outputs = [], []
        for path, member, value in component.signature.flatten(component):
            value = value.as_value() if isinstance(value, ValueCastable) else value
            assert len(value) <= 64
            if "__".join(map(str, path)) in clocks:
                continue
            (found_inputs if member.flow == In else found_outputs).append("__".join(map(str, path)))
        text = rtlil.convert(component, name="top", emit_src=False)
        top = text.partition("\nmodule \\top\n")[2].partition("\nend\n")[0]
        resets = [reset for reset in resets if re.search(rf" input \d+ +\\{reset}$", top, re.M)]
        found_inputs += resets
        self.inputs = {name: index for index, name in enumerate(found_inputs)}
        self.outputs = {name: index for index, name in enumerate(found_outputs)}
        self._library = _library(text, tuple(clocks), tuple(found_inputs), tuple(found_outputs))
        self._bench = None
        self.restart()

    def restart(self):
        """The state after power-on, all inputs 0."""
        self.close()
        self._bench = self._library.create()
        self.i = self._library.inputs(self._bench)
        self.o = self._library.outputs(self._bench)
        self._edge = self._library.edge
        self.edge(0)

    def edge(self, clocks):
        self._edge(self._bench, clocks)

    def set(self, **values):
        for name, value in values.items():
            self.i[self.inputs[name]] = value

    def get(self, name):
        return self.o[self.outputs[name]]

    def close(self):
        if self._bench:
            self._library.destroy(self._bench)
            self._bench = None

    def __del__(self):
        self.close()


@functools.cache
def _library(text, clocks, inputs, outputs):
    rises = "top.p_rises.set<uint64_t>(clocks);" if len(clocks) > 1 else ""
    if len(clocks) > 1:
        text = one_clock(text, clocks)
    return compiled_library(text, inputs, outputs, _SOURCE.format(rises=rises),
                            [("edge", None, (ctypes.c_void_p, ctypes.c_uint))])
