"""Makes the C++ that Yosys writes for a core fit for one evaluation a clock, at the rising edge."""

import re

__all__ = ["specialised"]

_EDGE = re.compile(r"bool (posedge_p_clk) = this->posedge_p_clk\(\);")
_COMMIT = re.compile(r"if \(((?!memory_)\w+)\.commit\(observer\)\) changed = true;")
_MEMORY = re.compile(r"\bmemory<(\d+)> (memory_\w+)\b")


def specialised(text):
    """The C++ ``text`` without what only an event-driven caller needs.

    The clock always rises; nobody asks whether a register has changed; a memory with one write
    port needs no queue. Text of another form is left as it is, and is slower.
    """
    text = _EDGE.sub(r"constexpr bool \1 = true;", text)
    text = _COMMIT.sub(r"\1.curr = \1.next;", text)
    return _MEMORY.sub(lambda found: _memory(found, text), text)


def _memory(found, text):
    width, name = found.groups()
    if text.count(f"{name}.update(") > 1:
        return found.group()
    return f"memory_of_one_port<{width}> {name}"
