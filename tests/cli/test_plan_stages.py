"""`sata-recorder plan` with a memory as the buffer, and with a source of its own width and clock."""

import json
from dataclasses import replace

import pytest

from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import (DriveOptions, HostOptions, StreamOptions, TransferOptions, execute,
                                           make_job)
from sata_recorder.lab.plan import Requirement, check, check_stages, critical, plan
from sata_recorder.lab.plan.check import job_of
from sata_recorder.simulation import Profile, load_profile

STAGES = {"stream": StreamOptions(width=64, source_clock="100MHz"), "host": HostOptions(memory="1MiB")}


def drive(**write):
    return Profile.from_data({"name": "a", "model": "A", "description": "a", "generation": 2,
                              "capacity_sectors": 1 << 31, "source": "a test",
                              "write": {"buffer_bytes": 65536} | write})


def told(result):
    return " ".join(result.stdout.split())


def planned(run, *arguments):
    """(text, plan) of one drive."""
    result = run("plan", *arguments, "--no-check", "--json", "out.json")
    assert result.exit_code == 0, result.stderr
    with open("out.json") as file:
        data = json.load(file)
    return told(result), data["plans"][0], data["requirement"]


def test_a_memory_that_is_enough(run):
    text, one, asked = planned(run, "--rate", "100MB/s", "--for", "5min", "--drive", "vertex-plus", "--memory",
                               "256MiB")
    assert "a memory of 268,435,456 bytes as the buffer of each core" in text
    assert "answer one vertex-plus, with this memory rate:" in text
    assert "memory enough: at most 29,938,344 of its 268,435,456 bytes are used; it covers one stall of up to 2.685 s" \
        in text
    assert 'memory = "256MiB" in the configuration, or verilog --memory 256MiB; measure --memory 256MiB' in text
    assert one["memory_enough"] is True and one["covered_seconds"] == pytest.approx(0.3 + 2.38497, rel=1e-4)
    assert asked["memory"] == 1 << 28 == asked["fifo_bytes"] + 4 * 4096
    assert (asked["width"], asked["source_hz"]) == (None, None)


def test_a_memory_that_is_too_small(run):
    text, one, _ = planned(run, "--rate", "100MB/s", "--for", "5min", "--drive", "vertex-plus", "--memory", "16MiB")
    assert "answer no drive alone; 2 vertex-plus as RAID 0, with this memory each" in text
    assert "joined RAID 0: one drive does not take the rate, so they take turns. Each has a memory of its own" in text
    assert "verilog --drives 2 --array raid0 --clock-hz 75e6 --memory 16MiB --memory-width 128 -o core.v" in text
    assert "memory not enough for one drive: it is full after 168 ms in which the drive takes no word; 29,949,952 " \
        "bytes would do" in text
    assert "memory enough for each of 2 drives: at most 14,936,916 of its 16,777,216 bytes are used; it covers one " \
        "stall of up to 337 ms" in text
    assert one["memory_enough"] is True and one["array"] == "raid0"


def test_a_memory_that_no_number_of_drives_has_enough_of():
    slow = drive(mb_per_s=0.3, stalls=[{"ms": 60_000.0, "every_bytes": 1 << 20}])
    found = plan(Requirement(100e6, seconds=60, memory=16 << 20), slow)
    assert found.drives is None and found.memory_enough is False and found.covered_seconds is None


def test_a_memory_covers_no_stall_that_a_share_never_meets():
    """Each of two drives ends before the stall: what the memory does not hold of it is not covered."""
    stalling = drive(mb_per_s=80.0, stalls=[{"ms": 2000.0, "every_bytes": 6 << 30}])
    found = plan(Requirement(100e6, size=10 << 30, memory=16 << 20), stalling)
    assert found.array == "raid0" and found.memory_enough and found.stall_seconds == 2.0
    assert found.covered_seconds < (16 << 20) / 50e6


def test_a_memory_before_a_drive_whose_stalls_nobody_has_published(run):
    text, one, _ = planned(run, "--rate", "200MB/s", "--for", "1h", "--drive", "870-evo-4tb", "--memory", "256MiB")
    assert "answer one 870-evo-4tb, with this memory if no stall is longer than 1.342 s" in text
    assert "memory enough if it never stalls: at most 16,388 of its 268,435,456 bytes are used; it covers" in text
    assert "stall unknown: none of this drive is published; each ms needs 50,000 words of the memory" in text
    assert "FIFO of 10,000,000 words" not in text and one["verdict"] == "unknown"
    result = run("plan", "--rate", "200MB/s", "--for", "1h", "--memory", "256MiB")
    assert "answer one 870-evo-4tb, with this memory if no stall is longer than 1.342 s, or one" in told(result)
    text = told(run("plan", "--rate", "200MB/s", "--for", "4h", "--drive", "mx500-4tb", "--memory", "256MiB"))
    assert "memory unknown whether it is enough; it is full after 1.342 s in which the drive takes no word" in text


