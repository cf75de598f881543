"""Packets of a stream in frames: the exported core with a source of its own clock, in Icarus, and what a PC reads."""

import pytest
from export.icarus import built, results_of
from export.packet_bench import PLAIN, STREAM, contents

from sata_recorder.interface.configuration import Configuration
from sata_recorder.pc.vita49 import frames, packets
from sata_recorder.pc.volume import DiskReader

LONG = pytest.mark.long


@pytest.mark.wide
@pytest.mark.parametrize("width, period", [(64, 9900), *(pytest.param(*pair, marks=LONG) for pair in (
    (32, 3334), (128, 30_000)))])
def test_packets_come_back(tmp_path, seed, width, period):
    """Each with its tlast, whole, but for the one whose begin is in another recording."""
    image = tmp_path / "drive.img"
    runner = built(tmp_path, Configuration(
        clock_hz=1e6, buffer_words=256, ledger=False, frames=True, frame_packets=True, source_width=width,
        source_clock=True))
    assert results_of(runner, "packet_bench", tmp_path, SEED=seed, WIDTH=width, PERIOD=period, IMAGE=image) == (1, 0)
    with DiskReader(image) as opened:
        found = list(packets(frames(opened)))
    expected, place = [], 0
    for content in contents(seed, width):
        rest = content[max(0, PLAIN - place):]
        if rest:
            expected.append((STREAM, rest == content, rest))
        place += len(content)
    assert [(one.stream_id, one.whole, content) for one, content in found] == expected
