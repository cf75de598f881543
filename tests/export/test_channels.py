"""Several channels in one recording: the exported core in Icarus with the AXI-Stream sources of cocotbext-axi, and what
`extract` gives back."""

import json

import pytest
from click.testing import CliRunner
from export.channel_bench import PLACES, STREAM, contents
from export.icarus import built, results_of

from sata_recorder.cli.extract import extract
from sata_recorder.interface.configuration import Configuration
from sata_recorder.pc.vita49 import Lost, frames, packets
from sata_recorder.pc.volume import DiskReader, prepare

pytestmark = pytest.mark.wide

LONG = pytest.mark.long


@pytest.mark.parametrize("files", [True, pytest.param(False, marks=LONG)])
def test_channels_come_back(tmp_path, seed, files):
    """Each to the byte, of files and of sectors; and the frames are those that any reader of them takes."""
    image = tmp_path / "drive.img"
    if files:
        prepare(image, sectors=4096, recordings=3, align=16 << 10)
    else:
        image.write_bytes(bytes(512 * 4096))
    runner = built(tmp_path, Configuration(
        clock_hz=1e6, buffer_words=256, max_command_sectors=8, ledger=False, files=files, frames=True,
        frame_packets=True, channels=3, channel_width=8, channel_words=112))
    assert results_of(runner, "channel_bench", tmp_path, SEED=seed, IMAGE=image,
                      TOLD=tmp_path / "told.json") == (1, 0)
    told = json.loads((tmp_path / "told.json").read_text())
    for number, content in enumerate(contents(seed)):
        (first, complete), (second, whole) = (extracted(image, [f"REC0000{one + 1}.dat"] if files else
                                                        ["--lba", PLACES[one][0], "--sectors", PLACES[one][1]], number)
                                              for one in range(2))
        taken = told["taken"][number]
        # What the first one has not is what its length had no room for.
        assert content.startswith(first) and not complete
        assert 0 <= len(first) + 4 * told["left"][number] - taken < 4
        assert second == content[taken:] and whole
    assert told["taken"][0] < len(contents(seed)[0]), "the second recording has nothing of the first channel"
    with DiskReader(image) as opened:
        found = [one for one in frames(opened) if not isinstance(one, Lost)]
        assert {one.stream_id for one in found} == {STREAM, STREAM + 1} and found[-1].last
        assert all(packet.whole for packet, _ in packets(found))


def extracted(image, where, number):
    """The bytes of a channel, and whether it has its end; none where no packet is there."""
    output = image.with_name("channel.bin")
    result = CliRunner().invoke(extract, [str(image), *map(str, where), "--channel", str(number), "-o", str(output),
                                          "--overwrite"])
    if result.exit_code == 2 and "--channel" in result.output:
        return b"", False
    assert result.exit_code in (0, 1), result.output
    assert (result.exit_code == 1) == ("has no end" in result.output)
    return output.read_bytes(), result.exit_code == 0
