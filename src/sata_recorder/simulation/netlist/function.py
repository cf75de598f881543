"""The statements of one function, in an order in which each finds what it needs."""

from . import expressions
from .design import Bits
from .placement import Placed, ArmPlacement, nodes_of

#: Cells of one bit that cost less where they are used than in a word of their own.
_CONDITIONS = {"$eq", "$ne", "$not", "$and", "$or", "$logic_not", "$reduce_or", "$reduce_bool",
               "$reduce_and"}


class Function:
    """The statements that do ``roots``.

    Parameters: ``names`` node to text, of registers and inputs; ``memories`` name to text. Member:
    ``lines``.
    """

    def __init__(self, roots, names, memories):
        self._placement = ArmPlacement(roots)
        self._names = dict(names)
        self._memories = memories
        self._done = set()
        self._needs = {}
        self._locals = {}
        for node in self._placement.order:
            if node in self._placement.region and node.operands:
                if _is_condition(node):
                    self._names[node] = f"({expressions.cell(node, self._name)})"
                else:
                    self._names[node] = self._locals[node] = f"v{len(self._locals)}"
        widths = {}
        for node in self._locals:
            widths.setdefault(expressions.ctype(node.width), []).append(self._names[node])
        self.lines = [f"{kind} {', '.join(found)};" for kind, found in widths.items()]
        root, stores = self._placement.root, self._placement.stores
        self._emit(root, [store for store in stores if not store.root.enable],
                   [(Bits(node, 0, node.width),) for node in self._placement.early], 0)
        self._emit(root, [store for store in stores if store.root.enable], (), 0)

    def _name(self, node):
        return self._names[node]

    # What a statement of a region needs that is in the same region.

    def _inside(self, region, outer):
        """Whether ``region`` is within ``outer``, and not ``outer`` itself."""
        while region.depth > outer.depth:
            region = region.parent
            if region is outer:
                return True
        return False

    def _values(self, item):
        """The operands of a node or store, including those of a store's arms."""
        if not isinstance(item, Placed):
            branch = self._placement.branch.get(item)
            return (branch.select, *item.operands[1:]) if branch else item.operands
        if not item.branch:
            return (item.value, item.root.address)
        return (item.branch.select, *(value for arm in item.arms if arm
                                      for value in self._values(arm)))

    def _needed(self, item, region):
        """The nodes of ``region`` that ``item``, of this region or one within, needs at once."""
        key = (item, region)
        if key not in self._needs:
            self._needs[key] = self._in(region, self._values(item))
        return self._needs[key]

    def _in(self, region, values):
        found = {}
        for value in values:
            for node in nodes_of(value):
                place = self._placement.region[node] if node in self._locals else None
                if place is region:
                    found[node] = None
                elif place and self._inside(place, region):
                    found |= self._needed(node, region)
        return found

    # Statements.

    def _emit(self, region, stores, values, indent):
        """Appends the statements of ``stores``, and of the nodes that they and ``values`` need."""
        pending = self._closure(region, stores, values)
        while pending:
            ready = [item for item in pending
                     if all(node in self._done for node in self._needed(item, region))]
            if plain := [item for item in ready if not self._branch(item)]:
                for item in plain:
                    self._statement(item, indent)
                    del pending[item]
                continue
            groups = {}
            for item in ready:
                groups.setdefault(self._branch(item), []).append(item)
            waiting = {self._branch(item) for item in pending.keys() - {*ready}}
            branch = max(groups, key=lambda branch: (branch not in waiting, len(groups[branch])))
            self._if(branch, groups[branch], indent)
            for item in groups[branch]:
                del pending[item]

    def _closure(self, region, stores, values):
        """``stores`` and the nodes of ``region`` that they and ``values`` need, not yet done."""
        found, stack = dict.fromkeys(stores), [self._in(region, values)]
        stack += [self._needed(store, region) for store in stores]
        while stack:
            for node in stack.pop():
                if node not in self._done and node not in found:
                    found[node] = None
                    stack.append(self._needed(node, region))
        return found

    def _branch(self, item):
        return item.branch if isinstance(item, Placed) else self._placement.branch.get(item)

    def _statement(self, item, indent):
        if isinstance(item, Placed):
            index = f"[{expressions.operand(item.root.address, self._name)}]" \
                if item.root.address else ""
            self._line(item.root.statement.format(
                target=f"{item.root.target}{index}",
                value=expressions.operand(item.value, self._name)), indent)
            return
        self._done.add(item)
        self._line(f"{self._name(item)} = {self._cell(item)};", indent)

    def _cell(self, node):
        if node.op == "read":
            return f"{self._memories[node.memory]}" \
                   f"[{expressions.operand(node.operands[0], self._name)}]"
        return expressions.cell(node, self._name)

    def _line(self, text, indent):
        self.lines.append("    " * indent + text)

    def _if(self, branch, members, indent):
        """One `if` for all ``members``, which are multiplexers and stores of ``branch``."""
        bodies = []
        for side, arm in enumerate(branch.arms):
            start = len(self.lines)
            self._arm(side, arm, members, indent + 1)
            bodies.append(self.lines[start:])
            del self.lines[start:]
        select = expressions.operand(branch.select, self._name)
        self._done |= {item for item in members if not isinstance(item, Placed)}
        if not bodies[1]:
            self._line(f"if (!{select}) {{", indent)
            self.lines += bodies[0]
        else:
            self._line(f"if ({select}) {{", indent)
            self.lines += bodies[1]
            if bodies[0]:
                self._line("} else {", indent)
                self.lines += bodies[0]
        self._line("}", indent)

    def _arm(self, side, region, members, indent):
        stores = [item.arms[side] for item in members
                  if isinstance(item, Placed) and item.arms[side]]
        values = {node: node.operands[1 + (side ^ self._placement.flipped[node])]
                  for node in members if not isinstance(node, Placed)}
        self._emit(region, stores, values.values(), indent)
        for node, value in values.items():
            self._line(f"{self._name(node)} = {expressions.operand(value, self._name)};", indent)


def _is_condition(node):
    """Whether ``node`` is made of registers and inputs by one cell: a processor compares them in
    memory, and often needs the result only in an arm that it does not take."""
    return node.op in _CONDITIONS and node.width == 1 and all(
        len(value) == 1 and not other.operands for value in node.operands
        for other in nodes_of(value))
