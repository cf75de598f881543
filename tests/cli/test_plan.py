"""`sata-recorder plan`: the answer, its JSON, and what is refused."""

import json
import re

import pytest

from sata_recorder.interface.configuration import Configuration


def words(result):
    return " ".join(result.stdout.split())


def test_one_command_answers(run):
    result = run("plan", "--rate", "150MB/s", "--for", "1h")
    assert result.exit_code == 0
    text = words(result)
    assert "asked 150 MB/s for 1 h: 540,000,000,000 bytes" in text
    assert "answer one 870-evo-4tb, its FIFO unknown, or one s4500-4tb, its FIFO unknown" in text
    assert "or one of 1 more in the table" in text
    assert "mx500-4tb unknown unknown >=1 unknown" in text and "unknown of mg11-24tb, " in text
    assert "850-evo-m2 no 8.52 s 7 unknown" in text
    assert "970-evo-plus* unknown" in text and "no SATA drive that exists" in text
    assert "vertex-plus no 25.9 s 9 1,229,895" in text
    assert "ideal" not in text
    assert "no stall of the drive is published; the figure holds if it never stalls, and each " \
        "ms of a stall needs 37,500 words more" in text
    table = result.stdout.split("\n\n")[1].splitlines()
    assert len(table) > 10 and max(map(len, table)) <= 80


@pytest.mark.wide
def test_drives_are_an_array(run):
    """Linear where only capacity is missing, RAID 0 where the rate is; each with the command that prepares it."""
    text = words(run("plan", "--rate", "200MB/s", "--for", "6h"))
    assert "answer no drive alone; 2 870-evo-4tb one after the other (linear), its FIFO unknown, " in text
    assert "or 2 870-qvo-4tb as RAID 0, the FIFO of each unknown" in text
    assert "joined linear: one drive takes the rate and lacks only capacity" in text
    assert "joined RAID 0: one drive does not take the rate, so they take turns. The FIFO is one before the array: " \
        "2 times that of each for a stall of one drive; stalls that follow one another add up" in text
    for raid, array in ("linear", "linear"), ("0", "raid0"):
        assert f"sata-recorder verilog --drives 2 --array {array} --clock-hz 75e6 -o core.v sata-recorder prepare " \
            f"DRIVE1 DRIVE2 --raid {raid} --recordings 1 --serial SERIAL1 --serial SERIAL2" in text
    # A drive that gets all of the rate, and one that gets half of it.
    assert "no stall of the 870-evo-4tb or s4500-4tb or s4600-4tb is published: one of 100 ms would need a FIFO of " \
        "5,000,000 words, of 500 ms" in text
    assert "no stall of the 870-qvo-4tb is published: one of 100 ms would need a FIFO of 2,500,000 words for " \
        "each" in text
    only = words(run("plan", "--rate", "500MB/s", "--for", "1h", "--drive", "870-evo-4tb", "--no-check"))
    assert "2 870-evo-4tb as RAID 0" in only and "linear" not in only
    assert "verilog --drives 2 --array raid0 --clock-hz 75e6 --array-width 64 -o core.v" in only
    fast = words(run("plan", "--rate", "1800MB/s", "--for", "1h", "--drive", "s4500-4tb", "--no-check"))
    assert "verilog --drives 7 --array raid0 --clock-hz 150e6 --array-width 128 -o core.v" in fast
    for line in text, only, fast:       # such a core can be
        [(drives, array, hz, width)] = re.findall(
            r"--drives (\d) --array (raid0) --clock-hz (\S+)(?: --array-width (\d+))? -o", line)
        assert Configuration(drives=int(drives), array=array, clock_hz=float(hz), array_width=int(width or 32))
    more = words(run("plan", "--rate", "250MB/s", "--for", "30h", "--drive", "st8000as0002", "--no-check"))
    assert "5 st8000as0002 as RAID 0" in more
    assert "prepare DRIVE1 ... DRIVE5 --raid 0 --recordings 1 --serial SERIAL1 ... --serial SERIAL5" in more
    slow = words(run("plan", "--rate", "150MB/s", "--for", "1h", "--drive", "hds721050cla362", "--no-check"))
    assert "2 hds721050cla362 for 1 h only: they sustain 110.00 MB/s of the 150, and 3 drives sustain it all" in slow


