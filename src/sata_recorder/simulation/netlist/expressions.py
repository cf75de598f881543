"""C expressions for operands and cells. Every value has zeros above its width."""

from .design import DIVISIONS, SHIFTS, WORD

_SYMBOL = {"$and": "&", "$or": "|", "$xor": "^", "$add": "+", "$sub": "-", "$mul": "*",
           "$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">=",
           "$logic_and": "&&", "$logic_or": "||", "$xnor": "^", "$not": "~", "$neg": "-",
           "$pos": "", "$divfloor": "/", "$modfloor": "%"}
_TRUTH = {"$eq", "$ne", "$lt", "$le", "$gt", "$ge", "$logic_and", "$logic_or"}
_REDUCTIONS = {"$reduce_or", "$reduce_bool", "$reduce_and", "$reduce_xor", "$logic_not"}


def ctype(width):
    """The type in which a value of ``width`` bits is computed."""
    return "uint32_t" if width <= 32 else "uint64_t"


def storage(width):
    """The smallest type that holds ``width`` bits."""
    return next(f"uint{bits}_t" for bits in (8, 16, 32, 64) if width <= bits)


def number(value, width):
    """A literal."""
    return f"{value:#x}{'ull' if width > 32 else 'u'}" if value > 9 else f"{value}u"


def masked(text, width):
    """``text`` without the bits from ``width`` on."""
    return text if width in (32, WORD) else f"({text}) & {number((1 << width) - 1, width)}"


def operand(value, name, width=None):
    """The operand ``value``, as a type of ``width`` bits if that is wider; ``name`` gives the
    text of a node."""
    total = sum(piece.width for piece in value)
    parts, at = [], 0
    for piece in value:
        if piece.node or piece.offset:
            parts.append(_piece(piece, at, total, name))
        at += piece.width
    text = " | ".join(parts) or "0u"
    if len(parts) > 1:
        text = f"({text})"
    return f"(uint64_t){text}" if total <= 32 and (width or 0) > 32 else text


def _piece(piece, at, total, name):
    if piece.node is None:
        return number(piece.offset << at, total)
    text = name(piece.node)
    if piece.offset:
        text = f"({text} >> {piece.offset})"
    wide = piece.node.width > 32
    if piece.offset + piece.width < piece.node.width:
        if piece.width == 32:
            text, wide = f"(uint32_t){text}", False
        else:
            text = f"({masked(text, piece.width)})"
    if total > 32 and not wide:
        text = f"(uint64_t){text}"
    return f"({text} << {at})" if at else text


def cell(node, name):
    """The value of ``node``, which is a cell with operands and not a multiplexer."""
    values, op = node.operands, node.op
    if op == "sum":
        return f"{node.name}({operand(values[0], name)})"
    widths = [sum(piece.width for piece in value) for value in values]
    if op in _TRUTH:
        # Numbers with a sign are compared as 64 bits.
        ordered = node.signed and op not in ("$eq", "$ne")
        wide = WORD if ordered else max(widths)
        texts = [_extended(value, own, wide, node.signed, name)
                 for value, own in zip(values, widths)]
        if ordered:
            texts = [f"(int64_t){text}" for text in texts]
        return f"{texts[0]} {_SYMBOL[op]} {texts[1]}"
    if op in SHIFTS:
        return _shift(node, values, widths, name)
    if op in _REDUCTIONS:
        text = operand(values[0], name)
        ones = number((1 << widths[0]) - 1, widths[0])
        return {"$reduce_and": f"{text} == {ones}",
                "$reduce_xor": f"__builtin_parityll({text})",
                "$logic_not": f"{text} == 0"}.get(op, f"{text} != 0")
    if op in DIVISIONS:
        one, other = (operand(value, name, max(widths)) for value in values)
        return masked(f"({other} ? {one} {_SYMBOL[op]} {other} : 0)", node.width)
    texts = [_extended(value, own, node.width, node.signed, name)
             for value, own in zip(values, widths)]
    if op == "$not" and widths == [1] and node.width == 1:
        return f"{texts[0]} ^ 1u"
    if op in ("$and", "$or", "$xor") and max(widths) <= node.width:
        return f"{texts[0]} {_SYMBOL[op]} {texts[1]}"
    if len(texts) == 1:
        text = f"{_SYMBOL[op]}{texts[0]}"
    else:
        text = f"{texts[0]} {_SYMBOL[op]} {texts[1]}"
    return masked(f"~({text})" if op == "$xnor" else text, node.width)


def _shift(node, values, widths, name):
    """A shift; the operand is at least as wide as the result, and zeros or its sign come in at its end."""
    wide = max(node.width, widths[0])
    amount = operand(values[1], name)
    signs = node.op == "$sshr" and node.signed
    text = _extended(values[0], widths[0], WORD if signs else wide, node.signed, name)
    kind, most = ("int64_t", WORD - 1) if signs else ("uint64_t", 0)
    symbol = "<<" if node.op.endswith("shl") else ">>"
    beyond = f"({kind}){text} >> {most}" if signs else "0"
    return masked(f"({amount} < {WORD} ? ({kind}){text} {symbol} {amount} : {beyond})",
                  node.width)


def _extended(value, own, wide, signed, name):
    """An operand of ``own`` bits as one of ``wide`` bits."""
    text = operand(value, name, wide)
    if not signed or own >= wide:
        return text
    up = number((1 << wide) - (1 << own), wide)
    return f"({text} | ({text} >> {own - 1} & 1 ? {up} : 0))"
