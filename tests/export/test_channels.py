"""Several channels in one recording: the exported core in Icarus with the AXI-Stream sources of cocotbext-axi, and what
`extract` gives back."""

import pytest
from click.testing import CliRunner
from export.channel_bench import LBA, SECTORS, STREAM, contents
from export.icarus import built, results_of

from sata_recorder.cli.extract import extract
from sata_recorder.interface.configuration import Configuration
from sata_recorder.pc.vita49 import Lost, frames, packets
from sata_recorder.pc.volume import DiskReader, prepare

LONG = pytest.mark.long


@pytest.mark.parametrize("files", [True, pytest.param(False, marks=LONG)])
def test_channels_come_back(tmp_path, seed, files):
    """Each to the byte, of a file and of sectors; and the frames are those that any reader of them takes."""
    image = tmp_path / "drive.img"
    if files:
        prepare(image, sectors=4096, recordings=3, align=16 << 10)
    else:
        image.write_bytes(bytes(512 * 4096))
    runner = built(tmp_path, Configuration(
        clock_hz=1e6, buffer_words=256, max_command_sectors=8, ledger=False, files=files, frames=True,
        frame_packets=True, channels=3, channel_width=8, channel_words=112))
    assert results_of(runner, "channel_bench", tmp_path, SEED=seed, IMAGE=image) == (1, 0)
    where = [] if files else ["--lba", str(LBA), "--sectors", str(SECTORS)]
    for number, content in enumerate(contents(seed)):
        result = CliRunner().invoke(extract, [str(image), *where, "--channel", str(number), "-o",
                                              str(tmp_path / f"{number}.bin")])
        assert result.exit_code == 0, result.output
        assert (tmp_path / f"{number}.bin").read_bytes() == content
    with DiskReader(image) as opened:
        found = [one for one in frames(opened) if not isinstance(one, Lost)]
        assert all(one.stream_id == STREAM for one in found) and found[-1].last
        assert all(packet.whole for packet, _ in packets(found))
