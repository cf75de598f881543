"""Words whose bits are sums modulo 2 of the bits of one other word, as the next CRC is.

They are hundreds of gates of one bit. In their place, a table for each byte of the other word has what
that byte adds.
"""

from . import expressions
from .design import Bits, Node

#: Gates that a table of 256 words has to replace, at least.
_WORTH = 8


def summed(netlist):
    """Replaces such words in ``netlist`` with words from tables; returns the nodes of these."""
    sums = _Sums()
    for register in netlist.registers:
        register.next = sums.value(register.next)
    for write in netlist.writes:
        write.data = sums.value(write.data)
    netlist.outputs = {name: sums.value(value) for name, value in netlist.outputs.items()}
    return sums.found


def sum_functions(nodes):
    """The C++ functions for ``nodes``, the words from tables."""
    return "".join(map(_function, nodes))


def _function(node):
    kind = expressions.ctype(node.width)
    rows = ",\n".join(f"        {{{', '.join(map(hex, table))}}}" for table in node.tables)
    terms = " ^ ".join(f"table[{index}][word >> {8 * index} & 0xff]"
                       for index in range(len(node.tables)))
    return (f"\ninline {kind} {node.name}({expressions.ctype(node.operands[0][0].width)} word) {{\n"
            f"    static const {expressions.storage(node.width)} table[][256] = {{\n{rows}}};\n"
            f"    return {terms};\n}}\n")


class _Sums:
    def __init__(self):
        self.found = []
        self._known = {}        # operand to what takes its place
        self._forms = {}        # node of a bit to what it is the sum of
        self._seen = set()

    def value(self, value):
        """What takes the place of the operand ``value``; all that it needs is replaced, too."""
        stack = [piece.node for piece in value]
        while stack:
            node = stack.pop()
            if node is not None and node not in self._seen:
                self._seen.add(node)
                node.operands = tuple(map(self._replaced, node.operands))
                stack += [piece.node for operand in node.operands for piece in operand]
        return self._replaced(value)

    def _replaced(self, value):
        if len(value) < _WORTH:
            return value
        if value not in self._known:
            self._known[value] = self._table(value) or value
        return self._known[value]

    def _table(self, value):
        """The operand as a word from tables; None if it is no such word, or not worth it."""
        gates, base, columns, constant = set(), None, {}, 0
        bits = [(piece.node, piece.offset + index if piece.node else piece.offset >> index)
                for piece in value for index in range(piece.width)]
        for place, (node, offset) in enumerate(bits):
            form = self._form(node, offset, gates)
            if form is None or base not in (None, form[0]) and form[0] is not None:
                return None
            base = form[0] or base
            constant |= form[2] << place
            for column in range(form[1].bit_length()):
                columns[column] = columns.get(column, 0) | (form[1] >> column & 1) << place
        if base is None or len(gates) < _WORTH * -(-base.width // 8):
            return None
        node = Node("sum", len(bits), f"sum{len(self.found)}", ((Bits(base, 0, base.width),),),
                    tables=_tables(columns, base.width, constant))
        self.found.append(node)
        self._seen.add(node)
        return (Bits(node, 0, node.width),)

    def _form(self, node, offset, gates):
        """(the node, which of its bits, constant) whose sum a bit is, None if it is a sum of several
        nodes; puts the gates that add them up into the set ``gates``. Without a ``node`` the bit is
        the lowest one of the number ``offset``."""
        if node is None:
            return None, 0, offset & 1
        if node.width > 1 or node.op not in ("$xor", "$xnor", "$not"):
            return node, 1 << offset, 0
        if node not in self._forms:
            below = set()
            self._forms[node] = None, below     # for a node that depends on itself
            self._forms[node] = self._added(node, below), below
        form, below = self._forms[node]
        gates.add(node)
        gates |= below
        return form

    def _added(self, node, gates):
        base, columns, constant = None, 0, int(node.op != "$xor")
        for (piece, *more) in node.operands:
            form = None if more or piece.width > 1 else self._form(piece.node, piece.offset, gates)
            if form is None or base not in (None, form[0]) and form[0] is not None:
                return None
            base, columns, constant = form[0] or base, columns ^ form[1], constant ^ form[2]
        return base, columns, constant


def _tables(columns, width, constant):
    """For each byte of the word of ``width`` bits, what each value of that byte adds."""
    tables = []
    for low in range(0, width, 8):
        table = [0]
        for bit in range(low, min(low + 8, width)):
            table += [word ^ columns.get(bit, 0) for word in table]
        tables.append(table)
    tables[0] = [word ^ constant for word in tables[0]]
    return tuple(map(tuple, tables))
