"""A plan becomes the cells that are meant, or is refused in one line."""

import pytest

from sata_drive_model.medium.profile import FOLDER
from sata_recorder.firmware import unavailable
from sata_recorder.lab.sweep import Plan, PlanError

NAMED = {"command_sizes": "--command-sizes", "size": "--size"}


def cells(**values):
    return Plan.of(values).cells()


def test_every_combination():
    found = cells(drives=["ideal", "x25-e"], command_sizes=[1, 8], turnarounds_us=[0, 2.52],
                  operations=["record", "play"], lba28=[False, True], size="64")
    assert len(found) == 32 == len({cell.key for cell in found})
    first, last = found[0], found[-1]
    assert (first.profile.name, first.operation, first.lba28, first.command_sectors,
            first.turnaround_us) == ("ideal", "record", False, 1, 0)
    assert (last.profile.name, last.operation, last.lba28, last.command_sectors,
            last.turnaround_us) == ("x25-e", "play", True, 8, 2.52)
    assert {cell.sectors for cell in found} == {64}
    assert {cell.configuration for cell in found} == {first.configuration}
    assert last.turnaround_clocks == 189 and last.job.turnaround_clocks == 189
    assert last.job.lba48 is False and last.job.command_limit == 8


def test_same_combinations_are_one_cell():
    found = cells(command_sizes=[128, 256, 512, 65536], lba28=[True], size=512)
    assert [cell.command_sectors for cell in found] == [128, 256]
    without_48_bit = cells(drives=["ts32gssd25s"], command_sizes=[512], lba28=[False, True],
                           size=512)
    assert [(cell.lba28, cell.command_sectors) for cell in without_48_bit] == [(True, 256)]


def test_controllers():
    found = cells(controllers=["hardwired", "picorv32@25e6", "serv"], turnarounds_us=[0, 5],
                  command_sizes=[64], size=512)
    # A processor has its own pauses: one cell each.
    assert [(str(cell.controller or "hardwired"), cell.turnaround_us) for cell in found] == [
        ("hardwired", 0), ("picorv32 at 25 MHz", 0), ("serv at 75 MHz", 0), ("hardwired", 5)]
    assert len({cell.key for cell in found}) == 4
    assert {cell.configuration.pacing for cell in found} == {"programmable"}


def test_a_processor_that_is_missing(monkeypatch):
    monkeypatch.setattr("sata_recorder.lab.sweep.cell.unavailable", lambda: "needs a compiler")
    (cell,) = cells(controllers=["serv"], command_sizes=[64], size=512)
    assert cell.refusal() == "serv needs a compiler"


@pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
def test_job_of_a_processor():
    (cell,) = cells(controllers=["picorv32@25e6"], command_sizes=[64], size=512)
    job = cell.job
    assert (job.controller.processor, job.controller.hz, job.command_limit) == ("picorv32", 25e6, 64)
    assert job.controller.extent == "command" and job.configuration.pacing == "fixed"


def test_rates():
    found = cells(rates=["100MB/s", "1.5 MB/s"], fifo_words=64, size="1MiB")
    assert [cell.bytes_per_second for cell in found] == [1e8, 1.5e6]
    job = found[0].job
    assert (job.input_rate.words, job.input_rate.clocks, job.fifo_words) == (1, 3, 64)


@pytest.mark.parametrize("size, pause, commands", [
    (65536, 0, 4), (8, 0, 1451), (1, 1600, 13), (64, 1e6, 4),
])
def test_default_size(size, pause, commands):
    (cell,) = cells(command_sizes=[size], turnarounds_us=[pause])
    assert cell.sectors == commands * size
    assert cell.clocks >= 0.02 * 75e6


