"""C expressions for operands and cells. Every value has zeros above its width."""

from .design import WORD, UnknownCell

__all__ = ["cell", "ctype", "operand", "storage"]

_SYMBOL = {"$and": "&", "$or": "|", "$xor": "^", "$add": "+", "$sub": "-", "$mul": "*",
           "$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">=",
           "$logic_and": "&&", "$logic_or": "||"}
_TRUTH = {"$eq", "$ne", "$lt", "$le", "$gt", "$ge", "$logic_and", "$logic_or"}


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
    """The operand ``value``, as a type of ``width`` bits where that is wider; ``name`` gives the
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
    """The value of ``node``, which is a cell other than a multiplexer."""
    values, width = node.operands, node.width
    if node.op == "read":
        raise AssertionError
    widths = [sum(piece.width for piece in value) for value in values]
    if node.op in ("$not", "$neg", "$pos") or node.op not in _TRUTH and len(values) > 1:
        return _word(node, values, widths, width, name)
    if node.op in _TRUTH:
        wide = max(widths)
        texts = [_extended(value, own, wide, node.signed, name)
                 for value, own in zip(values, widths)]
        if node.signed and node.op in ("$lt", "$le", "$gt", "$ge"):
            texts = [f"(int64_t)({text})" for text in texts]
        return f"{texts[0]} {_SYMBOL[node.op]} {texts[1]}"
    text = operand(values[0], name)
    if node.op == "$reduce_and":
        return f"{text} == {number((1 << widths[0]) - 1, widths[0])}"
    if node.op == "$reduce_xor":
        return f"__builtin_parityll({text})"
    return f"{text} {'==' if node.op == '$logic_not' else '!='} 0"


def _word(node, values, widths, width, name):
    """Arithmetic and logic, bit by bit or modulo the width of the result."""
    if node.op in ("$shl", "$shr", "$sshl", "$sshr"):
        if node.signed:
            raise UnknownCell(f"{node.name}: a signed shift")
        text = _extended(values[0], widths[0], max(width, widths[0]), False, name)
        wide = max(width, widths[0])
        amount = operand(values[1], name)
        word = "uint64_t"
        symbol = "<<" if node.op.endswith("shl") else ">>"
        return masked(f"({amount} < {wide} ? ({word}){text} {symbol} {amount} : 0)", width)
    texts = [_extended(value, own, width, node.signed, name)
             for value, own in zip(values, widths)]
    if len(texts) == 1:
        text = f"{ {'$not': '~', '$neg': '-', '$pos': ''}[node.op]}{texts[0]}"
        if node.op == "$not" and width == 1:
            return f"{texts[0]} ^ 1u"
    elif node.op == "$xnor":
        text = f"~({texts[0]} ^ {texts[1]})"
    else:
        text = f"{texts[0]} {_SYMBOL[node.op]} {texts[1]}"
        if node.op in ("$and", "$or", "$xor"):
            return text if max(widths) <= width else masked(text, width)
    return masked(text, width)


def _extended(value, own, wide, signed, name):
    """An operand of ``own`` bits as one of ``wide`` bits."""
    text = operand(value, name, wide)
    if not signed or own >= wide:
        return text
    up = number((1 << wide) - (1 << own), wide)
    return f"({text} | ({text} >> {own - 1} & 1 ? {up} : 0))"
