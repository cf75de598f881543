"""`sata-recorder extract`: a recording, or a range of sectors, becomes a file."""

import sys
from pathlib import Path

import click

from .. import outputs
from ..measurement import parse_size
from ..recordings import (DiskReader, Drive, SectorRange, as_text, copy, item_bytes, sidecar,
                          sigmf)
from ..units import SECTOR_BYTES
from .common import Refusal
from .copy_progress import CopyProgress
from .drive_files import amount, drive_argument, refusing_drives
from .files import check_output, overwrite_option, refusing
from .output_file import OutputFile

__all__ = ["extract"]

_FILE = click.Path(path_type=Path, readable=False)


@click.command()
@drive_argument
@click.argument("name", required=False)
@click.option("-o", "--output", type=_FILE, metavar="FILE",
              help="Where to; its sidecar is written beside it. `-` is standard output, without "
                   "one.")
@click.option("--lba", type=click.IntRange(0), metavar="LBA",
              help="Sectors from this one on, of any drive or image, in place of a recording.")
@click.option("--sectors", metavar="SIZE", help="With --lba: how many, or a size such as 64MiB.")
@click.option("--datatype", metavar="TYPE",
              help="Of the samples, such as ci16_le: with --sample-rate the sidecar is SigMF.")
@click.option("--sample-rate", type=float, metavar="HZ", help="Of the samples, in hertz.")
@overwrite_option
@click.pass_context
def extract(context, drive, name, output, lba, sectors, datatype, sample_rate, overwrite):
    """Copy a recording of a prepared drive, or a range of sectors of any drive, to a file.

    NAME is that of a file or the number of its slot; it can be left out where there is one
    recording. The drive is only read. What cannot be read of it becomes zeros and is named. Exit
    status: 0, 1 if something could not be read or is not what was recorded, 2 for a mistake in the
    arguments.
    """
    if output is None:
        raise Refusal("-o: is missing, where does the copy go?")
    _check_asked(name, lba, sectors, datatype, sample_rate)
    to_stdout = str(output) == "-"
    meta = None if to_stdout or lba is not None else _meta_path(output, datatype)
    for path in () if to_stdout else filter(None, (output, meta)):
        check_output("-o", path, overwrite)
    with refusing_drives(drive):
        if lba is not None:
            wanted = parse_size(sectors)
            copied, recording = _raw(drive, lba, wanted, output), None
        else:
            with Drive(drive) as opened:
                recording = _chosen(opened, name)
                algorithm = "sha512" if datatype else "sha256"
                copied = _copied(opened.source, recording.extents, recording.bytes, output,
                                 algorithm, recording.valid_bytes)
    if meta is not None:
        found = sidecar(recording, copied, algorithm=algorithm)
        if datatype:
            found = sigmf(found, datatype=datatype, sample_rate=sample_rate, dataset=output.name)
        with refusing("-o", meta):
            outputs.write(meta, as_text(found), overwrite=True)
    _tell(copied, recording, output, meta, to_stdout)
    bad = copied.damaged or recording is not None and _differs(recording, copied)
    context.exit(1 if bad else 0)


def _check_asked(name, lba, sectors, datatype, sample_rate):
    if lba is not None and name is not None:
        raise Refusal(f"--lba {lba}: not together with NAME ({name})")
    if (lba is None) != (sectors is None):
        raise Refusal("--lba and --sectors: one needs the other")
    if (datatype is None) != (sample_rate is None):
        raise Refusal("--datatype and --sample-rate: one needs the other")
    if lba is not None and datatype is not None:
        raise Refusal(f"--lba {lba}: not together with --datatype, sectors have no sidecar")
    try:
        if sectors is not None:
            parse_size(sectors)
        if datatype is not None:
            item_bytes(datatype)
    except ValueError as error:
        raise Refusal(f"{'--sectors' if sectors else '--datatype'}: {error}") from None
    if sample_rate is not None and not 0 < sample_rate <= 1e250:
        raise Refusal(f"--sample-rate {sample_rate:g}: must be above 0")


def _meta_path(output, datatype):
    if datatype:
        return output.with_suffix(".sigmf-meta")
    return output.with_name(output.name + ".json")


def _chosen(opened, name):
    if name is not None:
        return opened.find(name)
    if len(opened.recordings) != 1:
        names = ", ".join(one.name for one in opened.recordings) or "none"
        raise Refusal(f"NAME: is missing, {opened.path} has more than one recording or none: "
                      f"{names}")
    return opened.recordings[0]


def _raw(drive, lba, sectors, output):
    with DiskReader(drive) as source:
        held = source.size // SECTOR_BYTES
        if lba + sectors > held:
            raise Refusal(f"--sectors {sectors}: from --lba {lba} on, {drive} has "
                          f"{max(0, held - lba)}")
        return _copied(source, [SectorRange(lba, sectors)], sectors * SECTOR_BYTES, output, None)


def _copied(source, extents, size, output, algorithm, valid=None):
    with CopyProgress(size) as progress:
        if str(output) == "-":
            stream = sys.stdout.buffer
            copied = copy(source, extents, size, stream.write, valid=valid, algorithm=algorithm,
                          progress=progress)
            stream.flush()
            return copied
        file = OutputFile("-o", output)
        try:
            copied = copy(source, extents, size, file.write, valid=valid, algorithm=algorithm,
                          progress=progress)
            file.place()
        finally:
            file.discard()
    return copied


def _differs(recording, copied):
    return recording.log is not None and recording.log.crc32 not in (None, copied.crc32)


def _tell(copied, recording, output, meta, to_stdout):
    """What was copied; on standard error where the data go to standard output."""
    for offset, size in copied.damaged:
        click.echo(f"damaged  bytes {offset:,} to {offset + size - 1:,} could not be read and are "
                   "zeros", err=to_stdout)
    if recording is not None and _differs(recording, copied):
        click.echo(f"damaged  its CRC-32 is {copied.crc32:08x}, and {recording.log.crc32:08x} when "
                   "it was recorded", err=to_stdout)
    if not to_stdout:
        beside = f", sidecar {meta}" if meta else ""
        click.echo(f"wrote    {output}: {amount(copied.bytes)}, CRC-32 {copied.crc32:08x}{beside}")
