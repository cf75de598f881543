"""The tab of a board that makes accesses anywhere on a drive."""

from nicegui import ui

from ...facts.units import SECTOR_BYTES
from .accesses import PlannedAccess
from .fields import agreed, button, complain, extent_fields, field, hint, hint_text, said
from .texts import extent_words, number_of, size


class AccessControls:
    """Builds the tab for ``desk``; :meth:`refresh` makes it follow the state."""

    def __init__(self, desk):
        self._desk = desk
        with ui.element("div").classes("sr-stack"):
            hint_text("Small accesses anywhere within a span: how many a second, and how long each takes. Reads "
                      "compare with the pattern, so record the span before.")
            self._lba, self._sectors = extent_fields("access", 0, 0)
            with ui.element("div").classes("sr-pair"):
                self._size = field("sectors of an access", 8, "access-size")
                self._count = field("accesses", 1000, "access-count")
            with ui.element("div").classes("sr-pair"):
                self._align = ui.select({8: "4096 bytes", 1: "512 bytes"}, value=8, label="at multiples of") \
                    .props("outlined dense data-testid=access-align").classes("w-full")
                self._seed = field("seed", 0, "access-seed")
            self._order = ui.toggle({"random": "at random", "sequential": "in order"}, value="random").props(
                "data-testid=access-order dense no-caps spread").classes("w-full")
            self._way = ui.toggle({"read": "read", "write": "write"}, value="read").props(
                "data-testid=access-way dense no-caps spread").classes("w-full")
            self._hint = hint()
            self.start = button("Access", "shuffle", self._start, "access", "unelevated color=primary")

    def _planned(self):
        capacity = self._desk.state.capacity
        lba = number_of(self._lba.value, "first sector")
        sectors = number_of(self._sectors.value, "sectors")
        return PlannedAccess(
            lba, sectors or max(0, capacity - lba), number_of(self._size.value, "sectors of an access"),
            number_of(self._count.value, "accesses"), capacity, self._align.value, self._order.value,
            number_of(self._seed.value, "seed"), self._way.value)

    async def _start(self):
        try:
            planned = self._planned()
        except ValueError as error:
            complain(error)
            return
        if planned.way == "read" or await agreed(
                self._desk.state, f"Write anywhere in {extent_words(planned.lba, planned.sectors)}?"):
            said(self._desk.access, planned)

    def refresh(self):
        """Makes the fields and the hint match what was chosen."""
        self._seed.set_visibility(self._order.value == "random")
        try:
            planned = self._planned()
            self._hint.text = (f"{planned.count:,} of {size(SECTOR_BYTES * planned.size)} each within "
                               f"{extent_words(planned.lba, planned.sectors)}.")
        except ValueError as error:
            self._hint.text = str(error)
