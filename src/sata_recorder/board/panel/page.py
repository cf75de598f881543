"""The page: what one browser sees. It reads the state a few times a second."""

import json
from pathlib import Path

from nicegui import run, ui

from ...report import session_page, session_picture
from .charts import PLOTS, ledger_rest, legend
from .controls import Controls
from .desk import MOST_LOADED
from .fields import button, complain, folded, said, said_later
from .lane_card import LaneCard
from .saving import blocks_csv, intervals_csv, session_data
from .tables import (access_table, counters_table, drive_facts, first_mismatch, hex_view, journal_table,
                     log_lines, operations_table, phy_facts, smart_table)
from .texts import connection_words, duration, link_words, number_of, operation_words
from .welcome import Welcome

#: Seconds between two polls of the state, and between two drawings of a plot.
_LOOK = 0.3
_STYLE = (Path(__file__).with_name("panel.css")).read_text(encoding="utf-8")
_LOGO = """<svg class="sr-logo" viewBox="0 0 32 32" aria-hidden="true">
<rect x="1" y="1" width="30" height="30" rx="7" fill="#1d2b3d"/>
<path d="M6 21h4l2-10 4 14 3-9 2 5h5" fill="none" stroke="#6f9fd8" stroke-width="2.4"
 stroke-linecap="round" stroke-linejoin="round"/><circle cx="26" cy="21" r="2" fill="#e8832a"/></svg>"""
#: In a narrow window the cards begin folded, except the first plot.
_FOLDING = ('if (window.innerWidth <= 832) '
            'document.querySelectorAll("details.sr-card:not(.sr-first)").forEach(one => { one.open = false; })')
_THEMES = {None: ("brightness_auto", "as the system"), True: ("dark_mode", "dark"),
           False: ("light_mode", "light")}


