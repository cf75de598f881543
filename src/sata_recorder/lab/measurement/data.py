"""A measurement for programs: plain data that JSON can hold, and one row of figures."""

import platform
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from ... import __version__
from ...simulation import WHOSE
from ...facts.units import SECTOR_BYTES
from .array_run import ArrayTransfer
from .channel_run import channel_data
from .inside import inside_data
from .source_stage import has_source_stage


def as_data(measurement: Any) -> dict[str, Any]:
    """The measurement as dictionaries, lists, texts and numbers; clocks are of the dword port.

    ``sata-recorder measure --json`` writes this, pages and pictures are made of it: its keys stay.
    """
    job = measurement.job
    return {
        "good": not measurement.problems,
        "problems": measurement.problems,
        "verdict": measurement.verdict,
        "caveats": measurement.caveats,
        "holds_for_bytes": SECTOR_BYTES * job.sectors,
        "sustained_bytes_per_second": measurement.sustained,
        "drive": {"model": measurement.model, "serial": measurement.serial,
                  "firmware": measurement.firmware, "capacity": measurement.capacity,
                  "lba48": measurement.lba48, "logical_sector": job.logical_sector,
                  "profile": None if job.profile is None else job.profile.name},
        "simulation": simulation_data(job.backend, job.profile, job.medium),
        **({"inside": inside_data(job)} if job.medium is not None else {}),
        "link": {"generation": job.generation},
        "source": _stage_data(job),
        "seed": job.seed,
        "turnaround_clocks": job.turnaround_clocks,
        "controller": None if job.controller is None else asdict(job.controller),
        "command_limit": measurement.longest_command,
        "engine": measurement.engine,
        "wall_seconds": measurement.wall_seconds,
        "versions": {"sata-recorder": __version__, "python": platform.python_version(),
                     **{name: version(name) for name in ("amaranth", "pyosys")}},
        "configuration": job.configuration.model_dump(),
        "needed_fifo_words": measurement.needed_fifo,
        "search": None if measurement.search is None else asdict(measurement.search),
        "spread": None if measurement.spread is None else asdict(measurement.spread),
        "transfers": [_transfer_data(transfer) for transfer in measurement.transfers],
        "trace": {"clocks": measurement.clocks, "hash": f"{measurement.hash:016x}"},
        **({"recording": asdict(measurement.recording)} if measurement.recording else {}),
        **({"channels": channel_data(measurement.channels)} if measurement.channels else {}),
        **({"smart": {when: one.data() for when, one in zip(("before", "behind"), measurement.smart)}}
           if measurement.smart else {}),
    }


def _stage_data(job):
    """The source stage of the core; None without one."""
    core = job.configuration
    return {"width": core.source_width, "clock_hz": job.source_hz, "waits": core.source_waits,
            "depth": core.source_depth if core.source_clock else None} if has_source_stage(core) else None


def simulation_data(backend: str, profile: Any, medium: Any = None) -> dict[str, Any]:
    """What stands for the drive, in one line, and which of its figures nobody published."""
    if medium is not None:
        return {"statement": f"Simulated: the drive is a software model, with a model of its {medium.WHAT} inside, "
                             f"{medium.name} ({medium.description}).",
                "scale": 1.0, "estimates": medium.estimates, "fitted": medium.fitted,
                "source": "the parameters of its inside"}
    if profile is None:
        drive = "a software model" if backend == "model" else \
            "QEMU's ATA disk behind the link of a software model"
        return {"statement": f"Simulated: the drive is {drive} that never waits.",
                "scale": 1.0, "estimates": {}, "fitted": {}, "source": ""}
    scaled = "" if profile.scale == 1 else (
        f", all rates times {profile.scale:g}: this is no SATA drive that exists")
    return {"statement": f"Simulated: the drive is a software model, timed as {profile.name} "
                         f"({profile.description}{scaled}).",
            "scale": profile.scale, "estimates": profile.estimates, "fitted": profile.fitted,
            "source": profile.source}


