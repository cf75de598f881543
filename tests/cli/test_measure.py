"""`sata-recorder measure`: files go in and come back, and everything is counted."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from vcd.reader import TokenKind, tokenize

from sata_recorder import Configuration, description, simulation
from sata_recorder.simulation import drive_package
from short import short

SHORT_COMMANDS = "--max-command", 16
SMALL = "--sectors", 40, *SHORT_COMMANDS


SAVE = Path(__file__).resolve().parents[2] / "examples/waves/recorder.gtkw"


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.wide
def test_default_and_text(run, tmp_path):
    result = run("measure")
    assert result.exit_code == 0, result.output
    assert "4,194,304 bytes" in result.stdout
    for operation in ("record", "play"):
        table = result.stdout.split(f"\n{operation} ", 1)[1]
        rows = re.findall(r"^(\w+) +(?:\S+ +)??([\d,]+) +([\d.]+) %$", table, re.MULTILINE)[:15]
        counts = {name: int(number.replace(",", "")) for name, number, _ in rows}
        shares = {name: float(share) for name, _, share in rows}
        assert list(counts)[-1] == "total" and len(counts) == 15
        assert sum(counts.values()) == 2 * counts["total"]
        assert sum(shares.values()) == pytest.approx(200, abs=0.02)
        assert counts["payload"] == 1 << 20
        assert "overhead of the 3 commands that followed another" in table
    assert files(tmp_path) == []


def test_the_drive_in_python(run, monkeypatch):
    """The same trace, and one line on how the next measurement becomes faster."""
    trace = "trace [0-9a-f]{16}"
    compiled = run("measure", *SMALL)
    begun = []
    monkeypatch.setattr(simulation, "compile_in_background", lambda: begun.append(1))
    monkeypatch.setattr(drive_package, "intact_folder", lambda folder: False)
    plain = run("measure", *SMALL)
    assert re.search(trace, plain.stdout)[0] == re.search(trace, compiled.stdout)[0]
    assert "in the background" in plain.stderr and begun == [1] and "Python" not in compiled.stderr
    monkeypatch.setattr(simulation, "uncompiled_reason", lambda: "install this")
    told = run("measure", *SMALL)
    assert told.exit_code == 0 and told.stderr.endswith("several times as fast: install this\n") and begun == [1]


def test_json(measured):
    told = measured(*SMALL, "--lba", 100)
    assert told["good"] and told["problems"] == []
    assert told["drive"] == {"model": "SATA DRIVE MODEL", "serial": "SN0001", "firmware": "1.0",
                             "capacity": 62533296, "lba48": True, "logical_sector": 512, "profile": None}
    assert [transfer["operation"] for transfer in told["transfers"]] == ["record", "play"]
    for transfer in told["transfers"]:
        assert (transfer["error"], transfer["commands"]) == ("NONE", 3)
        assert (transfer["lba"], transfer["sectors"], transfer["bytes"]) == (100, 40, 40 * 512)
        assert sum(entry["clocks"] for entry in transfer["ledger"]) == transfer["total"]
        assert transfer["ledger"][0] == {"account": "payload", "whose": None, "clocks": 40 * 128}
        assert transfer["seconds"] == transfer["total"] / 75e6
        assert transfer["bytes_per_second"] == transfer["bytes"] / transfer["seconds"]
        assert transfer["ceiling_bytes_per_second"] == pytest.approx(297.08e6, rel=1e-4)
        overhead = transfer["overhead"]
        assert {"host", "drive", "protocol", "total"} <= set(overhead)
        assert sum(overhead[part]["mean"] for part in ("host", "drive", "protocol")) == \
            pytest.approx(overhead["total"]["mean"])
        assert overhead["total"]["count"] == 2
        for statistics in overhead.values():
            assert sum(count for _, _, count in statistics["histogram"]) == 2
            assert statistics["minimum"] <= statistics["mean"] <= statistics["maximum"]


@pytest.mark.wide
@pytest.mark.parametrize("generation, ceiling", short(
    [(1, 148.54), (2, 297.08), (3, 594.15)], [(3, 594.15)]))
def test_generations(measured, generation, ceiling):
    for transfer in measured("--sectors", 40, "--max-command", 128, "--generation",
                             generation)["transfers"]:
        assert transfer["seconds"] == transfer["total"] / (18.75e6 * 2 ** generation)
        assert transfer["ceiling_bytes_per_second"] == pytest.approx(ceiling * 1e6, rel=1e-4)
        assert 80 < transfer["percent_of_ceiling"] < 100


@pytest.mark.parametrize("length", [1, 511, 512, 513, 65537, 300_001])
def test_a_file_comes_back(measured, tmp_path, length):
    data = random.Random(length).randbytes(length)
    (tmp_path / "in").write_bytes(data)
    measured("--input", "in", "--image", "disk.img", "--lba", 1000, "--capacity", 4000)
    with open(tmp_path / "disk.img", "rb") as disk:
        whole = disk.read()
    assert len(whole) == 4000 * 512
    assert whole[512_000:512_000 + length] == data
    assert not any(whole[:512_000]) and not any(whole[512_000 + length:])
    assert files(tmp_path) == ["disk.img", "in"]


def test_new_image_is_sparse(measured, tmp_path):
    measured(*SHORT_COMMANDS, "--image", "disk.img", "--lba", 2, "--sectors", 3)
    disk = tmp_path / "disk.img"
    assert disk.stat().st_size == 62533296 * 512
    assert disk.stat().st_blocks * 512 < 1 << 20


def test_image_is_written_in_place(measured, tmp_path):
    disk = tmp_path / "disk.img"
    disk.write_bytes(b"\xa5" * 4096)
    measured(*SHORT_COMMANDS, "--image", "disk.img", "--lba", 2, "--sectors", 3, "--overwrite")
    whole = disk.read_bytes()
    assert whole[:1024] == b"\xa5" * 1024
    assert whole[1024:2560] != b"\xa5" * 1536
    assert whole[2560:] == b"\xa5" * (4096 - 2560)
    measured(*SHORT_COMMANDS, "--image", "disk.img", "--lba", 7, "--sectors", 3)
    assert disk.stat().st_size == 10 * 512


def test_playing_leaves_the_image_alone(measured, tmp_path):
    disk = tmp_path / "disk.img"
    disk.write_bytes(b"\xa5" * 5000)
    measured(*SHORT_COMMANDS, "--image", "disk.img", "--operation", "play", "--sectors", 4,
             "--capacity", 1000)
    assert disk.read_bytes() == b"\xa5" * 5000


def test_play_alone(measured, run, tmp_path):
    data = random.Random(1).randbytes(20 * 512)
    (tmp_path / "disk.img").write_bytes(bytes(512) + data)
    (tmp_path / "right").write_bytes(data[:5000])
    (tmp_path / "wrong").write_bytes(data[:4999] + bytes([data[4999] ^ 1]))
    play = "--operation", "play", "--image", "disk.img", "--lba", 1
    told = measured(*play, "--sectors", 20)
    assert [transfer["operation"] for transfer in told["transfers"]] == ["play"]
    assert told["drive"]["capacity"] == 21
    assert measured(*play, "--input", "right")["transfers"][0]["sectors"] == 10
    result = run("measure", *play, "--input", "wrong")
    assert result.exit_code == 1
    assert "first at byte 4999" in result.stdout
    assert (tmp_path / "disk.img").read_bytes() == bytes(512) + data


def test_record_alone(measured, tmp_path):
    told = measured(*SMALL, "--operation", "record", "--flush", "--image", "disk.img")
    assert [transfer["operation"] for transfer in told["transfers"]] == ["record"]
    clocks = {entry["account"]: entry["clocks"] for entry in told["transfers"][0]["ledger"]}
    assert clocks["flush"] > 0


def test_lba28(measured):
    told = measured("--lba28", "--sectors", 600)
    assert told["drive"]["lba48"] is False
    assert [transfer["commands"] for transfer in told["transfers"]] == [3, 3]


@pytest.mark.wide
def test_longest_command(measured):
    told = measured("--sectors", 600, "--max-command", 65536)
    assert [transfer["commands"] for transfer in told["transfers"]] == [1, 1]
    assert told["transfers"][0]["overhead"] == {}


def test_holds(measured):
    def clocks(account, *arguments):
        return [{entry["account"]: entry["clocks"] for entry in transfer["ledger"]}[account]
                for transfer in measured(*SMALL, *arguments)["transfers"]]
    assert clocks("device_hold") == [0, 0]
    assert min(clocks("device_hold", "--hold", "drive:64/16")) > 40 * 128 / 64 * 16 * 0.9
    assert clocks("host_hold", "--hold", "host:10/20")[0] > 40 * 128
    told = measured("--hold", "host:10/20", "--hold", "drive:30/9", "--sectors", 100)
    assert told["transfers"][1]["held_cycles"] > 0


def test_seeds(measured):
    def trace(*arguments):
        return measured("--sectors", 8, *arguments)["trace"]
    assert trace() == trace("--seed", 0) != trace("--seed", 1)
    assert trace("--hostile", "--seed", 5) == trace("--hostile", "--seed", 5)
    assert trace("--hostile", "--seed", 5) != trace("--seed", 5)


@pytest.mark.wide
def test_engines(measured, tmp_path):
    arguments = "--sectors", 5, "--max-command", 4, "--hold", "drive:50/9"
    compiled = measured(*arguments)
    interpreted = measured(*arguments, "--engine", "icarus", "--vcd", "icarus.vcd")
    for told in compiled, interpreted:
        del told["engine"], told["wall_seconds"]
    assert interpreted == compiled
    assert "phy_tx_data" in (tmp_path / "icarus.vcd").read_text()


@pytest.mark.wide
def test_configuration(measured, tmp_path):
    (tmp_path / "core.toml").write_text("clock_hz = 100e6\nmax_command_sectors = 128\n")
    told = measured("--sectors", 40, "--config", "core.toml")
    assert told["configuration"]["max_command_sectors"] == 128
    transfer = told["transfers"][0]
    clocks = {entry["account"]: entry["clocks"] for entry in transfer["ledger"]}
    assert clocks["phy_wait"] > 1000
    assert transfer["commands"] == 1
    assert transfer["seconds"] == transfer["total"] / 100e6
    assert 80 < transfer["percent_of_ceiling"] < 100


def test_options_win_over_the_configuration(measured, tmp_path):
    (tmp_path / "core.toml").write_text("max_command_sectors = 3\n")
    told = measured(*SMALL, "--config", "core.toml")
    assert told["configuration"]["max_command_sectors"] == 16


def repeated(waves):
    """The signals that have more than one name in a scope of the VCD ``waves``."""
    scope, names = [], {}
    for line in waves.partition("$enddefinitions")[0].splitlines():
        words = line.split()
        if words[0] == "$scope":
            scope.append(words[2])
        elif words[0] == "$upscope":
            scope.pop()
        elif words[0] == "$var":
            names.setdefault((*scope, words[3]), []).append(words[4])
    assert len(names) > 1000
    return [found for found in names.values() if len(found) > 1]


@pytest.mark.wide
def test_output_files(run, tmp_path):
    result = run("measure", "--sectors", 2, "--json", "a.json", "--trace", "a.trace",
                 "--vcd", "a.vcd")
    assert result.exit_code == 0
    told = json.loads((tmp_path / "a.json").read_text())
    assert (tmp_path / "a.trace").stat().st_size == 16 * told["trace"]["clocks"]
    waves = (tmp_path / "a.vcd").read_text()
    assert "phy_rx_data" in waves
    assert repeated(waves) == []
    shown = re.findall(r"^sata_recorder\.(\w+)", SAVE.read_text(), re.MULTILINE)
    assert len(shown) > 20
    assert [name for name in shown if f" {name} $end" not in waves] == []
    surfer = SAVE.with_suffix(".sucl").read_text().splitlines()
    assert [line.partition("sata_recorder.")[2] for line in surfer
            if line.startswith("variable_add ")] == shown
    for line, format_line in zip(surfer, surfer[1:]):
        if line.startswith("item_focus "):      # a letter for the place among the items
            assert re.search(r"\.phy_[rt]x_data$", surfer[ord(line[-1]) - ord("a")])
            assert format_line.startswith("item_set_format ")
    assert files(tmp_path) == ["a.json", "a.trace", "a.vcd"]


def before_edges(path):
    """(names, values) of the VCD ``path``, read by what others wrote: a dictionary of all values
    before each rising edge of clk, unknown ones None."""
    names, now, before, told = {}, {}, {}, []
    for token in tokenize(path.open("rb")):
        if token.kind is TokenKind.VAR:
            names.setdefault(token.var.id_code, []).append(token.var.reference)
        elif token.kind is TokenKind.CHANGE_TIME:
            before = dict(now)
        elif token.kind in (TokenKind.CHANGE_SCALAR, TokenKind.CHANGE_VECTOR):
            code, value = token.data
            value = None if isinstance(value, str) and not value.isdecimal() else int(value)
            if value == 1 and "clk" in names[code] and before.get("clk") == 0:
                told.append(before)
            now |= dict.fromkeys(names[code], value)
    return [name for found in names.values() for name in found], told


@pytest.mark.wide
def test_waves_of_the_ports_only(run, tmp_path):
    told, ports = {}, sorted(port["name"] for port in description(Configuration())["ports"])
    for engine in "cxxrtl", "icarus":
        path = tmp_path / f"{engine}.vcd"
        result = run("measure", "--sectors", 1, "--operation", "record", "--engine", engine,
                     "--vcd", path, "--vcd-scope", "ports")
        assert result.exit_code == 0, result.output
        names, told[engine] = before_edges(path)
        assert sorted(names) == ports
        # It is known as this tool's.
        assert run("measure", "--sectors", 1, "--vcd", path).exit_code == 0
    assert len(told["cxxrtl"]) == len(told["icarus"]) > 500
    for cycle, (one, other) in enumerate(zip(told["cxxrtl"], told["icarus"], strict=True)):
        assert cycle < 3 or one == other, cycle


COMMAND = [sys.executable, "-c", "from sata_recorder.cli.main import main; main()"]


def environment():
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.mark.wide
def test_in_a_process_of_its_own(tmp_path):
    done = subprocess.run([*COMMAND, "measure", "--sectors", "8", "--image", "disk.img"],
                          cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert "MB/s" in done.stdout
    wrong = subprocess.run([*COMMAND, "measure", "--sectors", "0"],
                           cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("Error: --sectors 0: must be above 0")


@pytest.mark.wide
@pytest.mark.sample(2)
@pytest.mark.parametrize("existed", [False, True])
def test_interrupt(tmp_path, existed):
    """Ctrl-C: status 130, no traceback, and no image or trace that was not there before."""
    disk = tmp_path / "disk.img"
    if existed:
        disk.write_bytes(bytes(512))
    with subprocess.Popen([*COMMAND, "measure", "--sectors", "400000", "--image", "disk.img",
                           "--trace", "trace.bin"],
                          cwd=tmp_path, env=environment(), stderr=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 60
        while not (disk.exists() and disk.stat().st_blocks > 100) and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")
    assert disk.exists() == existed and not (tmp_path / "trace.bin").exists()


@pytest.mark.parametrize("length", [1001, 1002, 4096, 5])
def test_playing_is_compared_with_a_file_of_any_length(run, measured, tmp_path, length):
    data = random.Random(length).randbytes(length)
    (tmp_path / "in").write_bytes(data)
    measured("--operation", "record", "--input", "in", "--image", "disk.img")
    playing = "measure", "--operation", "play", "--input", "in", "--image", "disk.img"
    assert run(*playing).exit_code == 0
    (tmp_path / "in").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    result = run(*playing)
    assert result.exit_code == 1 and f"first at byte {length - 1}" in result.stdout


def test_texts_of_a_profile_are_no_markup(run, tmp_path):
    (tmp_path / "my.toml").write_text('model = "X [/b] Y"\ndescription = "on [/dev/sdb] [red]"\n'
                                      'capacity_sectors = 1000\ngeneration = 2\nsource = "me"\n')
    told = run("measure", "--drive", "my.toml", "--sectors", "8").stdout
    assert "X [/b] Y" in told and "on [/dev/sdb] [red]" in told


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_turnaround_is_a_number(run, value):
    result = run("measure", "--turnaround-us", value, "--sectors", "8")
    assert result.exit_code == 2 and "0 to 57266231" in result.stderr
