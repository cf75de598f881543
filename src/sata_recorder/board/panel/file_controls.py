"""The tab of a board that makes files of its recordings."""

from nicegui import ui

from ...pc.console.grammar import EVERY
from .fields import button, complain, field, hint, hint_text, pattern_field, said
from .texts import number_of, size

_KINDS = {"file": "one file", "ring": "a ring", "segments": "segments"}
_WHAT = {
    "file": "A file of this many bytes; 0: until Stop, or until its slot is full.",
    "ring": "Again and again over what is oldest, until Stop.",
    "segments": "A ring for each trigger, which ends this many words after it; until no part has room, or "
                "Stop.",
}


class FileControls:
    """Builds the tab for ``desk``; :meth:`refresh` makes it follow the state."""

    def __init__(self, desk):
        self._desk = desk
        with ui.element("div").classes("sr-stack"):
            hint_text("Records a pattern into the next free slot of a drive that `sata-recorder prepare` has "
                      "prepared. A PC finds a file there.")
            self._kind = ui.toggle(_KINDS, value="file").props(
                "data-testid=file-kind dense no-caps spread").classes("w-full")
            self._bytes = field("bytes (0: until Stop)", 10_000_000, "file-bytes")
            with ui.element("div").classes("sr-pair") as self._parts:
                self._part = field("sectors of a part", 4096, "file-part")
                self._words = field("words after a trigger", 1000, "file-words")
            self._every = field("seconds between two updates (0: at its end only)", 0, "file-every")
            self._pattern = pattern_field("file")
            self._hint = hint()
            with ui.element("div").classes("sr-row"):
                self.start = button("Record a file", "save", self._start, "file", "unelevated color=primary")
                self._trigger = button("Trigger", "bolt", lambda: said(desk.ask, "trigger"), "trigger")

    def _line(self):
        kind = self._kind.value
        numbers = {"file": lambda: [number_of(self._bytes.value, "bytes")], "ring": list,
                   "segments": lambda: [number_of(self._part.value, "sectors of a part"),
                                        number_of(self._words.value, "words after a trigger")]}
        every = number_of(self._every.value, "seconds between two updates")
        more = (EVERY, every) if every else ()
        return " ".join(map(str, (kind, *numbers[kind](), self._pattern.value, *more)))

    def _start(self):
        try:
            said(self._desk.file, self._line())
        except ValueError as error:
            complain(error)

    def refresh(self):
        """Makes fields, buttons and hint match the kind and the state."""
        state = self._desk.state
        if "ring" not in state.known_verbs:
            self._kind.value = "file"
        kind = self._kind.value
        self._kind.set_visibility("ring" in state.known_verbs)
        self._bytes.set_visibility(kind == "file")
        self._parts.set_visibility(kind == "segments")
        # Older boards do not know this option.
        knows = EVERY in state.known_verbs.get(kind, "")
        self._every.value = self._every.value if knows else "0"
        self._every.set_visibility(knows)
        running = state.operation if state.operation and state.operation.running else None
        self._trigger.set_visibility("trigger" in state.known_verbs)
        self._trigger.set_enabled(bool(running and running.verb == "segments"))
        try:
            self._line()
            self._hint.text = _WHAT[kind] if kind != "file" or self._bytes.value == "0" else \
                f"A file of {size(number_of(self._bytes.value, 'bytes'))}."
        except ValueError as error:
            self._hint.text = str(error)
