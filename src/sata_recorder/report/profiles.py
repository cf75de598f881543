"""Timing profiles of drives, for people (tables) and for programs (plain data for JSON)."""

from pydantic import BaseModel
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..facts.throughput import Host, sustained_rate
from ..facts.units import SECTOR_BYTES

#: Units by how a field's name ends.
_UNITS = {"mb_per_s": "MB/s", "_us": "us", "ms": "ms", "bytes": "bytes", "sectors": "sectors",
          "zones": "MB/s"}
#: Fields that have lines of their own.
_TEXTS = ("name", "model", "description", "source", "notes", "estimates", "fitted")


def profile_data(profile):
    """The profile with the rates that follow from it, scaled; None: the link's."""
    return profile.model_dump(mode="json") | {
        "write_first_mb_per_s": profile.write_first,
        "write_sustained_mb_per_s": _sustained(profile),
        "read_mb_per_s": profile.read_rates and list(profile.read_rates),
    }


def render_profiles(console, profiles):
    """Prints one line a profile on the rich console."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("drive", no_wrap=True)
    for title in ("GB", "LBA\nbits", "link\nGb/s", "write\nMB/s", "sustained\nMB/s", "read\nMB/s",
                  "latency us\nwrite/read"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("stalls show as\nwrite/read", no_wrap=True)
    for profile in profiles:
        scaled = "*" if profile.scale != 1 else ""
        table.add_row(
            Text(profile.name + scaled), f"{profile.capacity_sectors * SECTOR_BYTES / 1e9:,.0f}",
            "48" if profile.lba48 else "28", f"{1.5 * 2 ** (profile.generation - 1):g}",
            _rate(profile.write_first), _rate(_sustained(profile)),
            _rate(profile.read_rates and profile.read_rates[0]),
            f"{profile.write.command_us:g}/{profile.read.command_us:g}",
            f"{profile.write.stall_shows}/{profile.read.stall_shows}")
    console.print(table, highlight=False)
    console.print()
    console.print("sustained: writing indefinitely over the drive's link in commands of "
                  f"{Host().command_sectors:,} sectors: at the slowest place, caches full, with latencies, "
                  "stalls and dips; a FIFO must hold what comes in these. link: the drive is never the "
                  "limit.", style="dim", highlight=False)
    scales = sorted({profile.scale for profile in profiles if profile.scale != 1})
    if scales:
        console.print("*: the shape of an NVMe drive, its rates times "
                      + ", ".join(f"{scale:g}" for scale in scales) + ".", style="dim",
                      highlight=False)


def _sustained(profile):
    """MB/s that the drive takes indefinitely from a core as it is by default, over its own link; None
    where that is the limit."""
    rate = sustained_rate(Host(), profile)
    return None if rate >= sustained_rate(Host(profile.generation)) else rate / 1e6


def _rate(rate):
    return "link" if rate is None else f"{rate:.1f}"


def render_profile(console, profile):
    """Prints all figures of a profile, each with where it is from."""
    console.print(Text.assemble((profile.name, "bold"), f"  {profile.description}"))
    console.print(Text(f"IDENTIFY model: {profile.model}"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("field", no_wrap=True)
    table.add_column("value", overflow="fold")
    table.add_column("unit", no_wrap=True)
    table.add_column("where from", overflow="fold")
    for field, value, unit, given in _fields(profile):
        origin = _origin(profile, field) if given else "default"
        table.add_row(*map(Text, (field, value, unit, origin)))
    console.print()
    console.print(table)
    if profile.scale != 1:
        console.print(f"\nAll rates count times {profile.scale:g}: "
                      f"{_rate(profile.write_first)} MB/s written at first, "
                      f"{_rate(_sustained(profile))} sustained.", highlight=False)
    for title, text in (("source", profile.source), ("notes", profile.notes)):
        if text:
            console.print(f"\n[dim]{title}[/]", highlight=False)
            console.print(Padding(Text(text), (0, 0, 0, 2)))


def _origin(profile, field):
    """Where a figure is from; those with neither mark are published."""
    for origin, why in (("fitted", profile.fitted), ("estimate", profile.estimates)):
        if field in why:
            return f"{origin}: {why[field]}"
    return ""


def _fields(part, prefix=""):
    """(dotted name, value, unit, whether the file gives it) of all that is set."""
    for name, value in part:
        field, given = prefix + name, name in part.model_fields_set
        if not prefix and name in _TEXTS:
            continue
        if isinstance(value, BaseModel):
            yield from _fields(value, f"{field}.")
        elif isinstance(value, tuple):
            for text in _items(name, value):
                yield field, text, _unit(name), given
        elif value is not None:
            yield field, _text(value), _unit(name), given
        elif name == "mb_per_s" and dict(part).get("zones") is None:
            yield field, "the link's", "", given


def _items(name, value):
    """Lines of a list: one for zones, one for each stall or dip."""
    if name == "variation":
        return [" to ".join(f"{factor:g}" for factor in value)]
    if name == "zones":
        return [", ".join(f"{place:g}: {rate:g}" for place, rate in value)]
    return [", ".join(f"{field} {text}" for field, text, _, _ in _fields(item)) for item in value]


def _unit(name):
    return next((unit for end, unit in _UNITS.items() if name.endswith(end)), "")


def _text(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"
    return value
