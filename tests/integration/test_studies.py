"""Runs of a reproduction in processes of their own: real ones, of a few commands."""

from dataclasses import replace

import pytest
from short import short

from sata_drive_model.medium import profile as profiles
from sata_recorder.lab.measurement import Store
from sata_recorder.simulation import EngineError, LocalWorkers
from sata_recorder.lab.studies import fit
from sata_recorder.lab.studies import whole as whole_drive
from sata_recorder.lab.studies.parallel import perform
from sata_recorder.lab.studies.published import load_table
from sata_recorder.lab.studies.runs import Run, RunFigures

pytestmark = pytest.mark.wide

COMMAND = 256       # sectors of a 28-bit command
RUN = Run(profiles.load("ts32gssd25s"), 2, "record", 4 * COMMAND, pause=20.0)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("results"))


@pytest.mark.parametrize("operation", short(["record", "play"], ["record"]))
def test_a_shorter_run_is_the_beginning_of_a_longer_one(store, operation):
    long = replace(RUN, operation=operation)
    short = replace(long, sectors=2 * COMMAND)
    results = {run: RunFigures(result) for run, result in
               perform([long, short], store=store, processes=2).items()}
    assert not results[long].problems
    assert results[long].commands == 4
    assert results[long].until(2) == results[short].seconds
    assert results[long].until(4) == results[long].seconds
    times = results[long].blocks()
    assert results[long].steady == pytest.approx(0.131072 / times[2])


def test_the_pause_is_the_hosts(store):
    results = perform([RUN, replace(RUN, pause=0.0)], store=store, processes=2)
    slow, fast = (RunFigures(results[run]) for run in (RUN, replace(RUN, pause=0.0)))
    # The SYNC between two commands, and an ALIGN pair if one is due, pass during the pause.
    assert slow.overhead("host") - fast.overhead("host") == pytest.approx(20.0, abs=3 / 75)
    assert slow.overhead("protocol") == fast.overhead("protocol")


def test_what_the_store_has_is_not_run_again(tmp_path, monkeypatch):
    store = Store(tmp_path)             # with nothing that another test has left
    before = perform([RUN], store=store, processes=1)[RUN]
    monkeypatch.setattr(LocalWorkers, "__call__", lambda _, items: pytest.fail("it ran again")
                        if items else [])
    told = []
    after = perform([RUN], store=store, processes=1,
                    progress=lambda run, fraction: told.append(fraction))
    assert after == {RUN: before}
    assert told == [1.0]


def test_a_run_that_cannot_be_done_is_told_in_one_line(store):
    beyond = replace(RUN, lba=-1)
    with pytest.raises(EngineError) as caught:
        perform([beyond], store=store, processes=1)
    assert str(caught.value).startswith("ts32gssd25s write, 20 us pause, 0.5 MiB: ")
    assert "\n" not in str(caught.value)


def test_a_fit_finds_the_rate_of_the_drive(store, monkeypatch):
    table = load_table("7-1")
    monkeypatch.setattr(whole_drive, "_LOOP", 16 * COMMAND)
    monkeypatch.setattr(fit, "load_table", lambda name: table.model_copy(
        update={"rows": (table.rows[0],)}))
    found, = fit.fits(["7-1"], store=store, processes=1)
    assert found.parameter == "write.mb_per_s"
    assert found.gives == pytest.approx(91, rel=fit.NEAR)
    assert found.found == pytest.approx(91, rel=0.01)
