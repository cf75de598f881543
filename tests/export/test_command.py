"""`sata-recorder verilog` in a temporary folder, with everything it refuses."""

import errno
import json
import os
from pathlib import Path

import pytest
from click import Context
from click.testing import CliRunner

from sata_recorder.cli.verilog import verilog as command
from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import header, svd, template

pytestmark = pytest.mark.wide


#: The least that is elaborated, where it does not matter what.
SMALL = ("--no-recovery", "--no-journal", "--no-ledger")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(command, arguments)
    return run


@pytest.mark.wide
def test_writes(run, tmp_path, text, described, configuration):
    result = run("-o", "core.v", "--json", "core.json", "--buffer-words", "256",
                 "--control", configuration.control)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "core.v").read_text() == text
    assert json.loads((tmp_path / "core.json").read_text()) == described
    assert sorted(path.name for path in tmp_path.iterdir()) == ["core.json", "core.v"]


def test_writes_the_registers(run, tmp_path):
    result = run("-o", "core.v", "--control", "axi-lite", "--svd", "a.svd", "--header", "a.h", *SMALL)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "a.svd").read_text() == svd()
    assert (tmp_path / "a.h").read_text() == header()
    assert result.output.splitlines() == ["wrote core.v", "wrote a.svd", "wrote a.h"]


def test_writes_the_wrappers(run, tmp_path):
    for name, words in ("a.sv", "interface sata_recorder_phy_if;"), ("a.v", "X_INTERFACE_INFO"):
        result = run("-o", "core.v", "--wrapper", name, *SMALL)
        assert result.exit_code == 0, result.output
        assert words in (tmp_path / name).read_text()


def test_writes_the_bench(run, tmp_path):
    """Into a folder that it makes; once more, too."""
    for _ in range(2):
        result = run("-o", "core.v", "--bench", "new/sim", *SMALL)
        assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "new/sim").iterdir()) == ["sata_drive.v", "sata_recorder_tb.v"]
    assert result.output.splitlines() == ["wrote core.v", "wrote new/sim/sata_recorder_tb.v",
                                          "wrote new/sim/sata_drive.v"]


@pytest.mark.wide
def test_writes_the_template(run, tmp_path):
    """Once more, too: it is known as a file of this tool."""
    for _ in range(2):
        result = run("-o", "core.v", "--template", "core.vh", "--pacing", "programmable")
        assert result.exit_code == 0, result.output
    assert (tmp_path / "core.vh").read_text() == template(Configuration(pacing="programmable"))
    assert result.output.splitlines() == ["wrote core.v", "wrote core.vh"]


def test_options_win_over_the_file(run, tmp_path):
    (tmp_path / "a.toml").write_text("buffer_words = 512\nsend_cont = false\n")
    result = run("-o", "core.v", "--json", "core.json", "--config", "a.toml",
                 "--buffer-words", "256")
    assert result.exit_code == 0, result.output
    told = json.loads((tmp_path / "core.json").read_text())["configuration"]
    assert told == Configuration(buffer_words=256, send_cont=False).model_dump()


@pytest.mark.quick
def test_every_field_has_its_option():
    options = {option.name for option in command.get_params(Context(command)) if option.name[0] != "_"}
    assert options == {"output", "template_output", "json_output", "svd_output", "header_output", "rdl_output",
                       "config", "overwrite", "phy", "phy_options", "constraints_output", "project_output",
                       "bench_folder", "wrapper_output", *Configuration.model_fields}


