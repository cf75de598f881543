"""Runs the cells that have no result yet, keeps the results, and reports the progress."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..measurement import SOURCES, Store
from .cell import Cell, Stale


@dataclass
class Sweep:
    """``cells`` with their results in ``store``.

    Members: ``results``, one for each cell, None until it is there; ``found``, how many were
    there at the beginning. A result with an error is not kept: its cell runs again next time.
    """

    cells: list[Cell]
    store: Store
    results: list[Any] = field(init=False)
    found: int = field(init=False)

    def __post_init__(self) -> None:
        self.keys = [cell.key for cell in self.cells]
        self.results = [self.store.get(key) for key in self.keys]
        self.found = sum(result is not None for result in self.results)

    @property
    def missing(self) -> list[int]:
        """Indices of the cells without a result, the longest first."""
        indices = [n for n, result in enumerate(self.results) if result is None]
        return sorted(indices, key=lambda n: -self.cells[n].clocks)

    @property
    def failed(self) -> int:
        """How many cells ended with an error."""
        return sum(result is not None and result["error"] is not None for result in self.results)

    def run(self, workers: Callable[[list[tuple[int, Cell]]], Iterable[tuple[int, dict[str, Any]]]],
            progress: Callable[[Cell, dict[str, Any]], object] | None = None) -> None:
        """Measures what is missing on ``workers``.

        ``workers(items)`` takes pairs of an index and a cell and yields pairs of an index and what
        :func:`.cell.measured` returned, in any order. ``progress(cell, result)`` is called for
        each. Raises :exc:`.cell.Stale` for the result of another version, and
        :exc:`...simulation.EngineError` if the store cannot be written.
        """
        for index, result in workers([(n, self.cells[n]) for n in self.missing]):
            if result["sources"] != SOURCES:
                raise Stale
            if result["error"] is None:
                self.store.put(self.keys[index], result)
            self.results[index] = result
            if progress:
                progress(self.cells[index], result)