def test_the_key_of_a_memory_is_told(run):
    deep = told(run("plan", "--rate", "100MB/s", "--for", "5min", "--drive", "vertex-plus", "--no-check"))
    assert 'memory 29,949,952 bytes as the core\'s own buffer do in place of the FIFO: verilog --memory ' \
        '29949952B memory = "29949952B" in the configuration; measure --memory 29949952B simulates it' in deep
    assert Configuration(memory="29949952B").memory == 29_949_952
    unknown = told(run("plan", "--rate", "200MB/s", "--for", "1h", "--drive", "870-evo-4tb", "--no-check"))
    table = told(run("plan", "--rate", "200MB/s", "--for", "1h"))
    for text in unknown, table:
        assert 'memory can be in place of the FIFO: memory = "256MiB" in the configuration; plan --memory 256MiB ' \
            "states how long a stall it covers" in text
    assert "memory can" not in told(run("plan", "--rate", "1MB/s", "--for", "1h", "--drive", "ideal", "--no-check"))


@pytest.mark.parametrize("memory", [16 << 20, 64 << 20])
def test_the_stall_that_a_memory_covers(memory):
    """A drive with that stall needs just this memory: a little longer is too long."""
    def needs(ms):
        stalls = [] if ms is None else [{"ms": ms, "every_bytes": 1 << 30, "when": "always"}]
        return plan(replace(requirement, seconds=60), drive(mb_per_s=250.0, stalls=stalls))
    requirement = Requirement(100e6, seconds=60, memory=memory)
    longest = 1e3 * needs(None).covered_seconds
    assert needs(longest).fits and not needs(1.02 * longest + 1).fits
    assert needs(longest / 2).covered_seconds == pytest.approx(longest / 1e3, rel=0.02)


def test_the_source_is_told(run):
    text, one, asked = planned(run, "--rate", "400MB/s", "--for", "1h", "--drive", "870-evo-4tb", "--width", "64",
                               "--source-clock", "100MHz")
    assert "asked 400 MB/s in beats of 64 bits of a clock of 100 MHz for 1 h" in text
    assert "verilog --drives 2 --array raid0 --clock-hz 150e6 --source-width 64 --source-clock -o core.v" in text
    assert Configuration(drives=2, array="raid0", clock_hz=150e6, source_width=64, source_clock=True)
    assert (asked["width"], asked["source_hz"]) == (64, 100e6)
    assert {"width", "source_clock"} <= {figure["name"] for figure in one["inputs"]}
    fast = told(run("plan", "--rate", "700MB/s", "--for", "1h", "--drive", "870-evo-4tb", "--width", "128",
                    "--source-clock", "100MHz", "--no-check"))
    assert "the beats of an array that takes this rate have the width and the clock of its core: plan without " \
        "--width and --source-clock" in fast and "prepare" not in fast


@pytest.mark.parametrize("arguments, words", [
    ("--rate 100MB/s --width 8 --source-clock 10MHz", "--rate 100MB/s: beats of 8 bits at 10 MHz carry 10 MB/s"),
    ("--rate 100MB/s --width 8", "--rate 100MB/s: beats of 8 bits at 75 MHz carry 75 MB/s"),
    ("--rate 100MB/s --source-clock 20MHz", "--rate 100MB/s: beats of 32 bits at 20 MHz carry 80 MB/s"),
    ("--rate 60MB/s --width 8 --drive ts32gssd25s", "--rate 60MB/s: beats of 8 bits at 37.5 MHz carry 37.5 MB/s"),
    ("--rate 1MB/s --source-clock fast", "--source-clock fast: must be a number and a unit, such as 100MHz"),
    ("--rate 1MB/s --source-clock 2GHz", "--source-clock 2GHz: must be 10 kHz to 1 GHz"),
    ("--rate 1MB/s --memory 5", "--memory 5: must be 0 or a multiple of 4096, 1048576 to 17179869184"),
    ("--rate 1MB/s --memory 32GiB", "--memory 32GiB: must be 0 or a multiple of 4096, 1048576 to 17179869184"),
    ("--rate 1MB/s --memory much", "--memory much: must be a number of bytes, or one with a unit"),
    ("--rate 1MB/s --memory 1MiB --fifo 3MiB", "--fifo 3MiB: not together with --memory 1MiB, which is the FIFO"),
])
def test_refusals(run, arguments, words, tmp_path):
    result = run("plan", "--for", "1h", *arguments.split())
    assert result.exit_code == 2 and words in result.stderr and not result.stdout
    assert result.stderr.count("\n") == 1 and not list(tmp_path.iterdir())


