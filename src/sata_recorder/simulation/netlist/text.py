"""The C++ text of a netlist: a class whose `clock()` is one cycle."""

from . import expressions
from .core_layout import CoreLayout, indented, member
from .function import Function
from .sums import sum_functions, summed

_CLASS = """\
#include <cstdint>
#include <cstring>
{sums}
{layout}
    Core() {{
        memset(states, 0, sizeof states), memset(&memory, 0, sizeof memory);
{zeros}
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

    // All registers and inputs of one byte.
    void bytes(uint8_t *row) const {{
        memcpy(row, q, BYTE_REGISTERS);
{byte_inputs}
    }}

{other}
    void evaluate(const State *__restrict q, State *__restrict n) {{
        // An assignment would call a routine that starts slowly.
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
#: An edge of the other clock, between two cycles.
_TICK = """\
    // An edge of the other clock: the outputs that are made of its registers, and what these hold after ticked().
    void tick() {{
        *on = *oq;
        tick(oq, on);
    }}

    void ticked() {{
        OtherState *old = oq;
        oq = on, on = old;
    }}

    void tick(const OtherState *__restrict oq, OtherState *__restrict on) {{
{ticked}
    }}
"""


def text(netlist, each_clock=None):
    """The text of the class `Core` for ``netlist``.

    ``each_clock`` names the outputs that are computed in every cycle, None: all. `settle()` computes
    the others, from inputs and registers: if none is named, before `clock()`; else after it, and
    those that read a memory are computed in every cycle, too. Each port is a member named `p_` and
    the port's name, as in CXXRTL's classes. If there is another clock, `tick()` and `ticked()` are an edge of
    it. Raises :exc:`.design.UnknownCell` for what it cannot translate.
    """
    sums = summed(netlist)
    layout = CoreLayout(netlist)
    clock, settle = layout.roots(each_clock)
    ticked = layout.other_roots()
    return _CLASS.format(
        zeros="        memset(other_states, 0, sizeof other_states);" if ticked else "",
        other=_TICK.format(ticked=indented(Function(ticked, layout.names, layout.memories).lines, 8)) if ticked else "",
        sums=sum_functions(sums), layout=layout.text, initial=indented(_initial(layout), 8),
        byte_inputs=indented((f"row[BYTE_REGISTERS + {place}] = {layout.names[node]};"
                              for place, node in enumerate(layout.byte_inputs)), 8),
        clock=indented(Function(clock, layout.names, layout.memories).lines, 8),
        settle=indented(Function(settle, layout.names, layout.memories).lines, 8))


def _initial(layout):
    """The statements that give registers and memories what they hold after power-on."""
    for index, register in enumerate(layout.registers):
        if register.init:
            yield f"states[0].r{index} = {expressions.number(register.init, 64)};"
    for index, register in enumerate(layout.others):
        if register.init:
            yield f"other_states[0].r{index} = {expressions.number(register.init, 64)};"
    for name, memory in layout.netlist.memories.items():
        if any(memory.init):
            words = ", ".join(expressions.number(word, memory.width) for word in memory.init)
            yield (f"static const {expressions.storage(memory.width)} {member(name)}[] = "
                   f"{{{words}}};")
            yield f"memcpy({layout.memories[name]}, {member(name)}, sizeof {member(name)});"
