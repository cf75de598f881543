"""What the class `Core` of a netlist holds, and where: the same in the core and in its fast paths."""

import re

from . import expressions
from .placement import ASSIGNMENT, Root, reads_memory

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
    enum {{ BYTE_REGISTERS = {byte_registers}, BYTES = {bytes} }};
{ports}

    // The registers of this cycle and of the next one; those of one byte are first, side by side.
    struct alignas(Pair) State {{
{registers}
    }} states[2];
    struct Memory {{
{memories}
    }} memory;
    State *q = states, *n = states + 1;
"""


class CoreLayout:
    """The members of the class `Core` for ``netlist``.

    Members: ``text``, the class up to its functions; ``registers`` in the order in which they lie,
    those of one byte first; ``byte_registers`` and ``byte_inputs``, the nodes of those of one byte,
    in the order of `Core::bytes()`; ``names`` node to text, of registers and inputs; ``memories``
    name to text; ``netlist``.
    """

    def __init__(self, netlist):
        self.netlist = netlist
        self.registers = sorted(netlist.registers, key=lambda register: not _is_byte(register.node))
        self.byte_registers = [register.node for register in self.registers if _is_byte(register.node)]
        self.byte_inputs = [node for node in netlist.inputs.values() if _is_byte(node)]
        self.names = {register.node: f"q->r{index}" for index, register in enumerate(self.registers)}
        for name, node in netlist.inputs.items():
            self.names[node] = f"(({expressions.ctype(node.width)}){_port(name)}.word)"
        self.memories = {name: f"memory.{member(name)}" for name in netlist.memories}
        ports = [f"Port<{expressions.storage(node.width)}> {_port(name)};"
                 for name, node in netlist.inputs.items()]
        ports += [f"Port<uint64_t> {_port(name)};" for name in netlist.outputs]
        self.text = _MEMBERS.format(
            byte_registers=len(self.byte_registers),
            bytes=len(self.byte_registers) + len(self.byte_inputs), ports=indented(ports, 4),
            registers=indented((f"{expressions.storage(register.node.width)} r{index};"
                                for index, register in enumerate(self.registers)), 8),
            memories=indented((f"{expressions.storage(memory.width)} {member(name)}[{memory.size}];"
                               for name, memory in netlist.memories.items()), 8))

    def roots(self, each_clock, stores=None):
        """What is to be done: the :class:`Root` statements of `clock()`, with the outputs that
        ``each_clock`` names (None: all), and those of `settle()`. ``stores`` has the statement of a
        register, where it is no assignment."""
        outputs = {name: Root(f"{_port(name)}.word", value)
                   for name, value in self.netlist.outputs.items()}
        # A memory has its words of the next cycle after clock().
        always = {name for name, root in outputs.items()
                  if each_clock is None or name in each_clock or each_clock and reads_memory(root.value)}
        clock = [root for name, root in outputs.items() if name in always]
        clock += [Root(f"n->r{index}", register.next, register.node,
                       statement=(stores or {}).get(register.node, ASSIGNMENT))
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
