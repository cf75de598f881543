"""What is asked of a measurement becomes a job, for a caller in Python as for the command line."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
from click.testing import CliRunner

from sata_recorder.cli.measure import measure
from sata_recorder.facts.units import DWORD_HZ, GENERATIONS, SECTOR_WORDS
from sata_recorder.firmware import EXTENTS, PROCESSORS, WAITS
from sata_recorder.interface.configuration import Configuration, ConfigurationError
from sata_recorder.lab.options import OptionsError
from sata_recorder.lab.measurement import (MODES, DriveOptions, HostOptions, JobError,
                                           OutputOptions, StreamOptions, TransferOptions, make_job)
from sata_recorder.lab.measurement.options import CONTROLLERS
from sata_recorder.simulation import ENDLESS, PATTERNS, Hold, Rate, load_profile


def pattern(job):
    """What the data of the job are."""
    return job.data.kind, job.data.seed, job.data.words


def test_nothing_asked():
    job = make_job()
    assert (job.operation, job.lba, job.sectors, job.generation) == ("both", 0, 8192, 2)
    assert job.configuration == Configuration(clock_hz=DWORD_HZ[2], max_command_sectors=2048)
    assert pattern(job) == ("random", 0, SECTOR_WORDS * 8192)


def test_texts_and_what_they_stand_for(tmp_path):
    profile = load_profile("x25-e")
    built = Configuration(clock_hz=DWORD_HZ[2], max_command_sectors=2048)
    by_text = make_job(TransferOptions(operation="record", sectors="64KiB"), DriveOptions(drive="x25-e"),
                       StreamOptions(input_rate="150MB/s", fifo_words="endless"))
    by_object = make_job(TransferOptions(operation="record", sectors=128), DriveOptions(drive=profile),
                         StreamOptions(input_rate=Fraction(150_000_000), fifo_words="endless"),
                         HostOptions(config=built))
    assert by_text.conditions() == by_object.conditions()
    assert by_text.input_rate == Rate(1, 2) and by_text.fifo_words is None
    assert pattern(by_text) == pattern(by_object) == ("random", 0, ENDLESS)


def test_a_source():
    """What a width and a clock make of the core, and of a rate."""
    wide = make_job(stream=StreamOptions(width=64)).configuration
    assert (wide.source_width, wide.source_clock, wide.source_waits) == (64, False, True)
    asked = {"width": 16, "source_clock": "61.44 MHz", "input_rate": "100MB/s"}
    record = TransferOptions(operation="record")
    job = make_job(record, stream=StreamOptions(**asked))
    assert job.source_hz == 61.44e6 and not job.configuration.source_waits
    assert make_job(record, stream=StreamOptions(**asked | {"source_clock": 61.44e6})).conditions() == job.conditions()
    assert make_job(record, stream=StreamOptions(**asked, fifo_words=8)).configuration.source_waits
    # A configuration that is given says whether it waits.
    file = HostOptions(config="recorder")
    assert make_job(record, stream=StreamOptions(**asked), host=file).configuration.source_waits
    fastest = make_job(record, stream=StreamOptions(width=8, source_clock="10MHz", find_rate=True)).input_rate
    assert fastest == Rate(1, 30)


@pytest.mark.parametrize("asked, words", [
    ({"source_clock": "100"}, "source_hz = 100: must be 10 kHz to 1 GHz"),
    ({"source_clock": "fast"}, "source_clock = fast: must be a number and a unit"),
    ({"width": 128, "input_rate": "301MB/s"}, "the stream takes a word a clock, 300 MB/s at 75 MHz"),
])
def test_a_source_that_cannot_be(asked, words):
    with pytest.raises(JobError, match=re.escape(words)):
        make_job(TransferOptions(operation="record"), stream=StreamOptions(**asked))


def test_a_configuration_is_taken_as_it_is():
    """Nothing that is asked for beside it is dropped without a word."""
    core = Configuration(clock_hz=DWORD_HZ[2])
    assert make_job(host=HostOptions(config=core)).configuration == core
    for objects, field in (({"host": HostOptions(config=core, max_command=8)}, "max_command"),
                           ({"host": HostOptions(config=core), "stream": StreamOptions(width=64)}, "width"),
                           ({"host": HostOptions(config=core), "stream": StreamOptions(source_clock="1MHz")},
                            "source_hz"),
                           ({"host": HostOptions(config=core, turnaround_us=3.0)}, "turnaround_clocks"),
                           ({"host": HostOptions(config=core), "transfer": TransferOptions(mode="until-stop")}, "mode"),
                           ({"host": HostOptions(config=core), "drive": DriveOptions(logical_sector=4096)},
                            "logical_sector"),
                           ({"host": HostOptions(config=core), "drive": DriveOptions(smart=True)}, "smart")):
        with pytest.raises(JobError) as error:
            make_job(**objects)
        assert error.value.field == field


def test_what_the_rest_needs_of_the_core():
    job = make_job(TransferOptions(mode="ring", stop_after=10_000, trim_ahead=64, look=16),
                   DriveOptions(logical_sector=4096, smart=True), host=HostOptions(turnaround_us=3.0))
    core = job.configuration
    assert (core.extents, core.trim_ahead, core.look_sectors, core.long_logical_sectors, core.commands,
            core.pacing) == (
        "modes", True, 16, True, True, "programmable")
    assert job.operation == "record" and job.turnaround_clocks == 225


def test_input_fills_whole_sectors(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(bytes(513))
    job = make_job(stream=StreamOptions(input=path))
    assert (job.input_file, job.sectors, job.data.words) == (str(path), 2, 2 * SECTOR_WORDS)
    assert make_job(stream=StreamOptions(input=path), drive=DriveOptions(logical_sector=4096)).sectors == 8


def test_holds():
    job = make_job(stream=StreamOptions(hold=("drive:64/16", "host:3/2")))
    assert (job.drive_hold, job.host_hold) == (Hold(64, 16), Hold(3, 2))


@pytest.mark.parametrize("objects, arguments", [
    ({"transfer": TransferOptions(words=3)}, "--words 3"),
    ({"transfer": TransferOptions(trigger=(9,))}, "--trigger 9"),
    ({"transfer": TransferOptions(sectors="12 bits")}, "--sectors 12_bits"),
    ({"transfer": TransferOptions(look_every=4)}, "--look-every 4"),
    ({"drive": DriveOptions(jitter_us=3.0)}, "--jitter-us 3"),
    ({"drive": DriveOptions(drive="no-such")}, "--drive no-such"),
    ({"drive": DriveOptions(written=-1.0)}, "--written -1"),
    ({"stream": StreamOptions(hold=("drive:0/1",))}, "--hold drive:0/1"),
    ({"stream": StreamOptions(fifo_words=7)}, "--fifo-words 7"),
    ({"stream": StreamOptions(input_rate="1MB/s", find_rate=True)}, "--input-rate 1MB/s --find-rate"),
    ({"stream": StreamOptions(find_rate=True), "transfer": TransferOptions(mode="until-stop")},
     "--find-rate --mode until-stop"),
    ({"host": HostOptions(controller_wait="polling")}, "--controller-wait polling"),
    ({"host": HostOptions(config="no-such")}, "--config no-such"),
    ({"host": HostOptions(max_command=0)}, "--max-command 0"),
    ({"outputs": OutputOptions(vcd_scope="ports")}, "--vcd-scope ports"),
])
def test_python_refuses_as_the_command_line(objects, arguments, tmp_path, monkeypatch):
    """In the same words, but for the names."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises((JobError, ConfigurationError)) as error:
        make_job(**objects)
    result = CliRunner().invoke(measure, [one.replace("_", " ") for one in arguments.split()])
    assert result.exit_code == 2

    def words(text):
        return set(re.sub("[=:,]", " ", text.replace("--", " ").replace("-", "_")).split())
    told = words(result.stderr.removeprefix("Error: "))
    names = {"max_command", "max_command_sectors", "config"}
    assert words(str(error.value)) - names == told - names