def test_more_drives_than_an_array_has(run):
    text = words(run("plan", "--rate", "1300MB/s", "--for", "20h", "--generation", "3", "--drive", "870-evo-4tb",
                     "--no-check"))
    assert "24 870-evo-4tb as RAID 0" in text and "prepare" not in text
    assert "24 drives are more than the 8 of an array: split the stream over several recorders" in text


def test_the_first_line_says_unknown_where_no_stall_is_published(run):
    result = run("plan", "--rate", "160MB/s", "--for", "10min", "--drive", "dc-s3700", "--no-check")
    answer, = [line for line in result.stdout.splitlines() if line.startswith("answer")]
    assert answer == "answer one dc-s3700, its FIFO unknown"
    assert "if it never stalls, it needs no FIFO beyond the core's own" in words(result)
    assert "joined" not in result.stdout
    assert "no stall of the dc-s3700 is published: one of 100 ms would need a FIFO of 4,000,000 words, of 500 ms " \
        "20,000,000, of 1 s 40,000,000" in words(result)
    samples = run("plan", "--rate", "80MS/s x 16bit", "--for", "10min", "--drive", "dc-s3700", "--no-check")
    assert samples.stdout == result.stdout
    result = run("plan", "--rate", "100MB/s", "--for", "1min", "--drive", "x25-e", "--no-check")
    assert "answer one x25-e, its FIFO unknown, not below 7,852 words (31,408 bytes)" in words(result)


def test_a_slow_drive_that_the_cache_hides_is_no_answer_for_ever(run):
    result = run("plan", "--rate", "150MB/s", "--for", "3min", "--drive", "870-qvo", "--no-check")
    assert "1 870-qvo for 3 min only: it sustains 80.00 MB/s of the 150, and 2 drives sustain " \
        "it all" in words(result)
    assert "lasts one drive records 4.76 min until its first word is lost; it sustains 80.00 MB/s" in \
        words(result)


def test_a_drive_tells_what_it_rests_on(run):
    result = run("plan", "--rate", "100MB/s", "--for", "5min", "--drive", "vertex-plus", "--no-check",
                 "--json", "out.json")
    assert result.exit_code == 0
    text = words(result)
    assert "answer one vertex-plus, with a FIFO of 7,48" in text
    assert "stalls of at most 300 ms; 30,000,000 bytes arrive in one" in text
    assert "write.buffer_bytes 65,536 bytes estimate not published" in text
    assert "life unknown: the profile does not state how much the drive is rated to be written; --tbw" in text
    with open("out.json") as file:
        told = json.load(file)
    (one,) = told["plans"]
    assert told["check"] is None and told["requirement"]["bytes"] == 30_000_000_256 - 256
    assert one["fits"] and one["verdict"] == "yes" and one["fifo_words"] == one["striped_fifo_words"]
    assert one["sustained_rate"] > 100e6 and one["sustains"] and one["sustaining_drives"] == 1
    assert {figure["origin"] for figure in one["inputs"]} >= \
        {"asked", "published", "fitted", "estimate", "simulated", "default"}


@pytest.mark.wide
def test_the_critical_stretch_is_simulated(run):
    result = run("plan", "--rate", "50MB/s", "--size", "10GB", "--drive", "x25-e", "--json", "-")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["check"]["agrees"]
    assert 0 <= told["check"]["planned"] - told["check"]["simulated"] < 4096
    assert "they agree" in result.stderr


def test_stalls_that_nobody_published_are_told(run):
    result = run("plan", "--rate", "80MB/s", "--for", "1min", "--drive", "870-qvo", "--no-check",
                 "--json", "out.json")
    assert "none of this drive is published, and the FIFO has no reserve for one: each ms needs " \
        "20,000 words more" in words(result)
    with open("out.json") as file:
        (one,) = json.load(file)["plans"]
    assert (one["stalls_known"], one["words_per_stall_ms"]) == (False, 20000)


@pytest.mark.parametrize("rate, drive, memory", [
    ("100MB/s", "vertex-plus", 29_949_952), ("10MB/s", "vertex-plus", 2_949_120), ("80MB/s", "870-qvo", None),
    ("10MB/s", "ideal", None)])
def test_a_memory_in_place_of_the_fifo(run, rate, drive, memory):
    """It can be built, and holds the words of the FIFO and of the core; None where none is needed or it is unknown."""
    result = run("plan", "--rate", rate, "--for", "1min", "--drive", drive, "--no-check", "--json", "out.json")
    with open("out.json") as file:
        (one,) = json.load(file)["plans"]
    assert one["memory_bytes"] == memory
    assert (f"verilog --memory {memory}B" in words(result)) == (memory is not None)
    if memory:
        assert Configuration(memory=memory) and memory >= 4 * (one["fifo_words"] + 4096)


