"""`sata-recorder wear`: a life in words, its files, and what is refused."""

import csv
import json
import math
import re

import pytest
from sata_drive_model.flash import flash_drive_names

_ONYX = ("wear", "--drive", "onyx", "--rate", "55MB/s", "--pattern", "ring")


def words(result):
    return " ".join(result.stdout.split())


def test_a_life_in_words(run):
    result = run(*_ONYX, "--until", "100")
    assert result.exit_code == 0
    text = words(result)
    assert "asked onyx-32gb at 55 MB/s, in order, round and round, never trimmed, until 100 erases in the mean" in text
    assert "a model of its flash, no measurement" in text
    assert "write amplification 1.00" in text
    assert "new filled in one go, its flash takes 72.82 MB/s until 32.02 GB, limited by its dies (physical); what " \
        "its controller takes is unknown: not measured; 55 MB/s is the rate of the published calculation" in text
    assert "blocks failed: unknown, nobody has published how its blocks fail" in text
    assert "rate whether it takes 55 MB/s is unknown: its flash does, up to 71.8" in text
    assert "208 erase cycles, mean 10" in text and "the model knows nothing of the other 14" in text
    assert "flash_bytes physical 34,359,738,368 SSD blog, 2010" in text
    assert "victim policy greedy estimate: not published" in text
    assert "nothing measured of the controller" in text
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_days_of_the_published_calculation(run):
    """5,000 erases of 32 GiB at 55 MB/s: 36.2 days; 33.67 were published, of 32.0 GB times 5,000 in its own sense."""
    result = run(*_ONYX, "--json", "-")
    found = json.loads(result.stdout)
    last = found["samples"][-1]
    assert last["mean"] == pytest.approx(5000, rel=0.001)
    assert last["seconds"] / 86400 == pytest.approx(36.2, abs=0.1)
    mean, = [row for row in last["smart"] if row["quantity"] == "mean_erased"]
    assert mean == {"number": 208, "name": "erase cycles, mean", "quantity": "mean_erased", "raw": round(last["mean"])}
    assert {one["kind"] for one in found["parameters"]} == {"physical", "policy"}
    assert all(one["origin"] != "default" for one in found["parameters"])


def test_smart_is_read_as_it_is_shown(run):
    """The rows of a family's file serve both ways."""
    from sata_recorder.pc.maintenance import Attribute, drive_family, health_of
    last = json.loads(run(*_ONYX, "--until", "50", "--json", "-").stdout)["samples"][-1]
    found = {row["number"]: Attribute(row["number"], row["name"], row["raw"] & 0xFF, row["raw"] >> 8 & 0xFF, 0,
                                      row["raw"] >> 16, False) for row in last["smart"] if row["raw"] is not None}
    health = health_of(found, known=drive_family("Indilinx Barefoot"))
    assert health.erased == (last["least"], round(last["mean"]), last["most"])
    assert health.written_bytes == pytest.approx(last["host_bytes"], rel=1e-6)
    assert health.worn == 1


def test_the_exponent_of_the_error_rate(run):
    """A drive of the family whose errors its file states completely; unknown where the laws differ in it."""
    with open("own.toml", "w") as file:
        file.write(run("wear", "--drive", "mlc-3xnm", "--template").stdout.replace(
            "\n[physical]", 'smart = "Indilinx Barefoot"\n\n[physical]', 1))
    samples = json.loads(run("wear", "--drive", "own.toml", "--rate", "100MB/s", "--until", "3000",
                             "--json", "-").stdout)["samples"]
    shown = [next(row for row in one["smart"] if row["number"] == 1)["raw"] for one in samples]
    for one, exponent in zip(samples, shown):
        found = {int(-math.log10(rate)) for rate in one["bit_errors"].values()}
        assert exponent == (found.pop() if len(found) == 1 else None)
    assert None in shown and shown[-1] is not None


