"""The controls of the page: what can be requested of a board, with fields and buttons.

The fields belong to one browser; what they request is done at the desk, for all browsers.
"""

from nicegui import ui

from ...pc.console.grammar import BIST, CLEAR, overwrites
from ...facts.units import SECTOR_BYTES
from .access_controls import AccessControls
from .fields import agreed, button, complain, extent_fields, field, hint, hint_text, pattern_field, said
from .file_controls import FileControls
from .texts import extent_words, number_of, size

_SCAN_BLOCK, _SCAN_COUNT = 2048, 64


class Controls:
    """Builds the card with the controls of ``desk``; :meth:`refresh` makes them follow the state."""

    def __init__(self, desk):
        self._desk = desk
        self._starters = []         # buttons that need a ready drive
        self._others = []           # buttons that need a board
        self._other_verbs = None
        self._build()

    # Building -------------------------------------------------------------------------------------

    def _build(self):
        with ui.element("section").classes("sr-card sr-operate"):
            ui.html("<h2>Operate</h2>", sanitize=False)
            with ui.tabs().props("dense align=left no-caps inline-label").classes("w-full") as tabs:
                self._tabs = {name: ui.tab(name).props(f"data-testid=tab-{name.lower()}")
                              for name in ("Record", "File", "Play", "Scan", "Access", "Trim", "Sector", "Console")}
            with ui.tab_panels(tabs, value="Record").classes("w-full"):
                with ui.tab_panel("Record"):
                    self._record()
                with ui.tab_panel("File"):
                    self._file = FileControls(self._desk)
                with ui.tab_panel("Play"):
                    self._play()
                with ui.tab_panel("Scan"):
                    self._scan()
                with ui.tab_panel("Access"):
                    self._access = AccessControls(self._desk)
                with ui.tab_panel("Trim"):
                    self._trim()
                with ui.tab_panel("Sector"):
                    self._sector()
                with ui.tab_panel("Console"):
                    self._console()
            ui.separator().classes("my-3")
            with ui.element("div").classes("sr-row"):
                self._stop = button("Stop", "stop", self._ask("stop"), "stop",
                                     "color=negative unelevated")
                self._journal = button("Journal", "list_alt", self._ask("journal"), "journal")
                self._counters = button("Counters", "functions", self._ask("counters"), "counters")
                self._flush = button("Flush", "save_alt", self._ask("flush"), "flush")
                self._reset = button("Reset link", "restart_alt", self._ask("reset"), "reset")
            self._others += [self._journal, self._counters, self._reset]
            self._starters += [self._flush, self._file.start, self._access.start]

    def _record(self):
        with ui.element("div").classes("sr-stack"):
            hint_text("Writes a pattern to the drive. What was there is gone.")
            self._record_lba, self._record_sectors = extent_fields("record", 0, 200_000)
            with ui.element("div").classes("sr-pair"):
                self._record_pattern = pattern_field("record")
                self._record_flush = ui.checkbox("then flush").props("data-testid=record-flush")
            self._record_hint = hint()
            self._starters.append(button("Record", "fiber_manual_record", self._start_record,
                                          "record", "unelevated color=primary"))

    def _play(self):
        with ui.element("div").classes("sr-stack"):
            hint_text("Reads, and compares each word with the pattern.")
            self._play_lba, self._play_sectors = extent_fields("play", 0, 200_000)
            self._play_pattern = pattern_field("play")
            self._play_hint = hint()
            self._starters.append(button("Play and verify", "play_arrow", self._start_play, "play",
                                          "unelevated color=primary"))

    def _scan(self):
        with ui.element("div").classes("sr-stack"):
            hint_text("Measures blocks that are spread over a range: speed and "
                    "time of each. A block with an error is marked, and the scan continues.")
            self._scan_lba, self._scan_sectors = extent_fields("scan", 0, 0)
            with ui.element("div").classes("sr-pair"):
                self._scan_block = field("sectors of a block", _SCAN_BLOCK, "scan-block")
                self._scan_count = field("blocks (0: all)", _SCAN_COUNT, "scan-count")
            self._scan_verb = ui.toggle({"play": "read", "record": "write"}, value="play") \
                .props("data-testid=scan-verb dense no-caps spread").classes("w-full")
            self._scan_hint = hint()
            self._starters.append(button("Scan", "query_stats", self._start_scan, "scan",
                                          "unelevated color=primary"))

    def _trim(self):
        with ui.element("div").classes("sr-stack"):
            hint_text("Tells the drive that it may forget these sectors. What was there is gone.")
            self._trim_lba, self._trim_sectors = extent_fields("trim", 0, 0)
            self._trim_hint = hint()
            self._starters.append(button("Trim", "auto_delete", self._start_trim, "trim",
                                         "unelevated color=primary"))

    def _sector(self):
        with ui.element("div").classes("sr-stack"):
            hint_text("Shows the 512 bytes of one sector.")
            self._dump_lba = field("sector (LBA)", 0, "dump-lba")
            with ui.element("div").classes("sr-row"):
                self._starters.append(button("Show", "data_object", self._start_dump, "dump",
                                              "unelevated color=primary"))
                self._starters.append(button("Previous", "chevron_left",
                                              lambda: self._step_dump(-1), "dump-previous"))
                self._starters.append(button("Next", "chevron_right",
                                              lambda: self._step_dump(1), "dump-next"))

    def _console(self):
        with ui.element("div").classes("sr-stack"):
            hint_text("Any request of the console, as it is typed at a terminal. "
                    "The answer is in the log.")
            self._line = ui.input("request", placeholder="status") \
                .props("outlined dense data-testid=line autocapitalize=off autocomplete=off") \
                .classes("w-full").on("keydown.enter", self._send_line)
            with ui.element("div").classes("sr-row"):
                self._others.append(button("Send", "send", self._send_line, "send",
                                            "unelevated color=primary"))
                for verb in ("identify", "version", "help", "phy"):
                    self._others.append(button(verb, None, self._ask(verb), f"ask-{verb}"))
                self._phy = [button(f"phy {word}", None, self._ask(f"phy {word}"),
                                     f"ask-phy-{word}") for word in (BIST, CLEAR)]
            self._others += self._phy
            self._more = ui.element("div").classes("sr-stack")

    # What they do ---------------------------------------------------------------------------------

    def _ask(self, line):
        return lambda: said(self._desk.ask, line)

    def _extent_of(self, lba, sectors):
        return number_of(lba.value, "first sector"), number_of(sectors.value, "sectors")

    async def _start_record(self):
        try:
            lba, sectors = self._extent_of(self._record_lba, self._record_sectors)
        except ValueError as error:
            complain(error)
            return
        words = ["record", str(lba), str(sectors), self._record_pattern.value]
        if self._record_flush.value:
            words.append("flush")
        if await agreed(self._desk.state, f"Record on {extent_words(lba, sectors)}?"):
            said(self._desk.ask, " ".join(words))

    def _start_play(self):
        try:
            lba, sectors = self._extent_of(self._play_lba, self._play_sectors)
        except ValueError as error:
            complain(error)
            return
        said(self._desk.ask, f"play {lba} {sectors} {self._play_pattern.value}")

    async def _start_scan(self):
        try:
            lba, sectors = self._extent_of(self._scan_lba, self._scan_sectors)
            block = number_of(self._scan_block.value, "sectors of a block")
            count = number_of(self._scan_count.value, "blocks")
        except ValueError as error:
            complain(error)
            return
        sectors = sectors or self._desk.state.capacity - lba
        verb = self._scan_verb.value
        if verb == "play" or await agreed(
                self._desk.state, f"Write to blocks of {extent_words(lba, sectors)}?"):
            said(self._desk.scan, verb, lba, sectors, block, count)

    def _trimmed(self):
        """The extent to trim."""
        lba, sectors = self._extent_of(self._trim_lba, self._trim_sectors)
        return lba, sectors or max(0, self._desk.state.capacity - lba)

    async def _start_trim(self):
        try:
            lba, sectors = self._trimmed()
            if not sectors:
                raise ValueError(f"first sector = {lba}: the drive has {self._desk.state.capacity:,}")
        except ValueError as error:
            complain(error)
            return
        if await agreed(self._desk.state, f"Trim {extent_words(lba, sectors)}?", loses="is gone",
                        yes="Trim"):
            said(self._desk.trim, lba, sectors)

    def _start_dump(self):
        try:
            said(self._desk.ask, f"dump {number_of(self._dump_lba.value, 'sector')}")
        except ValueError as error:
            complain(error)

    def _step_dump(self, by):
        try:
            self._dump_lba.value = str(max(0, number_of(self._dump_lba.value, "sector") + by))
        except ValueError as error:
            complain(error)
            return
        self._start_dump()

    async def _send_line(self):
        line = self._line.value or ""
        if overwrites(line) and not await agreed(self._desk.state, f"Send {line.strip()}?"):
            return
        if said(self._desk.ask, line):
            self._line.value = ""

    # Following the state --------------------------------------------------------------------------

    def refresh(self):
        """Makes buttons and hints match the state."""
        state = self._desk.state
        for starter in self._starters:
            starter.set_enabled(state.ready)
        for other in self._others:
            other.set_enabled(state.open)
        self._stop.set_enabled(state.open and state.busy)
        for shown in self._phy:         # only for a PHY that reports on itself
            shown.set_visibility(bool(state.phy))
        for line, lba, sectors in (
                (self._record_hint, self._record_lba, self._record_sectors),
                (self._play_hint, self._play_lba, self._play_sectors)):
            line.text = self._extent_hint(lba, sectors)
        self._scan_hint.text = self._scan_words()
        self._file.refresh()
        self._access.refresh()
        for name, verb in (("File", "file"), ("Access", "access"), ("Trim", "trim")):
            self._tabs[name].set_visibility(verb in state.known_verbs)
        try:
            lba, sectors = self._trimmed()
            self._trim_hint.text = extent_words(lba, sectors) if sectors else ""
        except ValueError as error:
            self._trim_hint.text = str(error)
        if (verbs := state.other_verbs()) != self._other_verbs:
            self._other_verbs = verbs
            self._show_other(verbs)

    def _extent_hint(self, lba, sectors):
        try:
            first, count = self._extent_of(lba, sectors)
        except ValueError as error:
            return str(error)
        capacity = self._desk.state.capacity
        if count < 1:
            return "At least 1 sector."
        if capacity and first + count > capacity:
            return f"The drive has {capacity:,} sectors."
        return extent_words(first, count)

    def _scan_words(self):
        try:
            lba, sectors = self._extent_of(self._scan_lba, self._scan_sectors)
            block = number_of(self._scan_block.value, "sectors of a block")
        except ValueError as error:
            return str(error)
        whole = "to the drive's end" if sectors == 0 else f"over {size(SECTOR_BYTES * sectors)}"
        return f"Blocks of {size(SECTOR_BYTES * block)} from sector {lba:,} on, {whole}."

    def _show_other(self, verbs):
        """Shows requests that this board has and the other tabs do not."""
        self._more.clear()
        with self._more:
            if verbs:
                hint_text("This board can do more:")
            with ui.element("div").classes("sr-row"):
                for verb, usage in verbs.items():
                    def take(verb=verb):
                        self._line.value = f"{verb} "
                        self._line.run_method("focus")
                    ui.button(verb, on_click=take).props(
                        f"outline dense no-caps data-testid=verb-{verb}").tooltip(usage)
