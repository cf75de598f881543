"""Figures for people, each with its origin: in columns, and on lines of their own if they are too long for these."""

import textwrap

__all__ = ["figure_lines"]

#: A value wider than this does not widen its column.
_WIDEST = 24
_GAP = "  "


def figure_lines(titles, rows, width):
    """The lines of a table with these ``titles`` and ``rows``, all texts, for a screen of ``width`` columns.

    A value that is too long for its column, such as a list, and a last cell that does not fit follow on indented lines
    of their own, broken between words.
    """
    sizes = [max(map(len, column)) for column in zip(titles, *rows)]
    sizes[1] = max(len(value) for value in [titles[1], *(row[1] for row in rows)] if len(value) <= _WIDEST)
    for row in (titles, *rows):
        below = [row[1]] if len(row[1]) > sizes[1] else []
        cells = [row[0], "" if below else row[1], *row[2:-1]]
        head = _GAP.join(cell.ljust(size) for cell, size in zip(cells, sizes))
        if row[-1] and len(head) + len(_GAP) + len(row[-1]) > width:
            below.append(row[-1])
        else:
            head += _GAP + row[-1]
        yield head.rstrip()
        for text in below:
            yield from textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")
