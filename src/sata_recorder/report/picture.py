"""What pictures are made of. Nothing here draws: what draws is slow to load."""

from dataclasses import dataclass, field

#: What a picture can be written as.
FORMATS = ("png", "svg")


@dataclass
class Ratios:
    """What was simulated against what was published: ``rows`` of (label, ratio, mark) under a ``title``."""

    rows: list
    title: str


@dataclass
class Curves:
    """Curves of any results.

    ``series`` {label: (xs, ys)} are drawn as lines, ``points`` {label: (xs, ys)}, published values, as rings in the
    colour of the series with the same label, ``levels`` {label: y} as dashed lines across. None or NaN in ``ys`` leaves
    a gap. ``logx`` makes x logarithmic, with ticks at powers of two if all xs are powers of two.
    """

    series: dict
    title: str
    xlabel: str
    ylabel: str
    points: dict = field(default_factory=dict)
    levels: dict = field(default_factory=dict)
    logx: bool = False
