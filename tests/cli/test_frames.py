"""`sata-recorder frames`: recordings in VITA 49 frames, found without anything else."""

import hashlib
import io
import json
import struct
from pathlib import Path

import pytest
from unit.bricks.frames.framed import record
from unit.pc.vita49.channel_frames import content_of, frame, packet

from sata_recorder.cli import output_file
from sata_recorder.pc.array import open_target
from sata_recorder.pc.volume import DiskReader


@pytest.fixture(scope="module")
def recordings():
    """A whole recording, one with gaps, and one of which the drive still holds more."""
    [good] = record(words=300, payload=114, stream_id=5)
    [gaps] = record(words=1200, payload=114, stream_id=6, drive=0.4, waits=False)
    return good, gaps


@pytest.fixture
def disk(tmp_path, recordings):
    """`disk.img`: 2 sectors of nothing, the good recording, the one with gaps."""
    path = tmp_path / "disk.img"
    good, gaps = recordings
    path.write_bytes(bytes(1024) + good.content + gaps.content)
    return path


def words_of(recorded):
    return struct.pack(f"<{len(recorded.kept)}I", *(word for _, word in recorded.kept))


def test_text(run, disk, recordings):
    _, gaps = recordings
    result = run("frames", disk)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == ("recording 5: 300 words in 4 frames, from word 0 on, sectors 2 to 5, "
                        "complete")
    assert lines[1].startswith(f"recording 6: {len(gaps.kept)} words in ")
    assert lines[-1] == "no frame  sectors 0 to 1: 1,024 bytes"
    lost = [line for line in lines if line.startswith("  gap ")]
    assert sum(int(line.split()[1].replace(",", "")) for line in lost) == gaps.lost


@pytest.mark.parametrize("more", [[], ["--json"], ["--newest"]])
def test_what_cannot_be_read_is_not_without_frames(run, disk, recordings, monkeypatch, more):
    """All of the second recording is on such sectors: that it is not found shows nothing."""
    def read(self, offset, size, real=DiskReader.read):
        if offset + size > 512 * 6:
            raise OSError(5, "gone bad")
        return real(self, offset, size)

    assert run("frames", disk, *more).exit_code == 0
    monkeypatch.setattr(DiskReader, "read", read)
    result = run("frames", disk, *more)
    last, told = disk.stat().st_size // 512 - 1, result.stderr if more == ["--json"] else result.stdout
    assert result.exit_code == 1 and "cannot be read: frames may be there" in told
    assert more == ["--newest"] or f"damaged  sectors 6 to {last} cannot be read" in told