def test_what_nobody_has_published_is_no_answer(run):
    result = run("plan", "--rate", "200MB/s", "--for", "4h", "--drive", "mx500 4tb", "--json", "out.json")
    assert result.exit_code == 3
    lines = result.stdout.splitlines()
    assert lines[2] == "answer unknown whether one mx500-4tb takes it: nobody has published what that rests on"
    assert "one of 100 ms would need a FIFO of 5,000,000 words, of 500 ms 25,000,000, of 1 s 50,000,000" in lines[3]
    assert lines[4] == "       unknown: its rate: no measurement after the cache was found"
    assert lines[5] == "       at best, with the 510 MB/s that its maker states: one takes it"
    assert "lasts unknown" in words(result) and "check" not in result.stdout
    assert "write.mb_per_s unknown MB/s unknown" in words(result)
    with open("out.json") as file:
        (one,) = json.load(file)["plans"]
    assert (one["verdict"], one["drives"], one["sustained_rate"]) == ("unknown", None, None)
    assert one["at_best"]["drives"] == 1
    assert "no: one mx500-4tb does not take it" in words(
        run("plan", "--rate", "250MB/s", "--for", "8h", "--drive", "mx500 4tb"))


@pytest.mark.wide
def test_the_text_and_the_exit_status_agree_that_nobody_knows_or_that_none_does(run):
    """So much that of the largest drives, of which too little is known, only several would do, or none at all."""
    several = run("plan", "--rate", "1GB/s", "--size", "5000TB")
    assert several.exit_code == 3 and "answer unknown: of no drive enough is known" in several.stdout
    one = run("plan", "--rate", "1GB/s", "--size", "5000TB", "--drive", "mg11-24tb")
    assert one.exit_code == 3 and "one mg11-24tb does not take it; how many would is unknown" in one.stdout
    for drive in [], ["--drive", "mg11-24tb"]:
        none = run("plan", "--rate", "1GB/s", "--size", "50000TB", *drive)
        assert none.exit_code == 1 and "answer no number of drives takes it" in " ".join(none.stdout.split())


@pytest.mark.wide
def test_what_comes_after_a_short_recording_is_not_promised(run):
    """Its rate after the cache is unknown: the recording fits into the cache, and no more is said."""
    result = run("plan", "--rate", "100MB/s", "--for", "100s", "--drive", "870-qvo-8tb", "--no-check")
    assert result.exit_code == 0 and "answer one 870-qvo-8tb, its FIFO unknown" in words(result)
    assert "lasts unknown, and so is what it sustains: what it does after 77,304,396,355 bytes is not published" in \
        words(result)
    table = words(run("plan", "--rate", "100MB/s", "--for", "100s"))
    assert re.search(r"870-qvo-8tb unknown unknown 1 unknown - unknown", table)


@pytest.mark.wide
def test_a_rate_of_your_own_is_told_as_such(run):
    result = run("plan", "--rate", "200MB/s", "--for", "4h", "--drive", "mx500 4tb", "--assume-rate", "300MB/s",
                 "--no-check")
    assert result.exit_code == 0 and "answer one mx500-4tb, its FIFO unknown" in words(result)
    assert "assumed by you: 300 MB/s, which nobody has published" in words(result)
    table = words(run("plan", "--rate", "200MB/s", "--for", "4h", "--assume-rate", "240MB/s"))
    assert "one fits, one lasts" in table       # those whose rates were measured over less than this remain


def test_a_drive_that_is_not_new(run):
    text = words(run("plan", "--rate", "60MB/s", "--for", "10min", "--drive", "870-qvo", "--fill", "80", "--written",
                     "90TB"))
    assert "its rate when it is 80 % full and was not trimmed: written at random until" in text
    assert "90 TB of that were written before; the recording writes it 5.18 times a day, and it is rated for" in text
    assert "erase or trim it before" in text
    over = words(run("plan", "--rate", "60MB/s", "--for", "10min", "--drive", "870-qvo", "--written", "400TB"))
    assert "life over: 400 TB were written before" in over and "what it does when worn out" in over


