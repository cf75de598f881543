"""The simulated station with files, as its user has it: prepare, record at the console, look."""

import sys

import pytest
from click.testing import CliRunner

from sata_recorder import outputs
from sata_recorder.cli.verbs import cli
from sata_recorder.pc.volume import Drive, prepare
from sata_recorder.board.station import StationError, held_image

pytestmark = pytest.mark.wide

SECTORS = 1 << 13


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "disk.img"
    prepare(path, sectors=SECTORS, recordings=2, align=16 << 10)
    return path


#: Types a line, and goes away when the board has begun to count its words again twice.
TYPES_AND_LEAVES = """
import sys
from sata_recorder.pc.console.client import Client
port, line = sys.argv[1:]
latest, updates = 0, 0
with Client(port, timeout=60) as client:
    client.connect()
    client.send(line)
    while updates < 2:
        words = client.request("status").fields()["words"]
        updates += words < latest
        latest = words
"""


#: What a first run reports that takes long.
COMPILING = "compiling the board and its drive ...\n"


def simulated(image, order, *options):
    """Runs a command with a board that has rings and segments, too; it is switched off when that ends."""
    result = CliRunner().invoke(cli, ["station", "--pty", "--files", "--modes", "--image", str(image), *options,
                                      "--run", f"{sys.executable} {order}"])
    assert (result.exit_code, result.output.removeprefix(COMPILING)) == (0, "")


def test_record_and_look(image):
    simulated(image, "-c 'from sata_recorder.cli.main import main; main()' console --port {port} file 100001 dec32")
    with Drive(image) as drive:
        recording = drive.find(1)
        data = drive.memmap(recording).tobytes()
    assert len(data) == 100001 and data[:8] == bytes.fromhex("fffffffffeffffff")
    # It is still this tool's, and free.
    assert outputs.may_be_written(image)
    with held_image(image) as sectors:
        assert sectors == SECTORS
        with pytest.raises(StationError, match="is in use by another station"), held_image(image):
            pass


def test_a_drive_with_long_logical_sectors(tmp_path):
    """From `prepare` to the data, all of it on a drive that takes nothing but 4096 bytes."""
    image = tmp_path / "long.img"
    result = CliRunner().invoke(cli, ["prepare", str(image), "--size", "8MiB", "--recordings", "2", "--align", "16KiB",
                                      "--logical-sector", "4096"])
    assert result.exit_code == 0, result.output
    simulated(image, "-c 'from sata_recorder.cli.main import main; main()' console --port {port} file 100001",
              "--logical-sector", "4096")
    result = CliRunner().invoke(cli, ["verify", str(image)])
    assert result.exit_code == 0 and "its CRC-32 is the recorded one" in result.output
    with Drive(image) as drive:
        data = drive.memmap(drive.find(1)).tobytes()
        assert drive.table.unit == 8
    assert data == b"".join(n.to_bytes(4, "little") for n in range(25001))[:100001]


def test_switched_off_in_a_ring(image, tmp_path):
    """What was there at its latest update is a file, whose words are those of the pattern in their order."""
    script = tmp_path / "typist.py"
    script.write_text(TYPES_AND_LEAVES)
    simulated(image, f"{script} {{port}} 'ring every 60'")
    result = CliRunner().invoke(cli, ["recordings", str(image)])
    assert result.exit_code == 0 and "slot 1    RECORDINGS/REC00001.dat: " in result.output
    assert "did not end: this is the latest update that the drive has" in result.output
    with Drive(image) as drive:
        data = drive.read(drive.find(1)).view("<u4")
    assert len(data) > 10_000 and [*data] == [*range(data[0], data[0] + len(data))]


@pytest.mark.parametrize("content, told", [
    (b"a photo", "it exists, and sata-recorder has not made it; --overwrite permits"),
    (None, "No such file or directory")])
def test_images_that_are_refused(tmp_path, content, told):
    path = tmp_path / "photo.jpg"
    if content:
        path.write_bytes(content)
    result = CliRunner().invoke(cli, ["station", "--pty", "--files", "--image", str(path),
                                      "--run", "true"])
    assert result.exit_code == 2 and f"--image {path}: " in result.output and told in result.output
    assert (path.read_bytes() if content else path.exists()) == (content or False)


def test_an_image_that_is_gone_in_the_end(image):
    """That is not the station's business."""
    result = CliRunner().invoke(cli, ["station", "--pty", "--files", "--modes", "--image", str(image),
                                      "--run", f"rm {image}"])
    assert (result.exit_code, result.output.removeprefix(COMPILING)) == (0, "") and not image.exists()


def test_sizes(tmp_path, image):
    path = tmp_path / "odd.img"
    path.write_bytes(bytes(700))
    with pytest.raises(StationError, match="has 700 bytes, it must be whole sectors of 512"), \
            held_image(path):
        pass
    result = CliRunner().invoke(cli, ["station", "--pty", "--image", str(image), "--capacity", "9",
                                      "--run", "true"])
    assert result.exit_code == 2 and "--capacity 9: not together with --image" in result.output