def test_json_and_words(run, disk, recordings, tmp_path):
    good, gaps = recordings
    result = run("frames", disk, "--lba", 2, "-o", "words.bin", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [one["stream_id"] for one in found["recordings"]] == [5, 6]
    assert all(one["complete"] and not one["missing"] for one in found["recordings"])
    assert sum(gap["words"] for gap in found["recordings"][1]["gaps"]) == gaps.lost
    assert not found["without_frames"]
    assert (tmp_path / "words.bin").read_bytes() == words_of(good) + words_of(gaps)


def test_sigmf(run, disk, recordings):
    """A capture for each recording and after each gap; its index counts what was lost, too."""
    good, gaps = recordings
    result = run("frames", disk, "--lba", 2, "-o", "a.sigmf-data", "--datatype", "ci16_le", "--sample-rate", "61.44e6",
                 "--json")
    assert result.exit_code == 0, result.output
    lost = json.loads(result.stdout)["recordings"][1]["gaps"]
    meta = json.loads(Path("a.sigmf-meta").read_text())
    words = Path("a.sigmf-data").read_bytes()
    assert words == words_of(good) + words_of(gaps)
    assert meta["global"]["core:sha512"] == hashlib.sha512(words).hexdigest()
    assert meta["global"]["core:sample_rate"] == 61.44e6
    starts = [(one["core:sample_start"], one["core:global_index"]) for one in meta["captures"]]
    kept = [number for number, _ in gaps.kept]
    assert starts[:2] == [(0, 0), (300, kept[0])]
    ends = [gap["word"] + gap["words"] for gap in lost]
    # The recording ends with the last of them.
    assert len(ends) > 1 and starts[2:] == [(300 + kept.index(end), end) for end in ends[:-1]]
    labels = [one["core:label"] for one in meta["annotations"]]
    assert labels == ["recording 5", "recording 6", *["gap"] * len(lost)]
    clocks = [one["sata_recorder:clock"] for one in meta["captures"][1:]]
    assert clocks == sorted(set(clocks))
    pytest.importorskip("sigmf.validate").validate(meta)


@pytest.mark.parametrize("options, message", [
    (("--datatype", "ci16_le"), "--datatype and --sample-rate: one needs the other"),
    (("--sample-rate", "1e6"), "--datatype and --sample-rate: one needs the other"),
    (("--datatype", "ci16_le", "--sample-rate", "1e6"), "--datatype ci16_le: needs -o, the file of the samples"),
    (("--datatype", "ci12", "--sample-rate", "1e6", "-o", "a.sigmf-data"),
     "--datatype: 'ci12' is no SigMF datatype, such as ci16_le, rf32_le, cu8"),
    (("--datatype", "ci16_le", "--sample-rate", "0", "-o", "a.sigmf-data"),
     "--sample-rate 0: must be above 0 and at most 1e250"),
    (("--datatype", "ci16_le", "--sample-rate", "1e6", "-o", "a.sigmf-meta"),
     "--datatype a.sigmf-meta: the same file as -o")])
def test_sigmf_refused(run, disk, options, message):
    result = run("frames", disk, *options)
    assert result.exit_code == 2 and message in result.stderr
    assert not Path("a.sigmf-data").exists() and not Path("a.sigmf-meta").exists()


def test_sigmf_is_not_written_over(run, disk):
    Path("a.sigmf-meta").write_text("mine")
    result = run("frames", disk, "-o", "a.sigmf-data", "--datatype", "ci16_le", "--sample-rate", "1e6")
    assert result.exit_code == 2 and "a.sigmf-meta" in result.stderr
    assert Path("a.sigmf-meta").read_text() == "mine" and not Path("a.sigmf-data").exists()


def test_channels_are_no_samples(run, tmp_path):
    """Their words are those of all channels with the heads of packets between them."""
    content = b"".join(content_of([packet(0, 0, b"abcdefgh"), packet(2, 0, b"1234", ends=True)]))
    (tmp_path / "disk.img").write_bytes(content)
    result = run("frames", "disk.img", "-o", "a.sigmf-data", "--datatype", "ci16_le", "--sample-rate", "1e6")
    assert result.exit_code == 2 and [path.name for path in tmp_path.iterdir()] == ["disk.img"]
    assert ("--datatype ci16_le: recording 7 has channels, whose samples are between heads of packets; extract "
            "--channel N copies those of one" in result.stderr)


@pytest.mark.parametrize("parts, word", [
    ([(0, 0, bytes(8)), (1, 5, bytes(8))], 5),      # a gap of three words
    ([(0, 0, bytes(12)), (1, 4, bytes(8))], 4),     # what is before it ends within a sample
    ([(0, 3, bytes(8))], 3)])                       # the oldest frame of a ring
def test_samples_that_are_cut(run, tmp_path, parts, word):
    """Samples of 8 bytes: those after it would be shifted."""
    frames = [frame(count, first, content) for count, first, content in parts]
    (tmp_path / "disk.img").write_bytes(b"".join(frames))
    arguments = "frames", "disk.img", "-o", "a.sigmf-data", "--sample-rate", "1e6", "--datatype"
    result = run(*arguments, "cf32_le")
    assert result.exit_code == 2 and [path.name for path in tmp_path.iterdir()] == ["disk.img"]
    assert (f"--datatype cf32_le: a sample has 8 bytes, and recording 7 goes on within one at word {word}"
            in result.stderr)
    assert run(*arguments, "ci16_le").exit_code == 1 and (tmp_path / "a.sigmf-meta").exists()


def test_samples_of_a_ring(run, tmp_path):
    """The oldest one first; its number is that in the recording."""
    first = b"".join(frame(count, 2 * count, struct.pack("<2I", 2 * count, 2 * count + 1)) for count in (2, 3))
    (tmp_path / "disk.img").write_bytes(first + frame(1, 2, struct.pack("<2I", 2, 3)))
    result = run("frames", "disk.img", "--ring", "-o", "a.sigmf-data", "--sample-rate", "1e6", "--datatype", "ci16_le")
    assert result.exit_code == 1
    assert Path("a.sigmf-data").read_bytes() == struct.pack("<6I", *range(2, 8))
    assert [one["core:global_index"] for one in json.loads(Path("a.sigmf-meta").read_text())["captures"]] == [2]


def test_array(run, recordings):
    """The members of an array in any order; one alone has parts of what was recorded."""
    names = "a.img", "b.img"
    assert run("prepare", *names, "--raid", "0", "--chunk", "4KiB", "--size", "4MiB", "--recordings", 1, "--align",
               "64KiB").exit_code == 0
    good, gaps = recordings
    content = good.content + gaps.content
    with open_target(names) as target:
        target.write(9000, content.ljust(-(-len(content) // 512) * 512, b"\0"))
    result = run("frames", *names[::-1], "--lba", 9000, "-o", "words.bin", "--json")
    assert result.exit_code == 0, result.output
    assert [one["stream_id"] for one in json.loads(result.stdout)["recordings"]] == [5, 6]
    assert Path("words.bin").read_bytes() == words_of(good) + words_of(gaps)
    run("frames", names[0], "-o", "alone.bin")
    assert 0 < Path("alone.bin").stat().st_size < Path("words.bin").stat().st_size
    refused = run("frames", *names, "--lba", 100_000)
    assert refused.exit_code == 2 and "--lba 100000: array a.img b.img has 12288 sectors" in refused.stderr


def test_packets(run, tmp_path):
    """Where each is in the words, and whether it is whole."""
    [recorded] = record(words=300, payload=114, stream_id=5, ends={9, 199})
    (tmp_path / "disk.img").write_bytes(recorded.content)
    result = run("frames", tmp_path / "disk.img", "-o", "words.bin", "--packets", "packets.csv")
    assert result.exit_code == 0, result.output
    lines = (tmp_path / "packets.csv").read_text().splitlines()
    assert lines[0] == "recording,first_byte,bytes,first_word,clock,whole"
    assert [line.split(",")[:4] + line.split(",")[5:] for line in lines[1:]] == [
        ["5", "0", "40", "0", "yes"], ["5", "40", "760", "10", "yes"], ["5", "800", "400", "200", "no"]]
    assert (tmp_path / "words.bin").read_bytes() == words_of(recorded)
    result = run("frames", tmp_path / "disk.img", "-o", "a.bin", "--packets", "a.bin")
    assert result.exit_code == 2 and "--packets a.bin: the same file as -o" in result.output


def test_what_is_missing_is_told(run, disk, recordings):
    content = bytearray(disk.read_bytes())
    content[1024 + 512 + 77] ^= 1
    disk.write_bytes(content)
    result = run("frames", disk, "--sectors", 6)
    assert result.exit_code == 1
    assert "  missing 114 words from word 114 on" in result.output
    assert "no frame  sectors 3 to 3: 512 bytes" in result.output
    result = run("frames", disk, "--lba", 4, "--sectors", 1)
    assert result.exit_code == 1 and "without its end" in result.output


def test_a_beginning_that_is_missing_is_told(run, disk):
    """As what is missing anywhere else; the oldest words of a ring are gone because it went on."""
    content = bytearray(disk.read_bytes())
    content[1024 + 77] ^= 1
    disk.write_bytes(content)
    result = run("frames", disk, "--sectors", 6)
    assert result.exit_code == 1
    assert result.output.splitlines()[:2] == [
        "recording 5: 186 words in 3 frames, from word 114 on, sectors 3 to 5, complete",
        "  missing 114 words from word 0 on"]
    assert json.loads(run("frames", disk, "--sectors", 6, "--json").stdout)["recordings"][0]["missing"] == [
        {"word": 0, "words": 114}]
    assert run("frames", disk, "--lba", 2, "--sectors", 4, "--ring").exit_code == 0


def test_the_newest(run, disk, recordings):
    result = run("frames", disk, "--lba", 2, "--sectors", 4, "--newest", "--json")
    assert result.exit_code == 0
    newest = json.loads(result.stdout)
    assert (newest["stream_id"], newest["first_word"], newest["last"]) == (5, 300, True)
    text = run("frames", disk, "--lba", 2, "--sectors", 4, "--newest").output
    assert text == "newest   recording 5: 0 words from word 300 on, at sector 5\n"
    assert run("frames", disk, "--sectors", 2, "--newest").output == "no frame\n"


def test_a_ring(run, disk, recordings, tmp_path):
    """The good recording is in a ring of its own length, which begins in the middle of it."""
    content = recordings[0].content
    disk.write_bytes(bytes(512) + content[1024:] + content[:1024])
    result = run("frames", disk, "--lba", 1, "--ring", "-o", "words.bin")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[0] == (
        "recording 5: 300 words in 4 frames, from word 0 on, sectors 3 to 2, complete")
    assert (tmp_path / "words.bin").read_bytes() == words_of(recordings[0])
    found = json.loads(run("frames", disk, "--lba", 1, "--ring", "--json").stdout)
    assert [(one["place"], one["end"]) for one in found["recordings"]] == [(3 * 512, 3 * 512)]


def test_packets_in_a_ring(run, tmp_path):
    """A packet goes on across the end of the ring."""
    [recorded] = record(words=300, payload=114, stream_id=5, ends={9, 299})
    content = recorded.content
    (tmp_path / "disk.img").write_bytes(content[1024:] + content[:1024])
    result = run("frames", tmp_path / "disk.img", "--ring", "-o", "words.bin", "--packets", "packets.csv")
    assert result.exit_code == 0, result.output
    lines = (tmp_path / "packets.csv").read_text().splitlines()
    assert [line.split(",")[1:4] + line.split(",")[5:] for line in lines[1:]] == [
        ["0", "40", "0", "yes"], ["40", "1160", "10", "yes"]]


@pytest.mark.parametrize("arguments, words", [
    (("missing.img",), "missing.img: cannot be read: No such file"),
    (("disk.img", "--lba", 10**6), "--lba 1000000: disk.img has"),
    (("disk.img", "--sectors", 10**6), "--sectors 1000000: from --lba 0 on, disk.img has"),
    (("disk.img", "--newest", "-o", "x"), "-o x: not together with --newest"),
    (("disk.img", "-o", "disk.img"), "-o disk.img: "),
    (("disk.img", "-o", "a", "--capture", "a"), "--capture a: the same file as -o"),
])
def test_refusals(run, disk, arguments, words):
    before = disk.read_bytes()
    result = run("frames", *arguments)
    assert result.exit_code == 2 and words in result.output
    assert disk.read_bytes() == before
    assert sorted(path.name for path in disk.parent.iterdir()) == ["disk.img"]


@pytest.mark.parametrize("option", ["-o", "--capture"])
def test_a_disk_that_fills_up(run, disk, option, monkeypatch):
    """The file that cannot be written is named, not the source; nothing is left of it."""
    class Full(io.FileIO):
        def write(self, content):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(output_file, "open", lambda path, mode: Full(path, mode), raising=False)
    result = run("frames", disk, option, "out.bin")
    assert result.exit_code and f"{option} out.bin: " in result.output
    assert "No space left on device" in result.output
    assert sorted(path.name for path in disk.parent.iterdir()) == ["disk.img"]
