"""What Sphinx has to be told about the docstrings of this project, which are written to be read as they stand.

A parameter and its meaning are in one line, columns apart; a table is that of a Markdown page; an example is indented.
"""

import re

_PARAMETER = re.compile(r"^( *)(\w[\w, ]*) : (\S(?:.*?\S)?) {2,}(\S.*)$")
_ROW = re.compile(r"^( *)\| (.*) \|$")
_RULE = re.compile(r"^[|: -]+$")


def parameters(lines):
    """``lines`` with each meaning below its parameter, as numpydoc has it."""
    column = None
    for line in lines:
        found = _PARAMETER.match(line)
        indent = len(line) - len(line.lstrip())
        if found:
            column = found.start(4)
            yield from (f"{found[1]}{found[2]} : {found[3]}", f"{found[1]}    {found[4]}")
        elif column and line.strip() and indent == column:
            yield f"    {line.strip()}"
        else:
            column = None
            yield line


def tables(lines):
    """``lines`` with Markdown tables as tables of Sphinx."""
    inside = False
    for line in lines:
        found = _ROW.match(line)
        if not found:
            if inside:
                yield ""
            inside = False
            yield line
        elif not _RULE.match(line.strip()):
            if not inside:
                yield from ("", f"{found[1]}.. list-table::", f"{found[1]}   :header-rows: 1", "")
            inside = True
            for place, cell in enumerate(found[2].split(" | ")):
                yield f"{found[1]}   {'  ' if place else '* '}- {cell.strip()}"


def examples(lines):
    """``lines`` with `::` before what is indented after a paragraph that ends with a colon or a full stop."""
    before = ""
    for place, line in enumerate(lines):
        text, above = line.startswith("    "), lines[place - 2] if place > 1 else ""
        if text and not before and above and not above.startswith((" ", "-", "*", "..")) and not above.endswith("::"):
            yield from ("::", "")
        yield line
        before = line.strip()


def process(app, what, name, thing, options, lines):
    """The handler of `autodoc-process-docstring`, before that of napoleon."""
    lines[:] = [*examples([*tables([*parameters(lines)])])]
