"""Who assigns the signals of an elaborated design."""

import ast
import functools
from pathlib import Path

import sata_recorder
from amaranth.hdl import Fragment, _ast

__all__ = ["shared_by_files", "shared_by_functions", "statements"]

PACKAGE = Path(sata_recorder.__file__).parent
#: Files that make statements for others: states of a state machine.
_HELPERS = ("core/states.py",)


def statements(component):
    """(signal, its places) of each signal that ``component`` drives; a place is (path in the hierarchy, file,
    function, branch, first bit, bit after the last)."""
    found = {}
    _walk(Fragment.get(component, None), (), found)
    return list(found.values())


def shared_by_files(component):
    """(path, name, files) of each signal with statements from several files of ours."""
    for signal, places in statements(component):
        files = {place[1] for place in places}
        if len(files) > 1:
            yield ".".join(places[0][0]), signal.name, tuple(sorted(files))


def shared_by_functions(component):
    """(file, name) of each signal whose bits two functions of a file assign, unless their branches exclude
    each other."""
    for signal, places in statements(component):
        if any(one[2] != other[2] and one[4] < other[5] and other[4] < one[5] and not _exclude(one[3], other[3])
               for number, one in enumerate(places) for other in places[number + 1:]):
            yield places[0][1], signal.name


def _walk(fragment, path, found):
    flags = _flags(fragment)
    for assigns in fragment.statements.values():
        for statement, branch in _assigns(assigns, (), flags):
            file, line = statement.src_loc
            if not file.startswith(str(PACKAGE)):
                continue                # of connect() and its kin in Amaranth
            name = str(Path(file).relative_to(PACKAGE))
            if name in _HELPERS:
                continue
            for signal, first, end in _bits(statement.lhs):
                found.setdefault(id(signal), (signal, []))[1].append(
                    (path, name, _function(file, line), branch, first, end))
    for part in fragment.subfragments:
        _walk(part[0], (*path, str(part[1])), found)


def _flags(fragment):
    """The flops of the states of a machine, by their identity: of two, nobody knows here which flop is whose."""
    flags = {id(one): one for assigns in fragment.statements.values() for statement, _ in _assigns(assigns, (), {})
             for one, _, _ in _bits(statement.lhs) if isinstance(one, _ast.Signal)
             and one.src_loc[0].endswith(_HELPERS)}
    return flags if sum(one.init for one in flags.values()) == 1 else {}


def _assigns(statements, branch, flags):
    for statement in statements:
        if isinstance(statement, _ast.Assign):
            yield statement, branch
        elif isinstance(statement, _ast.Switch):
            # Of the states of a machine there is only one at a time.
            state = [id(part) for part in getattr(statement.test, "parts", ())]
            for number, case in enumerate(statement.cases):
                one = (("state", *state) if len(state) == 1 and state[0] in flags and number == 0
                       else (id(statement), number))
                yield from _assigns(case[1], (*branch, one), flags)


def _bits(value):
    if isinstance(value, _ast.Signal):
        return [(value, 0, len(value))]
    if isinstance(value, _ast.Slice):
        inner = _bits(value.value)
        if len(inner) == 1:
            signal, first, _ = inner[0]
            return [(signal, first + value.start, first + value.stop)]
        return inner
    if isinstance(value, _ast.Concat):
        return [bits for part in value.parts for bits in _bits(part)]
    if isinstance(value, _ast.Part):
        return _bits(value.value)
    if isinstance(value, _ast.SwitchValue):
        return [bits for case in value.cases for bits in _bits(case[1])]
    return [(signal, 0, len(signal)) for signal in value._lhs_signals()]


@functools.cache
def _functions(file):
    return [(node.lineno, node.end_lineno, node.name) for node in ast.walk(ast.parse(Path(file).read_text()))
            if isinstance(node, ast.FunctionDef)]


def _function(file, line):
    """The outermost function around a line: what is defined in it belongs to it."""
    around = [one for one in _functions(file) if one[0] <= line <= one[1]]
    return max(around, key=lambda one: one[1] - one[0])[2] if around else ""


def _exclude(one, other):
    known = dict(one)
    return any(switch in known and known[switch] != case for switch, case in other)
