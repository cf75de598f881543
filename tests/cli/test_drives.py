"""`sata-recorder drives`."""

import json

import pytest
from click.testing import CliRunner
from sata_drive_model.medium.profile import load, names

from sata_recorder.cli.drives import drives

MINE = """
model = "MY DRIVE"
description = "A drive on my desk"
capacity_sectors = 1_000_000
generation = 2
source = "measured with a stop watch"
[write]
mb_per_s = 217.04
command_us = 450
[read]
mb_per_s = 286.6
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """`run(...)`: the verb in an empty folder, on a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments):
        result = CliRunner().invoke(drives, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE)
    return "mine.toml"


def test_table(run):
    result = run()
    assert result.exit_code == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for name in names():
        line, = [line for line in lines if line.split() and line.split()[0].rstrip("*") == name]
        assert f"{load(name).capacity_sectors * 512 / 1e9:,.0f}" in line
    assert "times 0.1" in result.stdout
    assert not [line for line in lines if line != line.rstrip()]


def test_footnotes(run):
    """Each mark begins a line, and what a line has no room for is below it."""
    lines = run().stdout.split("\n\n")[1].splitlines()
    for mark in "sustained", "TBW, writes a day", "power loss", "link", "<=", "^", "?", "*", "Whether":
        assert sum(line.startswith(mark) for line in lines) == 1, mark
    assert all(line[:2] == "  " or line.split(":")[0] in (
        "sustained", "TBW, writes a day", "power loss", "link", "<=", "^", "?", "*") or "Whether" in line
        for line in lines)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", names())
def test_one(run, name):
    result = run(name)
    assert result.exit_code == 0 and max(map(len, result.stdout.splitlines())) <= 80
    text, profile = " ".join(result.stdout.split()), load(name)
    assert profile.description in text and profile.model in text
    assert profile.source in text and profile.notes in text
    assert text.count("fitted: ") >= len(profile.fitted)
    assert text.count("estimate: ") >= len(profile.estimates)
    for field in ("write.command_us", "read.buffer_bytes", "write.stall_shows"):
        assert field in text


def test_json(run):
    everything = json.loads(run("--json").stdout)
    assert [entry["name"] for entry in everything] == names()
    entry = json.loads(run("pm1725b", "--json").stdout)
    assert entry in everything
    assert entry["write"]["mb_per_s"] == 1700 and entry["scale"] == 0.1
    assert entry["write_first_mb_per_s"] == pytest.approx(170)
    assert entry["write_sustained_mb_per_s"] == pytest.approx(163.7, rel=1e-3)   # an eighth at 130
    slow = json.loads(run("x25-e", "--json").stdout)
    assert slow["write_sustained_mb_per_s"] == pytest.approx(201.86, rel=1e-4)  # 450 us a command
    assert json.loads(run("ideal", "--json").stdout)["write_sustained_mb_per_s"] is None
    assert json.loads(run("ideal", "--json").stdout)["read_mb_per_s"] is None


def test_own_file(run, mine):
    assert "A drive on my desk" in run(mine).stdout
    assert run("--check", mine).stdout.startswith("mine.toml: a valid profile of MY DRIVE")
    assert json.loads(run("--check", mine, "--json").stdout)["name"] == "mine"


def test_a_template_is_filled_in_and_accepted(run, tmp_path):
    text = run("--template").stdout
    (tmp_path / "mine.toml").write_text(text)
    assert run("--check", "mine.toml").stderr.count("mine.toml: ") == 4
    for field, value in ("model", "X 1TB"), ("description", "A drive"), ("source", "its sheet"):
        text = text.replace(f'{field} = ""', f'{field} = "{value}"', 1)
    text = text.replace("capacity_sectors = 0", "capacity_sectors = 1953525168").replace("# up_to_mb", "up_to_mb")
    (tmp_path / "mine.toml").write_text(text)
    assert run("--check", "mine.toml").stdout == \
        "mine.toml: a valid profile of X 1TB, whose rate of writing is unknown\n"
    shown = " ".join(run("mine.toml").stdout.split())
    assert "write.up_to_mb_per_s 530 MB/s" in shown
    assert "write.mb_per_s unknown the data sheet states no rate after the cache" in shown


