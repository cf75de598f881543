"""The live plots, as options of Apache ECharts: plain dictionaries, made of what is known."""

from html import escape

from ...report import COLOURS, WHO
from ...pc.console.sound import ACCOUNTS
from .saving import latest_moved

#: Ink that is legible on light and on dark paper.
_INK, _LINE = "#7f8a96", "rgba(127, 138, 150, 0.22)"


class Plot:
    """``name`` for programs, ``title`` and ``hint`` for people; ``options(state)`` are those of
    the chart, always with the same keys, and ``empty(state)`` states what is missing, None if
    nothing is."""

    def __init__(self, name, title, hint, options, empty):
        self.name, self.title, self.hint = name, title, hint
        self.options, self.empty = options, empty


def _options(x, y, series, *, most=None, x_most=None, dots=False):
    axis = {"nameTextStyle": {"color": _INK}, "axisLabel": {"color": _INK, "hideOverlap": True},
            "axisLine": {"lineStyle": {"color": _INK}},
            "splitLine": {"lineStyle": {"color": _LINE}}, "type": "value"}
    return {
        "animation": False,
        "backgroundColor": "transparent",
        "textStyle": {"fontFamily": "system-ui, 'Segoe UI', Roboto, sans-serif"},
        # An axis without labels leaves no room for its name.
        "grid": {"left": 8, "right": 34, "top": 30, "bottom": 26 if any(one["data"] for one in series) else 44,
                 "containLabel": True},
        "tooltip": {"trigger": "item" if dots else "axis", "confine": True, "order": "valueDesc",
                    "axisPointer": {"type": "line", "lineStyle": {"color": _INK}}},
        "xAxis": axis | {"name": x, "nameLocation": "middle", "nameGap": 26, "min": 0,
                         "scale": True} | ({"max": x_most} if x_most else {}),
        "yAxis": axis | {"name": y, "nameGap": 12, "min": 0,
                         "nameTextStyle": {"color": _INK, "align": "left"}}
        | ({"max": most} if most else {}),
        "series": series,
    }


def legend(options):
    """The names of the series and their colours, as HTML: a legend in the chart would not have room for all accounts.
    Empty for one series, whose name the axis has."""
    series = options["series"]
    return "" if len(series) < 2 else "".join(
        f"<span><i class='sr-key' style='background:{one['itemStyle']['color']}'></i>{escape(one['name'])}</span>"
        for one in series)


def _places(options):
    """The options, with the labels of x in millions of sectors from a million on."""
    axis = options["xAxis"]
    axis["axisLabel"] = axis["axisLabel"] | {
        ":formatter": "value => value >= 1e6 ? value / 1e6 + ' M' : value.toLocaleString('en-US')"}
    return options


def _rounded(pairs, digits=(6, 2)):
    return [[round(x, digits[0]), round(y, digits[1])] for x, y in pairs]


def _line(name, data, colour, *, area=0.18, **more):
    return {"name": name, "type": "line", "data": data, "showSymbol": len(data) < 3,
            "symbolSize": 5, "lineStyle": {"color": colour, "width": 2},
            "itemStyle": {"color": colour}, "areaStyle": {"color": colour, "opacity": area}} | more


def _dots(name, data, colour, size=6):
    return {"name": name, "type": "scatter", "data": data, "symbolSize": size,
            "itemStyle": {"color": colour, "opacity": 0.85}}


def _throughput(state):
    moved = latest_moved(state)
    pairs = [(seconds, rate) for seconds, rate, _ in moved.speeds()] if moved else []
    return _options("time of the operation (s)", "MB/s",
                    [_line("MB/s", _rounded(pairs), WHO["payload"])])


def _ledger(state, accounts=ACCOUNTS, most=100):
    moved = latest_moved(state)
    rows = list(moved.shares()) if moved else []
    series = []
    for n, account in enumerate(ACCOUNTS):
        if account not in accounts or \
                account != "payload" and not any(percent[n] for _, percent in rows):
            continue
        data = _rounded([(seconds, percent[n]) for seconds, percent in rows], (6, 3))
        # The share of an interval is known at its end, and applies from its beginning on.
        data = [[0, data[0][1]], *data] if data else []
        series.append(_line(account.replace("_", " "), data, COLOURS[account], area=0.85,
                            stack="clocks", step="end", showSymbol=False,
                            lineStyle={"width": 0, "color": COLOURS[account]}))
    return _options("time of the operation (s)", "% of the clocks", series, most=most)


