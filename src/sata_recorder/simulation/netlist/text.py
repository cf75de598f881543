"""The C++ text of a netlist: a class whose `clock()` is one cycle."""

import re

from . import expressions
from .function import Function
from .placement import Root
from .sums import summed

__all__ = ["text"]

_CLASS = """\
#include <cstdint>
#include <cstring>

// A port: `set` an input before clock(), read an output after it.
struct Port {{
    uint64_t word = 0;
    template<class T> void set(T number) {{ word = number; }}
}};
inline uint64_t now(const Port &port) {{ return port.word; }}
{sums}
struct Core {{
{ports}

    // The registers of this cycle and of the next one.
    struct alignas(16) State {{
{registers}
    }} states[2];
    struct Memory {{
{memories}
    }} memory;
    State *q = states, *n = states + 1;

    Core() {{
        memset(states, 0, sizeof states), memset(&memory, 0, sizeof memory);
{initial}
    }}

    // The outputs of a cycle that are wanted in each, and what the registers hold after it.
    bool clock() {{
        evaluate(q, n);
        return true;
    }}

    // The other outputs of the cycle.
    void settle() {{ outputs(q); }}

    void commit() {{
        State *old = q;
        q = n, n = old;
    }}

    void evaluate(const State *__restrict q, State *__restrict n) {{
        // An assignment would call a routine that starts slowly.
        typedef uint64_t Pair __attribute__((vector_size(16), may_alias));
        static_assert(sizeof(State) % sizeof(Pair) == 0, "whole pairs");
        #pragma GCC unroll 128
        for (unsigned at = 0; at < sizeof(State) / sizeof(Pair); at++)
            ((Pair *)n)[at] = ((const Pair *)q)[at];
{clock}
    }}

    void outputs(const State *q) {{
{settle}
    }}
}};
"""


def text(netlist, each_clock=None):
    """The text of the class `Core` for ``netlist``.

    ``each_clock`` names the outputs that are computed in every cycle, None: all; `settle()`
    computes the others, from the inputs and registers of the latest cycle. Its ports are members
    `p_` with the name, as in CXXRTL's classes. Raises :exc:`.design.UnknownCell` for what it
    cannot translate.
    """
    sums = summed(netlist)
    names = {}
    for index, register in enumerate(netlist.registers):
        names[register.node] = f"q->r{index}"
    for name, node in netlist.inputs.items():
        names[node] = f"(({expressions.ctype(node.width)}){port(name)}.word)"
    memories = {name: f"memory.{member(name)}" for name in netlist.memories}
    roots = [Root(f"n->r{index}", register.next, register.node)
             for index, register in enumerate(netlist.registers)]
    roots += [Root(memories[write.memory], write.data, None, write.address, write.enable)
              for write in netlist.writes]
    outputs = {name: Root(f"{port(name)}.word", value) for name, value in netlist.outputs.items()}
    always = outputs.keys() if each_clock is None else each_clock
    first = [root for name, root in outputs.items() if name in always]
    rest = [root for name, root in outputs.items() if name not in always]
    ports = [*netlist.inputs, *netlist.outputs]
    return _CLASS.format(
        sums="".join(map(_sum, sums)),
        ports=_lines((f"Port {port(name)};" for name in ports), 4),
        registers=_lines((f"{expressions.storage(register.node.width)} r{index};"
                          for index, register in enumerate(netlist.registers)), 8),
        memories=_lines((f"{expressions.storage(memory.width)} {member(name)}[{memory.size}];"
                         for name, memory in netlist.memories.items()), 8),
        initial=_lines(_initial(netlist, memories), 8),
        clock=_lines(Function(first + roots, names, memories).lines, 8),
        settle=_lines(Function(rest, names, memories).lines, 8))


def port(name):
    """The member of the class for a port, named as CXXRTL names it."""
    return f"p_{name.replace('_', '__')}"


def member(name):
    """The member of the class for a memory, named by its path."""
    return "m_" + re.sub(r"\W", lambda found: f"_{ord(found[0])}_", name.replace("_", "__"))


def _sum(node):
    """The function of a word that is a sum of tables."""
    kind = expressions.ctype(node.width)
    rows = ",\n".join(f"        {{{', '.join(map(hex, table))}}}" for table in node.tables)
    terms = " ^ ".join(f"table[{index}][word >> {8 * index} & 0xff]"
                       for index in range(len(node.tables)))
    return (f"\ninline {kind} {node.name}({expressions.ctype(node.operands[0][0].width)} word) {{\n"
            f"    static const {expressions.storage(node.width)} table[][256] = {{\n{rows}}};\n"
            f"    return {terms};\n}}\n")


def _initial(netlist, memories):
    for index, register in enumerate(netlist.registers):
        if register.init:
            yield f"states[0].r{index} = {expressions.number(register.init, 64)};"
    for name, memory in netlist.memories.items():
        if any(memory.init):
            words = ", ".join(expressions.number(word, memory.width) for word in memory.init)
            yield (f"static const {expressions.storage(memory.width)} {member(name)}[] = "
                   f"{{{words}}};")
            yield f"memcpy({memories[name]}, {member(name)}, sizeof {member(name)});"


def _lines(lines, indent):
    return "\n".join(" " * indent + line for line in lines)
