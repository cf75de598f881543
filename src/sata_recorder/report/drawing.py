"""The style of pictures, and how they become files: without a display, and always with the same bytes."""

import io
import re
from contextlib import contextmanager

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import Formatter, FuncFormatter, MaxNLocator, NullFormatter

_INK, _GRID, _PAPER = "#1d2126", "#d9dde2", "#ffffff"
_STYLE = {
    "font.family": "DejaVu Sans", "font.size": 9.5,
    "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.labelsize": 9.5, "xtick.labelsize": 9, "ytick.labelsize": 9, "legend.fontsize": 9,
    "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _INK,
    "xtick.color": _INK, "ytick.color": _INK, "axes.titlecolor": _INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.7,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": _GRID, "grid.linewidth": 0.7,
    "axes.facecolor": "none", "figure.facecolor": _PAPER, "legend.frameon": False,
    "axes.unicode_minus": True, "text.parse_math": False, "svg.hashsalt": "sata-recorder",
    "path.simplify": False, "figure.dpi": 100, "savefig.dpi": 150,
}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
#: This marks a picture as the project's own, see :mod:`..outputs`.
_METADATA = {"svg": _NO_METADATA | {"Creator": "sata-recorder"},
             "png": {"Software": "sata-recorder"}}


@contextmanager
def figure(height, *, width=9.6):
    """A new figure of ``width`` x ``height`` inches, drawn in the project's style, whatever the
    user's own Matplotlib settings are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        made = Figure((width, height), layout="constrained")
        FigureCanvasAgg(made)
        made.get_layout_engine().set(w_pad=0.06, h_pad=0.06)
        yield made


def note(made, text, *, above=False):
    """A line of text below the figure, or ``above`` it if the legend is below."""
    place = made.suptitle if above else made.supxlabel
    place(text, x=0.01, ha="left", fontsize="x-small")


def axis(which, unit="", *, ticks=7, whole=False):
    """Ticks with thousands separators on ``which`` (an x or y axis)."""
    which.set_major_locator(MaxNLocator(ticks, integer=whole, steps=[1, 2, 2.5, 5, 10]))
    which.set_major_formatter(_Numbers(unit))


def powers(which):
    """Labels such as 1e-05 at the major ticks of ``which``, a logarithmic axis, and none at the others."""
    which.set_major_formatter(FuncFormatter(lambda value, place: f"{value:.0e}"))
    which.set_minor_formatter(NullFormatter())


class _Numbers(Formatter):
    """Numbers with thousands separators, all on an axis with as many decimals."""

    def __init__(self, unit):
        self.unit = unit

    def __call__(self, value, pos=None):
        return f"{value:,.10g}{self.unit}"

    def format_ticks(self, values):
        texts = [f"{value:.10g}" for value in values]
        decimals = max((len(text.partition(".")[2]) for text in texts if "e" not in text),
                       default=0)
        return [f"{value:,.{decimals}f}{self.unit}" for value in values]


def time_unit(seconds):
    """(name, how many in a second) of the largest unit in which ``seconds`` is at least 1, or of "ns"."""
    for name, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return name, scale
    return "ns", 1e9


def duration(seconds, figures=3):
    """``seconds`` with ``figures`` figures and the unit that fits: "3.33 ms"."""
    if not seconds:
        return "0"
    name, scale = time_unit(seconds)
    number = seconds * scale
    decimals = max(0, figures - len(str(int(number))))
    return f"{number:,.{decimals}f} {name}"


def rendered(made, form):
    """The figure as bytes in ``form`` ("png" or "svg"): the same figure gives the same bytes."""
    output = io.BytesIO()
    with matplotlib.rc_context({**_STYLE, "svg.fonttype": "path"}):
        made.savefig(output, format=form, metadata=_METADATA[form])
    return output.getvalue()


def inline(made, name, label):
    """The figure as an ``<svg>`` element for a page, with its text kept as text.

    ``name`` makes the ids unique in the page; ``label`` describes what it shows to those who cannot
    see it. Ink and grid take the colours of the page: ``currentColor`` and ``var(--grid)``.
    """
    output = io.StringIO()
    with matplotlib.rc_context({**_STYLE, "svg.fonttype": "none"}):
        made.savefig(output, format="svg", metadata=_NO_METADATA, transparent=True)
    text = output.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<style.*?</style>", "", text, flags=re.S)
    text = re.sub(r" font-family: [^;\"]*;", "", text)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)
    text = text.replace("xlink:href=", "href=")
    text = re.sub(r'<g id="[^"]*">', "<g>", text)
    text = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{name}-", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)
    text = text.replace(_INK, "currentColor").replace(_GRID, "var(--grid)")
    text = text.replace("<text style=\"", "<text style=\"fill: currentColor; ")
    return re.sub(r'<svg width="[^"]*" height="[^"]*"',
                  f'<svg role="img" aria-label="{label}"', text, count=1)