def ledger_rest(state):
    """The ledger without payload, on a scale of its own."""
    return _ledger(state, ACCOUNTS[1:], None)


def _buffer(state):
    moved = latest_moved(state)
    rows = list(moved.buffer()) if moved else []
    room = state.version.get("buffer_words")
    level = _line("most words that waited so far",
                  _rounded([(seconds, most) for seconds, most, _ in rows], (6, 0)),
                  WHO["payload"], step="end")
    if room:
        level["markLine"] = {
            "silent": True, "symbol": "none", "lineStyle": {"color": _INK, "type": "dashed"},
            "label": {"formatter": f"buffer {room:,}", "color": _INK,
                      "position": "insideStartTop"},
            "data": [{"yAxis": room}]}
    held = _line("% of the clocks in which a word waited",
                 _rounded([(seconds, percent) for seconds, _, percent in rows]), WHO["host"],
                 area=0, yAxisIndex=1)
    # The room in a memory is far above what is drawn, so the axis names it.
    found = _options("time of the operation (s)", f"words, room for {room:,}" if room else "words", [level, held])
    second = found["yAxis"] | {"name": "%", "max": 100, "position": "right",
                               "splitLine": {"show": False},
                               "nameTextStyle": {"color": _INK, "align": "right"}}
    return found | {"yAxis": [found["yAxis"], second]}


def _speed(state):
    moved, scan = latest_moved(state), state.scan
    series = []
    if moved:
        places = [(lba, rate) for _, rate, lba in moved.speeds() if lba is not None]
        if places:
            series.append(_line("operation", _rounded(places, (0, 2)), WHO["payload"], area=0.1))
    if scan:
        good = [(block.lba, block.mb_per_s) for block in scan.blocks if block.error is None]
        bad = [(block.lba, 0) for block in scan.blocks if block.error is not None]
        series.append(_dots("block of the scan", _rounded(good, (0, 2)), WHO["host"]))
        series.append(_dots("block with an error", bad, WHO["recovery"], 9))
    return _places(_options("LBA (sector)", "MB/s", series, dots=True))


def _blocks(state):
    blocks = state.scan.blocks if state.scan else []
    good = [(block.lba, block.ms) for block in blocks if block.error is None]
    bad = [(block.lba, block.ms) for block in blocks if block.error is not None]
    return _places(_options("first LBA of the block (sector)", "ms",
                            [_dots("good", _rounded(good, (0, 4)), WHO["drive"]),
                             _dots("error", _rounded(bad, (0, 4)), WHO["recovery"], 9)],
                            dots=True))


def _no_move(state):
    moved = latest_moved(state)
    return None if moved and len(moved.progress) > 1 else \
        "Record or play something, and it is drawn while it runs."


def _no_ledger(state):
    moved = latest_moved(state)
    return None if moved and moved.ledger else \
        "Record or play something, and it is drawn while it runs."


def _no_place(state):
    if state.scan and state.scan.blocks:
        return None
    if _no_move(state):
        return "Record, play or scan, and each place of the drive shows its speed."
    return None if any(lba is not None for *_, lba in latest_moved(state).speeds()) else \
        "The board does not report where this one is."


def _no_scan(state):
    return None if state.scan and state.scan.blocks else \
        "A scan measures the drive block by block."


#: The plots of the page, in their order.
PLOTS = (
    Plot("throughput", "Throughput", "Words that were through, in the clocks of the core.",
         _throughput, _no_move),
    Plot("ledger", "Where the time went",
         "Blue payload, teal protocol, violet drive, orange host.",
         _ledger, _no_ledger),
    Plot("speed", "Speed against LBA", "Of the operation, and of each block of a scan.",
         _speed, _no_place),
    Plot("blocks", "Time of a block", "From its start to its end, command and status included.",
         _blocks, _no_scan),
    Plot("buffer", "Buffer of the recorder",
         "The most words that waited so far, and how long words had to wait.", _buffer,
         _no_ledger),
)
