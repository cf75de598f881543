"""How much of a table is run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Portion:
    """``chosen`` loops of 32 MiB (None: the default of a table), or all with ``full``."""

    chosen: int | None = None
    full: bool = False

    def loops(self, usual, whole=512):
        """Loops to run of a table that has ``whole`` of them and runs ``usual`` by default."""
        if self.full:
            return whole
        return min(whole, usual if self.chosen is None else self.chosen)
