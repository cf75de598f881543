"""`recordings`, `extract` and `verify` of a ring and of segments: the places are put in order."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from sata_recorder import outputs
from sata_recorder.pc.volume import Drive, Refused, SectorOrder, SegmentEntry, Timestamp
from sata_recorder.pc.volume.entries_of_slot import free_sector

TIME = Timestamp(46 << 25 | 11 << 21 | 22 << 16 | 12 << 11, 0, 0x80)
RING, TRIGGERED = 2, 3
SECTORS = 512


@pytest.fixture
def image(two_slots):
    """`disk.img`, whose slots have 256 KiB."""
    return two_slots


@pytest.fixture
def recorded(recorded_with_log):
    """``recorded(order, size)``: slot 1 has a file with that order; its bytes."""
    def recorded(order, size, journal=()):
        return recorded_with_log(size, journal, started=TIME, order=order, model="M", serial="S")
    return recorded


@pytest.fixture
def ring(recorded):
    """A ring that was stopped in its third lap, 100 sectors and 17 words after its begin."""
    words = 128 * (2 * SECTORS + 100) + 17
    order = SectorOrder(RING, SECTORS, words, 2 * SECTORS + 101, SECTORS + 101, 1,
                        (SegmentEntry(0, 0, words, 500),), 1)
    return recorded(order, 512 * SECTORS, [(2, 90, 30)])


@pytest.fixture
def segments(recorded):
    """Two segments in parts of 64 sectors: one has wrapped, the other one has not."""
    table = (SegmentEntry(0, 128 * 90, 128 * 100 - 5, 1000, 1500, 7, 1200, 7),
             SegmentEntry(128 * 102, 128 * 103, 128 * 110, 3000, 3500, 7, 0, 1 | 2 << 16))
    return recorded(SectorOrder(TRIGGERED, 64, 128 * 110, 110, 102, 2, table), 512 * 72)


def test_a_ring_is_listed(run, ring):
    first = 128 * (SECTORS + 101)
    told = run("recordings", "disk.img").stdout
    assert f"a ring, its first word is word {first:,} of {first + 128 * 511 + 17:,}" in told
    one, = json.loads(run("recordings", "disk.img", "--json").stdout)["recordings"]
    assert (one["mode"], one["segments"][0]["first_word"]) == ("RING", first)
    assert one["segments"][0]["extents"][1]["sectors"] == 101


def test_a_ring_is_extracted_in_order(run, ring):
    result = run("extract", "disk.img", "-o", "out.bin")
    # All of it is there, but for what was passed over.
    assert result.exit_code == 1 and "damaged  REC00001.dat: 30 of its sectors were passed over" in result.output
    wanted = ring[101 * 512:] + ring[:100 * 512 + 67]
    assert Path("out.bin").read_bytes() == wanted
    beside = json.loads(Path("out.bin.json").read_text())
    assert (beside["mode"], beside["order"], beside["bytes"]) == ("RING", "recorded", len(wanted))
    assert beside["first_word"] == 128 * (SECTORS + 101) == beside["segment"]["first_word"]
    assert beside["crc32_matches"] is None and beside["segment"]["first_time"] == 500
    # What was passed over lies at both ends now.
    assert beside["journal"] == [
        {"kind": "skipped", "cause": 1, "bytes": 512 * 19, "offset": 0},
        {"kind": "skipped", "cause": 1, "bytes": 512 * 11, "offset": 512 * 501}]
    result = run("verify", "disk.img", "--sidecar", "out.bin.json")
    assert result.exit_code == 0 and "its sha256 is that of the sidecar" in result.stdout
    assert run("extract", "disk.img", "-o", "-").stdout_bytes == wanted


def test_a_ring_in_the_order_of_its_places(run, ring):
    assert run("extract", "disk.img", "--raw", "-o", "out").exit_code == 1
    assert Path("out").read_bytes() == ring
    beside = json.loads(Path("out.json").read_text())
    one, = beside["segments"]
    # The sidecar has the order.
    assert b"".join(ring[piece["offset"]:piece["offset"] + piece["bytes"]]
                    for piece in one["pieces"]) == ring[101 * 512:] + ring[:100 * 512 + 67]
    result = run("verify", "disk.img", "--sidecar", "out.json")
    assert result.exit_code == 0 and "REC00001.dat: its sha256" in result.stdout


def test_segments_are_files(run, segments):
    result = run("extract", "disk.img", "-o", "out.bin")
    assert result.exit_code == 0, result.output
    first = segments[38 * 512:64 * 512] + segments[:35 * 512 + 492]
    second = segments[64 * 512:72 * 512]
    assert Path("out.seg1.bin").read_bytes() == first
    assert Path("out.seg2.bin").read_bytes() == second and not Path("out.bin").exists()
    beside = json.loads(Path("out.seg1.bin.json").read_text())
    assert beside["segment"] == {
        "number": 1, "bytes": len(first), "first_word": 128 * 38, "overwritten_words": 128 * 38,
        "end_word": 128 * 100 - 5, "trigger_word": 128 * 90, "trigger_offset": 512 * 52,
        "complete": True, "more_triggers": 0, "first_time": 1000, "trigger_time": 1500,
        "waited_clocks": 7, "first_wait_time": 1200, "started": "2026-11-22T12:00:00Z"}
    beside = json.loads(Path("out.seg2.bin.json").read_text())["segment"]
    assert (beside["started"], beside["complete"]) == ("2026-11-22T12:00:02Z", False)
    assert (beside["more_triggers"], beside["first_wait_time"]) == (2, None)
    told = run("verify", "disk.img", "--sidecar", "out.seg2.bin.json", "--sidecar",
               "out.seg1.bin.json")
    assert told.exit_code == 0 and "segment 2: its sha256" in told.stdout
    # One of them, under the name that is asked for.
    assert run("extract", "disk.img", "--segment", 2, "-o", "two").exit_code == 0
    assert Path("two").read_bytes() == second
    assert run("extract", "disk.img", "--segment", 1, "-o", "-").stdout_bytes == first
    told = run("recordings", "disk.img").stdout
    assert "2 segments; 1: 31,724 bytes; 2: 4,096 bytes, not complete" in told
    content = bytearray(Path("disk.img").read_bytes())
    content[content.index(second) + 3] ^= 1
    Path("disk.img").write_bytes(content)
    told = run("verify", "disk.img", "--sidecar", "out.seg2.bin.json")
    assert told.exit_code == 1 and "segment 2: is not what its sidecar describes" in told.stdout


def test_segments_as_sigmf(run, segments):
    assert run("extract", "disk.img", "-o", "a.sigmf-data", "--datatype", "ri16_le",
               "--sample-rate", "1e6").exit_code == 0
    meta = json.loads(Path("a.seg1.sigmf-meta").read_text())
    assert meta["captures"] == [{"core:sample_start": 0, "core:global_index": 256 * 38}]
    note, = meta["annotations"]
    assert (note["core:label"], note["core:sample_start"]) == ("trigger", 256 * 52)
    meta = json.loads(Path("a.seg2.sigmf-meta").read_text())
    assert meta["captures"] == [{"core:sample_start": 0, "core:global_index": 256 * 102,
                                 "core:datetime": "2026-11-22T12:00:02Z"}]
    assert run("extract", "disk.img", "-o", "b.sigmf-data", "--datatype", "ri16_le", "--raw",
               "--sample-rate", "1e6").exit_code == 0
    meta = json.loads(Path("b.sigmf-meta").read_text())
    assert [(one["core:sample_start"], one["core:global_index"]) for one in meta["captures"]] == [
        (0, 256 * 64), (256 * 38, 256 * 38), (256 * 64, 256 * 102)]


def test_each_segment_has_its_own_metadata_without_an_ending(run, segments):
    assert run("extract", "disk.img", "-o", "a", "--datatype", "ri16_le", "--sample-rate", "1e6").exit_code == 0
    assert [json.loads(Path(f"a.seg{number}.sigmf-meta").read_text())["global"]["core:dataset"] for number in (1, 2)] \
        == ["a.seg1", "a.seg2"]


@pytest.mark.parametrize("options, words", [
    (("--segment", 3, "-o", "x"), ["segment 3", "it has 1, 2"]),
    (("--segment", 0, "-o", "x"), ["--segment", "0"]),
    (("-o", "-"), ["-o -", "segments 1, 2", "--segment", "--raw"]),
    (("--segment", 1, "--raw", "-o", "x"), ["--segment 1", "--raw"]),
    (("--raw", "--lba", 1, "--sectors", 1, "-o", "x"), ["--lba 1", "--raw"])])
def test_refused(run, segments, options, words):
    if "--lba" in options:
        result = run("extract", "disk.img", *options)
    else:
        result = run("extract", "disk.img", "1", *options)
    assert result.exit_code == 2 and all(word in result.stderr for word in words), result.stderr
    assert sorted(os.listdir()) == ["disk.img"]


def test_a_file_in_the_way(run, segments):
    """Nothing is written if one of the files must not be."""
    Path("out.seg2").write_text("mine")
    result = run("extract", "disk.img", "-o", "out")
    assert result.exit_code == 2 and "out.seg2" in result.stderr
    assert sorted(os.listdir()) == ["disk.img", "out.seg2"]


def test_a_damaged_table(run, image, segments):
    """What can be said is said; the places can be copied."""
    with Drive(image) as drive:
        place = 512 * drive.slots[0].log_lba + 2000
    content = bytearray(image.read_bytes())
    content[place] ^= 1
    image.write_bytes(content)
    result = run("recordings", "disk.img")
    assert result.exit_code == 1
    assert "2 segments, whose order cannot be read" in result.stdout
    result = run("extract", "disk.img", "-o", "x")
    assert result.exit_code == 2 and "order of its sectors cannot be read; --raw" in result.stderr
    result = run("extract", "disk.img", "--raw", "-o", "x")
    assert result.exit_code == 1 and "damaged  the log of slot 1" in result.stdout
    assert Path("x").read_bytes() == segments


DAMAGE = [((20, b"\xff"), "the log of slot 1 cannot be read: has a log whose CRC-32 differs"),
          ((0, b"\xff" * 512), "the log of slot 1 cannot be read: has no log")]


@pytest.mark.parametrize("kind, damage, words", [
    ("ring", (0, bytes(4096)), None), *[(kind, *one) for kind in ("ring", "segments") for one in DAMAGE]])
def test_a_damaged_log(run, image, request, kind, damage, words):
    """Nothing tells the order then: the places are given when asked for by name, and that is said."""
    data = request.getfixturevalue(kind)
    with Drive(image) as drive:
        place = 512 * drive.slots[0].log_lba + damage[0]
    with open(image, "r+b") as file:
        file.seek(place)
        file.write(damage[1])
    outputs.mark(image)
    listed = run("recordings", "disk.img")
    assert listed.exit_code == 1 and "; nothing shows in which order" in listed.stdout
    assert words is None or f"damaged  {words}" in listed.stdout
    for output in "x", "-":
        result = run("extract", "disk.img", "-o", output)
        assert result.exit_code == 2 and result.stdout_bytes == b""
        assert "REC00001.dat: nothing shows in which order its sectors were recorded; --raw" in result.stderr
    assert not Path("x").exists()
    result = run("extract", "disk.img", "--raw", "-o", "x")
    assert result.exit_code == 1 and Path("x").read_bytes() == data
    assert "damaged  RECORDINGS/REC00001.dat: nothing shows in which order" in result.stdout
    beside = json.loads(Path("x.json").read_text())
    assert (beside["mode"], beside["order"], beside["crc32_matches"]) == (None, "places", None)
    result = run("extract", "disk.img", "--raw", "-o", "-")
    assert result.exit_code == 1 and result.stdout_bytes == data and "in which order" in result.stderr
    result = run("verify", "disk.img")
    assert result.exit_code == 1 and "in which order its sectors were recorded" in result.stdout
    with Drive(image) as drive, pytest.raises(Refused, match="in which order"):
        drive.read(drive.recordings[0])


def test_a_file_before_there_was_a_log(run, image, segments):
    """Whoever was brought up to date gets his log at the end: a file of less than the slot can be one
    whose power failed before that, in order. It can be one whose log was lost, too: that is said."""
    with Drive(image) as drive:
        place = 512 * drive.slots[0].log_lba
    with open(image, "r+b") as file:
        file.seek(place)
        file.write(bytes(4096))
    outputs.mark(image)
    told = "it has no log: the power failed before its end, or the log was lost"
    assert f"; {told}" in run("recordings", "disk.img").stdout
    assert f"note     REC00001.dat: {told}" in run("verify", "disk.img").stdout
    result = run("extract", "disk.img", "-o", "x")
    assert result.exit_code == 1 and f"damaged  REC00001.dat: {told}" in result.stdout
    assert Path("x").read_bytes() == segments


def test_a_log_without_its_directory(run, image, ring):
    """`finalise` completes it, and the order stays."""
    with Drive(image) as drive:
        slot = drive.slots[0]
    content = bytearray(image.read_bytes())
    place = 512 * slot.directory_lba
    content[place:place + 512] = free_sector(slot, 4096, TIME)
    image.write_bytes(content)
    outputs.mark(image)
    assert "was not made a file" in run("verify", "disk.img").stdout
    result = run("finalise", "disk.img", "--slot", 1, "--bytes", 512 * SECTORS)
    assert result.exit_code == 0 and "the log that it has" in result.stdout
    assert run("extract", "disk.img", "-o", "-").stdout_bytes == \
        ring[101 * 512:] + ring[:100 * 512 + 67]


def test_segments_without_a_word(run, recorded):
    recorded(SectorOrder(TRIGGERED, 64, 10, 0, 0, 1, (SegmentEntry(0, 0, 0),)), 512)
    for output in "x", "-":
        result = run("extract", "disk.img", "-o", output)
        assert result.exit_code == 2
        assert "REC00001.dat: none of its 1 segments has a word; --raw" in result.stderr
    assert not Path("x").exists()
    assert run("extract", "disk.img", "--raw", "-o", "x").exit_code == 0


def test_a_recording_that_did_not_end(run, image, segments):
    with Drive(image) as drive:
        slot, log = drive.slots[0], drive.find(1).log
    content = bytearray(image.read_bytes())
    place = 512 * slot.log_lba
    content[place:place + 512] = replace(log, ended=False).pack()[:512]
    image.write_bytes(content)
    outputs.mark(image)
    assert "did not end: this is the latest update" in run("recordings", "disk.img").stdout
    assert not json.loads(run("recordings", "disk.img", "--json").stdout)["recordings"][0]["ended"]
    assert run("extract", "disk.img", "-o", "x.bin").exit_code == 0
    assert json.loads(Path("x.seg1.bin.json").read_text())["ended"] is False
    assert run("verify", "disk.img").exit_code == 0
