"""How long the flash, its buses and the controller take for what was done."""

from .rules import Work


class Timing:
    """Times of a :class:`.parameters.FlashDrive`, of the parts of it that are known.

    ``caps``: what the controller was measured to do at most counts, too. The flash is taken as kept busy: all dies
    work at the same time, and data go to the buses while others are programmed.
    """

    def __init__(self, drive, *, caps=True):
        self._physical = physical = drive.physical
        self._unit = drive.policy.map_bytes
        self._cap = drive.cap if caps else None
        dies = physical.dies
        self._program = dies * physical.die_mb_per_s * 1e6 if dies and physical.die_mb_per_s else None
        self._slc = dies * physical.slc_mb_per_s * 1e6 if dies and physical.slc_mb_per_s else None
        self._read = dies * physical.planes * physical.page_bytes / physical.read_us * 1e6 \
            if dies and physical.read_us else None
        self._erase = physical.erase_us / 1e6 / (dies * physical.planes) if dies and physical.erase_us else None
        self._bus = physical.channels * physical.channel_mb_per_s * 1e6 \
            if physical.channels and physical.channel_mb_per_s else None

    def background(self, work: Work) -> float | None:
        """How long it takes without the host: what leaves the SLC cache does so no faster than the controller writes
        past it; None: not known."""
        return max(self.background_parts(work).values(), default=None)

    def background_parts(self, work: Work) -> dict:
        """The same by part."""
        parts = self.parts(work)
        if self._cap is not None and self._cap.direct_mb_per_s:
            parts["cap"] = self._unit * work.folded / self._cap.direct_mb_per_s / 1e6
        return parts

    def partial(self, units: int, alone: bool) -> float:
        """How long so many units, of which a part was written, take on top: they are read first, and if ``alone``
        nothing else is done until they are programmed."""
        physical = self._physical
        if not units:
            return 0.0
        if alone:
            return units * ((physical.read_us or 0) + (physical.program_us or 0)) / 1e6
        return self._if(self._read, units * self._unit)

    def parts(self, work: Work) -> dict:
        """Seconds of each part that is known: "flash", "bus", "cap"."""
        unit, found = self._unit, {}
        moved = work.copied + work.folded + work.moved
        if self._program is not None:
            found["flash"] = (unit * work.programmed / self._program + self._if(self._slc, unit * work.cached)
                              + self._if(self._read, unit * moved) + work.erases * (self._erase or 0))
        if self._bus is not None:
            found["bus"] = unit * (work.programmed + work.cached + moved) / self._bus
        if self._cap is not None:
            both, direct = self._cap.write_mb_per_s, self._cap.direct_mb_per_s
            times = [unit * work.host / both / 1e6] if both else []
            if direct:
                times.append(unit * work.direct / direct / 1e6 + (unit * work.cached / both / 1e6 if both else 0))
            if times:
                found["cap"] = max(times)
        return found

    def seconds(self, work: Work) -> float | None:
        """How long it takes, as far as that is known; None: not known at all."""
        return max(self.parts(work).values(), default=None)

    def limit(self, work: Work, background: Work | None = None) -> str | None:
        """The part that takes longest; ``background`` is work that was done while the host did not wait."""
        parts = self.parts(work)
        if background is not None:
            parts = {part: seconds + self.background_parts(background)[part] for part, seconds in parts.items()}
        return max(parts, key=lambda part: parts[part]) if parts else None

    def rate(self, work: Work) -> float | None:
        """Bytes of the host a second."""
        seconds = self.seconds(work)
        return self._unit * work.host / seconds if seconds else None

    @staticmethod
    def _if(rate, size):
        return size / rate if rate else 0.0
