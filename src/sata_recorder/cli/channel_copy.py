"""A channel of a recording becomes a file: `sata-recorder extract --channel`."""

import json

import click

from .. import __version__
from ..facts.units import SECTOR_BYTES, WORD_BYTES
from ..pc.vita49 import ChannelReader, frames
from ..pc.volume import Hasher
from .common import Refusal
from .drive_files import amount


class Extents:
    """The bytes of ``extents`` of a source, ``size`` in all, as a source of their own."""

    def __init__(self, source, extents, size):
        self._source, self._extents, self.size = source, extents, size

    def read(self, offset, size):
        """``size`` bytes from ``offset`` on; may raise ``OSError``."""
        parts, before = [], 0
        for extent in self._extents:
            first, end = max(offset, before), min(offset + size, before + SECTOR_BYTES * extent.sectors)
            if first < end:
                parts.append(bytes(self._source.read(SECTOR_BYTES * extent.lba + first - before, end - first)))
            before += SECTOR_BYTES * extent.sectors
        return b"".join(parts)


def copy_channel(source, channel, name, destination):
    """Copies a ``channel`` of the first recording in ``source`` to ``destination``, with what is known of it as the
    sidecar; ``name`` is that of the source. Returns whether it is as it was given to the core."""
    reader, hasher = ChannelReader(channel), Hasher()
    with destination.opened() as write:
        for part in reader.parts(frames(source)):
            hasher.update(part)
            write(part)
        if channel not in reader.channels:
            raise Refusal(f"--channel {channel}: {name} has {_channels(reader)}")
    if destination.sidecar is not None:
        destination.add_sidecar(json.dumps(_facts(reader, hasher, name), indent=2) + "\n")
    _tell(reader, hasher, destination)
    return reader.complete and not (reader.lost or reader.missing or reader.others)


def _channels(reader):
    if reader.stream_id is None:
        return "no frame"
    found = ", ".join(map(str, sorted(reader.channels)))
    return f"channels {found}" if found else "frames without channels"


def _facts(reader, hasher, name):
    def places(rows):
        return [{"offset": offset, "words": words} for offset, words in rows]
    return {"sata_recorder": __version__, "name": name, "channel": reader.channel, "stream_id": reader.stream_id,
            "bytes": reader.bytes, "sha256": hasher.digest, "crc32": f"{hasher.crc32:08x}",
            "complete": reader.complete, "lost": places(reader.lost), "missing": places(reader.missing),
            "others": reader.others}


def _tell(reader, hasher, destination):
    err = destination.is_stdout
    for offset, words in reader.lost:
        click.echo(f"lost     {words:,} words, {WORD_BYTES * words:,} bytes, before byte {offset:,}: there was no room",
                   err=err)
    for offset, words in reader.missing:
        click.echo(f"missing  {words:,} words, {WORD_BYTES * words:,} bytes, before byte {offset:,}: their frames are "
                   "not there, or they were lost", err=err)
    if not reader.complete:
        click.echo("damaged  the channel has no end: the recording ended by its length or an error, or the frame of "
                   "its end is not there", err=err)
    if reader.others:
        have = "frame has" if reader.others == 1 else "frames have"
        click.echo(f"damaged  {reader.others:,} {have} no packet of a channel", err=err)
    if reader.later is not None:
        click.echo(f"later    from byte {reader.later:,} on are frames of another recording", err=err)
    if not err:
        beside = f", sidecar {destination.sidecar}" if destination.sidecar else ""
        click.echo(f"wrote    {destination.path}: {amount(reader.bytes)} of channel {reader.channel} "
                   f"({_channels(reader)}), CRC-32 {hasher.crc32:08x}{beside}")
