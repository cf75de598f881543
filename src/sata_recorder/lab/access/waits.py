"""Long waits for a drive are not simulated clock by clock: most of such a wait is left out, and counted."""

from bisect import bisect_left
from typing import Any

__all__ = ["ShortWaits"]

#: Dwords after which either side repeats what it does while it waits: two ALIGN in every 256 (Serial ATA, link layer).
_PERIOD, _ALIGNS = 256, 2
#: The account to which the ledger books a wait, by what the drive has been asked for.
_BOOKED = {"begin_write": "activate_wait", "wrote": "activate_wait", "end_write": "completion_wait",
           "next_read": "data_wait", "end_read": "completion_wait", "plan_frame": "device_hold"}


class ShortWaits:
    """A drive's ``medium`` whose waits of more than ``keep`` dwords are shorter by whole periods of the line; the
    medium itself is told the time with all that was left out, so that what it answers is the same.

    While a drive waits, nothing on the line changes but the count to the next ALIGN, so what follows comes as it would
    have, just earlier: ``keep`` must be long enough for the core to have nothing left to do. A wait of more than
    ``most`` dwords is not made shorter: there the core's own limits come into play. ``clock()`` returns the clock of
    the port; its clocks are dwords. Member: ``accounts``, the dwords left out by account.
    """

    def __init__(self, medium: Any, keep: int, most: int) -> None:
        self._medium = medium
        self._keep, self._most = keep - keep % -_PERIOD, most
        self.clock: Any = None
        self._clocks: list[int] = []
        self._sums: list[int] = []
        self.accounts = dict.fromkeys(("align", *_BOOKED.values()), 0)
        self._skipped = 0

    @property
    def profile(self) -> Any:
        """That of the medium."""
        return self._medium.profile

    def power_on(self) -> None:
        self._medium.power_on()

    def power_off(self) -> None:
        self._medium.power_off()

    def reset(self) -> None:
        self._medium.reset()

    def trim(self, lba: int, sectors: int) -> None:
        self._medium.trim(lba, sectors)

    def _cut(self, what, wait):
        left_out = (wait - self._keep) // _PERIOD * _PERIOD
        if left_out <= 0 or wait > self._most:
            return wait
        self._skipped += left_out
        self._clocks.append(self.clock())
        self._sums.append(self._skipped)
        # The ledger books the ALIGN of a wait within a frame by themselves.
        aligns = left_out // _PERIOD * _ALIGNS if what == "plan_frame" else 0
        self.accounts["align"] += aligns
        self.accounts[_BOOKED[what]] += left_out - aligns
        return wait - left_out

    def _holds(self, holds):
        return [(place, self._cut("plan_frame", length)) for place, length in holds]

    def begin_write(self, now: int, lba: int, dwords: int, splits: bool = False) -> int:
        return self._cut("begin_write", self._medium.begin_write(now + self._skipped, lba, dwords, splits))

    def plan_frame(self, now: int, dwords: int) -> list[tuple[int, int]]:
        return self._holds(self._medium.plan_frame(now + self._skipped, dwords))

    def wrote(self, now: int, dwords: int, following: int) -> int:
        wait: int = self._medium.wrote(now + self._skipped, dwords, following)
        return self._cut("wrote", wait) if following else wait

    def end_write(self, now: int) -> int:
        return self._cut("end_write", self._medium.end_write(now + self._skipped))

    def begin_read(self, now: int, lba: int, sectors: int = 0) -> None:
        self._medium.begin_read(now + self._skipped, lba, sectors)

    def next_read(self, now: int, dwords: int) -> tuple[int, list[tuple[int, int]]]:
        wait, holds = self._medium.next_read(now + self._skipped, dwords)
        return self._cut("next_read", wait), self._holds(holds)

    def sent(self, now: int, dwords: int) -> None:
        self._medium.sent(now + self._skipped, dwords)

    def end_read(self, now: int) -> int:
        return self._cut("end_read", self._medium.end_read(now + self._skipped))

    def flush(self, now: int) -> int:
        wait: int = self._medium.flush(now + self._skipped)
        return wait

    def write_through(self, now: int) -> int:
        wait: int = self._medium.write_through(now + self._skipped)
        return wait

    def settled(self, now: int, lba: int, sectors: int) -> Any:
        return self._medium.settled(now + self._skipped, lba, sectors)

    @property
    def skipped(self) -> int:
        """Dwords left out so far."""
        return self._skipped

    def before(self, clock: int) -> int:
        """Dwords left out before this ``clock`` of the port."""
        number = bisect_left(self._clocks, clock)
        return self._sums[number - 1] if number else 0
