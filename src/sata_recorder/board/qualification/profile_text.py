"""Figures of a drive as a profile: a TOML file that `measure`, `plan` and `sweep` take."""

import json
import re
import tomllib

from ...simulation import Profile

#: Rates that differ by a smaller part are one.
_SAME = 0.01
#: So are times that differ by no more us.
_SAME_US = 2
#: Least RAM of a profile, and bytes of the longest Data FIS.
_LEAST_BUFFER, _LEAST = 32768, 8192
#: What was written counts as the whole drive from this share on: a log of fio is not exact.
_WHOLE = 0.94


def profile_text(figures, name, source):
    """The text of the file for the :class:`.sequence.DriveFigures`; ``source`` states how they were found."""
    size = 512 * figures.sectors
    lines = [
        "# sata-recorder profile: made by sata-recorder qualify",
        f"model = {_text(_printable(figures.model, 40))}",
        f"description = {_text(f'{_printable(figures.model, 40)}, qualified')}",
        f"capacity_sectors = {figures.capacity}",
        f"generation = {figures.generation}",
        f"lba48 = {_told(figures.lba48)}",
        f"source = {_text(source)}",
        f"notes = {_text(_notes(figures, size))}",
        "", "[estimates]", *(f"{_text(field)} = {_text(why)}" for field, why in
                             _estimates(figures).items()),
        *([] if "write" in figures.measured else
          ["", "[unknown]", '"write.mb_per_s" = "writing was not measured"']),
        "", "[write]", *_write(figures)]
    if figures.cache_bytes:
        lines += ["", "[write.cache]", f"bytes = {max(_LEAST, figures.cache_bytes)}"]
        if figures.cache_rate:
            lines.append(f"mb_per_s = {_rate(figures.cache_rate)}")
    lines += [*_stalls(figures), "", "[read]", *_read(figures)]
    return "\n".join(lines) + "\n"


def profile_of(text, name):
    """The profile that such a text describes. Raises :class:`...simulation.ProfileError`."""
    return Profile.from_data({"name": name} | tomllib.loads(text), name)


def _write(figures):
    yield from _by_place(figures.write_rates, figures.write_rate, figures.link_rate)
    yield f"command_us = {_us(figures.write_command)}"
    if figures.write_jitter:
        yield f"jitter_us = {_us(figures.write_jitter)}"
    if figures.write_access is not None:
        yield f"access_us = {_us(figures.write_access)}"
    if figures.written and figures.sectors < _WHOLE * figures.capacity:
        yield f"measured_bytes = {max(_LEAST, 512 * figures.sectors)}"
    if figures.write_shows != "status":
        yield f"completion_us = {_us(figures.write_completion)}"
    yield f"buffer_bytes = {max(_LEAST_BUFFER, figures.write_buffer or _LEAST_BUFFER)}"
    yield f"stall_shows = {_text(figures.write_shows)}"
    yield f"flush_us = {_us(figures.flush)}"
    if figures.flush_resets_stalls is not None:
        yield f"flush_resets_stalls = {_told(figures.flush_resets_stalls)}"


def _stalls(figures):
    found = figures.regular_stalls
    if found is None:
        return
    every = round(found.every or found.first)
    yield from ("", "[[write.stalls]]", f"every_bytes = {max(_LEAST, every)}",
                f"ms = {1e3 * found.seconds:.4f}")
    if abs(found.first - every) > _SAME * every:
        yield f"first_bytes = {min(every, max(_LEAST, round(found.first)))}"
    if figures.stalls_of_full_cache:
        yield 'when = "cache full"'


def _read(figures):
    yield from _by_place(figures.read_rates, None, figures.link_rate)
    yield f"command_us = {_us(figures.read_command)}"
    yield f"access_us = {_us(figures.read_access)}"
    yield f"completion_us = {_us(figures.read_completion)}"
    yield f"stall_shows = {_text(figures.read_shows)}"


def _by_place(pairs, one, link_rate):
    """The rate of a side: zones if the rates that were measured by place differ, else ``one`` or their mean."""
    rates = [rate for _, rate in pairs if rate is not None]
    if rates and (len(rates) < len(pairs) or max(rates) - min(rates) > _SAME * max(rates)):
        knots = [(place, rate or link_rate) for place, rate in pairs]
        knots = [(0.0, knots[0][1]), *knots, (1.0, knots[-1][1])]
        yield "zones = [" + ", ".join(f"[{place:.9f}, {_rate(rate)}]"
                                      for place, rate in knots) + "]"
    elif one or rates:
        yield f"mb_per_s = {_rate(one or sum(rates) / len(rates))}"


def _estimates(figures):
    """The fields that are written but were not measured, or not fully."""
    found = {"read.buffer_bytes": "not measured"}
    if figures.write_buffer is None:
        found["write.buffer_bytes"] = "not distinguished from the rest"
    if figures.write_command is None:
        found["write.command_us"] = "not measured"
    if figures.write_access is None:
        found["write.access_us"] = "not measured"
    if figures.regular_stalls and figures.flush_resets_stalls is None:
        found["write.flush_resets_stalls"] = "not known: it needs more sectors"
    if figures.regular_stalls and figures.regular_stalls.every is None:
        found["write.stalls"] = "there was one: how far they are apart is not known"
    if figures.flush is None:
        found["write.flush_us"] = "not measured"
    if figures.read_command is None:
        found["read.command_us"] = found["read.access_us"] = "not measured"
    return found


def _notes(figures, size):
    done = " and ".join({"write": "written", "read": "read"}[side] for side in figures.measured)
    notes = [f"{size / 1e6:,.0f} MB were {done}."]
    if "read" not in figures.measured:
        notes.append("Reading was not measured: in this profile it is never slower than the link.")
    if "write" not in figures.measured:
        return " ".join(notes)
    if figures.cache_bytes is None:
        notes.append(f"No cache showed itself in them: a larger one, or one that is slower after "
                     f"{size / 1e6:,.0f} MB, is not in this profile.")
    if figures.write_rate is None:
        notes.append("Writing was never slower than the link.")
    if figures.stalls and not figures.regular_stalls:
        notes.append(f"It stood still {len(figures.stalls)} times, at most "
                     f"{1e3 * max(one.seconds for one in figures.stalls):.1f} ms, and not regularly: "
                     "that lowers the rate in this profile.")
    elif figures.longest_stall:
        notes.append(f"The longest time in which it took no word: "
                     f"{1e3 * figures.longest_stall:.3f} ms.")
    if figures.trim:
        notes.append(f"A recording over what was there: {figures.trim.before / 1e6:.1f} MB/s; after TRIM "
                     f"of its sectors: {figures.trim.after / 1e6:.1f} MB/s.")
    if figures.misaligned is not None:
        more = 1e6 * figures.misaligned
        notes.append("A write that is not aligned to 4 KiB took "
                     + (f"{more:.1f} us more." if more > _SAME_US else "no longer."))
    return " ".join(notes)


def _rate(value):
    return f"{value / 1e6:.3f}"


def _us(value):
    return f"{1e6 * (value or 0):.2f}"


def _told(value):
    return "true" if value else "false"


def _text(value):
    return json.dumps(value, ensure_ascii=True)


def _printable(text, most):
    return re.sub(r"[^ -~]", "?", text).strip()[:most] or "A DRIVE"