def choices(kind, name):
    """The values of a field that has a few."""
    found = kind.model_fields[name].annotation
    return next(get_args(one) for one in (found, *get_args(found)) if get_origin(one) is Literal)


def test_choices_are_those_of_the_tables():
    assert choices(TransferOptions, "mode") == tuple(MODES)
    assert choices(DriveOptions, "generation") == GENERATIONS
    assert choices(StreamOptions, "pattern") == tuple(PATTERNS)
    assert choices(HostOptions, "controller_wait") == WAITS
    assert choices(HostOptions, "controller_extent") == EXTENTS
    assert get_args(CONTROLLERS) == ("hardwired", *PROCESSORS)


def test_example_of_the_page(capsys):
    page = (Path(__file__).resolve().parents[4] / "docs/measure.md").read_text()
    example, = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(example, "docs/measure.md", "exec"), {})
    problems, rate = capsys.readouterr().out.rsplit(maxsplit=1)
    assert problems == "[]" and float(rate) > 1e6


@pytest.mark.sample(6)
@pytest.mark.parametrize("kind, fields, text", [
    (TransferOptions, {"flush": "no"}, "flush = 'no': must be true or false"),
    (TransferOptions, {"lba": True}, "lba = True: must be a whole number"),
    (TransferOptions, {"lba": "7"}, "lba = '7': must be a whole number"),
    (TransferOptions, {"mode": "rings"}, 'must be "fixed", "until-stop", "ring" or "trigger"; did you mean ring?'),
    (TransferOptions, {"sector": 5}, "sector = 5: there is no such key; did you mean sectors?"),
    (DriveOptions, {"generation": True}, "generation = True: must be 1, 2 or 3"),
    (DriveOptions, {"written": "lots"}, "written = 'lots': must be a number")])
def test_options_refuse_in_plain_words(kind, fields, text):
    """Nothing is converted, and the words are not pydantic's."""
    with pytest.raises(OptionsError) as error:
        kind(**fields)
    assert text in str(error.value) and len(str(error.value).splitlines()) == 1
