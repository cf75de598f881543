"""`sata-recorder` in an empty folder."""

import json

import pytest
from click.testing import CliRunner

from sata_recorder.cli.verbs import cli


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
