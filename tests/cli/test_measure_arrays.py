"""`sata-recorder measure` of an array of drives."""

import json

import pytest
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import JobError, make_job
from sata_recorder.lab.measurement.options import DriveOptions, HostOptions
from sata_recorder.simulation import profile_source

pytestmark = pytest.mark.wide


def test_striped(measured):
    """Each lane moves its share, and the rate is that of all."""
    found = measured("--drives", "2", "--lba", "21", "--sectors", "2000")
    for transfer in found["transfers"]:
        lanes = transfer["lanes"]
        assert [lane["lane"] for lane in lanes] == [0, 1]
        assert sum(lane["bytes"] for lane in lanes) == transfer["bytes"] == 2000 * 512
        assert [lane["sectors"] for lane in lanes] == [1003, 997]
        assert transfer["bytes_per_second"] > 1.7 * max(lane["ceiling_bytes_per_second"] for lane in lanes)
    assert found["drive"]["capacity"] == 2 * ((62_533_296 - 2048) // 32 * 32)


def test_mirrors(measured):
    """Each drive gets all of it, and it counts once; what is played comes from one."""
    found = measured("--drives", "2", "--raid", "1", "--lba", "21", "--sectors", "500")
    record, play = found["transfers"]
    assert [lane["bytes"] for lane in record["lanes"]] == [500 * 512] * 2 and record["bytes"] == 500 * 512
    assert [lane["lane"] for lane in play["lanes"]] == [0] and play["bytes"] == 500 * 512
    assert found["drive"]["capacity"] == 62_533_280


@pytest.mark.parametrize("raid, lanes, whole", [("0", [1, 1], 2), ("1", [1, 1], 1)])
def test_split_sectors_are_counted_of_each_drive(run, tmp_path, raid, lanes, whole):
    """The core shows them of one lane at a time. What both mirrors were sent counts once."""
    (tmp_path / "core.toml").write_text("alignment = true\n")
    (tmp_path / "drive.toml").write_text(profile_source("x25-e").replace(
        "\ncapacity_sectors", "\nphysical_sector = 4096\ncapacity_sectors", 1))
    result = run("measure", "--config", "core.toml", "--drives", 2, "--raid", raid, "--drive", "drive.toml", "--lba",
                 21, "--sectors", 90, "--operation", "record", "--json", "out.json")
    assert result.exit_code == 0, result.output
    (record,) = json.loads((tmp_path / "out.json").read_text())["transfers"]
    assert [lane["counters"]["misaligned"] for lane in record["lanes"]] == lanes
    assert record["counters"]["misaligned"] == whole
    assert f"split   {whole} of {whole} commands" in result.stdout


def test_mirrors_shown(run):
    text = run("measure", "--drives", "2", "--raid", "1", "--sectors", "500").stdout
    assert "array  2 drives, which hold the same: 62,533,280 sectors" in text and "good" in text


@pytest.mark.parametrize("drives, raid, images, mode, newest", [
    (2, "0", True, ("ring", "--sectors", "70", "--stop-after", "50000"), 391),
    (4, "0", False, ("ring", "--sectors", "200", "--stop-after", "50000"), 391),
    (3, "linear", False, ("ring", "--sectors", "3000", "--stop-after", "500000"), 3907),
    (3, "linear", True, ("trigger", "--sectors", "3000", "--segments", "2", "--words", "3000", "--trigger", "100000",
                         "--trigger", "170000"), 1352)])
def test_modes(measured, tmp_path, drives, raid, images, mode, newest):
    """A ring, and segments, in sectors of the array: each is compared, on each drive, and so are the ledgers."""
    options = [option for lane in range(drives) if images for option in ("--image", tmp_path / f"{lane}.img")]
    found = measured("--drives", drives, "--raid", raid, "--capacity", 3328, "--mode", *mode, *options)
    recording, [transfer] = found["recording"], found["transfers"]
    assert recording["first_sector"] + recording["sectors"] == newest and recording["checked_words"] > 8000
    # The last sector is filled up.
    assert 0 <= transfer["bytes"] - 4 * recording["words"] < 512
    assert [lane["lane"] for lane in transfer["lanes"]] == [*range(drives)]
    assert sum(lane["bytes"] for lane in transfer["lanes"]) == transfer["bytes"]


def test_shown(run):
    text = run("measure", "--drives", "2", "--sectors", "500").stdout
    assert "array  2 drives, chunks of 32 sectors in turn" in text and "lane 0" in text and "lane 1" in text
    assert "good" in text


@pytest.mark.quick
@pytest.mark.parametrize("arguments, told", [
    (["--raid", "0"], "--raid 0: needs --drives"), (["--chunk-sectors", "8"], "--chunk-sectors 8: needs --drives"),
    (["--drives", "9"], "--drives 9: "), (["--drives", "2", "--chunk-sectors", "12"], "must be a power of two"),
    (["--drives", "2", "--smart"], "a COMMAND and its data are for one drive"),
    (["--drives", "2", "--image", "x.img"], "--image x.img: "),
    (["--drives", "2", "--mode", "ring", "--trim-ahead", "8"], "between the commands of one drive"),
    (["--drives", "2", "--raid", "1", "--mode", "ring"], "extents must be single"),
    (["--drives", "2", "--mode", "ring", "--stop-after", "9", "--sectors", "63"], "at least 64, what the buffer holds"),
    (["--drives", "3", "--mode", "fixed", "--words", "7"], "--words 7: must be a multiple of 2 with --array-width 64"),
    (["--drives", "2", "--drive", "qemu"], "qemu"),
    (["--raid", "1"], "--raid 1: needs --drives"), (["--drives", "3", "--raid", "1"], "RAID 1 is of two drives"),
    (["--drives", "2", "--raid", "1", "--array-width", "64"], "each drive gets every word"),
    (["--drives", "2", "--raid", "1", "--capacity", "24"], "at least 32 sectors"),
    (["--drives", "2", "--capacity", "2050"], "a member has at least 2080"),
    (["--drives", "2", "--capacity", "4096", "--lba", "4096"], "the array has 4096 sectors"),
    (["--drives", "2", "--raid", "1", "--memory", "1MiB"], "must not take long")])
def test_refused(run, arguments, told):
    done = run("measure", *arguments)
    assert done.exit_code == 2 and told in done.stderr, done.stderr


@pytest.mark.quick
def test_refused_in_python():
    with pytest.raises(JobError, match="drives"):
        make_job(drive=DriveOptions(smart=True), host=HostOptions(config=Configuration(drives=2, ledger=True)))
