"""What the published figures show about each other: where they agree, and where they cannot.

Every number in these texts is computed from the published tables and the link's ceiling.
"""

import math

from ...facts.ata import LBA28_COMMAND_SECTORS, LBA48_COMMAND_SECTORS
from ...facts.units import CEILINGS, SECTOR_BYTES
from .published import load_table

#: Bytes of the longest 48-bit command, 65,536 sectors, and of the longest 28-bit one.
BLOCK = SECTOR_BYTES * LBA48_COMMAND_SECTORS
SHORT = SECTOR_BYTES * LBA28_COMMAND_SECTORS


def of(table):
    """The texts for ``table``."""
    return list(_TEXTS[table.name](table)) if table.name in _TEXTS else []


def pauses(operation):
    """Microseconds by which the overhead of a firmware loop exceeds that of a state machine: table 6-2."""
    table = load_table("6-2")
    row = next(row for row in table.rows if row.operation == operation)
    return table.value(row, "firmware") - table.value(row, "state machine")


def _ms(rate, size=BLOCK):
    """Milliseconds for ``size`` bytes at ``rate`` MB/s."""
    return size / rate / 1e3


def _long_transfer(table):
    for row in table.rows:
        first, last = row.values[0], row.values[-1]
        pause = pauses(row.operation) / 1e3
        yield (f"{row.label}: 1 loop at {first:.2f} MB/s is {_ms(first):.2f} ms a command, "
               f"{table.columns[-1]} at {last:.2f} are {_ms(last):.2f} ms: "
               f"{_ms(last) - _ms(first):.2f} ms more, of which table 6-2 explains "
               f"{pause:.3f} ms (firmware). What is left is a drift of the drive.")
        single = table.further[f"single command, {row.label}"]
        verdict = ("although its timer leaves the set-up out" if single < first
                   else "its timer leaves the set-up out")
        yield (f"{row.label}: the single command of section 4 is given as {single:.0f} MB/s, "
               f"{_ms(single):.1f} ms; 1 loop took {abs(_ms(first) - _ms(single)):.1f} ms "
               f"{'less' if single < first else 'more'}, {verdict}.")


def _x25(table):
    yield from _long_transfer(table)
    rate = table.value(table.row("read"), "1")
    ceiling = CEILINGS[2] / 1e6
    late = 8192 / rate - 8192 / ceiling
    yield (f"read: {rate:.2f} MB/s are {100 * rate / ceiling:.1f} % of the {ceiling:.2f} MB/s that "
           f"8192-byte Data FISes, ALIGN and framing leave of a 3 Gb/s link: {late:.2f} us more a "
           "Data FIS.")


def _replacement(table):
    for direction in "write", "read":
        rows = [row for row in table.rows if row.label.startswith(direction)]
        firmware, machine = (_ms(row.values[0]) for row in rows)
        pause = pauses(rows[0].operation) / 1e3
        yield (f"{direction}: {rows[0].values[0]:.2f} and {rows[1].values[0]:.2f} MB/s are "
               f"{firmware:.2f} and {machine:.2f} ms a command: {firmware - machine:.2f} ms apart. "
               f"The overheads of table 6-2 are {pause:.3f} ms apart and explain "
               f"{100 * pause / (firmware - machine):.1f} % of it.")
    other = load_table("5-2")
    machine = table.value(table.row("write, state machine"), table.columns[0])
    first = other.value(other.row("write"), "1")
    yield (f"write: the state machine's {machine:.2f} MB/s are {_ms(first) - _ms(machine):.2f} ms "
           f"a command less than 1 loop of table 5-2 ({first:.2f} MB/s), in which no pause lies "
           "between two commands: another state of the drive.")


