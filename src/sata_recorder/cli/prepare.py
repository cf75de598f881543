"""`sata-recorder prepare`: a drive or an image gets a file system with places for recordings."""

import json
from pathlib import Path
from typing import Annotated, Literal

import click

from ..lab.measurement import parse_size, reason
from ..pc.array import open_disk, open_target, prepare_array
from ..pc.volume import LayoutError, find_file, renew_target
from ..pc.volume import prepare as prepare_drive
from ..facts.array import CHUNKS, LEVELS, MIRRORS, MOST_DRIVES, RAID0, RAID1
from ..facts.units import SECTOR_BYTES
from ..lab.options import Options, OptionText
from .common import Refusal
from .drive_files import amount, refusing_drives
from .files import overwrite_option
from .options import options

_OPTIONS = {"size": "--size", "recordings": "--recordings", "recording_bytes": "--recording-size",
            "align": "--align"}


class PrepareOptions(Options):
    """The options of `sata-recorder prepare`."""

    size: Annotated[str | None, OptionText("SIZE")] = None
    """Size of an image, such as 64MiB or 1TB; needed if it does not exist."""
    recordings: Annotated[int | None, OptionText("N")] = None
    """Make room for this many recordings, which share the drive evenly (default: as many as fit)."""
    recording_size: Annotated[str | None, OptionText("SIZE")] = None
    """Room for each recording, rounded up to --align (default: an equal share)."""
    align: Annotated[str, OptionText("SIZE")] = "4MiB"
    """File system and room for recordings begin at multiples of this: the erase block of the drive's flash, or a
    multiple of it (default 4MiB)."""
    logical_sector: Literal["512", "4096"] | None = None
    """Bytes of a logical sector of the drive that an image stands for (default 512). A block device states what it
    has."""
    serial: Annotated[tuple[str, ...], OptionText("SERIAL")] = ()
    """Serial number of the drive to be written, for a block device: it must be the one that the system reports. For an
    array give that of each drive, in any order."""
    raid: Literal["0", "1", "linear"] | None = None
    """Make one array of several drives, for Linux md: with `0` they take turns, so that their rates add up; with `1`
    each of two holds everything; with `linear` one comes after the other, so that only their sizes add up."""
    chunk: Annotated[str | None, OptionText("SIZE")] = None
    """With --raid 0: what one drive gets in its turn, 4KiB to 64KiB (default 16KiB)."""
    wanted: Annotated[str | None, OptionText("PATH", flags=("--file",))] = None
    """Change nothing: show where this existing file of an exFAT volume is."""
    renews: Annotated[bool, OptionText(flags=("--renew",))] = False
    """Keep all: only bring the recording table up to date, on a drive that version 0.1 has prepared, or whose partition
    or folder somebody has changed."""


