"""`sata-recorder prepare`: a drive or an image gets a file system with places for recordings."""

import json
from pathlib import Path

import click

from ..measurement import parse_size
from ..recordings import LayoutError, find_file
from ..recordings import prepare as prepare_drive
from ..units import SECTOR_BYTES
from .common import Refusal
from .drive_files import amount, refusing_drives
from .files import overwrite_option

__all__ = ["prepare"]

_OPTIONS = {"size": "--size", "recordings": "--recordings", "recording_bytes": "--recording-size",
            "align": "--align"}


@click.command()
@click.argument("target", metavar="DEVICE|IMAGE", type=click.Path(path_type=Path))
@click.option("--size", metavar="SIZE",
              help="Of an image, such as 64MiB or 1TB; needed where it does not exist.")
@click.option("--recordings", type=int, metavar="N",
              help="Places for so many recordings, which share the drive evenly "
                   "(default: as many as fit).")
@click.option("--recording-size", metavar="SIZE",
              help="Room for each recording, rounded up to --align (default: a share of all).")
@click.option("--align", metavar="SIZE", default="4MiB",
              help="What file system and places begin at a multiple of: the erase block of the "
                   "drive's flash or a multiple of it (default 4MiB).")
@click.option("--serial", metavar="SERIAL",
              help="Of the drive to be written, for a block device: it must be the one that the "
                   "system tells.")
@click.option("--file", "wanted", metavar="PATH",
              help="Change nothing: say where this existing file of an exFAT volume is.")
@overwrite_option
@click.pass_context
def prepare(context, target, size, recordings, recording_size, align, serial, wanted, overwrite):
    """Make a drive or an image of one ready for recordings that a PC sees as files.

    ALL THAT IT HOLDS IS LOST. It gets a partition table, exFAT with contiguous room for each
    recording, and the table in which a recorder finds that room. A drive that is mounted or
    otherwise in use is refused, and so is one whose serial number is not given. docs/files.md
    describes the layout. Exit status: 0, or 2 for a mistake in the arguments.
    """
    if wanted is not None:
        if given := next((option for option, value in (
                ("--size", size), ("--recordings", recordings), ("--serial", serial),
                ("--recording-size", recording_size)) if value is not None), None):
            raise Refusal(f"{given}: not together with --file, which changes nothing")
        _show_file(target, wanted)
        return
    if recordings is None and recording_size is None:
        raise Refusal("--recordings or --recording-size: one of them must say how the drive is "
                      "divided")
    asked = {"sectors": _sectors("--size", size), "recordings": recordings,
             "recording_bytes": _bytes("--recording-size", recording_size),
             "align": _bytes("--align", align)}
    with refusing_drives(target):
        try:
            made = prepare_drive(target, **asked, overwrite=overwrite, serial=serial)
        except LayoutError as error:
            raise Refusal(f"{_OPTIONS[error.field]} {error}") from None
    first, table = made.slots[0], made.table
    click.echo(f"drive       {amount(SECTOR_BYTES * table.disk_sectors)}, exFAT from LBA "
               f"{table.partition_lba}, clusters of {SECTOR_BYTES << table.cluster_shift:,} bytes")
    click.echo(f"recordings  {table.slots} of at most {amount(first.bytes)}, the first at LBA "
               f"{first.lba}, {first.sectors} sectors each")


def _sectors(option, text):
    try:
        return None if text is None else parse_size(text)
    except ValueError as error:
        raise Refusal(f"{option}: {error}") from None


def _bytes(option, text):
    sectors = _sectors(option, text)
    return None if sectors is None else SECTOR_BYTES * sectors


def _show_file(target, wanted):
    with refusing_drives(target):
        found = find_file(target, wanted)
    extent, = found.extents
    click.echo(json.dumps({
        "path": found.path, "bytes": found.file.size, "lba": extent.lba,
        "sectors": extent.sectors, "directory_lba": found.directory_lba,
        "directory_offset": found.directory_offset}, indent=2))
