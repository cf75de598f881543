"""`sata-recorder extract`: a recording, or a range of sectors, becomes a file."""

from pathlib import Path
from typing import Annotated

import click

from ..pc.maintenance import NoHealth, drive_health
from ..lab.measurement import parse_size
from ..facts.channels import MOST_CHANNELS
from ..pc.volume import SectorRange, as_text, chosen, copy, sidecar, sigmf
from ..facts.units import SECTOR_BYTES
from ..lab.options import Options, OptionText
from .channel_copy import Extents, copy_channel
from .common import Refusal
from .copy_progress import CopyProgress
from .destination import Destination
from .drive_files import (amount, drives_and_name, is_wrong, opened, refusing_drives, sectors_of,
                          tell_members, tell_problems)
from .files import check_output, overwrite_option
from .lines_table import check_lines, write_lines
from .options import options
from .samples import check_samples

_FILE = click.Path(path_type=Path, readable=False)


class ExtractOptions(Options):
    """The options of `sata-recorder extract`."""

    output: Annotated[Path | None, OptionText("FILE", kind=_FILE, flags=("-o", "--output"))] = None
    """The copy; its sidecar is written next to it. `-` is standard output, without a sidecar."""
    lba: Annotated[int | None, OptionText("LBA", kind=click.IntRange(0))] = None
    """Copy sectors from this one on, of any drive or image, in place of a recording."""
    sectors: Annotated[str | None, OptionText("SIZE")] = None
    """With --lba: how many, or a size such as 64MiB."""
    segment: Annotated[int | None, OptionText("N", kind=click.IntRange(1))] = None
    """Copy this segment of a recording with triggers (default: each of them, with .seg1 and so on before the ending of
    FILE)."""
    raw: bool = False
    """Copy a ring or segments in the order of their places on the drive, not in that of the recording."""
    lines: Annotated[Path | None, OptionText("FILE", kind=_FILE)] = None
    """Write as CSV where each line of the recording is in the copy, by the lengths in its log: number from 0 on, first
    byte, bytes, whether it is whole. Of segments one file for each, with .seg1 and so on, as for the copies."""
    channel: Annotated[int | None, OptionText("N", kind=click.IntRange(0, MOST_CHANNELS - 1))] = None
    """Of a recording of several channels, which is in frames, copy the bytes of this channel alone."""
    datatype: Annotated[str | None, OptionText("TYPE")] = None
    """Type of the samples, such as ci16_le: with --sample-rate the sidecar is SigMF."""
    sample_rate: Annotated[float | None, OptionText("HZ")] = None
    """Rate of the samples, in hertz."""


@click.command()
@options(asked=ExtractOptions)
@click.argument("words", metavar="DEVICE|IMAGE... [NAME]", nargs=-1, required=True, type=click.Path())
@overwrite_option
@click.pass_context
def extract(context, asked, words, overwrite):
    """Copy a recording of a prepared drive, or a range of sectors of any drive, to a file.

    NAME is that of a file or the number of its slot; it can be left out where there is one
    recording. Several drives are the members of one array, in any order. A ring is copied from its
    oldest word to its newest one, and each segment to a file of its own. The drive is only read.
    What cannot be read becomes zeros and is named. For a block device smartctl is queried, if
    it is installed: the sidecar then has the drive's health. Exit status: 0, 1 if something on the
    drive is wrong, could not be read or is not what was recorded, or if what --lines or --channel gives is not
    complete, 2 for a mistake in the arguments.
    """
    if asked.output is None:
        raise Refusal("-o is missing: where does the copy go?")
    with refusing_drives(words[0]):
        drives, name = drives_and_name(words)
    _check_asked(name, asked)
    if asked.channel is not None:
        context.exit(1 if _channel(drives, name, asked, overwrite) else 0)
    if asked.lba is not None:
        _check_outputs(drives, {"-o": [asked.output]}, overwrite)
        destination = Destination(asked.output, None, overwrite)
        with refusing_drives(*drives):
            copied, failed = _sectors(drives, asked.lba, parse_size(asked.sectors), destination)
        _tell(copied, "", destination)
        context.exit(1 if copied.damaged or failed else 0)
    bad = False
    with opened(drives) as drive:
        recording = _chosen(drive, name)
        if asked.lines is not None:
            check_lines(recording)
        wanted = [(number, path, _meta_path(path, asked), lines) for number, path, lines
                  in _files(recording, asked.segment, asked.raw, asked.output, asked.lines)]
        _check_outputs(drives, {"-o": [path for _, path, *_ in wanted],
                                "the sidecar": [meta for _, _, meta, _ in wanted],
                                "--lines": [lines for *_, lines in wanted]}, overwrite)
        health = _health(drive, recording) if any(meta for _, _, meta, _ in wanted) else None
        for number, path, meta, lines in wanted:
            bad |= _extracted(drive, recording, number, Destination(path, meta, overwrite), asked, health)
            if lines is not None:
                bad |= not _tell_lines(recording, number, lines, path, overwrite)
        to_stdout = str(asked.output) == "-"
        for text in recording.doubts:
            click.echo(f"damaged  {recording.name}: {text}", err=to_stdout)
        tell_problems(drive, err=to_stdout)
        bad |= bool(recording.doubts) or is_wrong(drive)
    context.exit(1 if bad else 0)