class PanelPage:
    """Builds the page for the ``desk``."""

    def __init__(self, desk):
        self._desk = desk
        self._seen = {}             # what is already drawn, by element
        ui.add_css(_STYLE)
        ui.colors(primary="#2f78c4", negative="#c22f2f", positive="#1a7f4b")
        ui.context.client.on_connect(lambda: ui.run_javascript(_FOLDING))
        self._dark = ui.dark_mode(None)
        self._head()
        self._banner = ui.element("div").classes("sr-banner").props("role=status")
        with self._banner:
            self._banner_text = ui.label().props("data-testid=banner")
            self._again = ui.button("Connect again", on_click=self._reconnect).props(
                "dense flat no-caps data-testid=again")
        self._welcome = Welcome(desk)
        self._lanes = LaneCard()
        with ui.element("main").classes("sr-main") as self._main:
            with ui.element("div").classes("sr-side"):
                self._controls = Controls(desk)
                self._drive_card()
                self._break_card()
            with ui.element("div").classes("sr-wide"):
                with ui.element("div").classes("sr-now"):
                    self._figures()
                self._lanes.place()
                self._plots()
                self._tables()
        self.refresh()
        ui.timer(_LOOK, self.refresh, immediate=False)

    # Building -------------------------------------------------------------------------------------

    def _head(self):
        with ui.element("header").classes("sr-head"):
            ui.html(f"<span class='sr-name'>{_LOGO}<span>SATA Recorder <small>control panel</small>"
                    "</span></span>", sanitize=False)
            self._mode = ui.html("", sanitize=False).props("data-testid=simulated")
            ui.element("div").classes("sr-space")
            self._connected = ui.label().classes("sr-chip").props("data-testid=connection")
            self._link = ui.label().classes("sr-chip").props("data-testid=link")
            with ui.button("Save", icon="download").props(
                    "outline dense no-caps padding='4px 10px' data-testid=save").classes("sr-save") \
                    as self._save, \
                    ui.menu():
                for title, name in (("Report (HTML)", "html"), ("Plots (PNG)", "png"),
                                    ("Intervals (CSV)", "intervals"), ("Blocks (CSV)", "blocks"),
                                    ("Everything (JSON)", "json")):
                    ui.menu_item(title, on_click=lambda name=name: self._download(name)).props(
                        f"data-testid=save-{name}")
            self._leave = ui.button(icon="link_off", on_click=self._disconnect).props(
                "flat dense round data-testid=disconnect aria-label=Disconnect")
            self._leave.tooltip("Disconnect")
            self._theme = ui.button(icon="brightness_auto", on_click=self._turn_theme).props(
                "flat dense round data-testid=theme aria-label='Light or dark'")

    def _figures(self):
        with ui.element("div").classes("sr-figures"):
            self._rate = _figure("throughput", "MB/s", "rate")
            self._done = _figure("of the data transferred", "%", "share")
            self._left = _figure("left", "", "left")
            self._wrong = _figure("wrong words", "", "mismatches")
        with ui.element("div").classes("sr-card"):
            self._what = ui.label().classes("sr-what text-sm").props("data-testid=what")
            self._bar = ui.linear_progress(0, show_value=False, size="10px").props(
                "rounded instant-feedback data-testid=progress").classes("mt-2")

    def _plots(self):
        self._charts = {}
        with ui.element("div").classes("sr-plots"):
            for plot in PLOTS:
                first = "sr-first" if plot is PLOTS[0] else ""
                with folded(plot.title, f"sr-plot {first}").props(f"data-testid=plot-{plot.name}") as card:
                    ui.html(f"<p class='sr-hint'>{plot.hint}</p>", sanitize=False)
                    names = ui.html("", sanitize=False).classes("sr-legend").props(f"data-testid=legend-{plot.name}")
                    if plot.name == "ledger":
                        self._rest_only = ui.switch("without payload").props(
                            "dense size=xs data-testid=rest-only").classes("sr-switch")
                    chart = ui.echart(plot.options(self._desk.state)).classes("sr-chart")
                    empty = ui.label().classes("sr-empty")
                    self._charts[plot.name] = card, names, chart, empty

    def _tables(self):
        with ui.element("div").classes("sr-tables"):
            with ui.element("div").classes("sr-column"):
                self._operations = _card("Operations", "operations")
                with ui.element("div").classes("w-full") as self._accessed:
                    self._accesses = _card("Accesses", "access-table")
                self._log = _card("Log", "log", "sr-log")
                self._hex = _card("Sector", "hex", "sr-hex")
            with ui.element("div").classes("sr-column"):
                self._journal = _card("Journal: what is in doubt", "journal-table")
                self._counters = _card("Ledger and counters", "counters-table")

    def _drive_card(self):
        with folded("Drive", "sr-drive"):
            self._facts = ui.html("", sanitize=False).classes("w-full sr-table").props("data-testid=drive-facts")
            with ui.element("div").classes("sr-row mt-2") as self._care:
                self._carers = [
                    button("Read SMART", "monitor_heart", lambda: said(self._desk.read_smart), "smart"),
                    button("Stand by", "bedtime", lambda: said(self._desk.stand_by), "standby")]
            self._smart = ui.html("", sanitize=False).classes("w-full sr-table").props("data-testid=smart-table")
            self._no_smart = ui.label(
                "This board has no request for SMART values: the drive reports only whether it has "
                "them.").classes("sr-hint mt-2")
            self._phy = ui.html("", sanitize=False).classes("w-full").props("data-testid=phy-facts")

    def _break_card(self):
        with folded("Break the simulated drive", "sr-break") as self._break, \
                ui.element("div").classes("sr-stack mt-1"):
            ui.html("<p class='sr-hint'>Now, also while something runs. The journal and the log show how the "
                    "recorder reacts.</p>", sanitize=False)
            self._lanes.choose()
            with ui.element("div").classes("sr-row no-wrap"):
                self._broken = ui.input("sector", value="1500").props(
                    "outlined dense data-testid=break-lba").classes("sr-place")
                self._breaker("Bad sector", "bad-sector", number="sector")
                self._breaker("Flip a bit", "flip", number="sector")
            with ui.element("div").classes("sr-row"):
                self._breaker("Unplug", "unplug")
                self._breaker("Plug in", "plug")
                self._breaker("Drop the link", "drop-link")
                self._breaker("Slow", "slow 1500")
                self._breaker("Mute", "mute")
                self._breaker("Heal", "heal", "unelevated color=positive")
            ui.upload(label="Data of your own, from the sector above on", auto_upload=True, max_files=1,
                      max_file_size=MOST_LOADED, on_upload=self._load,
                      on_rejected=lambda: complain(f"at most {MOST_LOADED:,} bytes, one file")).props(
                "flat bordered data-testid=load").classes("w-full")

    async def _load(self, event):
        """Puts what the browser has sent onto the drive."""
        try:
            lba = number_of(self._broken.value, "sector")
        except ValueError as error:
            complain(error)
            return
        content = await event.file.read()
        await said_later(self._desk.load, lba, event.file.name, content)
        event.sender.reset()

    def _breaker(self, text, order, props="outline", number=None):
        async def act():
            line = order
            if number:
                try:
                    line += f" {number_of(self._broken.value, number)}"
                except ValueError as error:
                    complain(error)
                    return
            if lane := self._lanes.order:
                await said_later(self._desk.order, lane)
            await said_later(self._desk.order, line)
        ui.button(text, on_click=act).props(
            f"{props} dense no-caps padding='4px 10px' data-testid=order-{order.split()[0]}")

    # What the buttons of the head do --------------------------------------------------------------

    def _turn_theme(self):
        self._dark.value = {None: True, True: False, False: None}[self._dark.value]
        icon, words = _THEMES[self._dark.value]
        self._theme.props(f"icon={icon}")
        ui.notify(f"Colours: {words}", position="bottom", timeout=1500)

    async def _disconnect(self):
        await run.io_bound(self._desk.disconnect)
        self._desk.state.forget()

    def _reconnect(self):
        said(self._desk.connect_again)

    async def _download(self, kind):
        data, stamp = session_data(self._desk.state), self._desk.state.time_of_day()
        makers = {
            "html": (lambda: session_page(data).encode(), "text/html", f"sata-recorder-{stamp}.html"),
            "png": (lambda: session_picture(data), "image/png", f"sata-recorder-{stamp}.png"),
            "intervals": (lambda: intervals_csv(data).encode(), "text/csv",
                          f"sata-recorder-intervals-{stamp}.csv"),
            "blocks": (lambda: blocks_csv(data).encode(), "text/csv",
                       f"sata-recorder-blocks-{stamp}.csv"),
            "json": (lambda: json.dumps(data, indent=2).encode(), "application/json",
                     f"sata-recorder-{stamp}.json"),
        }
        make, kind, name = makers[kind]
        content = await run.io_bound(make)
        ui.download.content(content, name, kind)

    # Following the state --------------------------------------------------------------------------

    def refresh(self):
        """Draws what has changed since it was last drawn."""
        state = self._desk.state
        self._welcome.refresh()
        self._main.set_visibility(bool(state.version))
        self._chips(state)
        self._controls.refresh()
        self._lanes.refresh(state)
        self._show_figures(state)
        if not self._new("revision", (state.revision, self._rest_only.value)) and not state.busy:
            return
        self._html(self._facts, drive_facts(state))
        cares = "command" in state.known_verbs
        self._care.set_visibility(cares)
        for one in self._carers:
            one.set_enabled(state.ready)
        self._html(self._smart, smart_table(state))
        self._no_smart.set_visibility(bool(state.identity) and not cares)
        self._html(self._phy, phy_facts(state))
        self._html(self._operations, operations_table(state))
        self._accessed.set_visibility("access" in state.known_verbs)
        self._html(self._accesses, access_table(state))
        self._html(self._journal, journal_table(state))
        self._html(self._counters, counters_table(state))
        self._html(self._log, log_lines(state))
        self._html(self._hex, hex_view(state.dump))
        self._draw(state)

    def _chips(self, state):
        self._mode.content = "<span class='sr-simulated'>simulated</span>" \
            if state.is_simulated and state.version else ""
        for label, (text, kind) in ((self._connected, connection_words(state)),
                                    (self._link, link_words(state))):
            label.text = text
            label.classes(remove="good wrong busy", add=kind)
        self._link.set_visibility(state.open)
        self._leave.set_visibility(state.open)
        self._save.set_visibility(bool(state.version))
        self._break.set_visibility(state.open and state.simulated)
        text = state.reason
        if state.connection == "opening":
            text = "Starting the simulated board; the first time it is compiled." \
                if state.simulated else f"Connecting to {state.port}."
        self._banner.set_visibility(bool(text))
        self._banner.classes(remove="wrong", add="wrong" if state.connection == "lost" else "")
        self._banner_text.text = text
        self._again.set_visibility(state.connection == "lost")

    def _show_figures(self, state):
        operation, scan = state.operation, state.scan
        scanning = bool(scan and operation and operation.series is scan)
        share = scan.share if scanning else \
            operation.share if operation and operation.moves else None
        if operation and operation.state == "done" and operation.moves and not scanning:
            share = 1.0
        self._what.text = operation_words(state) if not state.open or state.status else ""
        self._bar.value = share or 0
        failed = bool(operation and operation.state in ("failed", "lost")) and not scanning
        self._what.classes(remove="wrong", add="wrong" if failed else "")
        self._bar.props(f"color={'negative' if failed else 'primary'}")
        self._done.text = "-" if share is None else f"{100 * share:.1f}"
        self._rate.text = _rate(operation, scan if scanning else None)
        self._left.text = duration(operation.left()) if operation and not scanning else \
            duration(scan.left()) if scanning and scan.running else "-"
        # A scan reads what may never have been written: its wrong words are no errors.
        wrong = operation.fields.get("mismatches") if operation and not scanning else None
        self._wrong.text = "-" if wrong is None else f"{wrong:,}"
        told = first_mismatch(state)
        if told:
            self._what.text += f". {told}"

    def _draw(self, state):
        for plot in PLOTS:
            card, names, chart, empty = self._charts[plot.name]
            empty.text = plot.empty(state) or ""
            card.classes(**{"add" if empty.text else "remove": "sr-none"})
            options = ledger_rest(state) if plot.name == "ledger" and self._rest_only.value \
                else plot.options(state)
            if self._new(plot.name, json.dumps(options)):
                chart.options.clear()
                chart.options.update(options)
                names.content = legend(options)
                chart.update()

    def _html(self, element, text):
        if self._new(id(element), text):
            element.content = text

    def _new(self, name, value):
        """Whether ``value`` differs from the last one for ``name``; keeps it."""
        if self._seen.get(name) == value:
            return False
        self._seen[name] = value
        return True


def _rate(operation, scan):
    """The latest speed, as text."""
    if scan:
        return f"{scan.blocks[-1].mb_per_s:,.1f}" if scan.blocks else "-"
    if operation is None or not (operation.moves or operation.way):
        return "-"
    if not operation.running and isinstance(operation.fields.get("mb_per_s"), (int, float)):
        return f"{operation.fields['mb_per_s']:,.1f}"
    speeds = list(operation.speeds())
    return f"{speeds[-1][1]:,.1f}" if speeds else "-"


def _figure(label, unit, name):
    with ui.element("div").classes("sr-card sr-figure"):
        with ui.element("div").classes("sr-value"):
            value = ui.label("-").classes("inline").props(f"data-testid={name}")
            if unit:
                ui.label(unit).classes("sr-unit inline")
        ui.label(label).classes("sr-label")
    return value


def _card(title, name, kind="sr-table"):
    with folded(title):
        return ui.html("", sanitize=False).classes(kind).props(f"data-testid={name}")
