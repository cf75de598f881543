"""A source with a width and a clock of its own, compiled: the same in both translations, word by word, and in a
measurement."""

from dataclasses import replace

import pytest
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import (DriveOptions, HostOptions, JobError, StreamOptions, TransferOptions, as_data,
                                           execute, make_job, needed_fifo, source_rate)
from sata_recorder.simulation import (ENDLESS, Compiled, Gapped, Hold, Pattern, Profile, Rate, Session, Translator,
                                      drive_model, drive_port, line_rate, load_profile)

pytestmark = pytest.mark.wide

SECTORS = 12
WORDS = 128 * SECTORS


def recorded(translator, source, *, clock=Rate(1, 1), rate=None, depth=4, hold=Hold()):
    """What is on the drive, what of the stream should be, the engine's state, and the core's outputs."""
    core = Configuration(clock_hz=75e6, buffer_words=128, ledger=False, recovery=False, journal=False, **source)
    model = drive_model(compiled=False)
    image = model.DiskImage(sectors=SECTORS)
    port = drive_port(model.Drive(image), model=model, generation=2, seed=1, line_rate=line_rate(core.clock_hz, 2))
    data = Pattern("random", 5, ENDLESS if rate else WORDS)
    unit = 4 if core.source_waits else min(4, core.source_width // 8)
    with Compiled(core, port, translator=translator, source_clock=clock) as engine:
        session = Session(engine, port, limit=200_000)
        assert session.bring_up()["ready"]
        outcome = session.record(data, 0, SECTORS, rate=rate, depth=depth, hold=hold)
        assert outcome.error == 0
        kept = Gapped(data, engine.gaps, unit) if rate else data
        return image.read_sectors(0, SECTORS), kept.read(0, WORDS), engine.state(), outcome.outputs


@pytest.mark.parametrize("source, more", short([
    ({"source_width": 128}, {"hold": Hold(3, 2)}),
    ({"source_width": 16}, {"rate": Rate(1, 3)}),
    ({"source_width": 8, "source_clock": True}, {"clock": Rate(40, 3)}),
    ({"source_width": 16, "source_clock": True}, {"clock": Rate(3, 7), "rate": Rate(1, 9)}),
    ({"source_width": 32, "source_clock": True}, {"clock": Rate(100, 99)}),
    ({"source_width": 64, "source_clock": True, "source_waits": False}, {"clock": Rate(4, 3), "rate": Rate(2, 5)}),
    ({"source_width": 8, "source_clock": True, "source_waits": False}, {"clock": Rate(8, 3), "rate": Rate(1, 1)}),
    ({"source_width": 128, "source_clock": True}, {"clock": Rate(1, 5)})],
    [({"source_width": 8, "source_clock": True, "source_waits": False}, {"clock": Rate(8, 3), "rate": Rate(1, 1)})]))
def test_both_translations(source, more):
    found, wanted, state, outputs = recorded(Translator.NETLIST, source, **more)
    assert found == wanted
    assert recorded(Translator.CXXRTL, source, **more) == (found, wanted, state, outputs)


@pytest.mark.quick
def test_what_is_lost_is_counted():
    """More than the link carries, without a FIFO that would hold it."""
    source = {"source_width": 64, "source_clock": True, "source_waits": False}
    *data, state, outputs = recorded(Translator.NETLIST, source, clock=Rate(4, 3), rate=Rate(3, 8))
    assert data[0] == data[1] and state.lost == outputs["source_lost"] == 0 and outputs["source_intact"] == WORDS
    *data, state, outputs = recorded(Translator.NETLIST, source, clock=Rate(4, 3), rate=Rate(1, 2))
    assert data[0] == data[1] and 0 < state.lost == 2 * outputs["source_lost"]
    assert 0 < outputs["source_intact"] < WORDS


@pytest.fixture
def job():
    """A drive that stops for a while, and a source in a clock of its own that does not wait for it."""
    plain = load_profile("ideal").model_dump()
    plain["write"] |= {"mb_per_s": 250.0, "buffer_bytes": 8192, "hold_slices": 8,
                       "stalls": [{"first_bytes": 40_000, "every_bytes": 4_000_000, "ms": 1.0}]}
    stalling = Profile.from_data(plain)
    return make_job(TransferOptions(operation="record", sectors=256), DriveOptions(drive=stalling),
                    StreamOptions(width=16, source_clock="100MHz", input_rate="120MB/s"))


def test_a_measurement_of_it(job):
    measurement = execute(job)
    assert measurement.problems == [] and measurement.verdict == "lost"
    told = as_data(measurement)
    assert told["source"] == {"width": 16, "clock_hz": 1e8, "waits": False, "depth": 16}
    (transfer,) = told["transfers"]
    assert transfer["sensor"]["lost"] == transfer["counters"]["source_lost"] / 2 > 1000
    assert transfer["sensor"]["fifo_words"] == 0
    # As deep as this in the clock of the source, and nothing is lost.
    words = needed_fifo(job)
    assert 4096 < words < 1e-3 * 120e6 / 4 - 4096
    waits = job.configuration.model_copy(update={"source_waits": True})
    assert execute(replace(job, configuration=waits, fifo_words=words)).lost == 0
    assert execute(replace(job, configuration=waits, fifo_words=words - 20)).lost > 0


def test_a_count_of_the_core_that_is_wrong(job, monkeypatch):
    """It is compared with what was lost."""
    outputs = Compiled.outputs
    monkeypatch.setattr(Compiled, "outputs", lambda engine: (found := outputs(engine)) | {
        "source_lost": found["source_lost"] + 1})
    assert [text.partition(" is ")[0] for text in execute(job).problems] == ["record: source_lost"]


def test_the_highest_rate_is_that_of_the_beats():
    """The beats carry less than the link, so nothing is lost of any."""
    job = make_job(TransferOptions(operation="record", sectors=64), stream=StreamOptions(
        width=8, source_clock="40MHz", find_rate=True))
    found = source_rate.highest_rate(job)
    assert (found.rate, found.lossy, len(found.probes)) == (40e6, None, 1)


@pytest.mark.quick
def test_it_is_refused_in_icarus():
    job = make_job(TransferOptions(sectors=8), stream=StreamOptions(width=64), host=HostOptions(max_command=8))
    with pytest.raises(JobError, match="the engine icarus gives words of 32 bits in the core's clock"):
        execute(job, "icarus")
