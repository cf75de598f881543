"""The controls of the page: what a board can be asked for, with fields and buttons.

The fields belong to one browser; what they ask for is done at the desk, for all of them.
"""

from nicegui import run, ui

from ..console.grammar import BIST, CLEAR, PATTERNS
from ..units import SECTOR_BYTES
from .connection import RefusedRequest
from .texts import extent_words, number_of, size

__all__ = ["Controls"]

_SCAN_BLOCK, _SCAN_COUNT = 2048, 64


class Controls:
    """Builds the card with the controls of ``desk``; :meth:`refresh` lets them follow the state."""

    def __init__(self, desk):
        self._desk = desk
        self._starters = []         # buttons that need a drive that is ready
        self._others = []           # buttons that need a board
        self._other_verbs = None
        self._build()

    # Building -------------------------------------------------------------------------------------

    def _build(self):
        with ui.element("section").classes("sr-card sr-operate"):
            ui.html("<h2>Operate</h2>", sanitize=False)
            with ui.tabs().props("dense align=left no-caps inline-label").classes("w-full") as tabs:
                for name in ("Record", "Play", "Scan", "Sector", "Console"):
                    ui.tab(name).props(f"data-testid=tab-{name.lower()}")
            with ui.tab_panels(tabs, value="Record").classes("w-full"):
                with ui.tab_panel("Record"):
                    self._record()
                with ui.tab_panel("Play"):
                    self._play()
                with ui.tab_panel("Scan"):
                    self._scan()
                with ui.tab_panel("Sector"):
                    self._sector()
                with ui.tab_panel("Console"):
                    self._console()
            ui.separator().classes("my-3")
            with ui.element("div").classes("sr-row"):
                self._stop = _button("Stop", "stop", self._ask("stop"), "stop",
                                     "color=negative unelevated")
                self._journal = _button("Journal", "list_alt", self._ask("journal"), "journal")
                self._counters = _button("Counters", "functions", self._ask("counters"), "counters")
                self._flush = _button("Flush", "save_alt", self._ask("flush"), "flush")
                self._reset = _button("Reset link", "restart_alt", self._ask("reset"), "reset")
            self._others += [self._journal, self._counters, self._reset]
            self._starters.append(self._flush)

    def _record(self):
        with ui.element("div").classes("sr-stack"):
            ui.html("<p class='sr-hint'>Writes a pattern to the drive. What was there is gone.</p>",
                    sanitize=False)
            self._record_lba, self._record_sectors = _extent("record", 0, 200_000)
            with ui.element("div").classes("sr-pair"):
                self._record_pattern = _pattern("record")
                self._record_flush = ui.checkbox("then flush").props("data-testid=record-flush")
            self._record_hint = _hint()
            self._starters.append(_button("Record", "fiber_manual_record", self._start_record,
                                          "record", "unelevated color=primary"))

    def _play(self):
        with ui.element("div").classes("sr-stack"):
            ui.html("<p class='sr-hint'>Reads, and compares each word with the pattern.</p>",
                    sanitize=False)
            self._play_lba, self._play_sectors = _extent("play", 0, 200_000)
            self._play_pattern = _pattern("play")
            self._play_hint = _hint()
            self._starters.append(_button("Play and verify", "play_arrow", self._start_play, "play",
                                          "unelevated color=primary"))

    def _scan(self):
        with ui.element("div").classes("sr-stack"):
            ui.html("<p class='sr-hint'>Measures blocks that are spread over a range: speed and "
                    "time of each. A block with an error is marked, and the scan goes on.</p>",
                    sanitize=False)
            self._scan_lba, self._scan_sectors = _extent("scan", 0, 0)
            with ui.element("div").classes("sr-pair"):
                self._scan_block = _field("sectors of a block", _SCAN_BLOCK, "scan-block")
                self._scan_count = _field("blocks (0: all)", _SCAN_COUNT, "scan-count")
            self._scan_verb = ui.toggle({"play": "read", "record": "write"}, value="play") \
                .props("data-testid=scan-verb dense no-caps spread").classes("w-full")
            self._scan_hint = _hint()
            self._starters.append(_button("Scan", "query_stats", self._start_scan, "scan",
                                          "unelevated color=primary"))

    def _sector(self):
        with ui.element("div").classes("sr-stack"):
            ui.html("<p class='sr-hint'>Shows the 512 bytes of one sector.</p>", sanitize=False)
            self._dump_lba = _field("sector (LBA)", 0, "dump-lba")
            with ui.element("div").classes("sr-row"):
                self._starters.append(_button("Show", "data_object", self._start_dump, "dump",
                                              "unelevated color=primary"))
                self._starters.append(_button("Previous", "chevron_left",
                                              lambda: self._step_dump(-1), "dump-previous"))
                self._starters.append(_button("Next", "chevron_right",
                                              lambda: self._step_dump(1), "dump-next"))

    def _console(self):
        with ui.element("div").classes("sr-stack"):
            ui.html("<p class='sr-hint'>Any request of the console, as it is typed at a terminal. "
                    "The answer is in the log.</p>", sanitize=False)
            self._line = ui.input("request", placeholder="status") \
                .props("outlined dense data-testid=line autocapitalize=off autocomplete=off") \
                .classes("w-full").on("keydown.enter", self._send_line)
            with ui.element("div").classes("sr-row"):
                self._others.append(_button("Send", "send", self._send_line, "send",
                                            "unelevated color=primary"))
                for verb in ("identify", "version", "help", "phy"):
                    self._others.append(_button(verb, None, self._ask(verb), f"ask-{verb}"))
                self._phy = [_button(f"phy {word}", None, self._ask(f"phy {word}"),
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
        if await self._agreed(f"Record on {extent_words(lba, sectors)}?"):
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
        if verb == "play" or await self._agreed(
                f"Write to blocks of {extent_words(lba, sectors)}?"):
            said(self._desk.scan, verb, lba, sectors, block, count)

    async def _agreed(self, question):
        """Whether the user says yes; a simulated drive is overwritten without a question."""
        state = self._desk.state
        if state.is_simulated:
            return True
        with ui.dialog() as dialog, ui.card().classes("sr-card"):
            ui.label(question).classes("text-base font-semibold")
            ui.label(f"What is there on {state.identity.get('model', 'the drive')} "
                     f"({state.identity.get('serial', 'no serial number')}) is overwritten.")
            with ui.row().classes("w-full justify-end"):
                ui.button("Cancel", on_click=lambda: dialog.submit(False)) \
                    .props("flat data-testid=cancel")
                ui.button("Overwrite", on_click=lambda: dialog.submit(True)) \
                    .props("unelevated color=negative data-testid=overwrite")
        return bool(await dialog)

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

    def _send_line(self):
        if said(self._desk.ask, self._line.value or ""):
            self._line.value = ""

    # Following the state --------------------------------------------------------------------------

    def refresh(self):
        """Buttons and hints are as the state is now."""
        state = self._desk.state
        for button in self._starters:
            button.set_enabled(state.ready)
        for button in self._others:
            button.set_enabled(state.open)
        self._stop.set_enabled(state.open and state.busy)
        for button in self._phy:        # there is a PHY that tells about itself
            button.set_visibility(bool(state.phy))
        for hint, lba, sectors in (
                (self._record_hint, self._record_lba, self._record_sectors),
                (self._play_hint, self._play_lba, self._play_sectors)):
            hint.text = self._extent_hint(lba, sectors)
        self._scan_hint.text = self._scan_words()
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
        """Requests that this board has and the other tabs do not."""
        self._more.clear()
        with self._more:
            if verbs:
                ui.html("<p class='sr-hint'>This board can do more:</p>", sanitize=False)
            with ui.element("div").classes("sr-row"):
                for verb, usage in verbs.items():
                    def take(verb=verb):
                        self._line.value = f"{verb} "
                        self._line.run_method("focus")
                    ui.button(verb, on_click=take).props(
                        f"outline dense no-caps data-testid=verb-{verb}").tooltip(usage)


def complain(error):
    """Shows a refusal to the browser that asked."""
    ui.notify(str(error), type="negative", position="bottom", timeout=6000, multi_line=True)


def said(call, *arguments):
    """Calls, and shows a refusal; returns whether it was done."""
    try:
        call(*arguments)
    except RefusedRequest as error:
        complain(error)
        return False
    return True


async def said_later(call, *arguments):
    """The same for what may take a moment; what is returned is shown, too."""
    try:
        told = await run.io_bound(call, *arguments)
    except RefusedRequest as error:
        complain(error)
        return
    if told:
        ui.notify(told, position="bottom")


def _button(text, icon, handler, name, props="outline"):
    return ui.button(text, icon=icon, on_click=handler).props(
        f"{props} dense no-caps padding='4px 10px' data-testid={name}")


def _field(label, value, name):
    return ui.input(label, value=str(value)).props(
        f"outlined dense data-testid={name} autocomplete=off").classes("w-full")


def _extent(name, lba, sectors):
    with ui.element("div").classes("sr-pair"):
        return (_field("first sector (LBA)", lba, f"{name}-lba"),
                _field("sectors" if sectors else "sectors (0: to the end)", sectors,
                       f"{name}-sectors"))


def _pattern(name):
    return ui.select({PATTERNS[0]: "inc32, counts up", PATTERNS[1]: "dec32, its complement"},
                     value=PATTERNS[0], label="pattern") \
        .props(f"outlined dense data-testid={name}-pattern").classes("w-full")


def _hint():
    return ui.label().classes("sr-hint")
