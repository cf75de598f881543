"""The picture of a drive's life on the flash model."""

from .colours import SERIES
from .drawing import axis, figure, note, powers, rendered

_PANELS = ("erases of a block", "flash writes for each of the host", "blocks failed", "MB/s", "raw errors a bit")
#: Plots whose lines mostly lie on one another; each line must be seen.
_TOGETHER = (_PANELS[0], _PANELS[3])
_UNITS = (("MB", 1e6), ("GB", 1e9), ("TB", 1e12))


def picture(data, form):
    """The bytes of the picture of ``data`` (:meth:`..lab.wear.Wear.as_data`) as "png" or "svg": a plot of each thing
    that is known, over the bytes that the host has written."""
    samples = data["samples"]
    most = max(one["host_bytes"] for one in samples)
    unit, scale = next((one for one in reversed(_UNITS) if most >= one[1]), _UNITS[0])
    written = [one["host_bytes"] / scale for one in samples]
    plots = [(title, lines) for title, lines in zip(_PANELS, _lines(data)) if lines]
    with figure(1.0 + 1.7 * len(plots)) as made:
        every = made.subplots(len(plots), sharex=True, squeeze=False)[:, 0]
        for axes, (title, lines) in zip(every, plots):
            for number, (label, values) in enumerate(lines.items()):
                below = len(lines) - 1 - number if title in _TOGETHER else 0
                axes.plot(written, values, label=label, color=SERIES[number % len(SERIES)], linewidth=1.6 + 1.8 * below)
            axes.set_title(title)
            if title == _PANELS[-1]:
                axes.set_yscale("log")
                powers(axes.yaxis)
            else:
                axes.set_ylim(0, 1.15 * max(max(values) for values in lines.values()) or 1)
                axis(axes.yaxis, ticks=5)
            if len(lines) > 1 or title == _PANELS[3]:
                axes.legend(loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0, ncols=len(lines))
        axis(every[-1].xaxis, ticks=8)
        every[-1].set_xlabel(f"written by the host ({unit})")
        rate = "" if data["rate"] is None else f" at {data['rate'] / 1e6:,.6g} MB/s"
        origin = "Measured on a board." if data.get("measured") else "Simulated: a model of its flash. Not measured."
        note(made, f"{data['drive']}, {data['pattern']}{rate}. {origin}", above=True)
        return rendered(made, form)


def _lines(data):
    """{label: values} of each plot; empty where nothing is known."""
    samples = data["samples"]

    def of(**names):
        found = {label: [one[name] for one in samples] for label, name in names.items()}
        return {label: values for label, values in found.items() if None not in values}

    yield of(least="least", mean="mean", most="most")
    yield of(**{"write amplification": "amplification"})
    yield of(failed="bad_blocks")
    whose = "the drive" if data.get("controller_known", True) else "its flash alone"
    rates = of(**{f"{whose} can take": "taken", "it is written at": "rate"})
    yield {label: [value / 1e6 for value in values] for label, values in rates.items()}
    yield {law: [one["bit_errors"].get(law) for one in samples] for law in samples[-1]["bit_errors"]}