def test_a_name_of_several_words(run):
    assert run("870", "EVO", "4TB").stdout == run("870-evo-4tb").stdout


def test_the_template_of_a_drive_is_its_file(run, tmp_path):
    (tmp_path / "copy.toml").write_text(run("mx500 1tb", "--template").stdout)
    assert run("--check", "copy.toml").exit_code == 0
    assert run("copy.toml", "--template").stdout == (tmp_path / "copy.toml").read_text()


def test_what_is_unknown_is_told_in_the_table(run):
    lines = {line.split()[0]: line.split() for line in run().stdout.splitlines() if line.strip()}
    assert lines["mx500-1tb"] == ["mx500-1tb", "1,000", "6", "<=510", "unknown", "560.0", "360", "0.20", "at", "rest"]
    assert lines["870-evo-4tb"][3:] == ["480.0", "400.0", "560.0", "2,400", "0.33", "?"]
    assert lines["870-evo-1tb"][4] == "439.5^" and lines["skyhawk-10tb"][3:6] == ["?", "unknown", "?"]
    entry = json.loads(run("mx500-1tb", "--json").stdout)
    assert entry["write_sustained_mb_per_s"] is None and entry["unknown_rates"]["write"]
    assert entry["drive_writes_per_day"] == pytest.approx(0.197, rel=0.01)


def test_texts_are_no_markup(run, tmp_path):
    name = "mine.toml"
    text = MINE.replace("A drive on my desk", "my drive on [/dev/sdb]").replace(
        "MY DRIVE", "X [/b] Y").replace("a stop watch", "[bold]a[/] :smile: watch")
    text = text.replace("[write]", 'notes = "[red]none"\n[fitted]\n"write.command_us" = "[/x] y"'
                                   "\n[write]")
    (tmp_path / name).write_text(text)
    shown = " ".join(run(name).stdout.split())
    for words in ("mine my drive on [/dev/sdb]", "IDENTIFY model: X [/b] Y",
                  "[bold]a[/] :smile: watch", "[red]none", "fitted: [/x] y"):
        assert words in shown
    assert run("--check", name).stdout == f"{name}: a valid profile of X [/b] Y\n"


@pytest.mark.parametrize("change, words", [
    (("mb_per_s = 217.04", "mb_per_s = -1"), ["write.mb_per_s = -1", "0.001"]),
    (("generation = 2", "generation = 5"), ["generation = 5", "3"]),
    (("[read]", "[reads]"), ["reads = ", "no such field"]),
    (("capacity_sectors = ", "capacity = "), ["capacity_sectors: is missing"]),
    (("source", "[source"), ["mine.toml", "TOML"]),
])
def test_check_refuses(run, tmp_path, mine, change, words):
    path = tmp_path / mine
    path.write_text(path.read_text().replace(*change, 1))
    for arguments in (("--check", mine), (mine,), ("--check", mine, "--json")):
        result = run(*arguments)
        assert result.exit_code == 2 and result.stdout == ""
        assert result.stderr.startswith("Error: mine.toml: ")
        assert all(word in result.stderr for word in words), result.stderr


def test_check_shows_all_that_is_wrong(run, tmp_path, mine):
    path = tmp_path / mine
    text = path.read_text()
    for old, new in (("mb_per_s = 217.04", "mb_per_s = -1"), ("generation = 2", "generation = 5"),
                     ("[read]", "[read]\nodd = 1")):
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)
    result = run("--check", mine)
    assert result.exit_code == 2
    lines = result.stderr.removeprefix("Error: ").splitlines()
    assert all(line.startswith("mine.toml: ") for line in lines)
    for word in ("write.mb_per_s = -1", "generation = 5", "read.odd = 1: there is no such field"):
        assert sum(word in line for line in lines) == 1, lines
    assert run(mine).stderr.count("\n") == 1


