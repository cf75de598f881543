"""`sata-recorder measure --drives` with an image for each drive: what the verbs of a PC make of them."""

import json
import os
import random
from pathlib import Path

import pytest
from sata_recorder import outputs
from sata_recorder.pc.array import open_disk

pytestmark = pytest.mark.wide

NAMES = "a.img", "b.img"
SET = "--image", "b.img", "--image", "a.img"
KINDS = {"0": "RAID 0", "1": "RAID 1", "linear": "linear"}


@pytest.fixture
def prepared(run):
    """`prepared(raid)`: the first slot's LBA of a new array of two images."""
    def prepared(raid, *more):
        assert run("prepare", *NAMES, "--raid", raid, "--size", "8MiB", "--recordings", 2, "--align", "64KiB",
                   *more).exit_code == 0
        return json.loads(run("recordings", *NAMES, "--json").stdout)["slots"][0]["lba"]
    return prepared


def contents():
    return [Path(name).read_bytes() for name in NAMES]


@pytest.mark.parametrize("raid", KINDS)
def test_recorded_and_extracted(run, prepared, raid):
    """Images in any order; the superblocks are as before, and no mirror is left marked."""
    lba, data = prepared(raid), random.Random(1).randbytes(70_001)
    Path("in").write_bytes(data)
    done = run("measure", "--operation", "record", "--drives", 2, "--raid", raid, *SET, "--lba", lba, "--input", "in",
               "--flush", "--json", "run.json")
    assert done.exit_code == 0 and "good" in done.stdout, done.output
    finalised = run("finalise", *NAMES, "--measurement", "run.json", "--bytes", len(data))
    assert finalised.exit_code == 0, finalised.output
    assert "REC00001.dat: 70,001 bytes" in run("recordings", "b.img", "a.img").stdout
    assert run("extract", "b.img", "a.img", "-o", "out").exit_code == 0 and Path("out").read_bytes() == data
    verified = run("verify", *NAMES)
    assert verified.exit_code == 0 and "not marked clean" not in verified.output, verified.output
    if raid == "1":
        assert "both mirrors" in verified.stdout
    held = contents()
    played = run("measure", "--operation", "play", "--drives", 2, "--raid", raid, *SET, "--lba", lba, "--input", "in")
    assert played.exit_code == 0 and "the data read are those of the image" in played.stdout
    assert contents() == held


@pytest.mark.parametrize("raid", KINDS)
def test_made(run, raid):
    """Images that were missing are a new array, by lane in the order in which they were given; a second run goes on
    with them."""
    for seed in 1, 2:
        done = run("measure", "--drives", 2, "--raid", raid, "--image", "a.img", "--image", "b.img", "--capacity", 5000,
                   "--lba", 21, "--sectors", 300, "--seed", seed)
        assert done.exit_code == 0, done.output
    with open_disk(NAMES[::-1]) as array:
        assert [str(disk.path) for disk in array.disks] == list(NAMES)
    copied = run("extract", "b.img", "a.img", "--lba", 21, "--sectors", 300, "-o", "out")
    assert copied.exit_code == 0
    same = run("measure", "--operation", "play", "--drives", 2, "--raid", raid, *SET, "--lba", 21, "--input", "out")
    assert same.exit_code == 0
    assert "no recording table" in run("recordings", *NAMES).output
    assert all(outputs.may_be_written(Path(name)) for name in NAMES)


def refused(run, told, *arguments):
    held = contents()
    done = run("measure", "--operation", "record", "--sectors", 8, *arguments)
    assert done.exit_code == 2 and told in done.stderr and done.stderr.count("\n") == 1, done.output
    assert contents() == held


@pytest.mark.quick
def test_what_does_not_fit_is_refused(run, prepared):
    lba = prepared("0")
    array = "--drives", 2, *SET
    refused(run, "--image a.img: is the last one of 2, and --drives 3 needs 3", "--drives", 3, *SET, "--lba", lba)
    refused(run, "--image b.img: is the last one of 1, and --drives 2", "--drives", 2, "--image", "b.img")
    refused(run, "--image a.img: is one of 2, and there is one drive; --drives", *SET)
    refused(run, "a.img: is named twice", "--drives", 2, "--image", "a.img", "--image", "a.img")
    refused(run, "another kind: --raid 0", *array, "--raid", "linear", "--lba", lba)
    refused(run, "--chunk-sectors 8: b.img a.img have chunks of 32 sectors: --chunk-sectors 32", *array,
            "--chunk-sectors", 8)
    refused(run, "--capacity 9999: the images exist, and have 16384 and 16384 sectors", *array, "--capacity", 9999)
    refused(run, "none of its slots has the 8 sectors from there; --overwrite", *array, "--lba", 3)
    refused(run, "--image c.img: no such file, but b.img exists", "--drives", 2, "--image", "b.img", "--image", "c.img")
    assert not Path("c.img").exists()


@pytest.mark.quick
def test_what_is_foreign_is_refused(run, prepared):
    prepared("1")
    Path("b.img").write_bytes(bytes(8 << 20))
    refused(run, "--image: b.img: is no member of an array", "--drives", 2, "--raid", 1, *SET)
    Path("c.img").write_bytes(b"mine" * 9000)
    refused(run, "--image c.img: it ", "--drives", 2, "--raid", 1, "--image", "a.img", "--image", "c.img")
    assert Path("c.img").read_bytes() == b"mine" * 9000


def test_failed_marks_stay(run, prepared, monkeypatch):
    """Mirrors of which a run cannot state that they are alike are left as such."""
    from sata_recorder.lab.measurement.array_run import ArrayRun
    lba = prepared("1")
    monkeypatch.setattr(ArrayRun, "_check_image", lambda self, tally: self.problems.append("broken") or 0)
    done = run("measure", "--operation", "record", "--drives", 2, "--raid", 1, *SET, "--lba", lba, "--sectors", 8)
    assert done.exit_code == 1
    assert "not marked clean" in run("recordings", *NAMES).output


def test_nothing_is_left_of_new_images(run, monkeypatch):
    from sata_recorder.lab.measurement.array_run import ArrayRun

    def interrupted(self):
        assert all(map(os.path.exists, NAMES))
        raise KeyboardInterrupt
    monkeypatch.setattr(ArrayRun, "_record", interrupted)
    assert run("measure", "--drives", 2, *SET, "--capacity", 5000, "--sectors", 8).exit_code != 0
    assert not any(map(os.path.exists, NAMES))
