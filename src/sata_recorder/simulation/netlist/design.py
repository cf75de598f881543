"""The netlist of one flat module: words and the cells that make them, from Yosys's JSON."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

#: The widest word: what does not fit is cut, or refused.
WORD = 64
#: A register is cut where the sources of its bits change, unless into more parts than this.
_CUTS = 8

_UNARY = {"$not", "$pos", "$neg", "$logic_not", "$reduce_or", "$reduce_bool", "$reduce_and",
          "$reduce_xor"}
SHIFTS = {"$shl", "$shr", "$sshl", "$sshr"}
DIVISIONS = {"$divfloor", "$modfloor"}
_BINARY = {"$and", "$or", "$xor", "$xnor", "$add", "$sub", "$mul", "$eq", "$ne", "$lt", "$le",
           "$gt", "$ge", "$logic_and", "$logic_or", *SHIFTS, *DIVISIONS}
_IGNORED = {"$scopeinfo", "$meminit", "$meminit_v2", "$memrd_v2", "$memwr_v2", "$dff"}

#: The port of the clock, and that of the only other clock that a netlist may have.
CLOCK, OTHER_CLOCK = "clk", "s_axis_aclk"


class UnknownCell(Exception):
    """The netlist has something that cannot be translated; the text names it."""


@dataclass(eq=False)
class Node:
    """A word of ``width`` bits, and what makes it.

    ``op`` is the cell's type, ``"input"``, ``"register"``, ``"read"`` (of ``memory``),
    ``"mux"``, whose operands are the select, the word for 0 and the word for 1, or ``"sum"``, of
    the words that ``tables`` have for the bytes of the operand. An operand is a
    tuple of :class:`Bits`, the lowest bits first. ``signed`` states that the operands are.
    """

    op: str
    width: int
    name: str
    operands: tuple = ()
    signed: bool = False
    memory: str = ""
    tables: tuple = ()


class Bits(NamedTuple):
    """``width`` bits of ``node`` from bit ``offset`` on, or of the number ``offset`` if
    ``node`` is None."""

    node: Node | None
    offset: int
    width: int


@dataclass(eq=False)
class FlipFlops:
    """What ``node`` holds after the edge of ``clock``, ``next``, and after power-on, ``init``."""

    node: Node
    next: tuple
    init: int
    clock: str = CLOCK


@dataclass(eq=False)
class Reset:
    """While ``when`` is not 0, ``node`` becomes ``value`` without waiting for the edge of ``clock``."""

    node: Node
    when: tuple
    value: tuple
    clock: str


@dataclass(eq=False)
class Write:
    """At the edge of ``clock`` ``data`` goes to ``address`` of ``memory`` if ``enable`` is not 0."""

    memory: str
    address: tuple
    data: tuple
    enable: tuple
    clock: str = CLOCK


@dataclass
class Memory:
    """``size`` words of ``width`` bits, ``init`` after power-on."""

    width: int
    size: int
    init: list = field(default_factory=list)


def _number(text):
    """A parameter of a cell; an unknown bit counts as 0, as CXXRTL has it."""
    return int(text.replace("x", "0").replace("z", "0") or "0", 2)


class Netlist:
    """A flat module of the clock :data:`CLOCK`, at its rising edge, and of :data:`OTHER_CLOCK` if it has that port.

    Parameters: ``module`` is the module as ``write_json`` gives it, after ``proc`` and
    ``flatten``. Members: ``inputs`` name to node, those of more than 64 bits as several, from bit 64 on named with
    the bit, as in ``name_64``; ``outputs`` name to operand; ``registers``, ``resets``,
    ``writes`` and ``memories`` (by name). Raises :exc:`UnknownCell`.
    """

    def __init__(self, module):
        self._module = module
        self._drivers = {}
        self._late = []
        ports = module["ports"]
        self._clocks = {tuple(ports[name]["bits"]): name for name in (CLOCK, OTHER_CLOCK) if name in ports}
        self.inputs = {f"{name}_{at}" if at else name: self._word("input", port["bits"][at:at + WORD], name)
                       for name, port in ports.items() if port["direction"] == "input"
                       for at in range(0, len(port["bits"]), WORD)}
        self.registers = []
        self.resets = []
        self.writes = []
        self.memories = {bank: Memory(part.stop - part.start, entry["size"])
                         for name, entry in module.get("memories", {}).items()
                         for bank, part in _banks(name, entry["width"])}
        self._read_cells()
        self.outputs = {name: self._operand(port["bits"]) for name, port in ports.items()
                        if port["direction"] == "output"}

    def _read_cells(self):
        cells = self._module["cells"]
        initial = self._initial_bits()
        handlers = {"$dff": self._register, "$adff": self._reset_register, "$memrd_v2": self._read, "$mux": self._mux,
                    "$pmux": self._mux, "$shift": self._shift, "$shiftx": self._shift}
        for name, cell in cells.items():
            handler = handlers.get(cell["type"], self._cell)
            handler(name, cell["type"], cell["parameters"], cell["connections"], initial)
        for finish in self._late:
            finish()
        for name, cell in cells.items():
            if cell["type"] == "$memwr_v2":
                self._write(name, cell["parameters"], cell["connections"])
            elif cell["type"] in ("$meminit", "$meminit_v2"):
                self._fill(cell["parameters"], cell["connections"])

    # What drives a bit.

    def _word(self, op, bits, name, **more):
        """A new node that drives ``bits``."""
        if len(bits) > WORD:
            raise UnknownCell(f"{name}: {op} of {len(bits)} bits: at most {WORD}")
        node = Node(op, len(bits), name, **more)
        for offset, bit in enumerate(bits):
            if isinstance(bit, int):
                self._drivers[bit] = (node, offset)
        return node

    def _operand(self, bits):
        """What ``bits`` of the module are, in as few pieces as possible."""
        return _packed(self._source(bit) for bit in bits)

    def _source(self, bit):
        """What drives one bit."""
        if not isinstance(bit, int):
            return Bits(None, int(bit == "1"), 1)
        if bit not in self._drivers:
            raise UnknownCell(f"net {bit} has no driver")
        return Bits(*self._drivers[bit], 1)

    def _later(self, node, *lists):
        """Sets the operands of ``node`` when all drivers are known."""
        def finish():
            node.operands = tuple(self._operand(bits) for bits in lists)
        self._late.append(finish)

    # Cells.

    def _cell(self, name, kind, parameters, ports, initial):
        if kind in _IGNORED:
            return
        if kind not in _UNARY | _BINARY:
            raise UnknownCell(f"cell {name} of type {kind}")
        lists = [ports["A"]] if kind in _UNARY else [ports["A"], ports["B"]]
        width = max(map(len, (*lists, ports["Y"])))
        if width > WORD:
            raise UnknownCell(f"cell {name} of type {kind} has {width} bits: at most {WORD}")
        signed = _number(parameters["A_SIGNED"]) and (
            kind in _UNARY | SHIFTS or _number(parameters["B_SIGNED"]))
        if kind in DIVISIONS and _number(parameters["A_SIGNED"]):
            raise UnknownCell(f"cell {name} of type {kind} is signed")
        node = self._word(kind, ports["Y"], name, signed=bool(signed))
        self._later(node, *lists)

    def _shift(self, name, kind, parameters, ports, initial):
        """Shifts to the right of any width: a multiplexer for each bit of the amount."""
        if _number(parameters["B_SIGNED"]) or _number(parameters["A_SIGNED"]):
            raise UnknownCell(f"cell {name} of type {kind} is signed")
        words = [ports["Y"][at:at + WORD] for at in range(0, len(ports["Y"]), WORD)]
        nodes = [self._word("$pos", word, f"{name}.{at}") for at, word in enumerate(words)]

        def finish():
            zero = Bits(None, 0, 1)
            bits = [self._source(bit) for bit in ports["A"]]
            bits += [zero] * (len(ports["Y"]) - len(bits))
            for stage, select in enumerate(ports["B"]):
                moved = bits[1 << stage:] + [zero] * min(1 << stage, len(bits))
                bits = [bit for at in range(0, len(bits), WORD)
                        for bit in self._chosen(f"{name}.{stage}.{at}", select,
                                                bits[at:at + WORD], moved[at:at + WORD])]
            for at, node in enumerate(nodes):
                node.operands = (_packed(bits[WORD * at:WORD * at + node.width]),)
        self._late.append(finish)

    def _chosen(self, name, select, low, high):
        """The bits of a new multiplexer."""
        node = Node("mux", len(low), name, (self._operand([select]), _packed(low), _packed(high)))
        return [Bits(node, offset, 1) for offset in range(len(low))]

    def _mux(self, name, kind, parameters, ports, initial):
        selects, width = ports["S"], len(ports["Y"])
        for start in range(0, width, WORD):
            part = slice(start, min(start + WORD, width))
            arms = [ports["B"][index * width:][part] for index in range(len(selects))]
            below = ports["A"][part]
            # The selects of a $pmux exclude each other, so their order is free.
            for index in reversed(range(1, len(selects))):
                inner = Node("mux", len(ports["Y"][part]), f"{name}.{index}")
                self._chain(inner, selects[index], below, arms[index])
                below = inner
            self._chain(self._word("mux", ports["Y"][part], name), selects[0], below, arms[0])

    def _chain(self, node, select, below, arm):
        def finish():
            under = _all(below) if isinstance(below, Node) else self._operand(below)
            node.operands = (self._operand([select]), under, self._operand(arm))
        self._late.append(finish)

    def _register(self, name, kind, parameters, ports, initial):
        clock = self._clock_of(name, ports["CLK"], parameters["CLK_POLARITY"])
        for start, end in self._cuts(ports["D"]):
            node = self._word("register", ports["Q"][start:end], f"{name}.{start}")
            self._registered(node, ports["D"][start:end], _initial(ports["Q"][start:end], initial), clock)

    def _registered(self, node, bits, init, clock):
        self._late.append(lambda: self.registers.append(
            FlipFlops(node, self._operand(bits), init, clock)))

    def _reset_register(self, name, kind, parameters, ports, initial):
        """Flip-flops with an asynchronous reset: what they hold, and what is seen of them."""
        clock, width = self._clock_of(name, ports["CLK"], parameters["CLK_POLARITY"]), len(ports["Q"])
        if not _number(parameters["ARST_POLARITY"]) or width > WORD:
            raise UnknownCell(f"cell {name} of type {kind}: {width} bits, or reset by 0")
        held, seen = Node("register", width, f"{name}.held"), self._word("mux", ports["Q"], name)
        value = (Bits(None, _number(parameters["ARST_VALUE"]), width),)
        init = _initial(ports["Q"], initial)

        def finish():
            when = self._operand(ports["ARST"])
            seen.operands = when, _all(held), value
            following = Node("mux", width, f"{name}.next", (when, self._operand(ports["D"]), value))
            self.registers.append(FlipFlops(held, _all(following), init, clock))
            self.resets.append(Reset(held, when, value, clock))
        self._late.append(finish)

    def _cuts(self, bits):
        """Where a register whose inputs are ``bits`` is cut: its parts come from one cell each."""
        starts = [0]
        for index in range(1, len(bits)):
            if self._cell_of.get(bits[index]) != self._cell_of.get(bits[index - 1]) \
                    or index - starts[-1] == WORD:
                starts.append(index)
        if len(starts) > _CUTS and len(bits) <= WORD:
            starts = [0]
        return list(zip(starts, [*starts[1:], len(bits)]))

    @cached_property
    def _cell_of(self):
        """Bit to the cell that drives it."""
        return {bit: name for name, cell in self._module["cells"].items()
                for port in ("Y", "Q", "DATA") for bit in cell["connections"].get(port, ())
                if isinstance(bit, int) and not cell["type"].startswith(("$memwr", "$meminit"))}

    def _clock_of(self, name, bits, polarity):
        found = self._clocks.get(tuple(bits))
        if found is None or not _number(polarity):
            raise UnknownCell(f"cell {name} is not clocked by the rising edge of {' or '.join(self._clocks.values())}")
        return found

    def _initial_bits(self):
        """The bits that are not 0 after power-on."""
        found = {}
        for entry in self._module["netnames"].values():
            init = entry["attributes"].get("init", "")
            for bit, value in zip(entry["bits"], reversed(init)):
                if value == "1":
                    found[bit] = 1
        return found

    # Memories.

    def _read(self, name, kind, parameters, ports, initial):
        if "1" in parameters["TRANSPARENCY_MASK"] or ports["SRST"] not in (["0"], ["x"]) \
                or ports["ARST"] not in (["0"], ["x"]):
            raise UnknownCell(f"cell {name}: a read port with reset or transparency")
        init = _number(parameters["INIT_VALUE"])
        for memory, part in _banks(parameters["MEMID"], len(ports["DATA"])):
            self._read_bank(name, parameters, ports | {"DATA": ports["DATA"][part]}, memory,
                            init >> part.start & (1 << part.stop - part.start) - 1)

    def _read_bank(self, name, parameters, ports, memory, init):
        self._reach(memory, ports["ADDR"])
        if not _number(parameters["CLK_ENABLE"]):
            self._later(self._word("read", ports["DATA"], name, memory=memory), ports["ADDR"])
            return
        clock = self._clock_of(name, ports["CLK"], parameters["CLK_POLARITY"])
        held = self._word("register", ports["DATA"], name)
        word = Node("read", held.width, f"{name}.word", memory=memory)
        self._later(word, ports["ADDR"])
        following = word
        if ports["EN"] != ["1"]:
            following = Node("mux", held.width, f"{name}.next")
            self._late.append(lambda: setattr(following, "operands", (
                self._operand(ports["EN"]), _all(held), _all(word))))
        self.registers.append(FlipFlops(held, _all(following), init, clock))

    def _write(self, name, parameters, ports):
        clock = self._clock_of(name, ports["CLK"], parameters["CLK_POLARITY"])
        if not _number(parameters["CLK_ENABLE"]) or len(set(ports["EN"])) > 1:
            raise UnknownCell(f"cell {name}: a write port without clock or with bit enables")
        for memory, part in _banks(parameters["MEMID"], len(ports["DATA"])):
            if any(write.memory == memory for write in self.writes):
                raise UnknownCell(f"cell {name}: a second write port of {memory}")
            self._reach(memory, ports["ADDR"])
            self.writes.append(Write(memory, self._operand(ports["ADDR"]),
                                     self._operand(ports["DATA"][part]),
                                     self._operand(ports["EN"][:1]), clock))

    def _reach(self, memory, address):
        """Whatever the address is, it finds a word: a memory is as long as its address allows."""
        entry = self.memories[memory]
        entry.size = max(entry.size, 1 << len(address))

    def _fill(self, parameters, ports):
        width = _number(parameters["WIDTH"])
        first = sum((bit == "1") << place for place, bit in enumerate(ports["ADDR"]))
        words = [ports["DATA"][at:at + width] for at in range(0, len(ports["DATA"]), width)]
        for bank, part in _banks(parameters["MEMID"], width):
            init = self.memories[bank].init
            init += [0] * (first + len(words) - len(init))
            init[first:first + len(words)] = [
                sum((bit == "1") << place for place, bit in enumerate(word[part]))
                for word in words]


def _initial(bits, initial):
    """What the ``bits`` are after power-on, as a number."""
    return sum(initial.get(bit, 0) << offset for offset, bit in enumerate(bits))


def _packed(bits):
    """Single bits as an operand: neighbours in one word are one piece."""
    pieces = []
    for node, offset, _ in bits:
        last = pieces[-1] if pieces else None
        if last and node is None and last.node is None and last.width < WORD:
            pieces[-1] = Bits(None, last.offset | offset << last.width, last.width + 1)
        elif last and node is not None and last.node is node \
                and last.offset + last.width == offset:
            pieces[-1] = Bits(node, last.offset, last.width + 1)
        else:
            pieces.append(Bits(node, offset, 1))
    return tuple(pieces)


def _all(node):
    """The whole of ``node`` as an operand."""
    return (Bits(node, 0, node.width),)


def _banks(name, width):
    """A memory as banks of at most a word: the name of each, and its part of the bits."""
    plain = name.removeprefix("\\")
    return [(f"{plain}.{start}" if start else plain, slice(start, min(start + WORD, width)))
            for start in range(0, width, WORD)]
