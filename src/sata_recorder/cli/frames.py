"""`sata-recorder frames`: the frames of a recording, its gaps, and what is damaged."""

import json
from pathlib import Path
from typing import Annotated

import click

from ..facts.units import SECTOR_BYTES
from ..pc.vita49 import Lost, PacketSplitter, Ring, capture_header, datagrams
from ..pc.vita49 import frames as frames_of
from ..lab.options import Options, OptionText
from .common import Refusal
from .drive_files import amount, refusing_drives, sectors_of, tell_members
from .files import check_output, overwrite_option
from .frames_sigmf import FramesMetadata
from .options import options
from .output_file import output_files
from .samples import check_samples

_FILE = click.Path(path_type=Path, readable=False)


class _Recording:
    """What is known of a recording after some of its frames; the oldest words of a ring may be gone."""

    def __init__(self, frame, is_ring):
        self.stream_id, self.first, self.place = frame.stream_id, frame.first, frame.place
        self.frames = self.words = 0
        self.next_word, self.end = frame.first, frame.place
        self.complete = False
        self.gaps = []          # (number of the first word lost, words)
        # The same, of words that are on the drive no more.
        self.missing = [(0, frame.first)] if frame.first and not is_ring else []

    def takes(self, frame):
        """Whether ``frame`` continues with this recording."""
        return (not self.complete and frame.stream_id == self.stream_id
                and frame.first >= self.next_word)

    def add(self, frame):
        """The next frame. Returns why words before it are not there, "gap" or "missing", and how many, or None."""
        absent = None
        if frame.first > self.next_word:
            lost, words = frame.gap_ahead and frame.place == self.end, frame.first - self.next_word
            (self.gaps if lost else self.missing).append((self.next_word, words))
            absent = "gap" if lost else "missing", words
        self.frames += 1
        self.words += frame.words
        self.next_word, self.end, self.complete = frame.next_word, frame.end, frame.last
        return absent

    def facts(self, where):
        """As JSON has it; ``where`` is the byte of the source that a byte is at."""
        return {"stream_id": self.stream_id, "place": where(self.place),
                "end": where(self.end - 1) + 1,
                "frames": self.frames, "first_word": self.first, "words": self.words,
                "complete": self.complete,
                "gaps": [{"word": word, "words": words} for word, words in self.gaps],
                "missing": [{"word": word, "words": words} for word, words in self.missing]}


