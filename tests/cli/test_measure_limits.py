"""What a recording does not say: answers are told with the bytes for which they hold."""

import json
import re

import pytest

from sata_recorder.simulation import profile_source

RECORD = ("--operation", "record")
SMALL = (*RECORD, "--sectors", "1MiB", "--fifo-words", 4096)


def told(run, *arguments):
    """(text, JSON) of a measurement."""
    result = run("measure", *arguments, "--json", "out.json")
    with open("out.json") as file:
        return " ".join(result.stdout.split()), json.load(file)


@pytest.mark.sample(6)
@pytest.mark.parametrize("drive, rate, words", [
    ("870-qvo", ["--find-rate"], ["fits into the drive's cache of 40,540,829,115 bytes",
                                  "the 80.00 MB/s that the drive"]),
    ("870-qvo", ["--input-rate", "150MB/s"], ["150 MB/s is above the 80.00 MB/s that the drive",
                                              "fits into the drive's cache of 40,540,829,115 bytes"]),
    ("vertex-plus", ["--input-rate", "100MB/s"], ["ends before the drive's first stall of 300 ms"]),
    ("pm1725b", ["--input-rate", "100MB/s"], ["ends before the drive's first dip to 130 MB/s"]),
    ("st8000as0002", ["--input-rate", "40MB/s"], ["fits into the drive's RAM of 64,000,000 bytes",
                                                  "cache of 20,"]),
])
def test_the_verdict_says_what_the_run_cannot(run, drive, rate, words):
    text, data = told(run, *SMALL, "--drive", drive, *rate)
    verdict = text[text.index("limited for these 1,048,576 bytes only"):]
    for part in words:
        assert part in verdict
        assert part in " ".join(data["caveats"])
    assert data["verdict"] == "limited" and data["holds_for_bytes"] == 1 << 20
    assert data["good"]


def test_a_rate_above_the_link_is_no_answer(run):
    text, data = told(run, *RECORD, "--sectors", 128, "--find-rate", "--fifo-words", 16384)
    assert data["search"]["rate"] == 300e6
    assert "300 MB/s is above the link's ceiling of 297.08 MB/s" in text
    assert "fits into FIFO and buffer" in text
    assert data["verdict"] == "limited"


SLOW = """
model = "SLOW"
description = "200 MB/s, and half a millisecond a command"
capacity_sectors = 1_000_000
generation = 2
source = "a test"
[write]
mb_per_s = 200
command_us = 300
completion_us = 200
"""


@pytest.mark.wide
@pytest.mark.parametrize("drive, arguments, words", [
    ("x25-e", "--sectors 1MiB --fifo-words 65536 --input-rate 213.4MB/s",
     "213.4 MB/s is above the 201.86 MB/s that the drive x25-e sustains: by arithmetic the first word is "
     "lost after"),
    ("slow.toml", "--sectors 256KiB --max-command 256 --fifo-words 60000 --input-rate 180MB/s",
     "180 MB/s is above the 132.06 MB/s that the drive slow sustains"),
    ("slow.toml", "--sectors 512KiB --max-command 256", "MB/s that the drive slow sustains"),
])
def test_a_rate_that_the_gaps_between_commands_do_not_permit(run, tmp_path, drive, arguments, words):
    """What a command costs counts, and not the medium's bare rate alone."""
    (tmp_path / "slow.toml").write_text(SLOW)
    text, data = told(run, *RECORD, "--drive", drive, *arguments.split())
    if "--input-rate" in arguments:
        assert data["verdict"] == "limited" and words in text
        assert any(words in caveat for caveat in data["caveats"])
    else:
        assert data["verdict"] == "good"
        assert data["transfers"][0]["steady_bytes_per_second"] == pytest.approx(
            data["sustained_bytes_per_second"], rel=2e-3)


@pytest.mark.wide
def test_the_rate_that_a_search_finds_is_held_against_what_lasts(run):
    text, data = told(run, *RECORD, "--drive", "x25-e", "--sectors", "512KiB", "--find-rate", "--fifo-words",
                      32768)
    assert data["search"]["rate"] > 203e6 and data["verdict"] == "limited"
    assert "MB/s is above the 201.86 MB/s that the drive x25-e sustains" in text


@pytest.mark.wide
def test_a_pause_of_the_host_counts(run):
    text, data = told(run, *RECORD, "--sectors", "256KiB", "--max-command", 128, "--turnaround-us", 400,
                      "--fifo-words", 50000, "--input-rate", "150MB/s")
    assert data["verdict"] == "limited"
    assert "MB/s that the link and the host sustain" in text


