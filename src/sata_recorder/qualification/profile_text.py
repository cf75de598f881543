"""Figures of a drive as a profile: a TOML file that `measure`, `plan` and `sweep` take."""

import json
import re
import tomllib

from ..simulation import Profile

__all__ = ["profile_of", "profile_text"]

#: Rates that differ by less are one.
_SAME = 0.01
_LEAST_BUFFER = 32768


def profile_text(figures, name, source):
    """The file of the :class:`.sequence.DriveFigures`; ``source`` says how they were found."""
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
        "", "[write]", *_write(figures)]
    if figures.cache_bytes:
        lines += ["", "[write.cache]", f"bytes = {max(8192, figures.cache_bytes)}"]
        if figures.cache_rate:
            lines.append(f"mb_per_s = {_rate(figures.cache_rate)}")
    lines += ["", "[read]", *_read(figures)]
    return "\n".join(lines) + "\n"


def profile_of(text, name):
    """The profile of such a text. Raises :class:`..simulation.ProfileError`."""
    return Profile.from_data({"name": name} | tomllib.loads(text), name)


def _write(figures):
    if figures.write_rate:
        yield f"mb_per_s = {_rate(figures.write_rate)}"
    yield f"command_us = {_us(figures.write_command)}"
    if figures.write_jitter:
        yield f"jitter_us = {_us(figures.write_jitter)}"
    if figures.write_shows != "status":
        yield f"completion_us = {_us(figures.write_completion)}"
    yield f"buffer_bytes = {max(_LEAST_BUFFER, figures.write_buffer or _LEAST_BUFFER)}"
    yield f"stall_shows = {_text(figures.write_shows)}"
    yield f"flush_us = {_us(figures.flush)}"


def _read(figures):
    rates = [rate for _, rate in figures.read_rates if rate is not None]
    if rates and len(rates) == len(figures.read_rates) and \
            max(rates) - min(rates) <= _SAME * max(rates):
        yield f"mb_per_s = {_rate(sum(rates) / len(rates))}"
    elif rates:
        knots = [(place, rate or figures.link_rate) for place, rate in figures.read_rates]
        knots = [(0.0, knots[0][1]), *knots, (1.0, knots[-1][1])]
        yield "zones = [" + ", ".join(f"[{place:.6f}, {_rate(rate)}]"
                                      for place, rate in knots) + "]"
    yield f"command_us = {_us(figures.read_command)}"
    yield f"access_us = {_us(figures.read_access)}"
    yield f"completion_us = {_us(figures.read_completion)}"
    yield f"stall_shows = {_text(figures.read_shows)}"


def _estimates(figures):
    """The fields that are there and were not measured."""
    found = {"read.buffer_bytes": "not measured"}
    if figures.write_buffer is None:
        found["write.buffer_bytes"] = "not told from the rest"
    if figures.write_command is None:
        found["write.command_us"] = "not measured"
    if figures.flush is None:
        found["write.flush_us"] = "not measured"
    if figures.read_command is None:
        found["read.command_us"] = found["read.access_us"] = "not measured"
    return found


def _notes(figures, size):
    notes = [f"{size / 1e6:,.0f} MB were written and read."]
    if figures.cache_bytes is None:
        notes.append(f"No cache showed itself in them: a larger one, or one that is slower behind "
                     f"{size / 1e6:,.0f} MB, is not in this profile.")
    if figures.write_rate is None:
        notes.append("Writing was never slower than the link.")
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