class _Watched:
    """A ``source`` that keeps which of its sectors cannot be read: for the search for frames they just have none."""

    def __init__(self, source):
        self._source, self.size = source, source.size
        self._unread = []       # (the first, the one after the last) of each run

    def read(self, offset, size):
        """``size`` bytes from ``offset`` on, as the source gives them; may raise ``OSError``."""
        try:
            return self._source.read(offset, size)
        except OSError:
            if size <= SECTOR_BYTES:        # of several sectors each is read again
                self._add(offset // SECTOR_BYTES)
            raise

    def _add(self, sector):
        if any(first <= sector < end for first, end in self._unread):
            return
        goes_on = self._unread and self._unread[-1][1] == sector
        self._unread.append((self._unread.pop()[0] if goes_on else sector, sector + 1))

    def tell(self, *, err):
        """Reports what cannot be read; returns whether there is something."""
        for first, end in self._unread:
            click.echo(f"damaged  sectors {first} to {end - 1} cannot be read: frames may be there", err=err)
        return bool(self._unread)


class FramesOptions(Options):
    """The options of `sata-recorder frames`."""

    lba: Annotated[int, OptionText("LBA", kind=click.IntRange(0))] = 0
    """Where the recording begins.  [default: 0]"""
    sectors: Annotated[int | None, OptionText("SECTORS", kind=click.IntRange(1))] = None
    """How many sectors are checked.  [default: all]"""
    output: Annotated[Path | None, OptionText("FILE", kind=_FILE, flags=("-o", "--output"))] = None
    """The words of all recordings that are found, one after the other, without what is around them."""
    datatype: Annotated[str | None, OptionText("TYPE")] = None
    """Type of the samples that the words are, such as ci16_le: with --sample-rate there is SigMF metadata beside
    the FILE of -o, with the ending .sigmf-meta."""
    sample_rate: Annotated[float | None, OptionText("HZ")] = None
    """Rate of the samples, for the SigMF metadata."""
    packets: Annotated[Path | None, OptionText("FILE", kind=_FILE)] = None
    """The packets of the user, and what is left of those that are not whole, as CSV: recording, first byte in the
    output of -o, bytes, number and clock of the first word, whether it is whole."""
    capture: Annotated[Path | None, OptionText("FILE", kind=_FILE)] = None
    """All packets as UDP datagrams: a capture that Wireshark opens."""
    clock_hz: Annotated[int, OptionText("HZ", kind=click.IntRange(1), shows=True)] = 75000000
    """Of the recorder: the time of the packets in the capture."""
    is_ring: Annotated[bool, OptionText(flags=("--ring",))] = False
    """The sectors are a ring: begin after its newest frame, with the oldest one."""
    only_newest: Annotated[bool, OptionText(flags=("--newest",))] = False
    """Find the newest frame of a ring by a few reads, nothing else."""
    as_json: Annotated[bool, OptionText(flags=("--json",))] = False
    """JSON instead of text."""


@click.command()
@options(asked=FramesOptions)
@click.argument("sources", metavar="DEVICE|IMAGE|FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@overwrite_option
@click.pass_context
def frames(context, asked, sources, overwrite):
    """Find the VITA 49 frames of recordings, on a drive, in an image or in a file.

    Nothing but the frames is needed, no file system and no table: what a power cut or a damaged
    sector left is found, too. The source is only read. Several drives are the members of one array, in any
    order. Exit status: 0, 1 if parts are missing or nothing is found, 2 for a mistake in the
    arguments.
    """
    paths = {option: path for option, path in (
        ("-o", asked.output), ("--packets", asked.packets), ("--capture", asked.capture)) if path}
    metadata = _metadata(asked)
    if metadata:
        paths["--datatype"] = asked.output.with_suffix(".sigmf-meta")
    _check_paths(sources, paths, asked.only_newest, overwrite)
    with refusing_drives(*sources), sectors_of(sources) as source:
        start, end = _range(source, asked.lba, asked.sectors)
        opened = watched = _Watched(source)
        if asked.only_newest:
            newest = Ring(opened, start, end).newest
            tell_members(source, err=asked.as_json)
            unread = watched.tell(err=asked.as_json)
            context.exit(_tell_newest(newest, asked.as_json) or int(unread))
        where = int
        if asked.is_ring:
            opened = Ring(opened, start, end)
            start, end, where = 0, opened.size, opened.place
        found, lost = _read(opened, (start, end), asked, paths, overwrite, metadata, where)
        tell_members(source, err=asked.as_json)
        unread = watched.tell(err=asked.as_json)
    if asked.as_json:
        click.echo(json.dumps({
            "recordings": [one.facts(where) for one in found],
            "without_frames": [{"place": where(one.place), "end": where(one.end - 1) + 1}
                               for one in lost]}, indent=2))
    else:
        _tell(found, lost, paths, where)
    bad = unread or not found or any(one.missing or not one.complete for one in found)
    context.exit(1 if bad else 0)


def _metadata(asked):
    """What collects the SigMF metadata, or None."""
    check_samples(asked.datatype, asked.sample_rate)
    if asked.datatype is None:
        return None
    if asked.output is None:
        raise Refusal(f"--datatype {asked.datatype}: needs -o, the file of the samples")
    return FramesMetadata(datatype=asked.datatype, sample_rate=asked.sample_rate)


def _check_paths(sources, paths, only_newest, overwrite):
    """Refuses files that must not be written."""
    for option, path in paths.items():
        if only_newest:
            raise Refusal(f"{option} {path}: not together with --newest")
        for source in sources:
            check_output(option, path, overwrite, read=source if source.exists() else None)
    known = {}
    for option, path in paths.items():
        if (first := known.setdefault(path.resolve(), option)) != option:
            raise Refusal(f"{option} {path}: the same file as {first}")


def _range(opened, lba, sectors):
    held = -(-opened.size // SECTOR_BYTES)
    if lba >= held and lba:
        raise Refusal(f"--lba {lba}: {opened.path} has {held} sectors")
    if sectors is not None and lba + sectors > held:
        raise Refusal(f"--sectors {sectors}: from --lba {lba} on, {opened.path} has {held - lba}")
    end = opened.size if sectors is None else min(opened.size, (lba + sectors) * SECTOR_BYTES)
    return lba * SECTOR_BYTES, end


def _read(opened, places, asked, paths, overwrite, metadata, where):
    """The recordings, and what has no frame, within ``places``; the files are written, whole or not at all."""
    found, lost = [], []
    with output_files(paths, overwrite) as files:
        words, capture = files.get("-o"), files.get("--capture")
        index = _PacketIndex(files.get("--packets"))
        if capture:
            capture.write(capture_header())
        for one in frames_of(opened, *places):
            if isinstance(one, Lost):
                lost.append(one)
                continue
            begins = not found or not found[-1].takes(one)
            if begins:
                found.append(_Recording(one, asked.is_ring))
            absent = found[-1].add(one)
            index.add(one)
            if metadata:
                metadata.add(one, begins, absent)
            if words:
                words.write(one.payload)
            if capture:
                capture.write(datagrams(one, asked.clock_hz))
        index.end()
        if metadata:
            text = metadata.text(paths["-o"].name, [one.facts(where) for one in found])
            files["--datatype"].write(text.encode())
    return found, lost


class _PacketIndex:
    """Writes where each packet is among the words, if there is a ``file``."""

    def __init__(self, file):
        self._file, self._splitter, self._place = file, PacketSplitter(), 0
        if file:
            file.write(b"recording,first_byte,bytes,first_word,clock,whole\n")

    def add(self, frame):
        """The next frame, whose words are written, too."""
        self._tell(self._splitter.add(frame))

    def end(self):
        """There is no other one."""
        self._tell(self._splitter.end())

    def _tell(self, packets):
        for one in packets:
            if self._file:
                self._file.write(f"{one.stream_id},{self._place},{4 * one.words},{one.first},{one.clock},"
                                 f"{'yes' if one.whole else 'no'}\n".encode())
            self._place += 4 * one.words


def _tell_newest(frame, as_json):
    if as_json:
        click.echo(json.dumps(None if frame is None else {
            "stream_id": frame.stream_id, "place": frame.place, "first_word": frame.first,
            "words": frame.words, "clock": frame.clock, "last": frame.last}, indent=2))
    elif frame is None:
        click.echo("no frame")
    else:
        click.echo(f"newest   recording {frame.stream_id}: {frame.words:,} words from word "
                   f"{frame.first:,} on, at sector {frame.place // SECTOR_BYTES}")
    return 1 if frame is None else 0


def _tell(found, lost, paths, where):
    if not found and not lost:
        click.echo("no frame")      # of an empty file
    for one in found:
        ending = "complete" if one.complete else "without its end"
        click.echo(f"recording {one.stream_id}: {one.words:,} words in {one.frames:,} frames, from "
                   f"word {one.first:,} on, sectors {where(one.place) // SECTOR_BYTES} to "
                   f"{where(one.end - 1) // SECTOR_BYTES}, {ending}")
        for word, words in one.gaps:
            click.echo(f"  gap     {words:,} words lost from word {word:,} on")
        for word, words in one.missing:
            click.echo(f"  missing {words:,} words from word {word:,} on")
    for one in lost:
        click.echo(f"no frame  sectors {where(one.place) // SECTOR_BYTES} to "
                   f"{where(one.end - 1) // SECTOR_BYTES}: {amount(one.end - one.place)}")
    for path in paths.values():
        click.echo(f"wrote    {path}: {amount(path.stat().st_size)}")