def test_file_and_what_wins_over_it(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('drives = ["ideal"]\ncommand_sizes = [8, 64]\nturnarounds_us = [0, 1.5]\n'
                    'rates = ["50MB/s"]\nlba28 = [true]\nsize = "1MiB"\ngeneration = 3\n')
    plan = Plan.of({"command_sizes": [16]}, path=path)
    assert plan.command_sizes == [16] and plan.generation == 3 and plan.combinations == 2
    assert plan.cells()[0].configuration.clock_hz == 150e6


@pytest.mark.parametrize("values, words", [
    ({"controllers": ["z80"]}, ["controllers", "'z80'", "hardwired, picorv32, serv, vexriscv"]),
    ({"controllers": ["serv@"]}, ["controllers", "'serv@'", "'' is no clock in Hz"]),
    ({"controllers": ["serv@fast"]}, ["'fast' is no clock in Hz"]),
    ({"controllers": ["serv@nan"]}, ["'serv@nan'", "75,000 to 75,000,000 Hz"]),
    ({"controllers": ["serv@75.1e6"]}, ["'serv@75.1e6'", "75,000 to 75,000,000 Hz"]),
    ({"controllers": ["hardwired@1e6"]}, ["'hardwired@1e6'"]),
    ({"controllers": []}, ["controllers", "must not be empty"]),
    ({"drives": []}, ["drives", "must not be empty"]),
    ({"drives": ["nothing"]}, ["no drive profile 'nothing'"]),
    ({"drives": [""]}, ["drives = ['']", "the name of a drive is missing"]),
    ({"drives": ["missing.toml"]}, ["missing.toml", "cannot be read"]),
    ({"command_sizes": [0]}, ["--command-sizes 0: ", "1"]),
    ({"command_sizes": [65537]}, ["--command-sizes 65537: ", "65536"]),
    ({"command_sizes": [1.5]}, ["--command-sizes 1.5: "]),
    ({"turnarounds_us": [-1]}, ["turnarounds_us = -1"]),
    ({"turnarounds_us": [float("inf")]}, ["turnarounds_us = inf"]),
    ({"turnarounds_us": [True]}, ["turnarounds_us = True"]),
    ({"rates": ["100Mb/s"]}, ["bits"]),
    ({"rates": ["301MB/s"]}, ["301 MB/s", "a word a clock"]),
    ({"rates": ["1MB/s"], "operations": ["play"]}, ["rates", "only records"]),
    ({"fifo_words": 0}, ["fifo_words = 0"]),
    ({"fifo_words": 8}, ["fifo_words = 8", "rates"]),
    ({"operations": ["erase"]}, ["operations", "'erase'"]),
    ({"lba28": ["yes"]}, ["lba28", "'yes'"]),
    ({"size": "much"}, ["--size", "'much'"]),
    ({"size": 0}, ["--size", "above 0"]),
    ({"size": "99999999999TB"}, ["--size", "99999999999TB", "2^48 sectors"]),
    ({"generation": 4}, ["generation = 4"]),
    ({"buffer_words": 300}, ["buffer_words = 300", "power of two"]),
    ({"width": 24}, ["width = 24", "8, 16, 32, 64 or 128"]),
    ({"source_clock": "1kHz"}, ["source_clock = 1kHz", "must be 10 kHz to 1 GHz"]),
    ({"source_clock": "fast"}, ["source_clock = fast: frequency 'fast'", "number and a unit"]),
    ({"width": 64, "operations": ["play"]}, ["width = 64", "the operation play"]),
    ({"source_clock": 1e8, "controllers": ["serv"]}, ["source_clock = 100000000.0", "controllers"]),
    ({"width": 8, "source_clock": "10MHz", "rates": ["11MB/s"]}, ["rates = 11MB/s", "8 bits at 10 MHz carry 10 MB/s"]),
    ({"memory": "1MB"}, ["memory = '1MB'", "multiple of 4096"]),
    ({"memory": "1MiB", "controllers": ["hardwired", "serv"]}, ["memory = 1MiB", "controllers", "has none"]),
    ({"colour": "red"}, ["colour", "no such key"]),
    ({"command_sizes": list(range(1, 1001)), "turnarounds_us": list(range(1000))},
     ["1,000,000 combinations", "100,000"]),
])
def test_refuses(values, words):
    with pytest.raises(PlanError) as caught:
        Plan.of(values, named=NAMED).cells()
    text = str(caught.value)
    assert "\n" not in text and all(word in text for word in words), text


@pytest.mark.parametrize("text, words", [
    ("drives = 5", ["plan.toml: drives = 5"]), ("drives = [", ["TOML"]),
    ("", ["plan.toml: is empty", "nothing to combine", "drives, command_sizes"]),
    ("# rates = ['1MB/s']", ["plan.toml: is empty"]), ("speed = 5", ["plan.toml: speed = 5", "no such key"]),
    ("drive = ['ideal']", ["plan.toml: drive = ", "did you mean drives?"]),
    ("generation = true", ["plan.toml: generation = true: must be a whole number, 1 to 3"]),
    ("lba28 = ['no']", ["plan.toml: lba28 = ", "must be true or false"]), ("size = 1.5", ["plan.toml: size"]),
])
def test_refuses_files(tmp_path, text, words):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(PlanError) as caught:
        Plan.of({}, path=path)
    assert "\n" not in str(caught.value) and all(word in str(caught.value) for word in words)
    with pytest.raises(PlanError, match="cannot be read"):
        Plan.of({}, path=tmp_path / "none.toml")


def test_two_drives_of_one_name(tmp_path):
    path = tmp_path / "ideal.toml"
    text = (FOLDER / "ideal.toml").read_text()
    path.write_text(text)
    assert len(cells(drives=["ideal", str(path), "ideal"])) == 1
    path.write_text(text + "completion_us = 5\n")
    with pytest.raises(PlanError, match="two of them have the name ideal"):
        cells(drives=["ideal", str(path)])


def test_link_is_as_fast_as_the_slower_side():
    found = cells(drives=["ideal", "x25-e", "shd-nsum30g"], generation=3, size=8)
    assert [cell.generation for cell in found] == [3, 2, 1]
    assert {cell.configuration.clock_hz for cell in found} == {150e6}


def test_what_cannot_be_measured_is_said():
    (big,) = cells(drives=["x25-e"], size="1TB")
    assert "1953125000 sectors are more than the drive's" in big.refusal()
    (fine,) = cells(drives=["x25-e"], size=8)
    assert fine.refusal() is None