@pytest.mark.wide
def test_a_drive_that_holds_does_not_catch_up(run):
    """No profile and no arithmetic has it; that words still waited in the end tells."""
    text, data = told(run, *RECORD, "--sectors", "1MiB", "--hold", "drive:64/64", "--fifo-words", 130000,
                      "--input-rate", "200MB/s")
    assert data["verdict"] == "limited" and "it had not caught up with them" in text
    _, data = told(run, *RECORD, "--sectors", "1MiB", "--hold", "drive:64/64", "--fifo-words", 4096,
                   "--input-rate", "100MB/s")
    assert (data["verdict"], data["caveats"]) == ("good", [])


def test_a_fifo_too_small_for_a_later_place_of_the_drive(run, tmp_path):
    """The rate lasts in the mean, but the FIFO does not hold what comes in a dip."""
    (tmp_path / "dips.toml").write_text(SLOW.replace("command_us = 300\ncompletion_us = 200", """
[[write.dips]]
every_bytes = 100_000_000
bytes = 10_000_000
mb_per_s = 100
"""))
    text, data = told(run, *RECORD, "--drive", "dips.toml", "--sectors", "1MiB", "--fifo-words", 4096,
                      "--input-rate", "150MB/s")
    assert "by arithmetic a longer recording loses its first word after 0.6" in text
    assert data["verdict"] == "limited"


def test_a_drive_that_is_the_same_for_ever_is_good(run, tmp_path):
    (tmp_path / "even.toml").write_text(profile_source("x25-e").replace("[write]", "[write]\nstalls = []"))
    text, data = told(run, *RECORD, "--drive", "even.toml", "--sectors", "1MiB", "--input-rate", "50MB/s",
                      "--fifo-words", 4096)
    assert (data["verdict"], data["caveats"]) == ("good", [])
    assert "no word of 262,144 was lost in these 1,048,576 bytes" in text
    assert "good" in text


def test_stalls_that_nobody_has_published_keep_a_stream_from_being_good(run):
    arguments = *RECORD, "--drive", "x25-e", "--sectors", "1MiB"
    _, data = told(run, *arguments, "--input-rate", "50MB/s", "--fifo-words", 4096)
    assert (data["verdict"], data["caveats"]) == ("limited", [
        "no stall of the x25-e is published: one of 100 ms would need a FIFO of 1,250,000 words, of 500 ms 6,250,000, "
        "of 1 s 12,500,000"])
    assert told(run, *arguments)[1]["verdict"] == "good"    # a stream that waits needs no FIFO


def test_a_rate_that_is_assumed_is_told_as_such(run):
    arguments = *RECORD, "--drive", "mx500 1tb", "--sectors", "1MiB"
    refused = run("measure", *arguments)
    assert refused.exit_code == 2 and "its rate of writing is unknown" in refused.stderr
    assert refused.stderr.strip().endswith(", or give --assume-rate")
    text, data = told(run, *arguments, "--assume-rate", "200MB/s")
    assert data["verdict"] == "limited"
    assert "its rate of 200 MB/s is assumed by you: nobody has published that of a mx500-1tb" in data["caveats"]
    assert "assumed by you" in text


def test_what_comes_after_the_bytes_that_were_measured_is_unknown(run, tmp_path):
    for size in 65_536, 16_000_000_000:     # fewer than are recorded, and more
        (tmp_path / "part.toml").write_text(
            profile_source("x25-e").replace("[write]", f"[write]\nmeasured_bytes = {size}"))
        _, data = told(run, *RECORD, "--drive", "part.toml", "--sectors", "1MiB", "--overwrite")
        assert data["caveats"] == [
            f"the rates of a part were measured over {size:,} bytes: what it does after them is unknown"]
        assert data["verdict"] == "limited" and data["sustained_bytes_per_second"] is None


def test_losses_of_a_recording_that_is_played_back(run):
    """A playback has no sensor: the verdict speaks of the recording."""
    text, data = told(run, "--drive", "x25-e", "--sectors", "1MiB", "--input-rate", "200MB/s")
    assert [transfer["operation"] for transfer in data["transfers"]] == ["record", "play"]
    assert data["verdict"] == "lost"
    assert "of the stream; of the rest the data came back" in text