def test_the_help_is_that_of_measure(run):
    plan, measure = (" ".join(run(verb, "--help").output.split()) for verb in ("plan", "measure"))
    for text in ("A memory such as 256MiB as the core's buffer", "The stream that is recorded has beats of this many",
                 "The stream that is recorded has a clock of its own, such as 100MHz."):
        assert text in plan and text in measure
    assert "--channels" not in plan and "--config" not in plan


@pytest.mark.parametrize("verb", ["measure", "plan", "access", "frames", "wear"])
def test_the_help_shows_no_range_of_a_number_without_limits(run, verb):
    assert "None]" not in run(verb, "--help").output


@pytest.mark.wide
def test_the_check_simulates_what_measure_does_with_the_same_options():
    """The same job, core and stages, and so the same trace."""
    asked = Requirement.of("100MB/s", size="4MiB", **STAGES)
    part, short = critical(asked, load_profile("x25-e"))
    job = job_of(part, short)
    core = job.configuration
    assert (core.source_width, core.source_clock, core.memory, core.memory_width, job.source_hz) == \
        (64, True, 1 << 20, 128, 100e6)
    measured = make_job(
        TransferOptions(operation="record", sectors=job.sectors),
        DriveOptions(drive=short, capacity=short.capacity_sectors),
        StreamOptions(width=64, source_clock="100MHz", input_rate="100MB/s", fifo_words="endless"),
        HostOptions(memory="1MiB", turnaround_us=0.0))
    assert replace(job, data=measured.data, samples=200) == measured
    assert execute(replace(job, sectors=256)).hash == execute(replace(measured, sectors=256)).hash
    plain = job_of(replace(part, width=None, source_hz=None, memory=None), short)
    assert (plain.configuration.source_width, plain.configuration.memory, plain.source_hz) == (32, 0, None)
    assert execute(replace(plain, sectors=256)).hash != execute(replace(job, sectors=256)).hash


@pytest.mark.wide
@pytest.mark.parametrize("drive, rate, width, hz, memory", [
    ("x25-e", 100e6, 64, 100e6, 16 << 20), ("x25-e", 100e6, 128, 61.44e6, None), ("x25-e", 60e6, 8, 61.44e6, None),
    ("x25-e", 120e6, 16, 61.44e6, None), ("st8000as0002", 70e6, 8, None, None), ("st8000as0002", 40e6, 8, 41e6, None)])
def test_arithmetic_and_simulation_agree_with_the_stages(drive, rate, width, hz, memory):
    """With a memory, its words: those of the FIFO and of the core's own buffer. A FIFO before beats empties slowly."""
    asked = Requirement(rate, seconds=3600, width=width, source_hz=hz, memory=memory)
    found = check(asked, load_profile(drive))
    assert found.agrees and found.simulated > 1, found
    check_stages(asked, 2)


def test_a_fifo_before_beats_that_are_no_faster_keeps_what_each_stall_has_left(run):
    """A memory is after them."""
    rate = "--rate", "100MB/s", "--for", "1min", "--drive", "vertex-plus"
    source = "--width", "8", "--source-clock"
    words = [planned(run, *rate, *source, clock)[1]["fifo_words"] for clock in ("100MHz", "102MHz", "200MHz")]
    assert words[0] > words[1] > 5 * words[2] and words[2] == planned(run, *rate)[1]["fifo_words"]
    text, one, _ = planned(run, *rate, *source, "102MHz", "--memory", "29949952B")
    assert one["memory_enough"] is True and "beats:" not in text
    text, *_ = planned(run, *rate, *source, "102MHz")
    assert "beats: they bring 102.00 MB/s at most, so a FIFO before them empties by only 2.00 MB/s; a memory is " \
        "after them" in text
