"""`sata-recorder access`: the answer in words, its files, and what is refused."""

import json

import pytest

pytestmark = pytest.mark.wide


def words(result):
    return " ".join(result.stdout.split())


def test_an_answer_in_words(run):
    result = run("access", "--write", "--commands", "50")
    assert result.exit_code == 0
    text = words(result)
    assert "asked write 4 KiB at random, at multiples of 4 KiB in the 1 GiB from LBA 0" in text
    assert "simulated, a drive that never waits" in text
    assert "50 accesses in" in text and "all begin and end at multiples of 4,096 bytes" in text
    assert " IOPS, " in text and "99.9 %" in text and "activate_wait drive" in text
    assert "good every access is where it belongs, and its data" in text
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_reads_are_operations_of_their_own(run):
    text = words(run("access", "--commands", "20"))
    assert "a read is an operation of its own" in text and "between reads host" in text


def test_an_unknown_figure(run):
    """What the profile does not have is named, the figure is an upper bound, and the status is 3."""
    result = run("access", "--write", "--drive", "870-evo-1tb", "--lba", "63", "--commands", "20")
    assert result.exit_code == 3
    text = words(result)
    assert "answer at most" in text and "all begin or end within 4,096 bytes" in text
    assert "unknown the profile of the 870-evo-1tb does not have" in text
    assert "write.access_us" in text and "write.misaligned_us" in text


def test_files(run, tmp_path):
    result = run("access", "--drive", "hds721050cla362", "--commands", "20", "--json", "a.json", "--report", "a.html")
    assert result.exit_code == 0
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["verdict"] == "limited" and found["accesses"] == len(found["detail"]["lba"]) == 20
    assert found["iops"] == pytest.approx(20 / found["seconds"])
    assert found["bytes_per_second"] == pytest.approx(4096 * found["iops"])
    latency = found["latency"]
    assert latency["minimum"] <= latency["percentiles"]["50"] <= latency["percentiles"]["99.9"] <= latency["maximum"]
    assert sum(one["accesses"] for one in latency["histogram"]) == 20
    assert found["total"] == sum(row["clocks"] for row in found["ledger"]) + found["between_operations"]
    page = (tmp_path / "a.html").read_text()
    assert "Hitachi HDS721050CLA362" in page and "Limited to these accesses" in page and page.count("<svg") == 2
    # Both are known to be this tool's, and may be replaced.
    assert run("access", "--commands", "3", "--json", "a.json", "--report", "a.html").exit_code == 0


def test_json_alone_goes_to_standard_output(run):
    result = run("access", "--commands", "3", "--json", "-")
    assert json.loads(result.stdout)["access"]["size_bytes"] == 4096
    assert "IOPS" in result.stderr


@pytest.mark.quick
@pytest.mark.parametrize("arguments, told", [
    (["--size", "4K"], "--size 4K: must be a number of bytes with one of the units"),
    (["--size", "2MiB"], "--size 2MiB: must be 512 to 1048576 bytes"),
    (["--size", "513"], "--size 513: must be whole sectors of 512 bytes"),
    (["--align", "1024"], "--align 1024: must be 512 or 4096 bytes"),
    (["--span", "1KiB"], "--size 4KiB: is more than --span 1KiB"),
    (["--span", "10TB"], "--span 10TB: ends beyond the drive, which has 32,017,047,552 bytes from --lba 0 on"),
    (["--span", "4096.5B"], "--span 4096.5B: must be whole bytes"),
    (["--lba", "-1"], "--lba -1: must be 0 to 62533295"),
    (["--commands", "0"], "--commands 0: must be 1 to 1000000"),
    (["--seconds", "nan"], "--seconds nan: must be 1e-06 to 86400"),
    (["--seed", "281474976710656"], "--seed 281474976710656: must be 0 to 281474976710655"),
    (["--read", "--write"], "--read: not together with --write"),
    (["--drive", "870"], "which of 870-evo-1tb"),
    (["--drive", "no such"], "no drive profile 'no such'"),
    (["--drive", "qemu"], "--drive qemu: has no timing"),
    (["--drive", "mx500-1tb"], "its rate of writing is unknown"),
    (["--assume-rate", "100MB/s"], "--assume-rate 100MB/s: needs --drive with a profile"),
    (["--generation", "3", "--drive", "ts32gssd25s"], "--generation 3: the drive ts32gssd25s is of generation 1"),
    (["--pattern", "sequential", "--size", "512", "--align", "4096"], "--align 4096: accesses of 512 bytes"),
    (["--json", "x", "--report", "x"], "--report x: the same file as --json"),
    (["--report", "-"], "--report -: must be a file"),
])
def test_refusals(run, tmp_path, arguments, told):
    result = run("access", *arguments)
    assert result.exit_code == 2 and told in " ".join(result.output.split())
    assert not [*tmp_path.iterdir()]
