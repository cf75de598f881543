"""The exported core with a stream of any width in a clock of its own, in Icarus, with cocotbext-axi and the drive
model."""

import pytest
from export.icarus import built, results_of
from export.source_file_bench import contents

from sata_recorder.interface.configuration import Configuration
from sata_recorder.pc.volume import Drive, prepare

LONG = pytest.mark.long


def core(width, **options):
    """The configuration of a width."""
    return Configuration(clock_hz=1e6, buffer_words=256, max_command_sectors=8, ledger=False, source_width=width,
                         source_clock=True, **options)


@pytest.fixture(scope="module")
def runner(request, tmp_path_factory):
    runner = built(tmp_path_factory.mktemp("source"), core(request.param, extents="modes"))
    runner.width = request.param
    return runner


@pytest.mark.wide
@pytest.mark.parametrize("runner, period", [(64, 3334), *(pytest.param(*pair, marks=LONG) for pair in (
    (8, 10_000), (16, 30_000), (32, 9900), (128, 3334)))], indirect=["runner"])
def test_records_stops_and_triggers(runner, tmp_path, seed, period):
    assert results_of(runner, "source_bench", tmp_path, SEED=seed, WIDTH=runner.width, PERIOD=period) == (3, 0)


@pytest.mark.wide
@pytest.mark.parametrize("width, period", [(128, 9900), *(pytest.param(*pair, marks=LONG) for pair in (
    (8, 3334), (16, 30_000), (32, 9900), (64, 3334)))])
def test_files_of_any_number_of_bytes(tmp_path, seed, width, period):
    """Each ends with its tlast, and a PC reads what was sent."""
    image = tmp_path / "drive.img"
    prepare(image, sectors=4096, recordings=3, align=16 << 10)
    runner = built(tmp_path, core(width, files=True))
    assert results_of(runner, "source_file_bench", tmp_path, SEED=seed, WIDTH=width, PERIOD=period,
                      IMAGE=image) == (1, 0)
    with Drive(image) as drive:
        assert [drive.read(one).tobytes() for one in drive.recordings if one.is_file] == contents(seed, width)