def _overheads(table):
    for row in table.rows:
        rate = table.further[f"{row.label}, MB/s"]
        told = table.further[f"{row.label}, milliseconds a command"]
        yield (f"{row.label}: the note lets a command of 32 MiB take {told:.0f} ms at {rate:.0f} "
               f"MB/s; that is 32 x 10^6 bytes ({_ms(rate, 32e6):.1f} ms), {BLOCK:,} take "
               f"{_ms(rate):.1f} ms.")
        shares = ", ".join(f"{value:g} us {100 * value / 1e3 / _ms(rate):.4f} % ({column})"
                           for column, value in zip(table.columns, row.values))
        yield f"{row.label}: of a command at that rate, {shares}."


def _whole(table):
    line = SHORT / CEILINGS[1] * 1e6
    overheads = load_table("6-2").row("write")
    firmware = load_table("6-2").value(overheads, "firmware")
    for row in table.rows:
        rate = row.values[0]
        took = 1e3 * _ms(rate, SHORT)
        if row.figure == "bound":
            continue
        if row.operation == "record":
            yield (f"{row.label}: {SHORT:,} bytes at {rate:g} MB/s take {took:.0f} us in all, "
                   f"{line:.0f} us of them on a 1.5 Gb/s link: {took - line:.0f} us are left for "
                   f"everything else, less than the {firmware:g} us of table 6-2.")
        else:
            yield (f"{row.label}: {rate:g} MB/s are {100 * rate * 1e6 / CEILINGS[1]:.1f} % of the "
                   f"{CEILINGS[1] / 1e6:.2f} MB/s that a 1.5 Gb/s link can carry: the link is the "
                   "limit.")
    told = table.further
    yield (f"The vendor of the Transcend gives {told['vendor, write']:g} MB/s write and "
           f"{told['vendor, read']:g} read, less than both were measured to be.")


def _blocks(table):
    values = {row.figure: row.values[0] for row in table.rows if row.unit == "ms"}
    rates = {row.figure: row.values[0] for row in table.rows if row.unit == "MB/s"}
    five = 4 * values["fast"] + values["slow"]
    yield (f"Four blocks of {values['fast']:g} ms and one of {values['slow']:g} are "
           f"{5 * BLOCK / five / 1e3:.1f} MB/s; the blog has about {rates['mean']:g}.")
    yield (f"A block in {values['fast']:g} ms is {_rate(values['fast']):.1f} MB/s (given as "
           f"{table.further['write, MB/s']:g}), in {values['flushed']:g} ms "
           f"{_rate(values['flushed']):.1f} (given as {rates['flushed']:g}), in "
           f"{values['first']:g} ms {_rate(values['first']):.1f} (given as "
           f"{table.further['write at sector 0, MB/s']:g}).")
    yield (f"Every fifth block is slow, that is every {5 * BLOCK / 1e6:.1f} MB; the cache that is "
           f"thought to be the cause has about {table.further['cache, MB']:g} MB.")


def _rate(milliseconds):
    return BLOCK / milliseconds / 1e3


def _drives(table):
    for row in table.rows:
        if row.figure == "drives":
            name = row.label.removesuffix(", drives")
            needs = {kind: table.rate / table.row(f"{name}, {kind}").values[0]
                     for kind in ("first", "sustained")}
            counts = {kind: math.ceil(need) for kind, need in needs.items()}
            published = row.values[0]
            if published == counts["sustained"]:
                verdict = "as published"
            else:
                verdict = (f"{published:g} published: "
                           f"{table.rate / published:.0f} MB/s a drive, a reserve of "
                           f"{100 * (published / needs['sustained'] - 1):.0f} %")
            rates = " and ".join(f"{table.row(f'{name}, {kind}').values[0]:g}"
                                 for kind in dict.fromkeys(counts))
            yield (f"{name}: {rates} MB/s first and sustained need {counts['first']} and "
                   f"{counts['sustained']} drives; {verdict}.")


_TEXTS = {"5-1": _x25, "5-2": _long_transfer, "6-1": _replacement, "6-2": _overheads,
          "7-1": _whole, "block-times": _blocks, "drives-for-rate": _drives}
