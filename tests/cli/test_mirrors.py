"""`sata-recorder prepare --raid 1`, and the verbs that take mirrors: both, or one alone."""

import hashlib
import json
import os
import random
from pathlib import Path

import pytest

from sata_recorder import outputs
from sata_recorder.facts.array import mirror_superblock_lba
from sata_recorder.pc.array import open_target, remarked
from sata_recorder.pc.volume import DiskReader

NAMES = "a.img", "b.img"
ROOM = "--size", "4MiB", "--recordings", 3, "--align", "64KiB"
PLACE = mirror_superblock_lba(8192)
ALONE = "note     a.img is lane 0 of two mirrors, and lane 1 was not looked at: this one may be stale"


@pytest.fixture
def pair(run):
    """Two new mirrors; what was printed."""
    result = run("prepare", *NAMES, "--raid", 1, *ROOM)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def recorded(run, pair):
    """Data in slot 2, a file."""
    data = random.Random(1).randbytes(600_001)
    lba = json.loads(run("recordings", *NAMES, "--json").stdout)["slots"][1]["lba"]
    with open_target(NAMES) as target:
        target.write(lba, data.ljust(-(-len(data) // 512) * 512, b"\0"))
    result = run("finalise", *NAMES[::-1], "--slot", 2, "--bytes", len(data))
    assert result.exit_code == 0 and result.stdout.startswith("slot 2: 600,001 bytes"), result.output
    return lba, data


def change(path, lba, content):
    with open(path, "r+b") as file:
        file.seek(512 * lba)
        file.write(content)
    outputs.mark(path)


def mark(path, **changes):
    content = Path(path).read_bytes()[512 * PLACE:]
    change(path, PLACE, remarked(content, **changes))


def refused(result, *words):
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr


def test_from_prepare_to_a_file(run, pair, recorded):
    told = pair.splitlines()
    assert told[:2] == ["raid        2 drives, RAID 1",
                        f"lane 0      a.img: {512 * PLACE:,} bytes (4.186 MB) from LBA 0"]
    assert told[3].startswith(f"array       {512 * PLACE:,} bytes") and all(len(line) <= 100 for line in told)
    _, data = recorded
    for members, notes in ((NAMES, []), (NAMES[::-1], []), (["a.img"], [ALONE]), (
            ["b.img"], [ALONE.replace("a.img is lane 0", "b.img is lane 1").replace("lane 1 was", "lane 0 was")])):
        for name in (), ("2",), ("REC00002.dat",):
            result = run("extract", *members, *name, "-o", "out", "--overwrite")
            assert result.exit_code == 0 and result.stdout.splitlines()[1:] == notes, result.output
            assert Path("out").read_bytes() == data
        result = run("recordings", *members)
        assert result.exit_code == 0 and "slot 2    RECORDINGS/REC00002.dat: 600,001 bytes" in result.stdout
        assert [line for line in result.stdout.splitlines() if line.startswith("note")] == notes
        assert json.loads(run("recordings", *members, "--json").stdout)["notes"] == [note[9:] for note in notes]
        result = run("verify", *members, "--sidecar", "out.json")
        assert result.exit_code == 0 and "REC00002.dat: its sha256 is that of the sidecar" in result.stdout
        assert (f"same     both mirrors: all {PLACE} sectors are alike" in result.stdout) == (len(members) == 2)
    assert json.loads(Path("out.json").read_text())["sha256"] == hashlib.sha256(data).hexdigest()
    result = run("extract", "a.img", "-o", "-")
    assert result.stdout_bytes == data and ALONE in result.stderr
    Path("REC00002.dat").write_bytes(data)       # a copy from before is no member
    assert run("extract", "a.img", "REC00002.dat", "-o", "out", "--overwrite").exit_code == 0


def test_sectors_and_frames(run, recorded):
    lba, data = recorded
    for members in NAMES, ["a.img"]:
        result = run("extract", *members, "--lba", lba, "--sectors", 3, "-o", "-")
        assert result.stdout_bytes == data[:1536] and (ALONE in result.stderr) == (len(members) == 1)
        result = run("frames", *members, "--lba", lba, "--sectors", 3)
        assert result.exit_code == 1 and (ALONE in result.stdout) == (len(members) == 1)
        result = run("frames", *members, "--newest", "--json")
        assert json.loads(result.stdout) is None and (ALONE in result.stderr) == (len(members) == 1)
        refused(run("extract", *members, "--lba", PLACE, "--sectors", 1, "-o", "x"), "has 0")


def test_degraded(run, recorded):
    """The survivor is read, and `verify` does not find all well; both are refused."""
    mark("b.img", events=4, dropped=0)
    note = "degraded: b.img is lane 1 of two mirrors, and by its superblock lane 0 has failed"
    for verb in ["recordings"], ["extract", "-o", "out"]:
        result = run(*verb, "b.img")
        assert result.exit_code == 0 and f"note     {note}" in result.stdout
    assert Path("out").read_bytes() == recorded[1]
    result = run("verify", "b.img")
    assert result.exit_code == 1 and f"WRONG    {note}" in result.stdout
    for verb in "recordings", "verify":
        refused(run(verb, *NAMES), "a.img: is in the array no more: b.img names it as failed, with 4 events, it has 4")
    assert run("recordings", "a.img").exit_code == 0


def test_stale_and_dirty(run, recorded):
    mark("b.img", events=6)
    refused(run("extract", *NAMES, "-o", "out"), "a.img: is stale: it has 4 events, b.img 6", "name b.img alone")
    mark("a.img", events=6, resync=0)
    mark("b.img", events=6, resync=0)
    result = run("recordings", *NAMES)
    assert result.exit_code == 0 and "note     not marked clean: the power failed while" in result.stdout
    result = run("verify", *NAMES)
    assert result.exit_code == 0
    assert "note     not marked clean" in result.stdout and "sectors are alike" in result.stdout
    lba, _ = recorded
    change("a.img", lba + 3, b"lost")
    result = run("verify", *NAMES)
    assert result.exit_code == 1
    assert f"WRONG    REC00002.dat: the mirrors differ in 1 sector: LBA {lba + 3}; b.img has the recorded CRC-32" in \
        result.stdout.splitlines()
    assert run("extract", *NAMES, "-o", "out").exit_code == 1 and run("extract", "b.img", "-o", "right").exit_code == 0
    assert Path("right").read_bytes() == recorded[1]


def test_one_was_written_alone(run, recorded):
    """As by a PC that mounts one of them: their superblocks state that all is well."""
    change("b.img", 0, b"boot code")
    lba = json.loads(run("recordings", *NAMES, "--json").stdout)["slots"][0]["lba"]
    change("b.img", lba, b"free")
    text = ("the mirrors differ, first seen at LBA 0: one was written without the other; this is what a.img has, "
            "`sata-recorder verify` names all that differs")
    result = run("recordings", *NAMES)
    assert result.exit_code == 1 and f"damaged  {text}" in result.stdout.splitlines()
    assert json.loads(run("recordings", *NAMES, "--json").stdout)["problems"] == [text]
    result = run("extract", *NAMES, "-o", "out")
    assert result.exit_code == 1 and f"damaged  {text}" in result.stdout and Path("out").read_bytes() == recorded[1]
    result = run("verify", *NAMES)
    assert result.exit_code == 1 and text not in result.stdout
    assert "WRONG    tables and file system: the mirrors differ in 1 sector: LBA 0" in result.stdout.splitlines()
    assert f"note     the mirrors differ where no file is, in 1 sector: LBA {lba}; `prepare`" in result.stdout
    refused(run("finalise", *NAMES, "--slot", 1, "--bytes", 9), "b.img: differs from a.img at LBA 0, so nothing is")


def test_the_drive_that_fails_is_named(run, recorded, monkeypatch):
    """The copy is whole, as the other drive has it; it is not all well."""
    lba, data = recorded
    real = DiskReader.read_into

    def read_into(self, offset, *views):
        if str(self.path) == "a.img" and offset < 512 * (lba + 9) and offset + sum(map(len, views)) > 512 * (lba + 8):
            raise OSError(5, "Input/output error")
        real(self, offset, *views)

    monkeypatch.setattr(DiskReader, "read_into", read_into)
    for order in (["extract", *NAMES, "-o", "out"],
                  ["extract", *NAMES, "--lba", lba, "--sectors", 1172, "-o", "raw"]):
        result = run(*order)
        assert result.exit_code == 1
        assert "damaged  a.img: Input/output error: a part of it could not be read" in result.stdout.splitlines()
    assert Path("out").read_bytes() == data == Path("raw").read_bytes()[:len(data)]
    result = run("verify", *NAMES)
    assert result.exit_code == 1 and f"WRONG    a.img: cannot be read in 1 sector: LBA {lba + 8}" in result.stdout


def test_renewed(run, pair):
    assert "nothing was written" in run("prepare", "b.img", "a.img", "--renew").stdout
    found = json.loads(run("prepare", "b.img", "--file", "RECORDINGS/REC00001.unused").stdout)
    assert found == json.loads(run("prepare", *NAMES, "--file", "RECORDINGS/REC00001.unused").stdout)


#: Of `prepare`, where nothing is yet.
BAD_PREPARE = [
    ([*NAMES, *ROOM], ["--raid is missing: shall the 2 drives take turns (0), each have all (1), or be one after"]),
    (["a.img", *ROOM, "--raid", 1], ["--raid 1: an array has 2 to 8 drives, a.img is one"]),
    ([*NAMES, "c.img", *ROOM, "--raid", 1], ["--raid 1: has 2 drives, here are 3"]),
    ([*NAMES, *ROOM, "--raid", 1, "--chunk", "4KiB"], ["--chunk 4KiB: only --raid 0 has chunks"]),
    ([*NAMES, "--raid", 1, "--recordings", 1], ["a.img: no such file; --size makes an image"]),
    ([*NAMES, "--raid", 1, "--size", "15KiB", "--recordings", 1], ["--size 15KiB: a member has at least 32 sectors"]),
    ([*NAMES, "--raid", 1, "--size", "1MiB", "--recordings", 1], ["--size 1MiB: too small for a partition table"]),
    (["a.img", "a.img", *ROOM, "--raid", 1], ["a.img: is named twice"]),
    ([*NAMES, *ROOM, "--raid", 2], ["'2' is not one of '0', '1', 'linear'"]),
]
#: Of two mirrors and a single drive.
BAD = [
    (["finalise", "a.img", "--slot", 1, "--bytes", 1], ["a.img: is one of two mirrors (Linux md), and is not written"]),
    (["prepare", "b.img", "--renew"], ["b.img: is one of two mirrors", "Name both"]),
    (["prepare", "b.img", *ROOM[2:]], ["b.img: holds a part of an array (Linux md)", "--overwrite permits"]),
    (["measure", "--operation", "record", "--sectors", 8, "--image", "a.img", "--lba", 4000],
     ["a.img is one of two mirrors (Linux md): a recording on it alone would not be on the other", "--overwrite"]),
    (["recordings", "a.img", "copy.img"], ["copy.img: is lane 0 of the array, as a.img is"]),
    (["recordings", "a.img", "single.img"], ["single.img: is no member of an array", f"near its end, at LBA {PLACE}"]),
    (["extract", *NAMES, "1", "2", "-o", "x"], ["2: a.img b.img is followed by one NAME at most, 1 is given"]),
    (["extract", *NAMES, "--lba", 0, "--sectors", 1, "-o", "b.img"], ["-o b.img: the same file as b.img, which is"]),
]


def test_prepare_refuses(run):
    for arguments, words in BAD_PREPARE:
        result = run("prepare", *arguments)
        assert result.exit_code == 2 and all(word in result.stderr for word in words), result.output
        assert os.listdir() == [], arguments


def test_refusals(run, pair):
    Path("copy.img").write_bytes(Path("a.img").read_bytes())
    outputs.mark("copy.img")
    assert run("prepare", "single.img", *ROOM).exit_code == 0
    before = {name: Path(name).read_bytes() for name in os.listdir()}
    for arguments, words in BAD:
        refused(run(*arguments), *words)
        assert {name: Path(name).read_bytes() for name in os.listdir()} == before, arguments
