"""What the class `Core` of a netlist holds, and where: the same in the core and in its fast paths."""

import re

from . import expressions
from .design import CLOCK
from .placement import ASSIGNMENT, Root, needed, reads_memory

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
{other}
"""
#: The registers of the other clock.
_OTHER = """\
    struct alignas(Pair) OtherState {{
{registers}
    }} other_states[2];
    OtherState *oq = other_states, *on = other_states + 1;
"""


class CoreLayout:
    """The members of the class `Core` for ``netlist``.

    Members: ``text``, the class up to its functions; ``registers`` of the clock in the order in which they lie,
    those of one byte first, and ``others``, those of the other clock; ``byte_registers`` and ``byte_inputs``, the
    nodes of those of one byte that the clock needs, in the order of `Core::bytes()`; ``names`` node to text, of
    registers and inputs; ``memories`` name to text; ``netlist``.
    """

    def __init__(self, netlist):
        self.netlist = netlist
        self.registers = sorted((register for register in netlist.registers if register.clock == CLOCK),
                                key=lambda register: not _is_byte(register.node))
        self.others = [register for register in netlist.registers if register.clock != CLOCK]
        self.byte_registers = [register.node for register in self.registers if _is_byte(register.node)]
        self.names = {register.node: f"q->r{index}" for index, register in enumerate(self.registers)}
        self.names |= {register.node: f"oq->r{index}" for index, register in enumerate(self.others)}
        for name, node in netlist.inputs.items():
            self.names[node] = f"(({expressions.ctype(node.width)}){_port(name)}.word)"
        self.memories = {name: f"memory.{member(name)}" for name in netlist.memories}
        # Outputs that are made of registers of the other clock change with it.
        others = {register.node for register in self.others}
        self._others_outputs = {name for name, value in netlist.outputs.items() if others & needed([value])}
        self.byte_inputs = [node for node in netlist.inputs.values() if _is_byte(node)]
        if others:
            clocked = needed(value for root in self.roots(None)[0] for value in (root.value, root.address, root.enable))
            self.byte_inputs = [node for node in self.byte_inputs if node in clocked]
        ports = [f"Port<{expressions.storage(node.width)}> {_port(name)};"
                 for name, node in netlist.inputs.items()]
        ports += [f"Port<uint64_t> {_port(name)};" for name in netlist.outputs]
        self.text = _MEMBERS.format(
            byte_registers=len(self.byte_registers),
            bytes=len(self.byte_registers) + len(self.byte_inputs), ports=indented(ports, 4),
            registers=_declared(self.registers),
            memories=indented((f"{expressions.storage(memory.width)} {member(name)}[{memory.size}];"
                               for name, memory in netlist.memories.items()), 8),
            other=_OTHER.format(registers=_declared(self.others)) if others else "")

    def roots(self, each_clock, stores=None):
        """What is to be done: the :class:`Root` statements of `clock()`, with the outputs that
        ``each_clock`` names (None: all), and those of `settle()`. ``stores`` has the statement of a
        register if that is not an assignment."""
        outputs = {name: root for name, root in self._outputs().items() if name not in self._others_outputs}
        # After clock() a memory already has its words of the next cycle.
        always = {name for name, root in outputs.items()
                  if each_clock is None or name in each_clock or each_clock and reads_memory(root.value)}
        clock = [root for name, root in outputs.items() if name in always]
        clock += [Root(f"n->r{index}", register.next, register.node,
                       statement=(stores or {}).get(register.node, ASSIGNMENT))
                  for index, register in enumerate(self.registers)]
        clock += self._stored(lambda clock: clock == CLOCK)
        return clock, [root for name, root in outputs.items() if name not in always]

    def other_roots(self):
        """The statements of `tick()`, an edge of the other clock; none without one."""
        if not self.others:
            return []
        ticked = [root for name, root in self._outputs().items() if name in self._others_outputs]
        ticked += [Root(f"on->r{index}", register.next, register.node) for index, register in enumerate(self.others)]
        return ticked + self._stored(lambda clock: clock != CLOCK)

    def _outputs(self):
        return {name: Root(f"{_port(name)}.word", value) for name, value in self.netlist.outputs.items()}

    def _stored(self, mine):
        """Writes of memories at the edge of a clock that is ``mine``, and resets of registers at those of another: the
        latter do not wait for their own edge."""
        return [Root(self.memories[write.memory], write.data, None, write.address, write.enable)
                for write in self.netlist.writes if mine(write.clock)] + [
            Root(self.names[reset.node], reset.value, None, (), reset.when)
            for reset in self.netlist.resets if not mine(reset.clock)]


def member(name):
    """The member of the class for a memory, named by its path."""
    return "m_" + re.sub(r"\W", lambda found: f"_{ord(found[0])}_", name.replace("_", "__"))


def indented(lines, indent):
    """``lines`` as one indented text."""
    return "\n".join(" " * indent + line for line in lines)


def _declared(registers):
    """The members of a state."""
    return indented((f"{expressions.storage(register.node.width)} r{index};"
                     for index, register in enumerate(registers)), 8)


def _port(name):
    """The member of the class for a port, named as CXXRTL names it."""
    return f"p_{name.replace('_', '__')}"


def _is_byte(node):
    return node.width <= 8