def _transfer_data(transfer):
    ledger = transfer.ledger
    return {
        "operation": transfer.operation,
        "error": transfer.error,
        "lba": transfer.lba,
        "sectors": transfer.sectors,
        "bytes": transfer.bytes,
        "seconds": transfer.seconds,
        "bytes_per_second": transfer.rate,
        "steady_bytes_per_second": transfer.steady_rate,
        "ceiling_bytes_per_second": transfer.ceiling,
        "percent_of_ceiling": transfer.percent,
        "commands": ledger.commands,
        "ledger": _ledger_data(ledger),
        "total": ledger.total,
        "overhead": {part: asdict(statistics) for part, statistics in transfer.overhead.items()},
        "turnaround": asdict(transfer.turnaround) if transfer.turnaround else None,
        "counters": transfer.counters,
        "high_water": transfer.counters["high_water"],
        "buffer_words": transfer.buffer_words,
        "held_cycles": transfer.counters["held_cycles"],
        "longest_stall": transfer.counters["longest_stall"],
        "clock_hz": transfer.clock_hz,
        "fises": {"out": transfer.fises[0], "in": transfer.fises[1]},
        "crc32": f"{transfer.crc32:08x}",
        "sensor": _source_data(transfer.source),
        "timeline": transfer.timeline,
        "commands_detail": transfer.commands,
        **({"lanes": [{"lane": lane, **_transfer_data(one)} for lane, one in transfer.lanes.items()],
            "slowest_lane": transfer.slowest,
            "whole": {"ledger": _ledger_data(transfer.whole), "total": transfer.whole.total,
                      "commands": transfer.whole.commands}} if isinstance(transfer, ArrayTransfer) else {}),
    }


def _ledger_data(ledger):
    return [{"account": account, "whose": WHOSE[account], "clocks": clocks}
            for account, clocks in ledger.accounts.items()]


def _source_data(source):
    if source is None:
        return None
    return {"rate_bytes_per_second": source.rate, "arrived": source.arrived, "lost": source.lost,
            "lost_bytes": source.lost_bytes, "lost_percent": source.lost_percent,
            "lost_seconds": source.lost_seconds, "gaps": source.gaps,
            "gap_count": source.gap_count, "backlog_high": source.backlog_high,
            "fifo_words": source.fifo_words}


def as_row(measurement: Any) -> dict[str, Any]:
    """The figures of a measurement of one operation, by name: one row of a table of many.

    A figure that does not exist has no entry: a single command has no overhead, a stream that
    can wait loses nothing, and if bring-up failed the row is empty. Clocks are those of the
    dword port; ``caveats`` is one text.
    """
    if not measurement.transfers:
        return {}
    (transfer,) = measurement.transfers
    ledger, overhead, source = transfer.ledger, transfer.overhead, transfer.source
    row = {
        "trace_hash": f"{measurement.hash:016x}",
        "bytes": transfer.bytes,
        "seconds": transfer.seconds,
        "bytes_per_second": transfer.rate,
        "percent_of_ceiling": transfer.percent,
        "commands": ledger.commands,
        "high_water": transfer.counters["high_water"],
        "held_cycles": transfer.counters["held_cycles"],
        "clocks": ledger.total,
        **{f"{account}_clocks": clocks for account, clocks in ledger.accounts.items()},
        **{f"{part}_overhead_mean": statistics.mean for part, statistics in overhead.items()},
    }
    if transfer.steady_rate is not None:
        row["steady_bytes_per_second"] = transfer.steady_rate
    if overhead:
        row |= {"overhead_minimum": overhead["total"].minimum,
                "overhead_maximum": overhead["total"].maximum}
    if source is not None:
        row |= {"arrived": source.arrived, "lost": source.lost, "gaps": source.gap_count,
                "backlog_high": source.backlog_high}
    if measurement.caveats:
        row["caveats"] = "; ".join(measurement.caveats)
    return row
