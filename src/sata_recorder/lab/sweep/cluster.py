"""Cells on a Dask cluster."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from ... import extras
from ...interface.configuration import Configuration
from ..measurement import SOURCES
from .cell import Cell, Stale, measured, prepare

_CONNECT_SECONDS = 10
_MOST_PORT = 65535
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:[\w.-]+|\[[0-9a-fA-F:]+\]):[0-9]{1,5}/?")


class ClusterError(RuntimeError):
    """The cluster cannot be used; the text states why, in one line."""


def is_scheduler(address: str) -> bool:
    """Whether ``address`` looks like the address of a Dask scheduler."""
    return bool(_ADDRESS.fullmatch(address)) and int(address.rstrip("/").rpartition(":")[2]) <= _MOST_PORT


class ClusterWorkers:
    """The workers of the Dask scheduler at ``address``, such as "tcp://127.0.0.1:8786".

    They need this program in the same version. Leaving the context cancels what has not begun.
    An instance is called like :class:`...simulation.LocalWorkers`. Raises
    :exc:`ClusterError`, :exc:`.cell.Stale`.
    """

    def __init__(self, address: str, function: Callable[[Cell], dict[str, Any]] = measured) -> None:
        if text := extras.missing("cluster"):
            raise ClusterError(text)
        import distributed
        self._function = function
        try:
            self._client = distributed.Client(address, timeout=_CONNECT_SECONDS,
                                              set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(f"cannot be reached: {_one_line(error)}") from None
        self._futures: list[Any] = []

    def prepare(self, configuration: Configuration) -> None:
        """Builds what all cells share, once on every machine.

        Raises :exc:`ClusterError` if there is no worker, or one cannot build.
        """
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise ClusterError("the scheduler has no workers")
        machines = {worker["host"]: address for address, worker in workers.items()}
        try:
            found = self._client.run(prepare, configuration, workers=list(machines.values()))
        except ModuleNotFoundError as error:
            raise ClusterError(f"a worker has no module {error.name}: install sata-recorder there "
                               "in this version") from None
        except Exception as error:
            raise ClusterError(f"a worker fails: {_one_line(error)}") from None
        if set(found.values()) != {SOURCES}:
            raise Stale

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._client.cancel(self._futures)
        self._client.close()

    def __call__(self, items: Iterable[tuple[int, Cell]]) -> Iterator[tuple[int, dict[str, Any]]]:
        from distributed import as_completed
        futures = {self._client.submit(self._function, cell, pure=False): index
                   for index, cell in items}
        self._futures = list(futures)
        try:
            for future in as_completed(list(futures), loop=self._client.loop):
                yield futures[future], future.result()
        except Exception as error:
            raise ClusterError(f"a worker fails: {_one_line(error)}") from None


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
