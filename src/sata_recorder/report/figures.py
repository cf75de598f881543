"""Figures for people, each with where it is from: columns, and on lines of their own what is too long for them."""

import textwrap

__all__ = ["figure_lines"]

#: The widest value that makes its column wider.
_WIDEST = 24
_GAP = "  "


def figure_lines(titles, rows, width):
    """The lines of a table with these ``titles`` and ``rows``, all texts, for a screen of ``width`` columns.

    What is too long for its column, such as a list, and what the last column has no room for follow on lines of their
    own, indented, and are broken between words.
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
