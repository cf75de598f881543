"""Lines of a stream in the log of a file: the exported core with a source of its own clock, in Icarus, and what a PC
reads."""

import csv

import pytest
from click.testing import CliRunner
from export.icarus import built, results_of
from export.line_bench import lines_of

from sata_recorder.cli.verbs import cli
from sata_recorder.interface.configuration import Configuration
from sata_recorder.pc.volume import Drive, prepare

pytestmark = pytest.mark.wide

LONG = pytest.mark.long


@pytest.mark.parametrize("width, kind, period", [(64, "some", 9900), *(pytest.param(*case, marks=LONG) for case in (
    (8, "equal", 3334), (16, "some", 9900), (32, "some", 30_000), (64, "equal", 3334), (128, "some", 9900),
    (128, "many", 30_000)))])
def test_lines_come_back(tmp_path, seed, width, kind, period):
    """Each of any number of bytes, as long as the log has room for what differs."""
    image = tmp_path / "drive.img"
    prepare(image, sectors=4096, recordings=3, align=16 << 10)
    runner = built(tmp_path, Configuration(
        clock_hz=1e6, buffer_words=256, max_command_sectors=8, ledger=False, source_width=width, source_clock=True,
        files=True, file_lines=True))
    assert results_of(runner, "line_bench", tmp_path, SEED=seed, KIND=kind, PERIOD=period, IMAGE=image) == (1, 0)
    sent = lines_of(seed, kind)
    with Drive(image) as drive:
        [recording] = [one for one in drive.recordings if one.is_file]
        data, lines = drive.read(recording).tobytes(), recording.log.lines
    assert lines.count == len(sent) and lines.are_known == (kind != "many")
    found = [data[one.first_byte:one.first_byte + one.bytes] for one in lines.within(0, len(data))]
    assert found == sent[:lines.known] and lines.known == (31 if kind == "many" else len(sent))
    assert extracted(image, recording.slot, tmp_path) == found


def extracted(image, number, folder):
    """The lines that the table of `extract --lines` finds in the copy that it makes."""
    copy, table = folder / "copy.bin", folder / "lines.csv"
    result = CliRunner().invoke(cli, ["extract", str(image), str(number), "-o", str(copy), "--lines", str(table)])
    assert table.exists(), result.output
    data = copy.read_bytes()
    with table.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["whole"] == "yes"]
    return [data[first:first + int(row["bytes"])] for row in rows for first in (int(row["first_byte"]),)]
