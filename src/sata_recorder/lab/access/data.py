"""Accesses for programs: plain data that JSON can hold."""

import platform
from importlib.metadata import version
from typing import Any

from ... import __version__
from ...facts.units import CEILINGS, SECTOR_BYTES
from ...simulation import ACCOUNTS, WHOSE
from ..measurement import inside_data, simulation_data
from .result import AccessResult

__all__ = ["as_data"]

#: Most accesses whose place, start and latency are given one by one: the first ones.
_MOST_DETAIL = 4096


def as_data(result: AccessResult) -> dict[str, Any]:
    """The result as dictionaries, lists, texts and numbers; times are in seconds, clocks those of the dword port.

    ``sata-recorder access --json`` writes this, and pages are made of it: its keys stay."""
    job, base = result.job, result.job.job
    return {
        "good": not result.problems,
        "problems": result.problems,
        "verdict": result.verdict,
        "doubts": result.doubts,
        "caveats": result.caveats,
        "access": {"operation": job.operation, "pattern": job.pattern, "size_bytes": SECTOR_BYTES * job.size,
                   "align_bytes": SECTOR_BYTES * job.align, "lba": base.lba, "span_bytes": SECTOR_BYTES * base.sectors,
                   "seed": base.seed, "commands": job.commands, "seconds": job.seconds},
        "accesses": result.count,
        "unaligned": result.unaligned,
        "commands": result.commands,
        "bytes": result.bytes,
        "seconds": result.seconds,
        "iops": result.iops,
        "last_quarter_iops": result.late_iops,
        "bytes_per_second": result.rate,
        "ceiling_bytes_per_second": CEILINGS[base.generation or 1],
        "percent_of_ceiling": result.percent,
        "latency": _latency(result),
        "ledger": [{"account": account, "whose": WHOSE[account], "clocks": result.ledger[account]}
                   for account in ACCOUNTS],
        "between_operations": result.between,
        "total": result.total,
        "clock_hz": result.clock_hz,
        "drive": {"model": result.model, "serial": result.serial, "firmware": result.firmware,
                  "capacity": result.capacity, "lba48": result.lba48,
                  "profile": None if base.profile is None else base.profile.name},
        "simulation": simulation_data(base.backend, base.profile, base.medium),
        **({"inside": inside_data(base)} if base.medium is not None else {}),
        "link": {"generation": base.generation},
        "configuration": job.configuration.model_dump(),
        "engine": result.engine,
        "wall_seconds": result.wall_seconds,
        "versions": {"sata-recorder": __version__, "python": platform.python_version(),
                     **{name: version(name) for name in ("amaranth", "pyosys")}},
        "trace": {"clocks": result.clocks, "left_out": result.skipped, "hash": f"{result.hash:016x}"},
        "detail": {"lba": result.lbas[:_MOST_DETAIL], "start": result.starts[:_MOST_DETAIL],
                   "clocks": result.latencies[:_MOST_DETAIL]},
    }


def _latency(result):
    """In seconds; None if there was no access."""
    statistics, hz = result.statistics, result.clock_hz
    if statistics is None:
        return None
    return {"minimum": statistics.minimum / hz, "mean": statistics.mean / hz, "maximum": statistics.maximum / hz,
            "percentiles": {f"{percent:g}": clocks / hz for percent, clocks in result.percentiles().items()},
            "histogram": [{"from": low / hz, "to": high / hz, "accesses": count}
                          for low, high, count in statistics.histogram]}
