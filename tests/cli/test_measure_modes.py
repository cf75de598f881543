"""`sata-recorder measure --mode`: recordings in their modes, compared with the image."""

import json
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.wide

ANY = "--max-command", 64


@pytest.mark.sample(3)
@pytest.mark.parametrize("options, words, sectors, segments", [
    (("fixed", "--sectors", 200, "--words", 12_345), {12_345}, (0, 97), 1),
    (("fixed", "--sectors", 64), {64 * 128}, (0, 64), 1),
    (("until-stop", "--sectors", 64), {64 * 128}, (0, 64), 1),
    (("until-stop", "--sectors", 200, "--stop-after", 7000), {7000, 7001}, (0, 55), 1),
    (("ring", "--sectors", 64, "--stop-after", 50_000, "--flush"), {50_000, 50_001}, (327, 64), 1),
    (("trigger", "--sectors", 900, "--segments", 3, "--words", 3000, "--trigger", 9000, "--trigger",
      100_000, "--trigger", 101_000), None, None, 3),
    (("trigger", "--sectors", 900, "--segments", 2, "--words", 3000, "--trigger", 9000, "--trigger",
      9100, "--extend", "--stop-after", 40_000), {40_000, 40_001}, None, 2),
    (("ring", "--sectors", 64, "--stop-after", 50_000, "--input-rate", "100MB/s", "--fifo-words",
      4096), {50_000, 50_001}, (327, 64), 1),
])
def test_modes(measured, options, words, sectors, segments):
    told = measured("--mode", *options, "--lba", 1000, *ANY)
    assert told["good"] and told["problems"] == [] and told["configuration"]["extents"] == "modes"
    recording = told["recording"]
    assert words is None or recording["words"] in words
    assert sectors is None or (recording["first_sector"], recording["sectors"]) == sectors
    assert len(recording["segments"]) == segments
    assert [transfer["operation"] for transfer in told["transfers"]] == ["record"]
    # All that is there was compared, but for the zeros after the last word.
    if sectors is not None:
        assert recording["checked_words"] == recording["words"] - 128 * sectors[0]
    stopped = "--stop-after" in options
    assert (recording["stop_clocks"] is not None) == stopped


@pytest.mark.parametrize("options, words", [
    (("fixed", "--words", 12_345), {12_345}), (("fixed",), {25_600}), (("until-stop",), {25_600}),
    (("until-stop", "--stop-after", 7000), {7000, 7001}), (("ring", "--stop-after", 50_000), {50_000, 50_001}),
    (("trigger", "--words", 100, "--trigger", 4000), {4100, 4101})])
def test_what_a_sensor_says_behind_the_end_is_not_lost(measured, options, words):
    """With a FIFO of one word; it was heard on until the drive was done."""
    told = measured("--mode", *options, "--sectors", 200, "--input-rate", "100MB/s", *ANY)
    sensor = told["transfers"][0]["sensor"]
    assert told["verdict"] == "good" and (sensor["lost"], sensor["gaps"], sensor["gap_count"]) == (0, [], 0)
    assert sensor["arrived"] == told["recording"]["words"] and sensor["arrived"] in words


def test_what_a_sensor_loses_ahead_of_the_end(measured, run):
    """By a drive that is too slow; the last gap is one ahead of a word that was recorded."""
    result = run("measure", "--mode", "trigger", "--words", 3000, "--trigger", 20_000, "--sectors", 300, "--input-rate",
                 "290MB/s", "--drive", "870-qvo", *ANY, "--json", "out.json")
    told = json.loads(Path("out.json").read_text())
    sensor = told["transfers"][0]["sensor"]
    assert result.exit_code == 1 and told["verdict"] == "lost" and sensor["lost"] == sum(
        lost for _, lost in sensor["gaps"])
    assert sensor["arrived"] - sensor["lost"] == told["recording"]["words"]
    first, lost = sensor["gaps"][-1]
    assert first + lost < sensor["arrived"]


def test_segments(measured):
    """What is told of each: its trigger, the words after it, the LBA of its part."""
    told = measured("--mode", "trigger", "--sectors", 900, "--segments", 3, "--words", 3000,
                    "--trigger", 9000, "--trigger", 100_000, "--trigger", 101_000, "--lba", 50, *ANY)
    first, second, third = told["recording"]["segments"]
    assert [one["lba"] for one in (first, second, third)] == [50, 350, 650]
    assert [one["trigger"] for one in (first, second, third)] == [9000, 100_000, 101_000]
    assert (first["first"], first["end"], second["end"]) == (0, 12_000, 103_000)
    assert third["end"] - third["first"] >= 3000 and third["first"] >= second["end"]
    assert all(one["flags"] & 3 == 3 for one in (first, second, third))


