"""`sata-recorder` in an empty folder."""

import json
import os

import pytest
from click.testing import CliRunner

from sata_recorder import outputs
from sata_recorder.cli.verbs import cli
from sata_recorder.pc.volume import Drive, Log, LogEntry, finalise


@pytest.fixture
def run(tmp_path, monkeypatch):
    """`run("measure", ...)` in the temporary folder; returns click's result."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def measured(run):
    """`measured(...)`: what `sata-recorder measure ... --json -` reports; the run must be good."""
    def measured(*arguments):
        result = run("measure", *arguments, "--json", "-")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return measured


@pytest.fixture
def two_slots(run, tmp_path):
    """`disk.img` with two slots of 256 KiB; its path."""
    assert run("prepare", "disk.img", "--size", "8MiB", "--recordings", 2, "--recording-size", "256KiB",
               "--align", "64KiB").exit_code == 0
    return tmp_path / "disk.img"


@pytest.fixture
def recorded_with_log(two_slots):
    """``recorded_with_log(size, journal, ...)``: slot 1 of `disk.img` has a file with such a log; its bytes.
    ``journal``: (kind, sector of the slot, sectors) of its entries; the rest are fields of the
    :class:`sata_recorder.pc.volume.Log`."""
    def recorded_with_log(size, journal=(), **fields):
        data = os.urandom(size)
        with Drive(two_slots) as drive:
            slot = drive.slots[0]
            sector = drive.source.read(512 * slot.directory_lba, 512)
            cluster = drive.cluster_bytes
        journal = tuple(LogEntry(kind, 1, slot.lba + place, sectors) for kind, place, sectors in journal)
        with open(two_slots, "r+b") as file:
            file.seek(512 * slot.lba)
            file.write(data)
            for step in finalise(slot, sector, cluster, Log(1, size, slot.lba, 1000, journal=journal, **fields)):
                if not isinstance(step, str):
                    file.seek(512 * step.lba)
                    file.write(step.content)
        outputs.mark(two_slots)
        return data

    return recorded_with_log


@pytest.fixture(scope="module")
def board():
    """The simulated board of the console recorder, with a serial port: one for a module."""
    from integration.console_recorder.bench import ConsoleBench, Served
    with Served(ConsoleBench()) as served:
        yield served


@pytest.fixture
def ask(board, run):
    """`ask("smart", ...)`: what `sata-recorder console` reports of the board; returns click's result."""
    return lambda *words: run("console", "--port", board.port, *words)