@pytest.mark.wide
def test_files(run):
    result = run(*_ONYX, "--until", "100", "--csv", "log.csv", "--parquet", "log.parquet", "--plot", "life.svg",
                 "--json", "life.json")
    assert result.exit_code == 0
    with open("log.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    samples = json.loads(open("life.json").read())["samples"]
    assert len(rows) == len(samples) > 5
    assert float(rows[-1]["mean"]) == samples[-1]["mean"] and rows[-1]["bad_blocks"] == ""
    import polars
    frame = polars.read_parquet("log.parquet")
    assert frame["mean"].to_list() == [one["mean"] for one in samples]
    assert frame["bad_blocks"].to_list() == [None] * len(samples)
    assert "<svg" in open("life.svg").read()
    # They are this tool's own: the next run may replace them.
    assert run(*_ONYX, "--until", "50", "--plot", "life.svg").exit_code == 0


def test_until_a_time(run):
    found = json.loads(run(*_ONYX, "--until", "2d", "--json", "-").stdout)
    assert found["samples"][-1]["seconds"] == pytest.approx(2 * 86400, rel=0.01)
    assert found["until"] == {"cycles": None, "seconds": 172800, "read_only": False}


@pytest.mark.wide
def test_the_end_comes_first(run):
    result = run("wear", "--drive", "840-pro-256gb", "--rate", "250MB/s", "--pattern", "ring", "--until", "1000000")
    assert "until 1,000,000 erases in the mean" in words(result) and "answer read-only after" in words(result)


@pytest.mark.wide
def test_to_the_end(run):
    text = words(run("wear", "--drive", "840-pro-256gb", "--rate", "250MB/s", "--pattern", "ring", "--until",
                     "read-only"))
    assert "answer read-only after " in text
    assert "0 % of the reserve for them is left it takes no write any more" in text
    assert "whether the drive takes it is unknown" in text


_SMALL = """
description = "a small drive"
[physical]
flash_bytes = {flash}
user_bytes = 8_388_608
page_bytes = 4_096
pages = 32
cell_bits = 2
[estimates]
"physical.flash_bytes" = "a test"
"physical.user_bytes" = "a test"
"physical.page_bytes" = "a test"
"physical.pages" = "a test"
"physical.cell_bits" = "a test"
[ranges]
"physical.flash_bytes" = [10_485_760, 12_582_912]
"""


def test_a_band_where_a_parameter_is_not_known_exactly(run):
    with open("small.toml", "w") as file:
        file.write(_SMALL.format(flash=10_485_760))
    result = run("wear", "--drive", "small.toml", "--rate", "5MB/s", "--pattern", "random", "--until", "400",
                 "--json", "-")
    found = json.loads(result.stdout)
    band, = found["band"]
    assert band["parameter"] == "physical.flash_bytes" and band["ends"] == [10_485_760, 12_582_912]
    # The end that the drive has is its own answer; with more flash it lasts longer.
    assert band["amplification"][0] == found["samples"][-1]["amplification"] > band["amplification"][1]
    assert band["host_bytes"][0] == found["samples"][-1]["host_bytes"] < band["host_bytes"][1]
    assert "band " in run("wear", "--drive", "small.toml", "--rate", "5MB/s", "--until", "20").stdout


def test_a_rest(run):
    known = run("wear", "--drive", "mlc-3xnm", "--rate", "100MB/s", "--until", "3000", "--rest", "1y")
    assert known.exit_code == 0
    assert "laws that contradict each other" in words(known) and "exponential power 3.4e-04 4.3e-12" in words(known)
    result = run(*_ONYX, "--until", "100", "--rest", "1y")
    assert result.exit_code == 3
    assert "rest 1 year without power at 30 degrees: unknown, its file lacks physical.errors.rest_year, " \
        "physical.errors.codeword_bytes" in words(result)


def test_too_fast(run):
    result = run("wear", "--drive", "onyx", "--rate", "200MB/s", "--until", "100")
    assert result.exit_code == 1
    assert "TOO FAST: the drive was written at 71.88 MB/s of the 200" in words(result)


@pytest.mark.wide
@pytest.mark.parametrize("drive, rate, takes", [
    ("c300", "500MB/s", None), ("c300", "600MB/s", False), ("870-evo-4tb", "300MB/s", True),
    ("840-pro", "9MB/s", None)])
def test_a_rate_that_rests_on_an_unknown_controller_is_unknown(run, drive, rate, takes):
    """That the chips would take it does not mean that the drive does; that they would not means that it does not."""
    result = run("wear", "--drive", drive, "--rate", rate, "--pattern", "ring", "--until", "100", "--json", "out.json")
    with open("out.json") as file:
        assert json.load(file)["takes_rate"] is takes
    told = result.stdout.partition("\nrate ")[2].partition("\nblocks ")[0]
    assert ("is unknown" in " ".join(told.split())) == (takes is None)
    assert result.exit_code == (takes is False)


@pytest.mark.wide
def test_what_goes_through_the_cache_has_to_leave_it_again(run):
    """4 KiB at random: the cache alone would take 487 MB/s, which no drive does for good."""
    result = run("wear", "--drive", "870-qvo-4tb", "--rate", "40MB/s", "--pattern", "random", "--until", "100",
                 "--json", "out.json")
    with open("out.json") as file:
        assert 40e6 < json.load(file)["samples"][-1]["taken"] < 170e6
    assert "at the end the drive could take" in words(result)
    assert "for good, all of it into its SLC cache and out of it again" in words(result)


def test_a_template_is_a_file_of_ones_own(run):
    text = run("wear", "--drive", "onyx", "--template").stdout
    with open("own.toml", "w") as file:
        file.write(text.replace("dies = 8", "dies = 16"))
    assert "its flash does, up to 143.8 MB/s" in words(
        run("wear", "--drive", "own.toml", "--rate", "55MB/s", "--until", "50"))
    with open("own.toml", "w") as file:
        file.write(text.replace("pages = 256", "pages = 0"))
    result = run("wear", "--drive", "own.toml", "--rate", "55MB/s")
    assert result.exit_code == 2 and "own.toml: physical.pages = 0: must be at least 1" in result.stderr


@pytest.mark.parametrize("arguments, words", [
    (["--rate", "1MB/s"], "--drive: is missing; the inside is known of 840-pro-256gb, "),
    (["--drive", "onyx"], "--rate: is missing"),
    (["--drive", "870-evo-1tb", "--rate", "1MB/s"], "its timing is known, and nobody has entered what is inside"),
    (["--drive", "exos-x20-20tb", "--rate", "1MB/s"], "it is a hard disk, which has no flash"),
    (["--drive", "nope", "--rate", "1MB/s"], "--drive nope: no flash parameters of a drive 'nope'; known are "),
    (["--drive", "onyx", "--rate", "55"], "--rate 55: the unit must be one of"),
    (["--drive", "onyx", "--rate", "1B/s"], "--rate 1B/s: must be 1000 to 6000000000 bytes a second"),
    (["--drive", "onyx", "--rate", "1MB/s", "--until", "0"], "--until 0: must be 20 to 10000000 erases"),
    (["--drive", "onyx", "--rate", "1MB/s", "--until", "1d"], "--until 1d: the drive would be written 2.7 times"),
    (["--drive", "onyx", "--rate", "1MB/s", "--until", "soon"], "--until soon: must be a number of erases, read-only"),
    (["--drive", "onyx", "--rate", "1MB/s", "--until", "read-only"], "--until read-only: unknown of onyx-32gb"),
    (["--drive", "onyx", "--rate", "1MB/s", "--rest", "long"], "--rest long: must be a time such as 1y"),
    (["--drive", "onyx", "--rate", "1MB/s", "--celsius", "300"], "--celsius 300: must be -20 to 125 degrees Celsius"),
    (["--drive", "onyx", "--rate", "1MB/s", "--json", "-", "--csv", "-"], "--json -: not together with --csv -"),
    (["--drive", "onyx", "--rate", "1MB/s", "--plot", "a.gif"], "--plot a.gif: must end in .png or .svg"),
    (["--drive", "onyx", "--rate", "1MB/s", "--csv", "no/a.csv"], "--csv no/a.csv: cannot be written")])
def test_refused(run, arguments, words):
    result = run("wear", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert not result.stdout


@pytest.mark.wide
def test_all_drives_live(run):
    """Each supplied drive can be asked, and shows where each figure is from."""
    for name in flash_drive_names():
        result = run("wear", "--drive", name, "--rate", "20MB/s", "--until", "20", "--json", "-")
        assert result.exit_code == 0, name
        assert json.loads(result.stdout)["samples"], name


@pytest.mark.wide
def test_large_figures_have_no_exponent(run):
    text = words(run("wear", "--drive", "870-evo-4tb", "--rate", "55MB/s", "--pattern", "ring"))
    assert not re.search("[0-9]e[+]", text) and "22,108 TB written" in text
