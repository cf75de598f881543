"""The answer to `access`, for people."""

from collections.abc import Iterator
from typing import Any

from ...facts.units import SECTOR_BYTES
from .mismatch import mismatch_rows

__all__ = ["access_figures", "access_rows"]


def access_figures(fields: dict[str, Any], clock_hz: float) -> dict[str, Any]:
    """What follows from ``fields`` and the clock: ``iops``; ``latency`` in s, ``minimum``, ``mean`` and ``maximum``.
    Empty without an access."""
    if not (fields["accesses"] and fields["clocks"]):
        return {}
    return {"iops": fields["accesses"] * clock_hz / fields["clocks"],
            "latency": {"minimum": fields["latency_least"] / clock_hz,
                        "mean": fields["latency_sum"] / fields["accesses"] / clock_hz,
                        "maximum": fields["latency_most"] / clock_hz}}


def access_rows(fields: dict[str, Any], rate: float | None) -> Iterator[tuple[str, str, str]]:
    """Rows of a name, a number and more; ``fields`` with what follows from the clock, ``rate`` bytes a second."""
    last = fields["lba"] + fields["sectors"] - 1
    how = "one after the other" if fields["sequential"] else f"at random, seed {fields['seed']:,}"
    yield "access", fields["way"], f"sectors {fields['lba']:,} to {last:,}, {how}"
    yield "size", f"{SECTOR_BYTES * fields['size']:,}", f"bytes, at multiples of {SECTOR_BYTES * fields['align']:,}"
    yield ("done", f"{fields['accesses']:,}", f"of {fields['count']:,} accesses"
           + (", stopped" if fields["stopped"] else ""))
    yield "words", f"{fields['words']:,}", f"{4 * fields['words'] / 1e6:,.2f} MB"
    yield "clocks", f"{fields['clocks']:,}", f"{fields.get('seconds', 0):.6f} s"
    if "iops" in fields:
        yield "IOPS", f"{fields['iops']:,.0f}", ""
    if rate is not None:
        yield "speed", f"{rate / 1e6:.2f}", "MB/s"
    for name, seconds in fields.get("latency", {}).items():
        yield f"latency {name}", f"{1e6 * seconds:,.2f}", "us"
    yield from mismatch_rows(fields)
    for name in "retries", "error_lba", "journal_entries":
        if fields.get(name):
            yield name.replace("_", " "), f"{fields[name]:,}", ""
