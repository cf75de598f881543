"""Which arm of which `if` each word of a netlist is computed in.

A multiplexer becomes an `if` with two arms; multiplexers of one select share it. A word that only
one arm needs is computed there, so an idle part of the design computes next to nothing.
"""

from dataclasses import dataclass, field

from .design import Bits, Node, UnknownCell

ASSIGNMENT = "{target} = {value};"


@dataclass(eq=False)
class Region:
    """A stretch of code: the body of the function, or an arm of a branch of ``parent``."""

    parent: "Region | None" = None
    depth: int = 0
    branches: dict = field(default_factory=dict)

    def branch(self, select):
        """The branch of this region on the node or operand ``select``."""
        key = tuple((id(piece.node), *piece[1:]) for piece in select)
        if key not in self.branches:
            self.branches[key] = Branch(select, tuple(Region(self, self.depth + 1)
                                                      for _ in range(2)), self)
        return self.branches[key]


@dataclass(eq=False)
class Branch:
    """`if (select) arms[1] else arms[0]` in ``region``."""

    select: tuple
    arms: tuple
    region: Region


@dataclass(eq=False)
class Root:
    """``target = value`` is to be done once a cycle.

    ``held`` is the node that the target already holds. With an ``enable`` the statement is done
    if that is not 0, after all others, and ``address`` is the index of the target. The
    ``statement`` is a format for target and value.
    """

    target: str
    value: tuple
    held: Node | None = None
    address: tuple = ()
    enable: tuple = ()
    statement: str = ASSIGNMENT


@dataclass(eq=False)
class Placed:
    """What happens to ``root`` in ``region``, where it stores ``value``.

    If the value is a multiplexer of no other use, or the root has an enable, it is a member of
    ``branch``, and ``arms`` are what is placed in the two arms, None if nothing is stored.
    """

    root: Root
    value: tuple
    region: Region
    branch: Branch | None = None
    arms: tuple = (None, None)


def whole(value):
    """The node that the operand ``value`` is, None for a part or a composed one."""
    if len(value) == 1 and value[0].node and value[0][1:] == (0, value[0].node.width):
        return value[0].node
    return None


def nodes_of(value):
    """The nodes in an operand."""
    return [piece.node for piece in value if piece.node]


def needed(values):
    """All nodes that the operands ``values`` are made of in the same cycle."""
    stack, seen = [node for value in values for node in nodes_of(value)], set()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += [other for operand in node.operands for other in nodes_of(operand)]
    return seen


def reads_memory(value):
    """Whether the operand ``value`` depends on a word of a memory in the same cycle."""
    return any(node.op == "read" for node in needed([value]))


class ArmPlacement:
    """The regions of the words that ``roots`` need.

    Parameters: ``roots`` are the :class:`Root` statements. Members: ``root`` the region of the
    function's body; ``stores`` its placed statements; ``early`` the words of memories that are
    read before the first write; ``order`` all nodes, each after its operands;
    ``region`` node to its region; ``branch`` multiplexer to its :class:`Branch`, and ``flipped``
    whether its arms are exchanged there.
    """

    def __init__(self, roots):
        self.root = Region()
        self.region = {}
        self.branch = {}
        self.flipped = {}
        self._users = {}
        values = [value for root in roots for value in (root.value, root.address, root.enable)]
        self.order = self._order(values)
        for value in (*values, *(value for node in self.order for value in node.operands)):
            for node in nodes_of(value):
                self._users[node] = self._users.get(node, 0) + 1
        self.stores = [store for root in roots if (store := self._first(root))]
        #: Reads that a write needs: they come before any write, so they are in no arm.
        self.early = [node for node in self._order(
            value for root in roots if root.enable
            for value in (root.value, root.address, root.enable)) if node.op == "read"]
        self._use(tuple(Bits(node, 0, node.width) for node in self.early), self.root)
        for node in reversed(self.order):
            self._place(node)

    def _order(self, values):
        """The nodes that ``values`` need, each after its operands."""
        order, state = [], {}
        for root in values:
            stack = [(node, False) for node in nodes_of(root)]
            while stack:
                node, done = stack.pop()
                if done:
                    state[node] = 2
                    order.append(node)
                elif state.get(node) == 1:
                    raise UnknownCell(f"cell {node.name} depends on itself")
                elif node not in state:
                    state[node] = 1
                    stack.append((node, True))
                    stack += [(other, False) for value in node.operands
                              for other in nodes_of(value) if state.get(other) != 2]
        return order

    def _use(self, value, region):
        """Notes that the operand ``value`` is needed in ``region``."""
        for node in nodes_of(value):
            here = self.region.get(node)
            self.region[node] = region if here is None else _common(here, region)

    def _first(self, root):
        if not root.enable:
            return self._store(root, root.value, self.root)
        branch = self.root.branch(root.enable)
        self._use(root.enable, self.root)
        self._use(root.address, branch.arms[1])
        self._use(root.value, branch.arms[1])
        return Placed(root, root.value, self.root, branch,
                    (None, Placed(root, root.value, branch.arms[1])))

    def _store(self, root, value, region):
        node = whole(value)
        if node and node is root.held:
            return None
        if not node or node.op != "mux" or self._users[node] > 1:
            self._use(value, region)
            return Placed(root, value, region)
        select, flip = plain_select(node.operands[0])
        branch = region.branch(select)
        self._use(select, region)
        arms = tuple(self._store(root, node.operands[1 + (side ^ flip)], branch.arms[side])
                     for side in range(2))
        return Placed(root, value, region, branch, arms) if any(arms) else None

    def _place(self, node):
        region = self.region.get(node)
        if region is None:
            return      # a multiplexer that a statement has become
        if node.op != "mux":
            for value in node.operands:
                self._use(value, region)
            return
        select, flip = plain_select(node.operands[0])
        branch = self.branch[node] = region.branch(select)
        self.flipped[node] = flip
        self._use(select, region)
        for side in range(2):
            self._use(node.operands[1 + (side ^ flip)], branch.arms[side])


def plain_select(value):
    """The operand that decides by being 0 or not, and whether it decides the other way round."""
    flip = False
    while (node := whole(value)) and (node.op == "$logic_not" or node.op == "$not"
                                      and node.width == 1):
        value, flip = node.operands[0], not flip
    return value, flip


def _common(one, other):
    """The innermost region that holds both."""
    while one is not other:
        if one.depth >= other.depth:
            one = one.parent
        else:
            other = other.parent
    return one
