"""A drive and its PHY at the dword port: one call a clock."""

import random
from typing import TYPE_CHECKING, Any

from .behaviour import NEVER
from .dword_queue import DwordQueue
from .faults.disturbance import Disturbance, Hit
from .faults.events import happen
from .link.link import DriveLink
from .protocol.primitives import ALIGN, CODE_ERROR, K, NONE, SYNC

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .faults import Fault
    from .observer import Observer

VALID, READY, LINK_UP, RX_ERROR = 1 << 36, 1 << 37, 1 << 38, 1 << 39
RESET = 1 << 36
_UP = VALID | READY | LINK_UP
_WORD = 0xF_FFFF_FFFF
_RECEIVED = _WORD | VALID | RX_ERROR


class DrivePort:
    """What the core's dword port is connected to.

    Parameters: ``drive`` (None: nothing plugged in); ``generation`` 1 to 3; ``line_rate`` (line
    dwords, clocks): the line is that much slower than ``clk``; ``skew`` dwords by which the PHY's
    elastic buffers let tx_ready and rx_valid wander against each other (only where the line is
    slower); ``round_trip`` dwords of extra delay between drive and core and back;
    ``link_up_clocks`` until the link comes up; ``reset_clocks`` after a COMRESET; ``seed`` of
    everything random; ``observer`` an `Observer` that is shown the cycles, or None.
    Members: ``now`` clocks so far, ``link``, ``drive``, ``observer``; ``struck`` list of (clock,
    fault) of the injected faults that happened.
    Raises ``ValueError`` for a line faster than the clock and for negative delays.
    """

    __slots__ = ("drive", "link", "observer", "generation", "now", "inputs", "rng", "_simple",
                 "_rx_base", "_rx_mask", "_tx_base", "_tx_mask", "_line", "_clocks",
                 "_phase", "_skew", "_to_drive", "_to_core", "_tx_buffer", "_rx_buffer", "_down",
                 "_reset_clocks", "_errors", "_round_trip", "_resets", "_resetting", "struck",
                 "_event", "_agenda", "_inward", "_outward")

    def __init__(self, drive: Any, *, generation: int = 2, line_rate: tuple[int, int] = (1, 1),
                 skew: int = 0, round_trip: int = 0, link_up_clocks: int = 8, reset_clocks: int = 64, seed: int = 0,
                 observer: "Observer | None" = None) -> None:
        line, clocks = line_rate
        if not 1 <= line <= clocks:
            raise ValueError(f"line_rate: {line} dwords in {clocks} clocks is not possible")
        if skew < 0 or round_trip < 0:
            raise ValueError("skew and round_trip must not be negative")
        self.generation = generation
        self.rng = random.Random(seed)
        self.observer = observer
        self.now = 0
        self.inputs = 0
        self._line, self._clocks = line, clocks
        self._skew = skew if line < clocks else 0
        self._round_trip = round_trip
        self._reset_clocks = reset_clocks
        self._errors = 0
        self._resets = 0
        self._resetting = False
        self._rx_base = self._tx_base = 0
        self._rx_mask = self._tx_mask = NEVER      # without an observer no cycle differs
        if observer is not None:
            observer.clock_of = lambda: self.now
            self._rx_mask = self._tx_mask = -1
        self.struck = []
        self._event = NEVER     # the first clock in which there is something to do about faults
        self._agenda = []       # (clock, fault), the next one last
        self._inward, self._outward = Disturbance(), Disturbance()
        self.drive = self.link = None
        self.plug(drive, link_up_clocks)

    # Events of a test -----------------------------------------------------------------------------

    def plug(self, drive: Any, after: int = 64) -> None:
        """Connect a drive; the link is up ``after`` clocks from now."""
        self.unplug()
        self.drive = drive
        if drive is not None:
            violations = self.link.violations if self.link else []
            self.link = DriveLink(drive, drive.behaviour, self.rng,
                                  self._round_trip + 2 * self._skew)
            self.link.violations = violations
            self.link.clock_of = drive.injector.clock_of = lambda: self.now
            drive.attach(self.link, self.rng)
            self._down = after

    def unplug(self) -> None:
        """Take the drive away: the link falls and does not come back."""
        self.drop_link(NEVER)
        self.drive = None

    def drop_link(self, clocks: int) -> None:
        """The link falls for this many clocks, 2 or more, and the core sees it down for one less; the drive starts from
        its signature."""
        self._simple = False
        self._down = clocks
        self._phase = 0
        half = self._round_trip // 2
        self._to_drive = DwordQueue([SYNC] * half)
        self._to_core = DwordQueue([SYNC] * (self._round_trip - half))
        self._tx_buffer = DwordQueue([SYNC] * self._skew)
        self._rx_buffer = DwordQueue()
        self._inward.clear()
        self._outward.clear()

    def inject(self, faults: "Iterable[Fault]") -> None:
        """Lets each `faults.Fault` of these happen, its clocks counted from now."""
        self._agenda += [(self.now + fault.clock, fault) for fault in faults]
        self._agenda.sort(key=lambda item: item[0], reverse=True)
        self._event = self._next_event()

    def clear_faults(self) -> None:
        """What has not happened yet will not happen."""
        self._agenda = []
        self._inward.hits = []
        self._outward.hits = []
        self._collect()
        if self.drive is not None:
            self.drive.injector.clear()
        self._event = self._next_event()

    def collect(self) -> list:
        """``struck``, up to now, by clock."""
        self._collect()
        self.struck.sort(key=lambda item: item[0])
        return self.struck

    @property
    def disturbed(self) -> bool:
        """Whether a fault of the line is armed, or the line still late because of one."""
        return self._inward.busy() or self._outward.busy()

    def inject_rx_error(self, count: int = 1) -> None:
        """The next ``count`` delivered dwords have phy_rx_error and wrong data."""
        self._errors += count
        self._simple = False

    @property
    def resets(self) -> int:
        """COMRESETs the core requested."""
        return self._resets

    # The clock ------------------------------------------------------------------------------------

    def clock(self, core: int) -> int:
        """The core's outputs of this cycle in, its inputs of the next cycle out.

        Both have a dword in bits 31:0, and which of its bytes are control characters in bits 35:32. Bit 36 of ``core``
        requests a COMRESET; bits 36 to 39 of what comes out are phy_rx_valid, phy_tx_ready, phy_link_up, phy_rx_error.
        """
        inputs = self.inputs
        if (inputs ^ self._rx_base) > self._rx_mask or (core ^ self._tx_base) > self._tx_mask:
            observer = self.observer
            observer.observe(self.now, core, inputs)
            self._rx_base, self._rx_mask = observer.rx_base, observer.rx_mask
            self._tx_base, self._tx_mask = observer.tx_base, observer.tx_mask
        self.now += 1
        if self.now > self._event:
            self.inputs = inputs = self._eventful(core, inputs)
            return inputs
        if self._simple and core < RESET:
            self.inputs = inputs = self.link.step(core) | _UP
            return inputs
        self.inputs = inputs = self._clock(core, inputs)
        return inputs

    def _clock(self, core, inputs):
        if core & RESET:
            if not self._resetting:
                self._resets += 1
            if self._down == 0:
                self.drop_link(self._reset_clocks)
        self._resetting = core >= RESET
        if self._down:
            if core & RESET:
                self._down = max(self._down, self._reset_clocks)
            self._down -= 1
            if self._down or self.drive is None:
                return 0
            self.link.reset()
            self.drive.link_up()
            self._simple = (self._line == self._clocks and self._round_trip == 0
                            and self._errors == 0)
            return LINK_UP | self._take()
        if inputs & READY:
            self._tx_buffer.append(core & _WORD)
        self._phase += self._line
        if self._phase >= self._clocks:
            self._phase -= self._clocks
            self._line_clock()
        return LINK_UP | self._deliver() | self._take()

    # Faults ---------------------------------------------------------------------------------------

    def _eventful(self, core, inputs):
        """A clock in which a fault begins, or the line is disturbed."""
        while self._agenda and self._agenda[-1][0] < self.now:
            fault = self._agenda.pop()[1]
            if fault.kind in ("bits", "primitive", "data", "lost", "doubled"):
                side = self._inward if fault.direction == "in" else self._outward
                side.hits.append(Hit(fault))
            elif happen(fault, self):
                self.struck.append((self.now, fault))
        if inputs & READY and self._outward.busy():
            word = self._outward.take(core & _WORD)
            # A lost dword leaves its time on the line.
            core = core & ~_WORD | (ALIGN if word == NONE else word & _WORD)
        if self._simple and core < RESET:
            inputs = self.link.step(core) | _UP
        else:
            inputs = self._clock(core, inputs)
        if inputs & LINK_UP and self._inward.busy():
            word = self._inward.take(inputs & _WORD if inputs & VALID else NONE)
            inputs &= ~_RECEIVED
            if word != NONE:
                inputs |= word & _WORD | VALID | (RX_ERROR if word & CODE_ERROR else 0)
        if self._inward.struck or self._outward.struck:
            self._collect()
        self._event = self._next_event()
        return inputs

    def _next_event(self):
        if self._inward.busy() or self._outward.busy():
            return self.now
        return self._agenda[-1][0] if self._agenda else NEVER

    def _collect(self):
        """Notes what has struck."""
        for side in self._inward, self._outward:
            self.struck += [(self.now, fault) for fault in side.struck]
            side.struck.clear()
        if self.drive is not None:
            self.struck += self.drive.injector.struck
            self.drive.injector.struck.clear()

    def _line_clock(self):
        """One dword each way on the line."""
        word = self._tx_buffer.take() if self._tx_buffer.count else ALIGN
        # A line of this length keeps its length.
        if self._to_drive.count:
            self._to_drive.append(word)
            word = self._to_drive.take()
        word = self.link.step(word)
        if self._to_core.count:
            self._to_core.append(word)
            word = self._to_core.take()
        self._rx_buffer.append(word)

    def _deliver(self):
        """phy_rx of the next cycle."""
        waiting = self._rx_buffer.count
        if waiting == 0 or self._skew and waiting <= self._skew and self.rng.random() < 0.5:
            return 0
        word = self._rx_buffer.take() | VALID
        if self._errors:
            self._errors -= 1
            word = (word ^ self.rng.getrandbits(32)) & ~K | RX_ERROR
        return word

    def _take(self):
        """phy_tx_ready of the next cycle: whenever the buffer could run dry before the next
        dword."""
        waiting = self._tx_buffer.count
        due = self._phase + self._line >= self._clocks
        if self._skew:
            if waiting <= 1:
                return READY
            return READY if waiting <= self._skew + 1 and self.rng.random() < 0.5 else 0
        return READY if due else 0
