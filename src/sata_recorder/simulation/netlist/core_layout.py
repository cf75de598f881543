"""What the class `Core` of a netlist holds, and where: the same in the core and in its fast paths."""

import re

from . import expressions
from .placement import Root

__all__ = ["CoreLayout", "indented", "member"]

_MEMBERS = """\
// A port: `set` an input before clock(), read an output after it.
template<class Word> struct Port {{
    Word word = 0;
    template<class T> void set(T number) {{ word = number; }}
}};
template<class Word> inline uint64_t now(const Port<Word> &port) {{ return port.word; }}

// What is copied and compared at once.
typedef uint64_t Pair __attribute__((vector_size(16), may_alias));

struct Core {{
    // Registers and inputs of one byte stand side by side, so that they can be compared together.
    enum {{ BYTE_REGISTERS = {byte_registers}, BYTE_INPUTS = {byte_inputs}, BYTES = BYTE_REGISTERS + BYTE_INPUTS }};
{inputs}
    uint8_t behind_byte_inputs[sizeof(Pair)] = {{}};
{ports}

    // The registers of this cycle and of the next one.
    struct alignas(Pair) State {{
{registers}
    }} states[2];
    struct Memory {{
{memories}
    }} memory;
    State *q = states, *n = states + 1;

    const uint8_t *byte_inputs() const {{ return (const uint8_t *)&{first_input}; }}
"""


class CoreLayout:
    """The members of the class `Core` for ``netlist``.

    Members: ``text``, the class up to its functions; ``registers`` in the order in which they lie,
    those of one byte first; ``bytes``, the nodes of the registers and inputs of one byte, in the
    order of `Core::bytes()`; ``names`` node to text, of registers and inputs; ``memories`` name to
    text; ``netlist``.
    """

    def __init__(self, netlist):
        self.netlist = netlist
        self.registers = sorted(netlist.registers, key=lambda register: not _is_byte(register.node))
        inputs = sorted(netlist.inputs.items(), key=lambda item: not _is_byte(item[1]))
        byte_inputs = [name for name, node in inputs if _is_byte(node)]
        byte_registers = [register.node for register in self.registers if _is_byte(register.node)]
        self.bytes = byte_registers + [netlist.inputs[name] for name in byte_inputs]
        self.names = {register.node: f"q->r{index}" for index, register in enumerate(self.registers)}
        for name, node in inputs:
            self.names[node] = f"(({expressions.ctype(node.width)}){_port(name)}.word)"
        self.memories = {name: f"memory.{member(name)}" for name in netlist.memories}
        ports = [f"Port<{expressions.storage(node.width)}> {_port(name)};" for name, node in inputs]
        self.text = _MEMBERS.format(
            byte_registers=len(byte_registers), byte_inputs=len(byte_inputs),
            inputs=indented(ports[:len(byte_inputs)], 4),
            ports=indented(ports[len(byte_inputs):]
                           + [f"Port<uint64_t> {_port(name)};" for name in netlist.outputs], 4),
            registers=indented((f"{expressions.storage(register.node.width)} r{index};"
                                for index, register in enumerate(self.registers)), 8),
            memories=indented((f"{expressions.storage(memory.width)} {member(name)}[{memory.size}];"
                               for name, memory in netlist.memories.items()), 8),
            first_input=_port(byte_inputs[0]) if byte_inputs else "behind_byte_inputs")

    def roots(self, each_clock, assumed=None):
        """What is to be done: the :class:`Root` statements of `clock()`, with the outputs that
        ``each_clock`` names (None: all), and those of `settle()`. ``assumed`` has the value of a
        register where one is assumed."""
        outputs = {name: Root(f"{_port(name)}.word", value)
                   for name, value in self.netlist.outputs.items()}
        always = outputs.keys() if each_clock is None else each_clock
        clock = [root for name, root in outputs.items() if name in always]
        clock += [Root(f"n->r{index}", register.next, register.node,
                       expected=(assumed or {}).get(register.node))
                  for index, register in enumerate(self.registers)]
        clock += [Root(self.memories[write.memory], write.data, None, write.address, write.enable)
                  for write in self.netlist.writes]
        return clock, [root for name, root in outputs.items() if name not in always]


def member(name):
    """The member of the class for a memory, named by its path."""
    return "m_" + re.sub(r"\W", lambda found: f"_{ord(found[0])}_", name.replace("_", "__"))


def indented(lines, indent):
    """``lines`` as one text."""
    return "\n".join(" " * indent + line for line in lines)


def _port(name):
    """The member of the class for a port, named as CXXRTL names it."""
    return f"p_{name.replace('_', '__')}"


def _is_byte(node):
    return node.width <= 8
