"""`extract --lines`: where the lines of a recording are, by the lengths in its log."""

import json

import pytest

from sata_recorder.pc.volume import LineLengths, SectorOrder, SegmentEntry

RING, TRIGGERED = 2, 3


@pytest.fixture
def recorded(recorded_with_log):
    """``recorded(lines, size, order)``: slot 1 of `disk.img` has such a file; its bytes."""
    def recorded(lines, size, order=None):
        return recorded_with_log(size, lines=lines, order=order)
    return recorded


def table(path):
    """Line, first byte, bytes, whole of each row."""
    head, *rows = path.read_text().splitlines()
    assert head == "line,first_byte,bytes,whole"
    return [(*map(int, row.split(",")[:3]), row.endswith(",yes")) for row in rows]


def test_lines_of_a_file(run, recorded, tmp_path):
    data = recorded(LineLengths(12, ((100, 10), (49, 2))), 1110)
    result = run("extract", "disk.img", "-o", "copy.bin", "--lines", "lines.csv")
    assert result.exit_code == 0
    assert "lines    lines.csv: 13 here; the recording has 12 lines of 2 lengths\n" in result.output
    rows = table(tmp_path / "lines.csv")
    assert rows == [(n, 100 * n, 100, True) for n in range(10)] + [(10, 1000, 49, True), (11, 1052, 49, True),
                                                                  (12, 1104, 6, False)]
    assert (tmp_path / "copy.bin").read_bytes() == data
    assert json.loads((tmp_path / "copy.bin.json").read_text())["lines"] == {
        "count": 12, "known": 12, "runs": [{"bytes": 100, "lines": 10}, {"bytes": 49, "lines": 2}]}
    assert "; 12 lines of 2 lengths" in run("recordings", "disk.img").output
    assert json.loads(run("recordings", "disk.img", "--json").output)["recordings"][0]["lines"]["count"] == 12
    # Standard output has the data only.
    result = run("extract", "disk.img", "-o", "-", "--lines", "again.csv")
    assert result.stdout_bytes == data and table(tmp_path / "again.csv") == rows


def test_lines_that_an_error_has_cut_off(run, recorded, tmp_path):
    """They were counted when the core took them, and have not reached the drive."""
    recorded(LineLengths(30, ((100, 30),)), 2050)
    result = run("extract", "disk.img", "-o", "copy.bin", "--lines", "lines.csv")
    assert result.exit_code == 1 and table(tmp_path / "lines.csv")[-1] == (20, 2000, 50, False)
    assert "the recording has 30 lines of 100 bytes; its file has 20 of them\n" in result.output
    assert "30 lines of 100 bytes; its file has 20 of them" in run("recordings", "disk.img").output


def test_more_lines_than_the_log_has_lengths_of(run, recorded, tmp_path):
    recorded(LineLengths(500, ((100, 10), (52, 2))), 20_000)
    result = run("extract", "disk.img", "-o", "copy.bin", "--lines", "lines.csv")
    assert result.exit_code == 1 and len(table(tmp_path / "lines.csv")) == 12
    assert "the recording has 500 lines, of which the first 12 have a length in the log\n" in result.output
    assert "from byte 1,104 of the copy on their lengths are not known" in result.output
    assert "first 12 have a length" in run("recordings", "disk.img").output


def test_lines_of_a_ring(run, recorded, tmp_path):
    """Those that are still there; the oldest one only in part."""
    words = 128 * 600
    recorded(LineLengths(600, ((1000, 307),)), 512 * 512,
             SectorOrder(RING, 512, words, 600, 88, 1, (SegmentEntry(0, 0, words, 0),)))
    result = run("extract", "disk.img", "-o", "copy.bin", "--lines", "lines.csv")
    rows = table(tmp_path / "lines.csv")
    assert rows[:2] == [(45, 0, 46_000 - 512 * 88, False), (46, 46_000 - 512 * 88, 1000, True)]
    assert rows[-1][0] == 306
    # The log knows 307 lines of the 600: the rest of the copy has others.
    assert result.exit_code == 1 and f"from byte {307_000 - 512 * 88:,} of the copy" in result.output


def test_lines_of_segments(run, recorded, tmp_path):
    entries = (SegmentEntry(0, 128 * 3, 128 * 10, flags=3), SegmentEntry(128 * 12, 128 * 13, 128 * 20, flags=3))
    recorded(LineLengths(10, ((1024, 10),)), 512 * 72,
             SectorOrder(TRIGGERED, 64, 128 * 20, 20, 12, 2, entries))
    result = run("extract", "disk.img", "-o", "copy.bin", "--lines", "lines.csv")
    assert result.exit_code == 0
    assert table(tmp_path / "lines.seg1.csv") == [(n, 1024 * n, 1024, True) for n in range(5)]
    assert table(tmp_path / "lines.seg2.csv") == [(n + 6, 1024 * n, 1024, True) for n in range(4)]
    assert run("extract", "disk.img", "--segment", 2, "-o", "two.bin", "--lines", "two.csv").exit_code == 0
    assert len(table(tmp_path / "two.csv")) == 4


@pytest.mark.parametrize("arguments, text", [
    (["-o", "a", "--lines", "a"], "--lines a: the same file as -o"),
    (["-o", "a", "--lines", "a.json"], "--lines a.json: the same file as the sidecar"),
    (["-o", "a", "--lines", "-"], "--lines -: must be a file"),
    (["-o", "a", "--lines", "disk.img"], "--lines disk.img: the same file as disk.img, which is"),
    (["-o", "a", "--lines", "c", "--raw"], "--lines c: not together with --raw"),
    (["--lba", 0, "--sectors", 1, "-o", "a", "--lines", "c"], "--lba 0: not together with --lines"),
    (["-o", "a", "--lines", "no/c"], "--lines no/c: "), (["-o", "a", "--lines", "there.txt"], "--lines there.txt: ")])
def test_refused(run, recorded, tmp_path, arguments, text):
    (tmp_path / "there.txt").write_text("mine")
    recorded(LineLengths(1, ((4, 1),)), 100)
    result = run("extract", "disk.img", *arguments)
    assert result.exit_code == 2 and text in result.output, result.output
    assert not {"a", "a.json", "c"} & {path.name for path in tmp_path.iterdir()}


def test_a_recording_without_lines(run, recorded):
    recorded(None, 100)
    result = run("extract", "disk.img", "-o", "a", "--lines", "c")
    assert result.exit_code == 2
    assert "--lines: nothing shows the lines of REC00001.dat: its core had no file_lines" in result.output