def _channel(drives, name, asked, overwrite):
    """Copies a channel; returns whether something is wrong."""
    destination = Destination(asked.output, _meta_path(asked.output, asked), overwrite)
    _check_outputs(drives, {"-o": [asked.output], "the sidecar": [destination.sidecar]}, overwrite)
    if asked.lba is not None:
        with refusing_drives(*drives), sectors_of(drives) as source:
            sectors = parse_size(asked.sectors)
            _check_sectors(source, asked.lba, sectors)
            good = copy_channel(Extents(source, [SectorRange(asked.lba, sectors)], SECTOR_BYTES * sectors),
                                asked.channel, str(source.path), destination)
            tell_members(source, err=destination.is_stdout)
            return not good or bool(source.failures)
    with opened(drives) as drive:
        recording = _chosen(drive, name)
        extents, size = recording.part()
        good = copy_channel(Extents(drive.source, extents, size), asked.channel, recording.name, destination)
        for text in recording.doubts:
            click.echo(f"damaged  {recording.name}: {text}", err=destination.is_stdout)
        tell_problems(drive, err=destination.is_stdout)
        return not good or bool(recording.doubts) or is_wrong(drive)


def _check_outputs(drives, paths, overwrite):
    """Refuses a file that must not be written, and one for two purposes; ``paths`` are those of each purpose."""
    seen = {}
    for option, path in ((option, path) for option, some in paths.items() for path in some if path is not None):
        if str(path) == "-" and option == "--lines":
            raise Refusal("--lines -: must be a file, it cannot go to standard output")
        if str(path) == "-":
            continue
        if (other := seen.setdefault(path.resolve(), f"{option} {path}")) != f"{option} {path}":
            raise Refusal(f"{option} {path}: the same file as {other}")
        for drive in drives:
            check_output(option, path, overwrite, read=drive if drive.exists() else None)


def _tell_lines(recording, segment, path, output, overwrite):
    """Writes the table of the lines of a copy; returns whether all of them are known."""
    one = None if recording.order is None else chosen(recording, segment)
    return write_lines(recording, one.first_word if one else 0, recording.part(segment)[1], path,
                       err=str(output) == "-", overwrite=overwrite)


def _files(recording, segment, raw, output, lines):
    """(segment or None, FILE, file of --lines or None) of each copy that is to be made."""
    order = recording.order
    if segment is not None or raw or order is None or order.name != "TRIGGERED" \
            or not recording.segments:
        return [(segment, output, lines)]
    numbers = [one.number for one in recording.segments if one.bytes]
    if not numbers:
        raise Refusal(f"{recording.name}: none of its {len(recording.segments)} segments has a word; "
                      "--raw copies the file as it is")
    if str(output) == "-" and len(numbers) != 1:
        raise Refusal(f"-o -: {recording.name} has segments {', '.join(map(str, numbers))}: "
                      "--segment names one, --raw gives the order of their places")
    if str(output) == "-":
        return [(numbers[0], output, lines)]
    return [(number, *(path and path.with_name(f"{path.stem}.seg{number}{path.suffix}") for path in (output, lines)))
            for number in numbers]


def _health(drive, recording):
    """What the drive reports about its health, for the sidecars; None of an image, or where it reports nothing."""
    if not drive.source.is_device:
        return None
    try:
        found = drive_health(drive.path, recording.log.serial if recording.log else None)
    except NoHealth as error:
        click.echo(f"health   is not in the sidecar: {error}")
        return None
    reasons = "".join(f"; {reason}" for reason in found.reasons)
    click.echo(f"health   {found.verdict.value}{reasons}")
    return found.fields


