"""Timing profiles of drives, for people (tables) and for programs (plain data for JSON)."""

import textwrap

from pydantic import BaseModel
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..facts.throughput import Host, stalls_known, sustained_rate
from ..facts.units import SECTOR_BYTES
from .figures import figure_lines

#: Units, by the end of a field's name.
_UNITS = {"mb_per_s": "MB/s", "_us": "us", "ms": "ms", "bytes": "bytes", "sectors": "sectors",
          "zones": "MB/s"}
#: Fields that have lines of their own.
_TEXTS = ("name", "model", "description", "aliases", "source", "notes", "unknown", "estimates", "fitted")


def profile_data(profile):
    """The profile with the rates that follow from it, scaled. None is the link's rate, or an unknown one if
    ``unknown_rates`` names the side."""
    return profile.model_dump(mode="json") | {
        "write_first_mb_per_s": profile.write_first,
        "write_sustained_mb_per_s": None if "write" in profile.unknown_rates else _sustained(profile),
        "unknown_rates": profile.unknown_rates, "drive_writes_per_day": profile.drive_writes_per_day,
        "read_mb_per_s": profile.read_rates and list(profile.read_rates),
    }


def render_profiles(console, profiles):
    """Prints one line per profile on the rich console."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("drive", no_wrap=True)
    for title in ("GB", "link\nGb/s", "write\nMB/s", "sustained\nMB/s", "read\nMB/s", "TBW\nTB", "writes\na day",
                  "power\nloss"):
        table.add_column(title, justify="right", no_wrap=True)
    for profile in profiles:
        scaled = "*" if profile.scale != 1 else ""
        table.add_row(
            Text(profile.name + scaled), f"{profile.capacity_sectors * SECTOR_BYTES / 1e9:,.0f}",
            f"{1.5 * 2 ** (profile.generation - 1):g}", _first(profile),
            _lasting(profile),
            _most(profile.read, "read" in profile.unknown_rates, profile.read_rates and profile.read_rates[0]),
            _number(profile.rated_writes_tb, ",.0f"), _number(profile.drive_writes_per_day, ".2f"),
            profile.power_loss_protection or "?")
    console.print(table, highlight=False)
    console.print()
    for text in _footnotes(profiles):
        for line in textwrap.wrap(text, console.width, subsequent_indent="  ", break_on_hyphens=False):
            console.print(Text(line, "dim"))


def _footnotes(profiles):
    """What the titles and marks mean, one text each."""
    yield (f"sustained: writing indefinitely over the drive's link in commands of {Host().command_sectors:,} sectors: "
           "at the slowest place, caches full, with latencies, stalls and dips; a FIFO must hold what comes in these")
    yield "TBW, writes a day: what it is rated to be written, in all and as drive writes a day of its warranty"
    yield "power loss: what is protected when the power is cut"
    yield "link: the drive is never the limit"
    yield "<=: the maker states it for the best case, and nobody has published how long that lasts"
    yield "^: measured over a part of the drive; what comes after it is unknown"
    yield "?: not published"
    scales = sorted({profile.scale for profile in profiles if profile.scale != 1})
    if scales:
        yield f"*: the shape of an NVMe drive, its rates times {', '.join(f'{scale:g}' for scale in scales)}"
    yield _of_stalls(profiles)


def _sustained(profile):
    """MB/s that the drive takes indefinitely from a default core, over the drive's own link; None
    where the link is the limit."""
    rate = sustained_rate(Host(), profile)
    return None if rate >= sustained_rate(Host(profile.generation)) else rate / 1e6


def _of_stalls(profiles):
    """Which of the profiles have published stalls."""
    known = [profile.name for profile in profiles if stalls_known(profile)]
    return f"Whether and how a drive stalls is published only of {', '.join(known)}." if known else \
        "No stalls are published."


def _lasting(profile):
    """The rate that it sustains, as far as that is known."""
    if "write" in profile.unknown_rates:
        return "unknown"
    return _rate(_sustained(profile)) + ("" if profile.write.measured_bytes is None else "^")


def _first(profile):
    """The rate at the first byte of an empty drive."""
    unknown = "write" in profile.unknown_rates and profile.write.cache is None
    return _most(profile.write, unknown, profile.write_first)


def _most(side, unknown, rate):
    """A rate, or what bounds one that is unknown."""
    if not unknown:
        return _rate(rate)
    return "?" if side.up_to_mb_per_s is None else f"<={side.up_to_mb_per_s:g}"


def _number(value, form):
    return "?" if value is None else f"{value:{form}}"


def _rate(rate):
    return "link" if rate is None else f"{rate:.1f}"


def render_profile(console, profile):
    """Prints all figures of a profile, each with where it is from."""
    console.print(Text.assemble((profile.name, "bold"), f"  {profile.description}"))
    for field, told in ("model", f"IDENTIFY model: {profile.model}"), \
            ("aliases", f"also called: {', '.join(profile.aliases)}" if profile.aliases else None):
        if told is not None:
            console.print(Text(f"{told} ({origin})" if (origin := _origin(profile, field)) else told))
    rows = [(field, "unknown", why) for field, why in _unknown(profile).items()]
    rows += [(field, f"{value} {unit}".rstrip(), _origin(profile, field) if given else "default")
             for field, value, unit, given in _fields(profile, unknown=profile.unknown)]
    title, *lines = figure_lines(("field", "value", "where from"), rows, console.width)
    console.print()
    console.print(Text(title, "dim"))
    for line in lines:
        console.print(Text(line))
    if profile.scale != 1:
        console.print(f"\nAll rates count times {profile.scale:g}: "
                      f"{_rate(profile.write_first)} MB/s written at first, "
                      f"{_rate(_sustained(profile))} sustained.", highlight=False)
    for title, text in (("source", profile.source), ("notes", profile.notes)):
        if text:
            console.print(f"\n[dim]{title}[/]", highlight=False)
            console.print(Padding(Text(text), (0, 0, 0, 2)))


def _unknown(profile):
    """Why each unknown field is unknown, including those that a buyer asks for."""
    asked = {"workload_tb_per_year": profile.workload_tb_per_year} if profile.rotating else \
        {"rated_writes_tb": profile.rated_writes_tb}
    asked |= {"warranty_years": profile.warranty_years, "power_loss_protection": profile.power_loss_protection,
              "write.stalls": True if stalls_known(profile) else None}
    return profile.unknown | {field: "not in a source of this profile" for field, value in asked.items()
                              if value is None and field not in profile.unknown}


def _origin(profile, field):
    """Where a figure is from, if it is an estimate or fitted; nothing if it is published."""
    for origin, why in (("fitted", profile.fitted), ("estimate", profile.estimates)):
        if field in why:
            return f"{origin}: {why[field]}"
    return ""


def _fields(part, prefix="", unknown=()):
    """(dotted name, value, unit, whether the file gives it) of each field; a rate without a value is the link's,
    unless it is ``unknown``."""
    for name, value in part:
        field, given = prefix + name, name in part.model_fields_set
        if not prefix and name in _TEXTS:
            continue
        if isinstance(value, BaseModel):
            yield from _fields(value, f"{field}.", unknown)
        elif isinstance(value, tuple):
            for text in _items(name, value):
                yield field, text, _unit(name), given
        elif value is not None:
            yield field, _text(value), _unit(name), given
        elif name == "mb_per_s" and dict(part).get("zones") is None and field not in unknown:
            yield field, "the link's", "", given


def _items(name, value):
    """Lines of a list: one for zones or a variation, one for each stall or dip."""
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