def test_text(run):
    result = run("measure", "--mode", "ring", "--sectors", 64, "--stop-after", 20_000, *ANY)
    assert result.exit_code == 0, result.output
    found = re.search(r"^mode +ring: (20,00[01]) words accepted; on the drive are sectors 93 to 156 "
                      r"of the recording$", result.stdout, re.MULTILINE)
    assert found
    assert re.search(r"^stop +done [\d,]+ clocks later$", result.stdout, re.MULTILINE)
    assert "good   the image holds the data" in result.stdout


def test_trim_ahead(measured, run):
    """All that is said to be there was compared, and each TRIM took its time."""
    ring = "--mode", "ring", "--sectors", 256, "--stop-after", 100_000, "--trim-ahead", 32, *ANY
    plain, told = measured(*ring), measured(*ring, "--trim-us", 20)
    for one in plain, told:
        recording, trim = one["recording"], one["recording"]["trim"]
        assert one["good"] and one["configuration"]["trim_ahead"] and trim["state"] == "ON"
        # After a stop there is no TRIM: the last commands may go beyond the latest one.
        assert recording["first_sector"] == max(trim["sectors"], -(-recording["words"] // 128)) - 256
        assert recording["checked_words"] == recording["words"] - 128 * recording["first_sector"]
    trims = told["recording"]["trim"]["clocks"] - plain["recording"]["trim"]["clocks"]
    assert trims > 1500 * (told["recording"]["trim"]["sectors"] // 64)
    assert "trim    ON: TRIM of " in run("measure", *ring).stdout


def test_looks(run):
    """Each look is compared, and what it costs is beside what the same recording costs without."""
    ring = (*ANY, "--mode", "ring", "--sectors", 256, "--stop-after", 60_000, "--input-rate", "100MB/s",
            "--fifo-words", 4096)
    result = run("measure", *ring, "--look", 8, "--look-every", 5000, "--look-at", "random", "--seed", 3,
                 "--json", "out.json", "--report", "looks.html")
    told = json.loads(Path("out.json").read_text())
    looks = told["recording"]["looks"]
    assert result.exit_code == 0 and told["good"] and told["configuration"]["look_sectors"] == 8
    assert looks["ready"] == looks["asked"] - looks["unfinished"] >= 8 and looks["gone"] == looks["failed"] == 0
    assert looks["checked_words"] == 1024 * looks["ready"] and looks["room"] == 2048
    assert 1024 < looks["mean_clocks"] < 2000
    # With the room that it asks for, no word waits longer for it.
    assert looks["with"]["lost"] == looks["without"]["lost"] == 0
    assert looks["with"]["held_cycles"] == looks["without"]["held_cycles"]
    assert looks["with"]["least_room"] < looks["without"]["least_room"]
    assert re.search(r"^looks +\d+ of 8 sectors each, random, with room for 2,048 words", result.stdout, re.MULTILINE)
    assert "with / without them: room for " in result.stdout


@pytest.mark.quick
@pytest.mark.parametrize("options, message", [
    (("--look", 8), "--look 8: needs --mode"), (("--look-every", 5), "--look-every 5: needs --look"),
    (("--mode", "ring", "--look-room", 5), "--look-room 5: needs --look"),
    (("--mode", "ring", "--look-at", "random"), "--look-at random: needs --look"),
    (("--mode", "ring", "--stop-after", 9, "--look", 0), "--look 0: must be 1 to 64, the sectors of a readback"),
    (("--mode", "ring", "--stop-after", 9, "--look", 65), "--look 65: must be 1 to 64, the sectors of a readback"),
    (("--mode", "ring", "--stop-after", 9, "--look", 9, "--sectors", 64, "--look-room", 4097),
     "--look-room 4097: must be 0 to 4096, the words of the buffer"),
    (("--mode", "ring", "--stop-after", 9, "--look", 9, "--look-every", 0), "--look-every 0: must be 1 to"),
    (("--mode", "ring", "--stop-after", 9, "--look", 5, "--logical-sector", 4096),
     "--look 5: must be a multiple of 8 with --logical-sector 4096"),
    (("--mode", "ring", "--stop-after", 9, "--look", 9, "--engine", "icarus"),
     "--mode ring: the engine icarus has no pins for it"),
    (("--mode", "ring", "--stop-after", 9, "--sectors", 256, "--trim-ahead", 65),
     "--trim-ahead 65: must be 0 to 64, a quarter of the ring in whole logical sectors and no more than "
     "1048575, with --mode ring"),
    (("--mode", "ring", "--stop-after", 9, "--sectors", 1024, "--trim-ahead", 5, "--logical-sector", 4096),
     "--trim-ahead 5: must be a multiple of 8 with --logical-sector 4096"),
    (("--mode", "ring", "--stop-after", 9, "--sectors", 280, "--trim-ahead", 70, "--logical-sector", 4096),
     "--trim-ahead 70: must be 0 to 64, a quarter of the ring in whole logical sectors and no more than"),
    (("--mode", "fixed", "--trim-ahead", 6), "--trim-ahead 6: needs --mode ring"),
    (("--trim-ahead", 6), "--trim-ahead 6: needs --mode"), (("--trim-us", 6), "--trim-us 6.0: needs --mode"),
    (("--mode", "ring", "--stop-after", 9, "--trim-us", 6), "--trim-us 6: needs --trim-ahead"),
    (("--mode", "ring", "--stop-after", 9, "--trim-ahead", 6, "--trim-us", -1),
     "--trim-us -1: must be 0 to 100000"),
    (("--mode", "ring", "--stop-after", 9, "--trim-ahead", 6, "--trim-us", 1e6),
     "--trim-us 1e+06: must be 0 to 100000"),
    (("--mode", "ring"), "--mode ring: needs --stop-after: a ring has no end"),
    (("--mode", "ring", "--sectors", 4, "--stop-after", 5),
     "--sectors 4: must be at least 32, what the buffer holds, with --mode ring"),
    (("--mode", "fixed", "--sectors", 256, "--words", 70_000),
     "--words 70000: must be 1 to 32768, what the sectors hold"),
    (("--mode", "trigger", "--words", 50),
     "--segments 1: there are 0 triggers: give more, or --stop-after"),
    (("--mode", "trigger", "--trigger", 5),
     "--mode trigger: needs --words, at least 1: the words after a trigger"),
    (("--mode", "trigger", "--words", 50, "--segments", 17, "--stop-after", 9),
     "--segments 17: must be 1 to 16, the entries of the table"),
    (("--mode", "trigger", "--sectors", 100, "--words", 50, "--trigger", 9),
     "--sectors 100: each of the 1 parts must have at least 193: those of the words after a "
     "trigger, and 6 times the 32 that the buffer holds"),
    (("--mode", "ring", "--trigger", 4, "--stop-after", 5), "--trigger: needs --mode trigger"),
    (("--mode", "ring", "--stop-after", 5, "--find-rate"),
     "--find-rate: not together with --mode ring"),
    (("--mode", "ring", "--stop-after", 5, "--operation", "play"),
     "--operation play: not together with --mode ring"),
    (("--mode", "ring", "--stop-after", 5, "--controller", "picorv32"),
     "--controller picorv32: not together with --mode ring"),
    (("--mode", "ring", "--stop-after", 5, "--drive", "qemu"),
     "--drive qemu: not together with --mode ring"),
    (("--mode", "ring", "--stop-after", 9, "--engine", "icarus"),
     "--mode ring: the engine icarus has no pins for it"),
    (("--mode", "until-stop", "--stop-after", 0), "--stop-after 0: must be at least 1"),
    (("--mode", "until-stop", "--words", 6),
     "--words 6: needs --mode fixed or --mode trigger"),
    (("--mode", "fixed", "--extend"), "--extend: needs --mode trigger"),
    (("--words", 5), "--words 5: needs --mode"),
    (("--trigger", 5), "--trigger 5: needs --mode"),
    (("--extend",), "--extend: needs --mode"),
])
def test_refused(run, options, message):
    result = run("measure", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())


@pytest.mark.quick
def test_a_file_is_no_ring(run, tmp_path):
    (tmp_path / "numbers").write_bytes(bytes(5120))
    result = run("measure", "--mode", "ring", "--stop-after", 5, "--sectors", 64, "--input",
                 tmp_path / "numbers")
    assert result.exit_code == 2
    assert "not together with --mode ring" in " ".join(result.stderr.split())