def test_check_shows_all_that_does_not_agree(run, tmp_path, mine):
    path = tmp_path / mine
    path.write_text(path.read_text() + '\n[estimates]\n"write.nothing" = "a"\n"no" = "b"\n')
    result = run("--check", mine)
    assert result.exit_code == 2
    assert "'write.nothing'" in result.stderr and "'no'" in result.stderr
    assert result.stderr.count("\n") == 2
    path.write_text(path.read_text().replace(
        "mb_per_s = 217.04", "mb_per_s = 217.04\nzones = [[0.5, 1], [0.4, 2]]", 1))
    lines = run("--check", mine).stderr.splitlines()
    assert len(lines) == 5 and sum("write." in line for line in lines) == 4, lines


BROKEN = """
model = "MY DRIVE"
description = "A drive on my desk"
capacity_sectors = 1_000_000_000
lba48 = false
generation = 5
source = "measured"
colour = "red"
[estimates]
"write.nothing" = "a"
"write.command_us" = "b"
"write.cache.bytes" = "c"
[fitted]
"write.command_us" = "d"
[write]
mb_per_s = -1
zones = [[0.0, 5.0], [0.9, 4.0]]
command_us = "long"
buffer_bytes = 8192
stall_shows = "activate"
variation = [1.1, 0.9]
[write.cache]
bytes = 100
minimum_bytes = 10_000
[[write.stalls]]
every_bytes = 10_000
first_bytes = 20_000
ms = 1
when = "cache full"
[[write.stalls]]
every_bytes = 10_000
first_bytes = 30_000
ms = 0
[[write.dips]]
bytes = 10_000
every_bytes = 9_000
[read]
zones = [[0.0, 5.0], [0.0, 4.0], [0.7, "x"]]
mb_per_s = 3
variation = [2.0, 1.0]
"""


def test_check_shows_what_does_not_agree_beside_what_is_wrong_by_itself(run, tmp_path):
    """A comparison with a field that is wrong by itself reports nothing, all others do."""
    (tmp_path / "mine.toml").write_text(BROKEN)
    result = run("--check", "mine.toml")
    assert result.exit_code == 2
    lines = [line.removeprefix("Error: ").removeprefix("mine.toml: ")
             for line in result.stderr.splitlines()]
    assert sorted(line.partition(":")[0].partition(" =")[0] for line in lines) == sorted((
        # each by itself
        "generation", "colour", "write.mb_per_s", "write.command_us", "write.cache.bytes",
        "write.stalls.1.ms", "write.dips.0.mb_per_s", "read.zones.2.1",
        # together
        "capacity_sectors", "estimates", "fitted", "write.zones", "write.buffer_bytes",
        "write.variation", "write.stalls.0.first_bytes", "write.stalls.1.first_bytes",
        "write.dips.0.bytes", "read.variation")), "\n".join(lines)
    assert "estimates = 'write.nothing': is not a field of this profile" in lines
    assert run("mine.toml").stderr.count("\n") == 1


@pytest.mark.parametrize("arguments, words", [
    (["x35-f"], ["no drive profile 'x35-f'", "--template", "--fio-bandwidth", "--port"]),
    (["870 evo"], ["which of", "870-evo-1tb", "870-evo-4tb"]),
    (["--template", "--json"], ["--template: not together with"]),
    (["missing.toml"], ["missing.toml", "No such file"]),
    (["--check", "missing.toml"], ["missing.toml", "No such file"]),
    (["--check", "."], [".: cannot be read", "directory"]),
    (["--check", "/dev/zero"], ["/dev/zero: cannot be read", "more than 1,048,576 bytes"]),
    (["--check", "mine.toml", "ideal"], ["--check mine.toml", "NAME (ideal)"]),
])
def test_refuses(run, mine, arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert all(word in result.stderr for word in words), result.stderr