@click.command()
@options(asked=PrepareOptions)
@click.argument("targets", metavar="DEVICE|IMAGE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@overwrite_option
def prepare(asked, targets, overwrite):
    """Make a drive or an image of one ready for recordings that a PC sees as files.

    ALL THAT IT HOLDS IS LOST. It gets a partition table, exFAT with contiguous room for each
    recording, and the table in which a recorder finds that room. Several drives become one array
    with --raid. A drive that is mounted or otherwise in use is refused, and so is one whose serial
    number is not given. docs/files.md describes the layout, and what --renew keeps, docs/array.md
    the array. Exit status: 0, or 2 for a mistake in the arguments, and for a drive that --renew does
    not find sound.
    """
    if asked.wanted is not None or asked.renews:
        _change_nothing(asked, targets)
        return
    chunk = _chunk(asked, targets)
    if asked.recordings is None and asked.recording_size is None:
        raise Refusal("--recordings or --recording-size: one of them must state how the drive is "
                      "divided")
    layout = {"sectors": _sectors("--size", asked.size), "recordings": asked.recordings,
              "recording_bytes": _bytes("--recording-size", asked.recording_size),
              "align": _bytes("--align", asked.align),
              "logical": None if asked.logical_sector is None else int(asked.logical_sector)}
    with refusing_drives(*targets):
        try:
            if asked.raid is None:
                where, made = None, prepare_drive(targets[0], **layout, overwrite=overwrite, serial=_serial(asked))
            else:
                made, where = prepare_array(targets, LEVELS[asked.raid], chunk_sectors=chunk, **layout,
                                            overwrite=overwrite, serials=asked.serial)
        except LayoutError as error:
            typed = {"size": asked.size, "align": asked.align, "recording_bytes": asked.recording_size}.get(error.field)
            if error.field == "size" and typed is None:
                raise Refusal(f"{', '.join(map(str, targets))}: {error}") from None
            raise Refusal(f"{_OPTIONS[error.field]} {error if typed is None else error.told(typed)}") from None
    if where is not None:
        _show_array(targets, where)
    first, table = made.slots[0], made.table
    click.echo(f"{'drive' if where is None else 'array':<11} {amount(SECTOR_BYTES * table.disk_sectors)}, exFAT from "
               f"LBA {table.partition_lba}, clusters of {SECTOR_BYTES << table.cluster_shift:,} bytes")
    click.echo(f"recordings  {table.slots} of at most {amount(first.bytes)}, the first at LBA "
               f"{first.lba}, {first.sectors} sectors each")


def _serial(asked):
    if len(asked.serial) > 1:
        raise Refusal(f"--serial: is given {len(asked.serial)} times, and one drive has one")
    return next(iter(asked.serial), None)


def _chunk(asked, targets):
    """The sectors of a chunk, None for the usual ones; what does not go with one drive, or with several, is refused."""
    if asked.raid is None and len(targets) > 1:
        mirrors = ", each have all (1)" if len(targets) == MIRRORS else ""
        raise Refusal(f"--raid is missing: shall the {len(targets)} drives take turns (0){mirrors}, or be one after "
                      "the other (linear)?")
    if asked.raid is not None and len(targets) < 2:
        raise Refusal(f"--raid {asked.raid}: an array has 2 to {MOST_DRIVES} drives, {targets[0]} is one")
    if asked.raid == "1" and len(targets) != MIRRORS:
        raise Refusal(f"--raid 1: has {MIRRORS} drives, here are {len(targets)}")
    if asked.chunk is None:
        return None
    if asked.raid != "0":
        raise Refusal(f"--chunk {asked.chunk}: only --raid 0 has chunks")
    if (chunk := _sectors("--chunk", asked.chunk)) not in CHUNKS:
        sizes = [f"{one * SECTOR_BYTES >> 10}KiB" for one in CHUNKS]
        raise Refusal(f"--chunk {asked.chunk}: must be {', '.join(sizes[:-1])} or {sizes[-1]}")
    return chunk


def _show_array(targets, where):
    how = {RAID0: f"RAID 0, chunks of {where.chunk_sectors * SECTOR_BYTES:,} bytes", RAID1: "RAID 1"}.get(
        where.level, "linear")
    click.echo(f"raid        {where.drives} drives, {how}")
    for lane, (path, sectors) in enumerate(zip(targets, where.data_sectors, strict=True)):
        click.echo(f"lane {lane}      {path}: {amount(SECTOR_BYTES * sectors)} from LBA {where.offset}")


def _change_nothing(asked, targets):
    """What keeps all that is on the drives."""
    other, why = ("--renew", "keeps all") if asked.renews else ("--file", "changes nothing")
    if given := next((option for option, value in (
            ("--size", asked.size), ("--recordings", asked.recordings), ("--recording-size", asked.recording_size),
            ("--logical-sector", asked.logical_sector), ("--raid", asked.raid), ("--chunk", asked.chunk),
            ("--serial", None if asked.renews else asked.serial or None),
            ("--file", asked.wanted if asked.renews else None))
            if value is not None), None):
        raise Refusal(f"{given}: not together with {other}, which {why}")
    if asked.renews:
        _renew(targets, asked.serial)
    else:
        _show_file(targets, asked.wanted)


def _renew(targets, serials):
    with refusing_drives(*targets), open_target(targets, serials) as target:
        found = renew_target(target)
    for change in found.changes:
        click.echo(f"renewed  {change}")
    if not found.changes:
        click.echo("good     it is as it was prepared, nothing was written")
    click.echo(f"free     {found.free or 'none'}")
    for number in found.changed_slots:
        click.echo(f"slot {number:<4} takes no recording still: its files were changed")


def _sectors(option, text):
    try:
        return None if text is None else parse_size(text)
    except ValueError as error:
        raise Refusal(f"{option} {text}: {reason(error, text)}") from None


def _bytes(option, text):
    sectors = _sectors(option, text)
    return None if sectors is None else SECTOR_BYTES * sectors


def _show_file(targets, wanted):
    with refusing_drives(*targets), open_disk(targets) as source:
        found = find_file(source.path, wanted, source)
    extent, = found.extents
    click.echo(json.dumps({
        "path": found.path, "bytes": found.file.size, "lba": extent.lba,
        "sectors": extent.sectors, "directory_lba": found.directory_lba,
        "directory_offset": found.directory_offset}, indent=2))
