"""The exported core with an m_axis of any width in a clock of its own, in Icarus, with cocotbext-axi and the drive
model."""

import pytest
from export.icarus import built, results_of

from sata_recorder.interface.configuration import Configuration

LONG = pytest.mark.long


@pytest.fixture(scope="module")
def runner(request, tmp_path_factory):
    runner = built(tmp_path_factory.mktemp("playback"), Configuration(
        clock_hz=1e6, buffer_words=4096, max_command_sectors=8, retries=0, playback_width=request.param,
        playback_clock=True, playback_fill=12))
    runner.width = request.param
    return runner


@pytest.mark.wide
@pytest.mark.parametrize("runner, period", [(64, 9900), *(pytest.param(*pair, marks=LONG) for pair in (
    (8, 3334), (16, 10_000), (32, 30_000), (128, 9900)))], indirect=["runner"])
def test_plays_stops_and_fails(runner, tmp_path, seed, period):
    assert results_of(runner, "playback_bench", tmp_path, SEED=seed, WIDTH=runner.width, PERIOD=period) == (2, 0)
