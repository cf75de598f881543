"""`sata-recorder verilog` in a temporary folder, with everything it refuses."""

import json

import pytest
from click.testing import CliRunner

from sata_recorder.cli.verilog import verilog as command
from sata_recorder.config import Configuration


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(command, arguments)
    return run


def test_writes(run, tmp_path, text, described):
    result = run("-o", "core.v", "--json", "core.json", "--buffer-words", "256")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "core.v").read_text() == text
    assert json.loads((tmp_path / "core.json").read_text()) == described
    assert sorted(path.name for path in tmp_path.iterdir()) == ["core.json", "core.v"]


def test_options_win_over_the_file(run, tmp_path):
    (tmp_path / "a.toml").write_text("buffer_words = 512\nsend_cont = false\n")
    result = run("-o", "core.v", "--json", "core.json", "--config", "a.toml",
                 "--buffer-words", "256")
    assert result.exit_code == 0, result.output
    told = json.loads((tmp_path / "core.json").read_text())["configuration"]
    assert told == Configuration(buffer_words=256, send_cont=False).model_dump()


def test_every_field_has_its_option():
    options = {option.name for option in command.params}
    assert options == {"output", "json_output", "config", *Configuration.model_fields}


@pytest.mark.parametrize("arguments, words", [
    (["--buffer-words", "300"], ["buffer_words", "300", "power of two"]),
    (["--buffer-words", "1048576"], ["buffer_words", "1048576", "32768"]),
    (["--clock-hz", "5"], ["clock_hz", "5.0", "1000000"]),
    (["--clock-hz", "nan"], ["clock_hz", "nan"]),
    (["--max-command-sectors", "65537"], ["max_command_sectors", "65537", "65536"]),
    (["--max-command-sectors", "0"], ["max_command_sectors", "0", "1"]),
    (["--signature-timeout", "-1"], ["signature_timeout", "-1.0", "0"]),
    (["--config", "unknown.toml"], ["word_buffer", "3"]),
    (["--config", "text.toml"], ["text.toml", "TOML"]),
    (["--config", "type.toml"], ["clock_hz", "fast"]),
    (["--config", "missing.toml"], ["missing.toml", "No such file"]),
    (["--json", "core.v"], ["core.v", "same file"]),
])
def test_refuses(run, tmp_path, arguments, words):
    (tmp_path / "unknown.toml").write_text("word_buffer = 3\n")
    (tmp_path / "text.toml").write_text("this is no TOML\n")
    (tmp_path / "type.toml").write_text('clock_hz = "fast"\n')
    before = sorted(tmp_path.iterdir())
    result = run("-o", "core.v", *arguments)
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert all(word in result.output for word in words), result.output
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("arguments", [
    [],
    ["-o", "."],
    ["-o", "core.v", "--buffer-words", "many"],
    ["-o", "core.v", "surplus"],
])
def test_refuses_usage(run, tmp_path, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert not list(tmp_path.iterdir())


def test_folder_that_is_not_there(run, tmp_path):
    result = run("-o", "nowhere/core.v")
    assert result.exit_code == 2
    assert "nowhere/core.v" in result.output and result.output.count("\n") == 1
    assert not list(tmp_path.iterdir())