def _extracted(drive, recording, segment, destination, asked, health):
    """Makes one copy, and its sidecar; returns whether it is bad."""
    algorithm = "sha512" if asked.datatype else "sha256"
    extents, size = (recording.extents, recording.bytes) if asked.raw else recording.part(segment)
    valid = recording.valid_bytes if extents == recording.extents else None
    copied = _copied(drive.source, extents, size, destination, algorithm, valid)
    if destination.sidecar is not None:
        found = sidecar(recording, copied, algorithm=algorithm, segment=segment, raw=asked.raw,
                        health=health)
        if asked.datatype:
            found = sigmf(found, datatype=asked.datatype, sample_rate=asked.sample_rate,
                          dataset=destination.path.name)
        destination.add_sidecar(as_text(found))
    differs = ""
    known = recording.log.crc32 if recording.log is not None and valid is not None else None
    if known not in (None, copied.crc32):
        differs = f"damaged  its CRC-32 is {copied.crc32:08x}, but was {known:08x} when recorded"
    _tell(copied, differs, destination)
    return bool(copied.damaged or differs)


def _check_asked(name, asked):
    lba, sectors, segment, raw, datatype, sample_rate = (
        asked.lba, asked.sectors, asked.segment, asked.raw, asked.datatype, asked.sample_rate)
    for option, given in (("--segment", segment is not None), ("--raw", raw), ("--lines", asked.lines is not None),
                          ("--datatype", datatype is not None)):
        if asked.channel is not None and given:
            raise Refusal(f"--channel {asked.channel}: not together with {option}")
    if raw and asked.lines is not None:
        raise Refusal(f"--lines {asked.lines}: not together with --raw, lines are in the order of the recording")
    if segment is not None and raw:
        raise Refusal(f"--segment {segment}: not together with --raw, which has all of them")
    for option, given in (("--segment", segment is not None), ("--raw", raw)):
        if lba is not None and given:
            raise Refusal(f"--lba {lba}: not together with {option}, sectors have no order")
    if lba is not None and asked.lines is not None:
        raise Refusal(f"--lba {lba}: not together with --lines, sectors have no log")
    if lba is not None and name is not None:
        raise Refusal(f"--lba {lba}: not together with NAME ({name})")
    if (lba is None) != (sectors is None):
        raise Refusal("--lba and --sectors: one needs the other")
    check_samples(datatype, sample_rate)
    if lba is not None and datatype is not None:
        raise Refusal(f"--lba {lba}: not together with --datatype, sectors have no sidecar")
    try:
        if sectors is not None:
            parse_size(sectors)
    except ValueError as error:
        raise Refusal(f"--sectors: {error}") from None


def _meta_path(output, asked):
    """Where the sidecar of a copy goes, None: nowhere."""
    if str(output) == "-":
        return None
    if asked.datatype:      # in place of the ending of FILE; .seg1 is none
        return output.with_name(output.name.removesuffix(asked.output.suffix) + ".sigmf-meta")
    return output.with_name(output.name + ".json")


def _chosen(drive, name):
    if name is not None:
        return drive.find(name)
    if len(drive.recordings) != 1:
        names = ", ".join(one.name for one in drive.recordings) or "none"
        raise Refusal(f"NAME is missing: {drive.path} has more than one recording or none: "
                      f"{names}")
    return drive.recordings[0]


def _sectors(drives, lba, sectors, destination):
    with sectors_of(drives) as source:
        _check_sectors(source, lba, sectors)
        copied = _copied(source, [SectorRange(lba, sectors)], sectors * SECTOR_BYTES, destination)
        tell_members(source, err=destination.is_stdout)
        return copied, bool(source.failures)


def _check_sectors(source, lba, sectors):
    held = source.size // SECTOR_BYTES
    if lba + sectors > held:
        raise Refusal(f"--sectors {sectors}: from --lba {lba} on, {source.path} has "
                      f"{max(0, held - lba)}")


def _copied(source, extents, size, destination, algorithm=None, valid=None):
    with CopyProgress(size) as progress, destination.opened() as write:
        return copy(source, extents, size, write, valid=valid, algorithm=algorithm, progress=progress)


def _tell(copied, differs, destination):
    """What was copied; on standard error where the data go to standard output."""
    to_stdout = destination.is_stdout
    for offset, size in copied.damaged:
        click.echo(f"damaged  bytes {offset:,} to {offset + size - 1:,} could not be read and are "
                   "zeros", err=to_stdout)
    if differs:
        click.echo(differs, err=to_stdout)
    if not to_stdout:
        beside = f", sidecar {destination.sidecar}" if destination.sidecar else ""
        click.echo(f"wrote    {destination.path}: {amount(copied.bytes)}, CRC-32 {copied.crc32:08x}{beside}")
