"""The C++ text of a fast path: a clock of a core in which many registers and inputs are constants.

While data flow, most of the registers of one byte keep their values, clock after clock. With these
as constants a compiler leaves a small part of the core.
"""

from . import expressions
from .core_layout import CoreLayout, indented
from .function import Function
from .sums import sum_functions, summed

_PATH = """\
#include <cstdint>
#include <cstring>
{sums}
{layout}
    static bool moved(uint8_t &target, uint8_t value, uint8_t assumed) {{
        if (value == assumed)
            return false;
        target = value;
        return true;
    }}

    // One by one: a processor has to wait for a pair whose bytes have just been written.
    bool inputs_as_assumed() const {{
        return !({inputs});
    }}

    // Whether a register is not what is assumed any more, after this cycle. Where the clock `follows` one
    // of the same path, the next cycle's registers have all that is assumed before.
    bool evaluate(const State *__restrict q, State *__restrict n, bool follows) {{
        bool leave = false;
        if (follows) {{
            #pragma GCC unroll 128
            for (unsigned at = {assumed_pairs}; at < sizeof(State) / sizeof(Pair); at++)
                ((Pair *)n)[at] = ((const Pair *)q)[at];
{copies}
        }} else {{
            memcpy(n, q, sizeof *n);
        }}
{clock}
        return leave;
    }}
}};

// What is assumed of the bytes of a row, see Core::bytes(), where the mask is not 0.
extern "C" {{
    extern __attribute__((visibility("default"))) const uint32_t path_bytes = Core::BYTES;
    extern __attribute__((visibility("default"))) const uint8_t path_values[] = {{{values}}}, path_mask[] = {{{mask}}};
}}

// The same, of the registers only, to the end of the last pair.
alignas(Pair) static const uint8_t values[] = {{{register_values}}}, mask[] = {{{register_mask}}};

static bool registers_as_assumed(const uint8_t *bytes) {{
    Pair other = {{}};
    #pragma GCC unroll 128
    for (unsigned at = 0; at < sizeof values; at += sizeof(Pair)) {{
        Pair pair;
        memcpy(&pair, bytes + at, sizeof pair);
        other |= (pair ^ *(const Pair *)(values + at)) & *(const Pair *)(mask + at);
    }}
    return !(other[0] | other[1]);
}}

// The cycle of the core, like Core::clock(). 0: not as assumed, nothing is done. 1: done, and not as
// assumed any more. 2: done, and the next clock `follows`, if the inputs are as assumed.
extern "C" __attribute__((visibility("default"))) int path_clock(Core *core, int follows) {{
    if (!core->inputs_as_assumed() || !follows && !registers_as_assumed((const uint8_t *)core->q))
        return 0;
    return core->evaluate(core->q, core->n, follows) ? 1 : 2;
}}
"""
_PAIR = 16


def fast_path_text(netlist, assumed, each_clock=None):
    """The text of a fast path for the core that :func:`.text.text` makes of an equal ``netlist``.

    ``assumed`` has, for each byte of `Core::bytes()`, the value that it is assumed to have, or None.
    ``each_clock`` is that of the core. The text exports `path_clock()`.
    """
    sums = summed(netlist)
    layout = CoreLayout(netlist)
    values = {node: value for node, value in zip([*layout.byte_registers, *layout.byte_inputs], assumed, strict=True)
              if value is not None}
    clock, _ = layout.roots(each_clock, {node: f"leave |= moved({{target}}, {{value}}, {value});"
                                         for node, value in values.items()})
    names = layout.names | {node: expressions.number(value, 8) for node, value in values.items()}
    registers = len(layout.byte_registers)
    pairs = range(registers // _PAIR)
    copies = [f"    ((Pair *)n)[{pair}] = ((const Pair *)q)[{pair}];" for pair in pairs
              if None in assumed[_PAIR * pair:_PAIR * (pair + 1)]]
    inputs = [f"{layout.names[node]} ^ {names[node]}" for node in layout.byte_inputs if node in values]
    padded = [*assumed[:registers], *[None] * (-registers % _PAIR if registers else _PAIR)]
    return _PATH.format(
        sums=sum_functions(sums), layout=layout.text, assumed_pairs=len(pairs),
        copies=indented(copies, 8), clock=indented(Function(clock, names, layout.memories).lines, 8),
        values=_values(assumed), mask=_mask(assumed),
        register_values=_values(padded), register_mask=_mask(padded),
        inputs=" | ".join(inputs) or "false")


def _values(values):
    return ", ".join(str(value or 0) for value in values)


def _mask(values):
    return ", ".join("0" if value is None else "255" for value in values)
