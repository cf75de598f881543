"""The exported core with a memory, in Icarus, with cocotbext-axi's RAM and the drive model."""

import pytest
from export.icarus import built, results_of

from sata_recorder.interface.configuration import Configuration


@pytest.mark.wide
@pytest.mark.parametrize("width, base", [(128, 1 << 20), pytest.param(64, 0, marks=pytest.mark.long)])
def test_records_and_plays(tmp_path, seed, width, base):
    """What was recorded is on the drive and comes back; nothing outside of the memory is written."""
    runner = built(tmp_path, Configuration(
        clock_hz=1e6, buffer_words=512, max_command_sectors=16, ledger=False, memory=1 << 20, memory_width=width,
        memory_base=base, retain_sectors=16))
    assert results_of(runner, "memory_bench", tmp_path, SEED=seed, WIDTH=width, BASE=base) == (1, 0)


@pytest.mark.wide
@pytest.mark.parametrize("width", [64, 128])
def test_a_memory_that_answers_with_errors(tmp_path, seed, width):
    """SLVERR or DECERR to a burst of writes, or to a beat that is read, in recordings and playbacks."""
    runner = built(tmp_path, Configuration(
        clock_hz=1e6, buffer_words=512, max_command_sectors=16, ledger=False, memory=1 << 20, memory_width=width,
        retain_sectors=16))
    assert results_of(runner, "memory_error_bench", tmp_path, SEED=seed, WIDTH=width, BASE=0) == (1, 0)
