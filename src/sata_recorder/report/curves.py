"""Curves of any results, as pictures in files."""

import math
from pathlib import Path

from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from .. import outputs
from .colours import SERIES
from .drawing import axis, figure, note, rendered
from .picture import FORMATS

_MARKERS = "osD^vPX<>*"
_LEVEL = "#7d8794"
_DASHES = (6, 3), (2, 2), (8, 2, 2, 2)
#: Line styles: of the first series, as many as there are colours, of the next as many, and of those after them.
_LINES = "-", "--", ":"


def lines(curves, path_stem, formats=FORMATS, *, overwrite=False):
    """Draws the :class:`.picture.Curves` into ``path_stem`` plus ".png" and ".svg".

    Creates missing folders. Returns the paths. Raises ``ValueError`` if the xs and ys of a series differ in length, or
    one of its xs is not positive with ``logx``, and ``OSError``, also as :func:`..outputs.write` does.
    """
    series, logx = curves.series, curves.logx
    with figure(4.4) as made:
        axes = made.subplots()
        found = []
        for n, (label, (xs, ys)) in enumerate(series.items()):
            if len(xs) != len(ys):
                raise ValueError(f"curve {label!r}: {len(xs)} xs and {len(ys)} ys")
            if logx and any(x <= 0 for x in xs):
                raise ValueError(f"curve {label!r}: x = {min(xs)} on a logarithmic axis")
            marker = _MARKERS[n % len(_MARKERS)] if len(xs) <= 100 else None
            found += axes.plot(xs, [math.nan if y is None else y for y in ys], marker=marker,
                               markersize=4.5, linewidth=1.6, color=SERIES[n % len(SERIES)],
                               linestyle=_LINES[n // len(SERIES) % len(_LINES)])
        names = [str(label) for label in series]
        colours = {label: SERIES[n % len(SERIES)] for n, label in enumerate(series)}
        for label, (xs, ys) in curves.points.items():
            found += axes.plot(xs, [math.nan if y is None else y for y in ys], linestyle="none",
                               marker="o", markersize=8, markerfacecolor="none",
                               markeredgewidth=1.4, color=colours.get(label, _LEVEL))
            names.append(f"{label}, published")
        for n, (label, y) in enumerate(curves.levels.items()):
            found.append(axes.axhline(y, color=_LEVEL, linewidth=1.2, dashes=_DASHES[n % 3]))
            names.append(label)
        axes.set_title(curves.title)
        axes.set_xlabel(curves.xlabel)
        axes.set_ylabel(curves.ylabel)
        drawn = [*series.values(), *curves.points.values()]
        _scales(axes, sorted({x for xs, _ in drawn for x in xs}), logx)
        if len(names) > 1:
            made.legend(found, names, loc="outside lower left",
                        ncols=min(len(names), _columns(names)), handlelength=2.4)
        return _written(made, path_stem, formats, overwrite)


def dots(ratios, path_stem, formats=FORMATS, *, overwrite=False):
    """Draws the :class:`.picture.Ratios`, one dot per row, as :func:`lines` does."""
    marks = list(dict.fromkeys(mark for _, _, mark in ratios.rows))
    with figure(1.5 + 0.28 * len(ratios.rows)) as made:
        axes = made.subplots()
        for place, (_, ratio, mark) in enumerate(ratios.rows):
            axes.plot([1, ratio], [place, place], color=SERIES[marks.index(mark)], linewidth=1.2)
        for number, mark in enumerate(marks):
            of_mark = [(ratio, place) for place, (_, ratio, its) in enumerate(ratios.rows) if its == mark]
            axes.plot(*zip(*of_mark), linestyle="none", marker=_MARKERS[number], markersize=6, color=SERIES[number],
                      label=mark)
        axes.axvline(1, color=_LEVEL, linewidth=1.2)
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        axes.set_xlim(min(low, 0.8), max(high, 1.25))
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        axes.set_yticks(range(len(ratios.rows)), [label for label, _, _ in ratios.rows])
        axes.set_ylim(len(ratios.rows) - 0.5, -0.5)
        axes.set_title(ratios.title)
        axes.set_xlabel("simulated / published")
        made.legend(loc="outside lower left", ncols=len(marks))
        return _written(made, path_stem, formats, overwrite)


def _written(made, path_stem, formats, overwrite):
    note(made, "Simulated: the drives are software models. Not measured on hardware.", above=True)
    path_stem = Path(path_stem)
    path_stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [path_stem.with_name(f"{path_stem.name}.{form}") for form in formats]
    for path, form in zip(paths, formats):
        outputs.write(path, rendered(made, form), overwrite=overwrite)
    return paths


def _columns(series):
    """How many entries of the legend are side by side."""
    return max(1, 110 // (9 + max(len(str(label)) for label in series)))


def _scales(axes, xs, logx):
    low, high = axes.get_ylim()
    if low > 0 and (low < 0.5 * high or not xs):
        axes.set_ylim(bottom=0)
    axis(axes.yaxis)
    axis(axes.xaxis, ticks=8)
    if not logx or not xs:
        return
    binary = all(math.log2(x).is_integer() for x in xs)
    axes.set_xscale("log", base=2 if binary else 10)
    if binary:
        powers = range(round(math.log2(xs[0])), round(math.log2(xs[-1])) + 1)
        axes.xaxis.set_major_locator(FixedLocator([2.0 ** n for n in
                                                   powers[::-(-len(powers) // 11)]]))
        axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
