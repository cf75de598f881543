"""The monitor: both sides of a link, and the commands that pass between them."""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from ..observer import Observer
from ..protocol.primitives import NONE
from ..protocol.rules import DEVICE, HOLD_LATENCY, HOST, Rule, Violation
from .side import LinkSide
from .transport import Transport

_VALID, _READY, _LINK_UP, _RX_ERROR = 1 << 36, 1 << 37, 1 << 38, 1 << 39
_WORD = 0xF_FFFF_FFFF
_MOST = 1000        # violations that are kept
_RECENT = 1024      # frames that are kept


class SeenFrame(NamedTuple):
    """A frame that ended with EOF: when, whose, its FIS without CRC, and what is wrong with it."""

    clock: int
    direction: str
    fis: bytes
    fault: str | None


class Monitor(Observer):
    """Holds both directions of a link against the link and transport rules.

    It may be the ``observer`` of a `DrivePort`, or be given the dwords of any trace by
    :meth:`dwords`. Parameters: ``round_trip`` extra dwords of delay between the two sides as seen
    at the place of the trace, added to the limits of the device; ``ignore`` rules that are not
    reported. Members: ``violations`` list of `Violation`, of both sides; ``frames`` the latest
    1024, each a `SeenFrame`.
    """

    def __init__(self, *, round_trip: int = 0, ignore: Iterable[Rule] = ()) -> None:
        super().__init__()
        self.violations = []
        self.frames = deque(maxlen=_RECENT)
        self.round_trip = round_trip
        self.ignore = frozenset(ignore)
        self._clock = 0
        self._transport = Transport(self._violate)
        self.link_down()

    def link_down(self):
        """The link has fallen: both sides start over."""
        self._transport.reset()
        self._up = False
        self.host = self._side(HOST, HOLD_LATENCY)
        self.device = self._side(DEVICE, HOLD_LATENCY + self.round_trip)
        self.host.other, self.device.other = self.device, self.host

    def _side(self, direction, limit):
        return LinkSide(direction, lambda rule, detail="": self._violate(direction, rule, detail),
                        limit, self._sent, self._answered)

    def observe(self, now: int, core: int, inputs: int) -> None:
        """Cycle ``now`` of a `DrivePort`, in clocks; ``core`` and ``inputs`` are what its ``clock()`` takes and
        gives."""
        if not inputs & _LINK_UP:
            if self._up:
                self.link_down()
            return
        self._up = True
        good = inputs & (_VALID | _RX_ERROR) == _VALID
        self.dwords(now, core & _WORD if inputs & _READY else None,
                    inputs & _WORD if good else None)

    def dwords(self, clock: int, host: int | None = None, device: int | None = None) -> None:
        """One clock: the dword that the host has sent, and the one that has reached it from the
        device, with a bit a byte for control characters above their 32 bits; None for no dword."""
        self._clock = clock
        for side, word in (self.host, host), (self.device, device):
            if word is None:
                side.symbol = NONE
            else:
                side.take(word)
        self.device.follow()
        self.host.follow()

    def _violate(self, direction, rule, detail=""):
        if rule not in self.ignore and len(self.violations) < _MOST:
            self.violations.append(Violation(self._clock, rule, detail, direction))

    def _sent(self, side, fis, fault):
        fault = self._transport.sent(side.direction, fis, fault)
        self.frames.append(SeenFrame(self._clock, side.direction, fis, fault))
        return fault

    def _answered(self, side, accepted):
        if accepted:
            self._transport.accepted(side.other.direction)
        else:
            self._transport.refused(side.other.direction)
