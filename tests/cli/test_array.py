"""`sata-recorder prepare --raid`, and the verbs that take the members of an array."""

import hashlib
import json
import os
import random
from pathlib import Path

import pytest

from sata_recorder import outputs
from sata_recorder.pc.array import open_disk, open_target
from sata_recorder.pc.volume import DiskReader

NAMES = "a.img", "b.img", "c.img"
ROOM = "--size", "4MiB", "--recordings", 3, "--align", "64KiB"


@pytest.fixture
def array(run):
    """`array("linear")`: the three members of a new one; what was printed."""
    def array(raid="0", *more):
        result = run("prepare", *NAMES, "--raid", raid, *ROOM, *more)
        assert result.exit_code == 0, result.output
        return result.stdout

    return array


def put(lba, data):
    """What a core records."""
    with open_target(NAMES) as target:
        target.write(lba, data.ljust(-(-len(data) // 512) * 512, b"\0"))


def refused(result, *words):
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize("raid, more, how", [
    ("0", (), "RAID 0, chunks of 16,384 bytes"), ("0", ("--chunk", "4KiB"), "RAID 0, chunks of 4,096 bytes"),
    ("linear", (), "linear")])
def test_from_prepare_to_a_file(run, array, raid, more, how):
    """Members in any order; the sidecar of a copy is what verify compares."""
    told = array(raid, *more).splitlines()
    assert told[0] == f"raid        3 drives, {how}"
    assert told[2] == "lane 1      b.img: 3,145,728 bytes (3.146 MB) from LBA 2048"
    assert told[4].startswith("array       9,437,184 bytes (9.437 MB), exFAT from LBA ")
    assert all(len(line) <= 100 for line in told)
    slots = json.loads(run("recordings", "b.img", "a.img", "c.img", "--json").stdout)["slots"]
    data = random.Random(1).randbytes(1_234_567)
    put(slots[1]["lba"], data)
    result = run("finalise", "c.img", "a.img", "b.img", "--slot", 2, "--bytes", len(data))
    assert result.exit_code == 0 and result.stdout.startswith("slot 2: 1,234,567 bytes"), result.output
    for name in (), ("2",), ("REC00002.dat",):
        result = run("extract", "c.img", "b.img", "a.img", *name, "-o", "out")
        assert result.exit_code == 0, result.output
        assert Path("out").read_bytes() == data
    assert json.loads(Path("out.json").read_text())["sha256"] == hashlib.sha256(data).hexdigest()
    result = run("verify", "b.img", "c.img", "a.img", "--sidecar", "out.json")
    assert result.exit_code == 0 and "same     REC00002.dat: its sha256 is that of the sidecar" in result.stdout
    result = run("extract", "b.img", "c.img", "a.img", "--lba", slots[1]["lba"], "--sectors", 3, "-o", "-")
    assert result.stdout_bytes == data[:1536]
    alone = run("extract", "b.img", "--lba", 8, "--sectors", 1, "-o", "-")      # a member's own sectors
    assert alone.stdout_bytes == Path("b.img").read_bytes()[4096:4608]
    assert "RECORDINGS/REC00002.dat: 1,234,567 bytes" in run("recordings", *NAMES).stdout


def test_a_name_that_is_a_file_here_too(run, array):
    """What follows the members is NAME, be there such a file or not."""
    array()
    put(json.loads(run("recordings", *NAMES, "--json").stdout)["slots"][1]["lba"], b"recorded")
    assert run("finalise", *NAMES, "--slot", 2, "--bytes", 8).exit_code == 0
    assert run("prepare", "single.img", *ROOM).exit_code == 0
    assert run("finalise", "single.img", "--slot", 2, "--bytes", 8).exit_code == 0
    Path("2").write_text("mine")
    for members, content in (NAMES, b"recorded"), (["single.img"], bytes(8)):
        result = run("extract", *members, "2", "-o", "-")
        assert result.exit_code == 0 and result.stdout_bytes == content, result.output


def test_what_one_lane_lost(run, array):
    array()
    lba = json.loads(run("recordings", *NAMES, "--json").stdout)["slots"][0]["lba"]
    put(lba, random.Random(1).randbytes(300_000))
    assert run("finalise", *NAMES, "--slot", 1, "--bytes", 300_000).exit_code == 0
    with open_disk(NAMES) as disks:
        lane, sector = next(place for place in map(disks.geometry.place, range(lba, lba + 500)) if place[0] == 1)
    with open(NAMES[lane], "r+b") as file:
        file.seek(512 * sector)
        file.write(b"lost")
    result = run("verify", *NAMES)
    assert result.exit_code == 1 and "WRONG    REC00001.dat: its CRC-32 is" in result.stdout


@pytest.mark.parametrize("order", [("extract", *NAMES, "-o", "out"), ("verify", *NAMES),
                                   ("extract", *NAMES, "--lba", 2000, "--sectors", 2000, "-o", "out")])
def test_the_drive_that_fails_is_named(run, array, monkeypatch, order):
    array()
    lba = json.loads(run("recordings", *NAMES, "--json").stdout)["slots"][0]["lba"]
    put(lba, random.Random(1).randbytes(1_000_000))
    assert run("finalise", *NAMES, "--slot", 1, "--bytes", 1_000_000).exit_code == 0
    real = DiskReader.read_into

    def read_into(self, offset, *views):
        if str(self.path) == "b.img" and offset + sum(map(len, views)) > 512 * 2700:
            raise OSError(5, "Input/output error")
        real(self, offset, *views)

    monkeypatch.setattr(DiskReader, "read_into", read_into)
    result = run(*order)
    assert result.exit_code == 1
    assert "damaged  b.img: Input/output error: a part of it could not be read" in result.stdout.splitlines()


def test_renewed(run, array):
    """What somebody has changed of the array is told with all members, and --renew takes them."""
    array()
    assert "nothing was written" in run("prepare", "c.img", "a.img", "b.img", "--renew").stdout
    with open_target(NAMES) as target:
        sector = bytearray(target.read(0, 512))
        sector[450] ^= 1                            # the kind of a partition in the protective MBR
        target.write(0, sector)
    result = run("recordings", *NAMES)
    assert result.exit_code == 1 and "no recording goes onto array a.img b.img c.img before" in result.stdout
    sector[450] ^= 1
    with open_target(NAMES) as target:
        target.write(0, sector)
    found = json.loads(run("prepare", *NAMES, "--file", "RECORDINGS/REC00001.unused").stdout)
    assert found["lba"] == json.loads(run("recordings", *NAMES, "--json").stdout)["slots"][0]["lba"]


#: Arguments of `prepare`, and words of its answer.
BAD_PREPARE = [
    ([*NAMES, *ROOM], ["--raid is missing: shall the 3 drives take turns (0), or be one after the other (linear)?"]),
    (["x.img", *ROOM, "--raid", "0"], ["--raid 0: an array has 2 to 8 drives, x.img is one"]),
    (["x.img", *ROOM, "--chunk", "64KiB"], ["--chunk 64KiB: only --raid 0 has chunks"]),
    ([*NAMES, *ROOM, "--raid", "linear", "--chunk", "64KiB"], ["--chunk 64KiB: only --raid 0 has chunks"]),
    ([*NAMES, *ROOM, "--raid", "0", "--chunk", "48KiB"], ["--chunk 48KiB: must be 4KiB, 8KiB, 16KiB, 32KiB or 64KiB"]),
    ([*NAMES, *ROOM, "--raid", "0", "--chunk", "x"], ["--chunk x: must be a whole number"]),
    ([*NAMES, "--raid", "0", "--recordings", 3], ["a.img: no such file; --size makes an image"]),
    ([*NAMES, "--raid", "0", "--size", "1MiB", "--recordings", 3], ["--size 1MiB: a member has at least 2080 sectors"]),
    ([*NAMES, "--raid", "0", "--size", "4MiB"], ["--recordings or --recording-size"]),
    ([*NAMES, *ROOM, "--raid", "0", "--serial", "S"], ["--serial S: is that of none of these drives"]),
    (["x.img", *ROOM, "--serial", "S", "--serial", "T"], ["--serial: is given 2 times, and one drive has one"]),
    (["a.img", "note.txt", *ROOM, "--raid", "0"], ["note.txt", "has not made it", "--overwrite permits"]),
    (["a.img", "a.img", *ROOM, "--raid", "0"], ["a.img: is named twice"]),
    ([*(f"{number}.img" for number in range(9)), *ROOM, "--raid", "0"], ["8.img: is drive 9 of 9", "at most 8"]),
    ([*NAMES, "--renew", "--raid", "0"], ["--raid: not together with --renew, which keeps all"]),
    ([*NAMES, "--file", "x", "--chunk", "4KiB"], ["--chunk: not together with --file, which changes nothing"]),
    ([*NAMES, "--file", "x"], ["a.img: cannot be read: No such file"]),
]


def test_prepare_refuses(run, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("mine\n")
    for arguments, words in BAD_PREPARE:
        refused(run("prepare", *arguments), *words)
        assert sorted(os.listdir(tmp_path)) == ["note.txt"] and note.read_text() == "mine\n", arguments


#: Those of all verbs, of an array that is there.
BAD = [
    (["recordings", "a.img", "c.img"], ["a.img c.img: lane 1 of 3 is missing (counted from 0)"]),
    (["recordings", "a.img"], ["a.img: lanes 1 and 2 of 3 are missing"]),
    (["verify", "a.img", "b.img", "b.img"], ["b.img: is named twice"]),
    (["verify", "a.img", "b.img", "copy.img"], ["copy.img: is lane 1 of the array, as b.img is"]),
    (["extract", *NAMES, "2", "3", "-o", "x"], ["3: a.img b.img c.img is followed by one NAME at most, 2 is given"]),
    (["extract", *NAMES, "x.dat", "-o", "x"], ["x.dat: there is no such recording on array a.img b.img c.img"]),
    (["extract", "a.img", "REC00001.dat", "-o", "x"], ["a.img: lanes 1 and 2 of 3 are missing"]),
    (["extract", *NAMES, "--lba", 0, "--sectors", 1, "-o", "b.img"], ["-o b.img: the same file as b.img, which is"]),
    (["extract", *NAMES, "--lba", 1 << 20, "--sectors", 1, "-o", "x"], ["array a.img b.img c.img has 0"]),
    (["extract", *NAMES, "-o", "x"], ["NAME is missing: array a.img b.img c.img has more than one recording or none"]),
    (["finalise", "a.img", "b.img", "--slot", 1, "--bytes", 1], ["lane 2 of 3 is missing"]),
    (["finalise", *NAMES, "--slot", 4, "--bytes", 1], ["slot 4: array a.img b.img c.img has slots 1 to 3"]),
    (["finalise", *NAMES, "--slot", 1, "--bytes", 1, "--serial", "S"], ["--serial S: is that of none of these"]),
    (["prepare", "a.img", "--recordings", 1, "--align", "64KiB"],
     ["a.img: holds a part of an array (Linux md)", "--overwrite permits"]),
    (["prepare", "a.img", "--renew"], ["a.img: lanes 1 and 2 of 3 are missing"]),
    (["measure", "--operation", "record", "--sectors", 8, "--image", "a.img", "--lba", 4000],
     ["a.img: is a member of an array (Linux md)", "--overwrite permits"]),
]


def test_refusals(run, array):
    array()
    Path("copy.img").write_bytes(Path("b.img").read_bytes())
    outputs.mark("copy.img")
    before = {name: Path(name).read_bytes() for name in os.listdir()}
    for arguments, words in BAD:
        refused(run(*arguments), *words)
        assert {name: Path(name).read_bytes() for name in os.listdir()} == before, arguments