def test_a_hard_disk_has_a_workload(run):
    text = words(run("plan", "--rate", "60MB/s", "--for", "4h", "--drive", "skyhawk-20tb", "--duty", "30"))
    assert "life 568 TB are moved a year at 30 % of all time, only to write them; a hard disk has a workload" in text
    assert "this one's is 550 TB a year" in text and "written before" not in text
    old = words(run("plan", "--rate", "60MB/s", "--for", "4h", "--drive", "skyhawk-20tb", "--written", "40TB"))
    assert "550 TB a year; the 40 TB that were written before change nothing that is published of it" in old


def test_no_answer(run):
    result = run("plan", "--rate", "500GB/s", "--for", "1s", "--drive", "ts32gssd25s")
    assert result.exit_code == 1
    assert "no number of drives takes it" in words(result)


@pytest.mark.parametrize("arguments, words", [
    ("--rate 1MB/s", "exactly one of --for and --size"),
    ("--rate 1MB/s --for 1h --size 1GB", "exactly one of --for and --size"),
    ("--rate 1Mb/s --for 1h", "bits a second are written as"),
    ("--rate 1MB/s --for 1y", "--for 1y: must be numbers"),
    ("--rate 1MB/s --for 99999d", "--for 99999d: must be 0.001 to 3155760000 seconds"),
    ("--rate 9999TB/s --for 1s", "--rate 9999TB/s: must be 1 to"),
    ("--rate 1MB/s --size 0", "--size 0: must be above 0"),
    ("--rate 1MB/s --for 1h --fifo 0", "--fifo 0: must be above 0"),
    ("--rate 1MB/s --for 1h --duty 0", "--duty 0: must be above 0"),
    ("--rate 1MB/s --for 1h --fill 120", "--fill 120: must be 0 to 100"),
    ("--rate 1MB/s --for 1h --written 3x", "--written 3x: must be a whole number"),
    ("--rate 1MB/s --for 1h --dwpd 1 --tbw 3", "--dwpd 1: not together with --tbw 3"),
    ("--rate 1MB/s --for 1h --warranty 0", "--warranty 0: must be 0.001 to 100"),
    ("--rate 1MB/s --for 1h --drive mg10 --dwpd 1", "--dwpd 1: mg10-20tb is a hard disk, which has a workload and no"),
    ("--rate 1MB/s --for 1h --drive mg10 --tbw 300", "--tbw 300: mg10-20tb is a hard disk, which has a workload"),
    ("--rate 1MB/s --for 1h --drive mg10 --warranty 5", "--warranty 5: mg10-20tb is a hard disk, which has a workload"),
    ("--rate 1MB/s --for 1h --drive x25-e --dwpd 1", "--dwpd 1: a share of the warranty, whose years the profile of"),
    ("--rate 1MB/s --for 1h --drive mx500-1tb --assume-rate 600MB/s", "600 MB/s are more than the 510"),
    ("--rate 1MB/s --for 1h --drive x25-e --assume-rate 60MB/s", "its rates are known, there is nothing to assume"),
    ("--rate 1MB/s --for 1h --drive mx500-1tb --assume-rate fast", "--assume-rate fast: must be a number and a unit"),
    ("--rate 1MB/s --for 1h --duty 101", "--duty 101: must be above 0"),
    ("--rate 1MB/s --for 1h --tbw -1", "--tbw -1: must be above 0"),
    ("--rate 1MB/s --for 1h --max-command 0", "--max-command 0: must be 1 to 65536"),
    ("--rate 1MB/s --for 1h --turnaround-us -1", "--turnaround-us -1: must be 0"),
    ("--rate 1MB/s --for 1h --drive none", "--drive none: no drive profile"),
    ("--rate 80MS/s --for 1h", "samples as in 1.28Gbit/s, 80MS/s x 16bit or, of four channels"),
    ("--rate 1MB/s --for 1h --json no/out.json", "--json no/out.json: cannot be written"),
])
def test_refusals(run, arguments, words, tmp_path):
    result = run("plan", *arguments.split())
    assert result.exit_code == 2 and words in result.stderr and not result.stdout
    assert result.stderr.count("\n") == 1 and not list(tmp_path.iterdir())


def test_no_number_is_cut_in_80_columns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = run("plan", "--rate", "200MB/s", "--for", "1h", "--drive", "x25-e", "--no-check")
    table = result.stdout.partition("figure ")[2].splitlines()
    assert "720,000,000,000" in {word for line in table for word in line.split()}
    assert max(map(len, table[1:])) <= 80