@pytest.mark.wide
def test_losses_have_all_units(run):
    text, data = told(run, *RECORD, "--drive", "x25-e", "--sectors", "4MiB", "--input-rate",
                      "200MB/s")
    (transfer,) = data["transfers"]
    sensor = transfer["sensor"]
    assert sensor["lost_bytes"] == 4 * sensor["lost"] > 0
    assert sensor["lost_percent"] == 100 * sensor["lost"] / sensor["arrived"]
    assert sensor["lost_seconds"] == sensor["lost_bytes"] / sensor["rate_bytes_per_second"]
    assert data["verdict"] == "lost"
    found = re.search(r"loss ([\d,]+) of ([\d,]+) words: ([\d,]+) bytes, ([\d.]+) %, ([\d.]+) ms of "
                      r"the stream, in", text)
    assert found and found[1] == f"{sensor['lost']:,}" and found[3] == f"{sensor['lost_bytes']:,}"
    assert f"FIFO of {data['needed_fifo_words']:,} words before the core would have lost nothing of " \
        "these 4,194,304 bytes" in text
    assert re.search(r"lost [\d.]+ % of the stream", text)
    assert "good" not in text


@pytest.mark.long
def test_the_printed_rates_can_be_run_again(run):
    arguments = (*RECORD, "--drive", "x25-e", "--sectors", "256KiB", "--fifo-words", 1024)
    text, data = told(run, *arguments, "--find-rate")
    rate, lossy = re.search(r"([\d.]+) MB/s is the highest rate without loss, ([\d.]+) MB/s has",
                            text).groups()
    for printed, known in ((rate, data["search"]["rate"]), (lossy, data["search"]["lossy"])):
        _, again = told(run, *arguments, "--input-rate", f"{printed}MB/s")
        sensor = again["transfers"][0]["sensor"]
        assert sensor["rate_bytes_per_second"] == known
        assert (sensor["lost"] > 0) == (printed == lossy)


def test_the_overhead_is_of_the_commands_that_followed_another(run):
    result = run("measure", *RECORD, "--sectors", 64, "--max-command", 16)
    assert "overhead of the 3 commands that followed another" in result.stdout


def test_what_is_simulated_is_told(run):
    text, data = told(run, *SMALL, "--drive", "970-pro", "--input-rate", "50MB/s")
    assert "simulated, timed as 970-pro: Shape of a Samsung 970 Pro, 512 GB NVMe SSD, all rates " \
        "times 0.1; 3 of its figures are estimates" in text
    assert "all rates times 0.1: this is no SATA drive" in data["simulation"]["statement"]
    assert set(data["simulation"]["estimates"]) == {"capacity_sectors", "write.buffer_bytes",
                                                    "write.stall_shows"}
    _, data = told(run, "--sectors", 16)
    assert data["simulation"]["statement"] == "Simulated: the drive is a software model that never " \
        "waits."


@pytest.mark.wide
def test_the_spread_over_seeds(run):
    text, data = told(run, *RECORD, "--drive", "x25-e", "--sectors", "128KiB", "--fifo-words", 1024,
                      "--find-rate", "--seeds", 3)
    spread = data["spread"]
    assert spread["seeds"] == [0, 1, 2] and len(set(spread["rates"])) > 1
    assert spread["rates"][0] == data["search"]["rate"]
    low, high = min(spread["rates"]) / 1e6, max(spread["rates"]) / 1e6
    assert f"spread {low:.6g} to {high:.6g} MB/s with seeds 0 to 2, mean" in text


@pytest.mark.wide
def test_a_jitter_is_an_estimate_that_the_seed_draws(run):
    arguments = (*RECORD, "--sectors", "512KiB", "--fifo-words", 4096, "--drive", "x25-e",
                 "--input-rate", "50MB/s", "--jitter-us", 200, "--max-command", 128)
    seconds = []
    for seed in 1, 2, 2:
        _, data = told(run, *arguments, "--seed", seed)
        seconds.append(data["transfers"][0]["total"])
        assert data["simulation"]["estimates"]["write.jitter_us"] == "chosen with --jitter-us"
    assert seconds[0] != seconds[1] == seconds[2]


@pytest.mark.parametrize("arguments, words", [
    ("--drive x25-e --seeds 3", "--seeds 3: needs --find-rate"),
    ("--drive x25-e --find-rate --seeds 1", "--seeds 1: must be 2 to 1000"),
    ("--drive 870-qvo --find-rate --seeds 3", "the same with every seed"),
    ("--jitter-us 3", "--jitter-us 3: needs --drive"),
    ("--drive x25-e --jitter-us -1", "--jitter-us -1: must be 0 to 60000000"),
])
def test_refusals(run, arguments, words):
    result = run("measure", *RECORD, *arguments.split())
    assert result.exit_code == 2 and words in result.stderr
