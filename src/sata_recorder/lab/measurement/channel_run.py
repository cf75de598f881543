"""One recording of several channels, on a running engine: each of them comes back as it was given."""

import zlib
from dataclasses import dataclass
from typing import Any

from ...facts.units import SECTOR_BYTES, SECTOR_WORDS, WORD_BYTES
from ...pc.vita49 import ChannelReader, frames
from .channels import SPARE_SECTORS, channel_patterns, filled_sectors
from .comparison import CHUNK, Comparison
from .run import MeasurementRun

#: The stream identifier of the frames.
_STREAM_ID = 1


@dataclass(frozen=True)
class ChannelReport:
    """What came back of a ``channel``: its ``bytes``, how many per second of the recording, and their CRC-32."""

    channel: int
    bytes: int
    bytes_per_second: float
    crc32: int


class _Recorded:
    """The sectors of a recording, as what :func:`...pc.vita49.frames` reads."""

    def __init__(self, read, size):
        self.read, self.size = read, size


class ChannelRun(MeasurementRun):
    """As :class:`.run.MeasurementRun`, for a core with channels: ``channels`` has a :class:`ChannelReport` for each.

    All channels give as many words, each of them as it is asked for them; a stop ends the recording. Then each is
    taken out of what is on the drive as `extract --channel` does, and compared. A playback is compared with the image.
    """

    channels: tuple[ChannelReport, ...] = ()

    def _made_image(self, model):
        job = self.job
        if job.backend == "qemu":
            return super()._made_image(model)
        return model.DiskImage(job.image, sectors=job.capacity)

    def _record(self):
        job, engine, session = self.job, self._engine, self._session
        given = channel_patterns(job)
        engine.set(frame_stream_id=_STREAM_ID)
        self._follow("record")
        engine.channels(given, hold=job.host_hold)
        outcome, _ = session.record_with_events(
            job.lba, job.sectors + SPARE_SECTORS, [(sum(one.words for one in given), "stop")], flush=job.flush)
        words, wanted = outcome.outputs["words"], SECTOR_WORDS * filled_sectors(job.configuration, job.sectors)
        # Zeros fill the command in which it ends.
        sectors = outcome.outputs["sectors_done"]
        self._words = SECTOR_WORDS * sectors
        if not outcome.error and words != wanted:
            self.problems.append(f"record: the frames of the channels have {words} words instead of {wanted}")
        if not self._finish("record", outcome, 0 if outcome.error else self._crc(SECTOR_BYTES * sectors), None):
            return False
        seconds = self.transfers[-1].seconds
        self.channels = tuple(self._checked(number, data, seconds) for number, data in enumerate(given))
        self._check_counts()
        return True

    def _crc(self, size):
        crc = 0
        for offset in range(0, size, CHUNK):
            crc = zlib.crc32(self._stored(offset, min(CHUNK, size - offset)), crc)
        return crc

    def _checked(self, number, data, seconds):
        """Compares the channel ``number``, which has given ``data``, with what is on the drive."""
        reader = ChannelReader(number)
        comparison = Comparison(lambda offset, size: data.read(offset // WORD_BYTES, -(-size // WORD_BYTES))[:size])
        for part in reader.parts(frames(_Recorded(self._stored, WORD_BYTES * self._words))):
            comparison(bytes(part))
        told = f"channel {number}"
        if comparison.difference or comparison.size != data.size:
            where = comparison.difference or f"in length: {comparison.size} bytes instead of {data.size}"
            self.problems.append(f"{told} differs from what it gave, {where}")
        if reader.lost or reader.missing or reader.others or not reader.complete:
            self.problems.append(f"{told}: {len(reader.lost) + len(reader.missing)} gaps, {reader.others} frames "
                                 f"without a packet, {'with' if reader.complete else 'without'} an end")
        return ChannelReport(number, comparison.size, comparison.size / seconds, comparison.crc)

    def _check_counts(self):
        """Checks that the core counts nothing as lost, and nothing as left."""
        numbers = range(len(self.channels))
        for name in ("lost", "left"):
            for number, words in enumerate(self._engine.table("channel_select", f"channel_{name}", numbers, 3)):
                if words:
                    self.problems.append(f"record: channel_{name} of channel {number} is {words} instead of 0")

    def _expected(self, offset, size):
        """What is played: the frames, of which each channel has been compared."""
        return self._stored(offset, size)


def channel_data(channels: Any) -> list[dict[str, Any]]:
    """The ``channels`` of a measurement, in a form that JSON can hold."""
    return [{"channel": one.channel, "bytes": one.bytes, "bytes_per_second": one.bytes_per_second,
             "crc32": f"{one.crc32:08x}"} for one in channels]
