"""What a visitor sees before there is a board: two ways to get one, and a card that records the visitor's file."""

from html import escape

from nicegui import run, ui
from serial.tools import list_ports

from ...interface.configuration import ConfigurationError, configured
from ...simulation import timed_profile_names
from .connection import RefusedRequest
from .desk import MOST_LOADED
from .fields import complain, said
from .texts import number_of

_BAUDS = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1_000_000, 3_000_000)
_IDEAL = "answers at once"
#: What the core of a simulated board can do, and the names for it.
_CORES = {
    "records and plays": (),
    "any ATA command, too: SMART, TRIM": ("commands",),
    "small accesses anywhere, too": ("accesses",),
    "files on a prepared drive, too": ("files",),
    "files, rings and segments, too": ("files", "modes"),
    "an array of two drives, RAID 0": ("drives=2",),
}


class Welcome:
    """Builds the cards; :meth:`refresh` makes the buttons wait while a connection is made."""

    def __init__(self, desk):
        self._desk = desk
        with ui.element("div").classes("sr-welcome") as self.element:
            ui.html("<h1>Record to a SATA drive, and watch where every clock goes.</h1>"
                    "<p class='sr-hint' style='font-size:1rem'>Connect to a board with the console "
                    "recorder, or try everything on a simulated one.</p>", sanitize=False)
            with ui.element("div").classes("sr-choices"):
                self._simulated()
                with ui.element("div").classes("sr-column"):
                    self._serial()
                    self._own_file()

    def _simulated(self):
        with ui.element("section").classes("sr-card sr-stack"):
            ui.html("<h2>Simulated board</h2><p class='sr-hint'>The same gateware, compiled, with "
                    "a software model of a drive. Nothing is needed. The first start compiles it, "
                    "which takes half a minute.</p>", sanitize=False)
            self._drive = ui.select([_IDEAL, *timed_profile_names()], value=_IDEAL,
                                    label="timing of the drive", with_input=True) \
                .props("outlined dense data-testid=drive").classes("w-full")
            self._core = ui.select([*_CORES], value=next(iter(_CORES)), label="what its core does") \
                .props("outlined dense data-testid=core").classes("w-full")
            self._memory = ui.input("memory, such as 256MiB (none: block RAM)") \
                .props("outlined dense data-testid=memory autocomplete=off").classes("w-full")
            self._image = ui.input("image of the drive (none: a new one)") \
                .props("outlined dense data-testid=image").classes("w-full")
            self._start = ui.button("Start", icon="play_arrow", on_click=self._simulate).props(
                "unelevated color=primary no-caps data-testid=start")

    def _serial(self):
        with ui.element("section").classes("sr-card sr-stack"):
            ui.html("<h2>Board at a serial port</h2><p class='sr-hint'>A device such as "
                    "/dev/ttyUSB1, or a URL such as socket://host:4000.</p>", sanitize=False)
            found = [port.device for port in list_ports.comports()]
            with ui.element("div").classes("sr-pair"):
                self._port = ui.input("port", value=found[0] if found else "",
                                      autocomplete=found) \
                    .props("outlined dense data-testid=port").classes("w-full")
                self._baud = ui.select([*map(str, _BAUDS)], value="115200", label="baud",
                                       new_value_mode="add-unique") \
                    .props("outlined dense data-testid=baud").classes("w-full")
            self._connect = ui.button("Connect", icon="cable", on_click=self._plug).props(
                "unelevated color=primary no-caps data-testid=connect")

    def _own_file(self):
        with ui.element("section").classes("sr-card sr-stack"):
            ui.html("<h2>A file of yours</h2><p class='sr-hint'>It is recorded on a simulated drive with the timing "
                    "above or at the left, played back, and compared byte by byte, as <code>sata-recorder measure "
                    "--input FILE</code> does.</p>", sanitize=False)
            self._upload = ui.upload(
                label=f"Record a file, at most {MOST_LOADED >> 20} MiB", auto_upload=True, max_files=1,
                max_file_size=MOST_LOADED, on_upload=self._record_file,
                on_rejected=lambda: complain(f"at most {MOST_LOADED:,} bytes, one file")).props(
                "flat bordered data-testid=own-file").classes("w-full")
            self._recorded = ui.html("", sanitize=False).classes("w-full").props("data-testid=own-facts")

    async def _record_file(self, event):
        """Records what the browser has sent, and shows what came of it."""
        name, content = event.file.name, await event.file.read()
        drive = None if self._drive.value == _IDEAL else self._drive.value
        event.sender.reset()
        self._recorded.content = f"<p class='sr-hint'>{escape(name)} is being recorded.</p>"
        try:
            good, facts = await run.io_bound(self._desk.own_data.measure, name, content, drive)
        except RefusedRequest as error:
            self._recorded.content = ""
            complain(error)
            return
        rows = "".join(f"<dt>{escape(title)}</dt><dd>{escape(text)}</dd>" for title, text in facts)
        self._recorded.content = f"<dl class='sr-facts {'' if good else 'wrong'}'>{rows}</dl>"

    def _simulate(self):
        drive = self._drive.value
        chosen = _CORES[self._core.value]
        image = (self._image.value or "").strip() if "files" in chosen else ""
        memory = (self._memory.value or "").strip()
        try:
            configured(None, {"memory": memory} if memory else {})
        except ConfigurationError as error:
            complain(error.told({"memory": "memory"}))
            return
        said(lambda: self._desk.connect_simulated(
            drive=None if drive == _IDEAL else drive, image=image or None, memory=memory or None, offers=chosen))

    def _plug(self):
        try:
            baud = number_of(self._baud.value, "baud")
            if not 1 <= baud <= 20_000_000:
                raise ValueError(f"baud = {baud}: 1 to 20,000,000")
        except ValueError as error:
            complain(error)
            return
        said(self._desk.connect, self._port.value or "", baud)

    def refresh(self):
        """Shows the cards while there is no board."""
        state = self._desk.state
        self.element.set_visibility(not state.version)
        self._image.set_visibility("files" in _CORES[self._core.value])
        for button in self._start, self._connect:
            button.set_enabled(state.connection != "opening")
            button.props(f"loading={'true' if state.connection == 'opening' else 'false'}")
