"""`extract --channel`: a channel of a recording in frames."""

import json

import pytest
from unit.pc.vita49.channel_frames import content_of, packet

from sata_recorder.pc.array import open_target
from sata_recorder.pc.volume import DiskReader

PACKETS = [packet(0, 0, b"abcdefgh"), packet(2, 0, b"1234"), packet(0, 5, b"ijkl", lost=True),
           packet(0, 6, b"mn", ends=True), packet(2, 1, b"", ends=True)]


@pytest.fixture
def frames(tmp_path):
    """`frames.vrl`: some packets; the number of its sectors."""
    content = content_of(PACKETS)
    (tmp_path / "frames.vrl").write_bytes(b"".join(content))
    return len(content)


def test_a_channel(run, frames, tmp_path):
    result = run("extract", "frames.vrl", "--lba", 0, "--sectors", frames, "--channel", 2, "-o", "two.bin")
    assert result.exit_code == 0 and (tmp_path / "two.bin").read_bytes() == b"1234"
    assert "wrote    two.bin: 4 bytes of channel 2 (channels 0, 2), CRC-32" in result.output
    told = json.loads((tmp_path / "two.bin.json").read_text())
    assert (told["channel"], told["bytes"], told["complete"], told["lost"], told["missing"]) == (2, 4, True, [], [])
    result = run("extract", "frames.vrl", "--lba", 0, "--sectors", frames, "--channel", 2, "-o", "-")
    assert result.stdout_bytes == b"1234" and result.exit_code == 0


def test_what_a_channel_has_lost(run, frames, tmp_path):
    result = run("extract", "frames.vrl", "--lba", 0, "--sectors", frames, "--channel", 0, "-o", "a")
    assert result.exit_code == 1 and (tmp_path / "a").read_bytes() == b"abcdefghijklmn"
    assert "lost     3 words, 12 bytes, before byte 8: there was no room\n" in result.output
    result = run("extract", "frames.vrl", "--lba", 1, "--sectors", frames - 4, "--channel", 0, "-o", "b")
    assert result.exit_code == 1 and (tmp_path / "b").read_bytes() == b"ijkl"
    assert "missing  5 words, 20 bytes, before byte 0: " in result.output
    assert "damaged  the channel has no end" in result.output


@pytest.mark.parametrize("arguments, text", [
    (["--channel", 1], "--channel 1: frames.vrl has channels 0, 2"), (["--channel", 16], "0<=x<=15"),
    (["--channel", 0, "--raw"], "--channel 0: not together with --raw"),
    (["--channel", 0, "--lines", "b"], "--channel 0: not together with --lines"),
    (["--channel", 0, "--datatype", "ci8", "--sample-rate", 5], "--channel 0: not together with --datatype")])
def test_refused(run, frames, tmp_path, arguments, text):
    result = run("extract", "frames.vrl", "--lba", 0, "--sectors", frames, "-o", "a", *arguments)
    assert result.exit_code == 2 and text in result.output, result.output
    assert [path.name for path in tmp_path.iterdir()] == ["frames.vrl"]


def test_frames_that_are_none(run, tmp_path):
    (tmp_path / "zeros").write_bytes(bytes(1024))
    result = run("extract", "zeros", "--lba", 0, "--sectors", 2, "--channel", 0, "-o", "a")
    assert result.exit_code == 2 and "--channel 0: zeros has no frame" in result.output


def test_the_mirror_that_fails_is_named(run, tmp_path, monkeypatch):
    """The channel is whole, as the other one has it; it is not all well."""
    names, real = ("a.img", "b.img"), DiskReader.read_into
    assert run("prepare", *names, "--raid", 1, "--size", "4MiB", "--recordings", 3, "--align", "64KiB").exit_code == 0
    lba = json.loads(run("recordings", *names, "--json").stdout)["slots"][0]["lba"]
    content = b"".join(content_of(PACKETS))
    with open_target(names) as target:
        target.write(lba, content)
    assert run("finalise", *names, "--slot", 1, "--bytes", len(content)).exit_code == 0

    def read_into(self, offset, *views):
        if str(self.path) == "a.img" and offset <= 512 * lba < offset + sum(map(len, views)):
            raise OSError(5, "Input/output error")
        real(self, offset, *views)

    monkeypatch.setattr(DiskReader, "read_into", read_into)
    result = run("extract", *names, "--lba", lba, "--sectors", len(content) // 512, "--channel", 2, "-o", "two.bin")
    assert (tmp_path / "two.bin").read_bytes() == b"1234" and result.exit_code == 1
    assert "damaged  a.img: Input/output error: a part of it could not be read" in result.stdout.splitlines()
    result = run("extract", *names, "--channel", 2, "-o", "again.bin")
    assert (tmp_path / "again.bin").read_bytes() == b"1234" and result.exit_code == 1
    assert "damaged  a.img: Input/output error: a part of it could not be read" in result.stdout.splitlines()


def test_a_frame_that_no_channel_has(run, tmp_path):
    """It may have been one of this channel: not all is well."""
    content = content_of([PACKETS[1], b"no head!", PACKETS[4]])
    (tmp_path / "frames.vrl").write_bytes(b"".join(content))
    result = run("extract", "frames.vrl", "--lba", 0, "--sectors", len(content), "--channel", 2, "-o", "two.bin")
    assert (tmp_path / "two.bin").read_bytes() == b"1234" and result.exit_code == 1
    assert "damaged  1 frame has no packet of a channel" in result.output
    assert json.loads((tmp_path / "two.bin.json").read_text())["others"] == 1