@pytest.mark.quick
@pytest.mark.parametrize("arguments, words", [
    (["--buffer-words", "300"], ["--buffer-words 300: ", "a power of two, 128 to 32768"]),
    (["--buffer-words", "1048576"], ["--buffer-words 1048576: ", "128 to 32768"]),
    (["--clock-hz", "5"], ["--clock-hz 5: ", "1000000 to 1000000000"]),
    (["--clock-hz", "nan"], ["--clock-hz nan: "]),
    (["--clock-hz", "37.4e6"], ["--clock-hz 37400000: ", "37500000", "Gen1"]),
    (["--clock-hz", "1e6"], ["--clock-hz 1000000: ", "37500000", "Gen1"]),
    (["--config", "slow.toml"], ["slow.toml: clock_hz = 30000000.0: ", "37500000", "Gen1"]),
    (["--max-command-sectors", "65537"], ["--max-command-sectors 65537: ", "1 to 65536"]),
    (["--max-command-sectors", "0"], ["--max-command-sectors 0: ", "1 to 65536"]),
    (["--signature-timeout", "-1"], ["--signature-timeout -1: ", "above 0 and at most 3600"]),
    (["--config", "unknown.toml"], ["unknown.toml: word_buffer = 3: there is no such key"]),
    (["--config", "text.toml"], ["text.toml", "TOML"]),
    (["--config", "type.toml"], ["type.toml: clock_hz = \"fast\": must be a number"]),
    (["--config", "missing.toml"], ["missing.toml", "No such file"]),
    (["--config", "control.toml"], ["control.toml: control = \"spi\"", "axi-lite"]),
    (["--control", "apb"], ["--control apb: ", "axi-lite"]),
    (["--json", "core.v"], ["--json", "core.v", "same file"]),
    (["--control", "axi-lite", "--svd", "a", "--header", "./a"], ["--header", "a", "same file"]),
    (["--config", "type.toml", "--json", "type.toml", "--clock-hz", "75e6"],
     ["--json", "type.toml", "same file", "--config"]),
    (["--svd", "a.svd"], ["--svd", "a.svd", "--control axi-lite"]),
    (["--header", "a.h"], ["--header", "a.h", "--control axi-lite"]),
    (["--files", "--bench", "sim"], ["--bench sim: ", "files is true"]),
    (["--phy", "ecp5", "--clock-hz", "100e6", "--bench", "sim"], ["--bench sim: ", "--phy ecp5"]),
    (["--bench", "text.toml/sim"], ["--bench text.toml/sim: ", "Not a directory"]),
    (["--wrapper", "a.vhd"], ["--wrapper a.vhd: ", ".sv", ".v"]),
    (["--rdl", "a.rdl"], ["--rdl", "a.rdl", "--control axi-lite"]),
])
def test_refuses(run, tmp_path, arguments, words):
    (tmp_path / "unknown.toml").write_text("word_buffer = 3\n")
    (tmp_path / "text.toml").write_text("this is no TOML\n")
    (tmp_path / "type.toml").write_text('clock_hz = "fast"\n')
    (tmp_path / "slow.toml").write_text("clock_hz = 30e6\n")
    (tmp_path / "control.toml").write_text('control = "spi"\n')
    before = sorted(tmp_path.iterdir())
    result = run("-o", "core.v", *arguments)
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert all(word in result.output for word in words), result.output
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.quick
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


@pytest.mark.parametrize("option", ["-o", "--template", "--json", "--svd", "--header", "--rdl"])
@pytest.mark.parametrize("place, why", [
    ("nowhere/a", "No such file"),
    ("file/a", "Not a directory"),
    ("pipe", "no regular file"),
])
def test_all_files_or_none(run, tmp_path, option, place, why):
    """One file that cannot be written: all are refused, and before anything is built."""
    (tmp_path / "file").write_text("kept\n")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    places = {"-o": "core.v", "--template": "core.vh", "--json": "core.json", "--svd": "core.svd",
              "--header": "core.h", "--rdl": "core.rdl"}
    arguments = [word for pair in (places | {option: place}).items() for word in pair]
    result = run(*arguments, "--control", "axi-lite")
    assert result.exit_code == 2
    assert place in result.output and why in result.output and result.output.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "kept\n"


@pytest.mark.wide
def test_a_failure_leaves_old_files_alone(run, tmp_path, monkeypatch):
    write = Path.write_text

    def full(self, text, **options):
        if "core.json" in self.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, text, **options)

    (tmp_path / "core.v").write_text("// sata_recorder 0.1.0: old\n")
    monkeypatch.setattr(Path, "write_text", full)
    result = run("-o", "core.v", "--json", "core.json", *SMALL)
    assert result.exit_code == 2
    assert "--json core.json" in result.output and "No space left" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["core.v"]
    assert (tmp_path / "core.v").read_text() == "// sata_recorder 0.1.0: old\n"


@pytest.mark.wide
def test_writes_through_a_link(run, tmp_path):
    (tmp_path / "link.v").symlink_to("core.v")
    assert run("-o", "link.v", *SMALL).exit_code == 0
    assert (tmp_path / "link.v").is_symlink()
    assert "module sata_recorder" in (tmp_path / "core.v").read_text()
