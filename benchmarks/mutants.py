"""Small changes of the gateware's source, one at a time, each a mistake that one could make."""

import ast
from typing import NamedTuple

_COMPARISONS = {ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=",
                ast.GtE: ">"}
_OPERATORS = {ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "&", ast.Add: "-", ast.Sub: "+",
              ast.LShift: ">>", ast.RShift: "<<"}
#: Functions that describe an interface or a text, not gateware.
_OTHER = ("__init__", "__repr__")


class Mutant(NamedTuple):
    """``old``, characters ``start`` to ``end`` of the file ``path``, becomes ``new``; ``kind`` of
    change; ``text`` of the ``line`` (a number) in which it begins."""

    path: str
    line: int
    start: int
    end: int
    kind: str
    old: str
    new: str
    text: str

    def apply(self, source):
        """The whole file, changed."""
        return source[:self.start] + self.new + source[self.end:]


def mutants(path, source):
    """All mutants of the file ``path`` (a name) with the text ``source``, in their order there."""
    finder = _Finder(path, source)
    for node in ast.walk(finder.tree):
        if isinstance(node, ast.FunctionDef) and node.name not in _OTHER:
            for statement in node.body:
                finder.visit(statement)
    return sorted(finder.found.values(), key=lambda mutant: (mutant.start, mutant.end, mutant.new))


class _Finder(ast.NodeVisitor):
    def __init__(self, path, source):
        self.path, self.source = path, source
        self.tree = ast.parse(source)
        self.found = {}
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._states = [node.args[0].value for node in ast.walk(self.tree)
                        if _is_call_of(node, "State") and isinstance(node.args[0], ast.Constant)]

    def _span(self, node):
        return (self._lines[node.lineno - 1] + node.col_offset,
                self._lines[node.end_lineno - 1] + node.end_col_offset)

    def _text(self, node):
        return self.source[slice(*self._span(node))]

    def _operand(self, node):
        """Its text, which may have lost its parentheses."""
        text = self._text(node)
        return f"({text})" if isinstance(node, ast.BinOp | ast.Compare) else text

    def _change(self, node, kind, new):
        start, end = self._span(node)
        old = self.source[start:end]
        if old != new:
            mutant = Mutant(self.path, node.lineno, start, end, kind, old, new,
                            self.source.splitlines()[node.lineno - 1].strip())
            self.found.setdefault((start, end, new), mutant)

    # Expressions ----------------------------------------------------------------------------------

    def visit_Compare(self, node):
        if len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
            other = _COMPARISONS[type(node.ops[0])]
            self._change(node, "comparison",
                         f"{self._operand(node.left)} {other} {self._operand(node.comparators[0])}")
        self.generic_visit(node)

    def visit_BinOp(self, node):
        if type(node.op) in _OPERATORS:
            self._change(node, "operator", f"({self._operand(node.left)} "
                         f"{_OPERATORS[type(node.op)]} {self._operand(node.right)})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Invert):
            self._change(node, "negation", self._operand(node.operand))
        self.generic_visit(node)

    def visit_Constant(self, node):
        if type(node.value) is int:
            for other in {node.value + 1, max(0, node.value - 1)} - {node.value}:
                self._change(node, "constant", str(other))

    def visit_JoinedStr(self, node):
        """Names of signals: no change of the gateware."""

    def visit_Call(self, node):
        name = _name(node)
        if name == "Mux":
            a, b, c = map(self._text, node.args)
            self._change(node, "choice", f"Mux({a}, {c}, {b})")
        elif name in ("any", "all") and isinstance(node.func, ast.Attribute) and not node.args:
            other = "all" if name == "any" else "any"
            whole = self._text(node).rpartition(f".{name}")[0]
            self._change(node, "reduction", f"{whole}.{other}()")
        elif name in ("If", "Elif"):
            condition = node.args[0]
            self._change(condition, "condition", f"({self._text(condition)}) == 0")
            self._change(condition, "condition", "0")
            self._change(condition, "condition", "1")
        self.generic_visit(node)

    # Statements -----------------------------------------------------------------------------------

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Attribute) and self._text(node.target).startswith("m.d."):
            values = node.value.elts if isinstance(node.value, ast.List) else [node.value]
            for value in values:
                if not isinstance(value, ast.Starred):
                    self._change(value, "assignment", "[]")
            for value in values:
                self.visit(value)
        else:
            self.generic_visit(node)

    def visit_Assign(self, node):
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and target.attr == "next":
            self._change(node, "state", "pass")
            if isinstance(node.value, ast.Constant) and node.value.value in self._states:
                place = self._states.index(node.value.value) + 1
                other = self._states[place % len(self._states)]
                self._change(node, "state", f'm.next = "{other}"')
        self.generic_visit(node)


def _name(call):
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


def _is_call_of(node, name):
    return isinstance(node, ast.Call) and _name(node) == name
