"""`sata-recorder measure --medium`: rates that follow from the flash or the disk inside the drive."""

import json

import pytest

from sata_drive_model.disk import DiskDrive
from sata_recorder import simulation
from sata_recorder.simulation import drive_package, load_profile

pytestmark = pytest.mark.wide

DISK = "--medium", "disk", "--drive", "hds721050cla362"
SMALL = "--sectors", 256, "--max-command", 64


@pytest.mark.sample(2)
@pytest.mark.parametrize("share, published", [(0, 130), (0.99, 65)])
def test_a_disk_has_the_rate_of_its_zone(measured, share, published):
    lba = round(976_773_168 * share / 4096) * 4096
    short, long = (measured(*DISK, "--lba", lba, "--sectors", size, "--operation", "play")["transfers"][0]["seconds"]
                   for size in ("1MiB", "4MiB"))
    assert 3 * 1.048576 / (long - short) == pytest.approx(published, rel=0.03)


def test_a_recording_on_a_disk_is_limited(measured):
    data = measured(*DISK, *SMALL, "--operation", "record")
    assert data["verdict"] == "limited" and data["sustained_bytes_per_second"] is None
    assert "the disk is slower the higher the LBA: --lba goes elsewhere" in data["caveats"]


@pytest.mark.parametrize("medium", ["disk", "flash"])
def test_the_trace_does_not_depend_on_what_runs_the_drive(measured, tmp_path, monkeypatch, medium):
    arguments = "--medium", "flash", "--drive", "onyx-32gb"
    if medium == "disk":    # that turns fast, so that little time passes
        disk = DiskDrive.load("hds721050cla362")
        source = (disk.FOLDER / f"{disk.name}.toml").read_text()
        (tmp_path / "fast.toml").write_text(source.replace("rpm = 7_200", "rpm = 20_000"))
        arguments = "--medium", "disk", "--drive", "fast.toml"
    first = measured(*arguments, *SMALL)
    monkeypatch.setattr(simulation, "compile_in_background", lambda: None)
    monkeypatch.setattr(drive_package, "intact_folder", lambda folder: False)
    assert measured(*arguments, *SMALL)["trace"] == first["trace"]


@pytest.mark.wide
def test_flash_past_its_cache(measured):
    arguments = "--medium", "flash", "--drive", "870-qvo", "--operation", "record", "--sectors", "6MiB"
    new, filled = (measured(*arguments, "--medium-state", state) for state in ("new", "filled"))
    assert new["transfers"][0]["percent_of_ceiling"] > 95
    assert filled["transfers"][0]["bytes_per_second"] < 110e6
    assert filled["inside"]["state"] == "filled"
    assert any("--medium-state filled shows" in text for text in new["caveats"])
    assert not any("--medium-state filled shows" in text for text in filled["caveats"])


def test_each_parameter_is_told_with_its_kind(run, measured):
    data = measured(*DISK, *SMALL)
    rows = {row["name"]: row for row in data["inside"]["parameters"]}
    assert rows["physical.rpm"]["kind"] == "physical" and rows["physical.rpm"]["estimate"]
    assert rows["policy.write_lost_turns"]["origin"].startswith("fitted: 110 MB/s")
    assert "model of its disk inside" in data["simulation"]["statement"]
    text = run("measure", *DISK, *SMALL).stdout
    assert "rests  on 10 physical figures (7 of them estimates), 3 policies of the firmware" in text
    for name, row in rows.items():
        assert any(line.startswith(name.partition(".")[2]) and row["kind"] in line for line in text.splitlines())


def test_the_timing_profile_gives_what_is_not_inside(measured):
    """Model, link and controller are the drive's, and without the option nothing changes."""
    timing = load_profile("870-qvo")
    data = measured("--medium", "flash", "--drive", "870 qvo 1tb", *SMALL)
    assert data["drive"]["model"] == timing.model and data["drive"]["profile"] == "870-qvo"
    assert "inside" not in measured("--drive", "870-qvo", *SMALL)


@pytest.mark.quick
@pytest.mark.parametrize("arguments, words", [
    ("--medium disk", ["--medium disk: needs --drive"]),
    ("--medium flash --drive qemu", ["--medium flash: not together with --drive qemu"]),
    ("--medium-state filled", ["--medium-state filled: needs --medium"]),
    ("--medium disk --drive wd20ears --medium-state filled", ["--medium-state filled", "keeps nothing"]),
    ("--medium disk --drive wd20ears --medium-state steady", ["--medium-state steady: is of flash"]),
    ("--medium disk --drive st8000as0002 --medium-state rested", ["--medium-state rested", "as a new one"]),
    ("--medium flash --drive hds721050cla362", ["no flash parameters", "it is a disk: --medium disk"]),
    ("--medium disk --drive c300-256gb", ["no disk parameters", "it is flash: --medium flash"]),
    ("--medium flash --drive 840-pro-256gb", ["no rate of its flash or its controller is known"]),
    ("--medium flash --drive 870-evo-1tb", ["no flash parameters", "similar: 870-evo-4tb", "known are"]),
    ("--medium flash --drive qvo", ["which of 870-qvo, 870-qvo-2tb"]),
    ("--medium disk --drive gone.toml", ["gone.toml: cannot be read: No such file"]),
    ("--medium disk --drive odd.toml", ["odd.toml: physical: is missing"]),
    ("--medium disk --drive wd20ears --assume-rate 4MB/s", ["--assume-rate 4MB/s: not together with --medium disk"]),
    ("--medium disk --drive wd20ears --capacity 4000000000", ["--capacity 4000000000", "3907029168 sectors"]),
    ("--medium disk --drive wd20ears --hostile", ["--hostile: not together with --drive wd20ears"]),
    ("--medium disk --drive wd20ears --find-rate --seeds 3", ["--seeds 3", "the same with every seed"])])
def test_refused(run, tmp_path, arguments, words):
    (tmp_path / "odd.toml").write_text("description = 'odd'\n")
    result = run("measure", *arguments.split())
    assert result.exit_code == 2 and result.stdout == ""
    assert all(word in result.stderr for word in words), result.stderr


@pytest.mark.quick
def test_drives_shows_what_is_known_of_an_inside(run):
    for medium, name, parameter in ("disk", "wd20ears", "average_seek_ms"), ("flash", "c300-256gb", "program_us"):
        assert name in run("drives", "--medium", medium).stdout
        assert parameter in run("drives", name, "--medium", medium).stdout
        rows = json.loads(run("drives", name, "--medium", medium, "--json").stdout)["parameters"]
        assert f"physical.{parameter}" in [row["name"] for row in rows]
    refused = run("drives", "x25-e", "--medium", "disk")
    assert refused.exit_code == 2 and "no disk parameters of a drive 'x25-e'" in refused.stderr
    assert run("drives", "--medium", "disk", "--template").exit_code == 2


def test_a_file_of_your_own(run, measured, tmp_path):
    (tmp_path / "mine.toml").write_text(run("drives", "wd20ears", "--medium", "disk", "--template").stdout)
    data = measured("--medium", "disk", "--drive", "mine.toml", *SMALL)
    assert data["inside"]["drive"] == "mine" and data["drive"]["model"] == "WDC WD20EARS"
