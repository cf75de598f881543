"""The bench of long unit tests: as :class:`unit.bench.Bench`, and its component is compiled.

To make one costs a second or so, and a clock a twentieth of what Amaranth's simulator takes: it
pays where all the scripts of a module together take some ten thousand clocks.
"""

import ctypes

from amaranth.back import rtlil
from amaranth.hdl import Const, Module, Shape, Signal, Value, ValueCastable
from amaranth.hdl._ast import SignalDict, Slice
from amaranth.hdl._ir import PortDirection
from amaranth.lib.wiring import In

from sata_recorder.simulation.netlist.text import member
from unit.bench import Bench
from unit.compiled_library import compiled_library

__all__ = ["CompiledBench"]

#: The bits of a word of C++.
WORD = 64

# To compile takes longer than all that is run.
_OPTIONS = '#pragma GCC optimize("O0")\n'
_SOURCE = """
EXPORT void *memory(Bench *bench, unsigned number) {{
    void *const found[] = {{{memories}}};
    return found[number];
}}
EXPORT void settle(Bench *bench) {{
    sample(bench);
    bench->top.settle();
    observe(bench);
}}
EXPORT void edge(Bench *bench) {{
    sample(bench);
    bench->top.clock();
    bench->top.commit();
}}
"""


class CompiledBench(Bench):
    """As :class:`unit.bench.Bench`: the same members, and scripts. It is compiled by its first run.

    Parameters
    ----------
    component : the Amaranth component
    inside : sequence of str    Members of ``component``, components too, whose ports a script sees.
    contents : sequence         ``(memory, words)``: what a ``MemoryData`` holds when a run begins.
                        It is compiled faster than its ``init``.
    """

    _library = _state = None

    def __init__(self, component, *, inside=(), contents=()):
        self.component = component
        self._inside = inside
        self._contents = contents
        self._places = {}

    def _compile(self):
        component = self.component
        m = Module()
        m.submodules.whole = component
        ports, self._ports, self._initial, number = {}, SignalDict(), [], {True: 0, False: 0}
        for part in (None, *self._inside):
            inner = component if part is None else getattr(component, part)
            for path, described, value in inner.signature.flatten(inner):
                value = value.as_value() if isinstance(value, ValueCastable) else value
                if isinstance(value, Const):
                    continue
                is_input = part is None and described.flow == In
                words = [value] if len(value) <= WORD else [
                    Signal(len(piece)) for piece in _cut(value)]
                m.d.comb += [piece.eq(word) if is_input else word.eq(piece)
                             for piece, word in zip(_cut(value), words) if word is not value]
                name = "__".join(map(str, path if part is None else (part, *path)))
                for word, _piece in zip(words, _cut(value)):
                    ports[f"{name}__{len(ports)}"] = word, (
                        PortDirection.Input if is_input else PortDirection.Output)
                self._ports[value] = number[is_input], is_input
                number[is_input] += len(words)
                if is_input:
                    self._initial += [value.init >> at & (1 << WORD) - 1
                                      for at in range(0, len(value), WORD)]
        text = rtlil.convert(m, name="top", emit_src=False, ports=ports)
        self._memories = _memories(text)
        self._library = _library(text, *([name for name, (_, way) in ports.items() if way is wanted]
                                         for wanted in (PortDirection.Input, PortDirection.Output)),
                                 [*self._memories.values()])

    def run(self, script, *arguments, **keywords):
        """What the coroutine function ``script(bench, *arguments, **keywords)`` returns."""
        if not self._library:
            self._compile()
        self._close()
        self._state = ctypes.c_void_p(self._library.create())
        self._in = self._library.inputs(self._state)
        self._out = self._library.outputs(self._state)
        for number, value in enumerate(self._initial):
            self._in[number] = value
        self._changed = True
        for memory, content in self._contents:
            self._rows(memory)[:len(content)] = content
        try:
            script(self, *arguments, **keywords).send(None)
        except StopIteration as end:
            return end.value
        raise AssertionError("a script waits for its bench only")

    def _place(self, name):
        """Where ``name`` is: whether it is an input, and (number of the word, lowest bit, mask) of
        its pieces, from the lowest one on."""
        found = self.component
        for part in name.split("__"):
            found = getattr(found, part)
        value, start = Value.cast(found), 0
        end = len(value)
        while isinstance(value, Slice):
            start, end, value = start + value.start, end + value.start, value.value
        number, is_input = self._ports[value]
        pieces = []
        while start < end:
            low = start % WORD
            width = min(WORD - low, end - start)
            pieces.append((number + start // WORD, low, (1 << width) - 1))
            start += width
        place = self._places[name] = is_input, pieces
        return place

    def set(self, **inputs):
        """Sets inputs of this clock and of those after it."""
        words = self._in
        for name, value in inputs.items():
            is_input, pieces = self._places.get(name) or self._place(name)
            assert is_input, name
            value = int(value)
            for number, low, mask in pieces:
                words[number] = words[number] & ~(mask << low) | (value & mask) << low
                value >>= mask.bit_length()
        self._changed = True

    def get(self, name):
        """What is visible in this clock."""
        is_input, pieces = self._places.get(name) or self._place(name)
        if self._changed and not is_input:
            self._library.settle(self._state)
            self._changed = False
        words = self._in if is_input else self._out
        if len(pieces) == 1:
            ((number, low, mask),) = pieces
            return words[number] >> low & mask
        return sum((words[number] >> low & mask) << at for (number, low, mask), at in zip(
            pieces, _starts(pieces)))

    async def tick(self, clocks=1):
        """Ends this clock, and more of them."""
        for _ in range(clocks):
            self._library.edge(self._state)
        self._changed = True

    def _rows(self, memory):
        """The rows of a ``MemoryData``, which is the only one of its shape."""
        width = Shape.cast(memory.shape).width
        number = [*self._memories].index((width, memory.depth))
        kind = next(kind for kind in _WORDS if 8 * ctypes.sizeof(kind) >= width)
        return (kind * memory.depth).from_address(self._library.memory(self._state, number))

    def peek(self, row):
        """What a row of a ``MemoryData`` of the component holds in this clock."""
        return self._rows(row._memory)[row._index]

    def poke(self, row, value):
        """Puts ``value`` into a row of a ``MemoryData``."""
        self._rows(row._memory)[row._index] = value
        self._changed = True

    def _close(self):
        if self._state:
            self._library.destroy(self._state)
            self._state = None

    def __del__(self):
        self._close()


def _cut(value):
    """The words of a value."""
    return [value[at:at + WORD] for at in range(0, len(value), WORD)]


def _starts(pieces):
    at = 0
    for _, _, mask in pieces:
        yield at
        at += mask.bit_length()


_WORDS = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64


def _memories(text):
    """(width, depth) to the path of the memories in RTLIL ``text`` that have no other like them."""
    found, module = {}, ""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["module"]:
            module = words[1].removeprefix("\\top").lstrip(".")
        elif words[:1] == ["memory"]:
            path = f"{module}.{words[5].lstrip(chr(92))}".lstrip(".")
            found.setdefault((int(words[2]), int(words[4])), []).append(path)
    return {shape: paths[0] for shape, paths in found.items() if len(paths) == 1}


def _library(text, inputs, outputs, memories):
    source = _SOURCE.format(
        memories=", ".join(f"bench->top.memory.{member(name)}" for name in memories) or "nullptr")
    return compiled_library(text, inputs, outputs, source, (
        ("memory", ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_uint)),
        ("edge", None, (ctypes.c_void_p,)), ("settle", None, (ctypes.c_void_p,))), options=_OPTIONS)
