"""`measure` and `verilog` with a memory as the buffer of the core."""

import json

import pytest

pytestmark = pytest.mark.wide


def test_measure(run):
    """What the memory held and cost is in the text and in the JSON."""
    result = run("measure", "--memory", "1MiB", "--sectors", "300", "--json", "out.json")
    assert result.exit_code == 0
    assert "words at most of 262,144" in result.stdout and "memory  it was too slow for 0 clocks" in result.stdout
    with open("out.json") as file:
        record = json.load(file)["transfers"][0]
    assert record["buffer_words"] == 1 << 18 and record["high_water"] > 0
    assert record["counters"]["memory_waits"] == 0


@pytest.mark.quick
@pytest.mark.parametrize("arguments, words", [
    (["--memory", "1MB"], ["memory", "1MB", "multiple of 4096"]),
    (["--memory", "32GiB"], ["memory", "1 MiB to 16 GiB"]),
    (["--memory", "lots"], ["--memory lots: must be a number of bytes", "MiB"]),
    (["--memory", "1040KiB"], ["memory", "both FIFOs", "4096"]),
    (["--memory", "1MiB", "--engine", "icarus"], ["memory", "icarus"]),
    (["--memory", "1MiB", "--controller", "serv"], ["memory", "serv"])])
def test_measure_refuses(run, arguments, words):
    result = run("measure", "--sectors", "40", *arguments)
    assert result.exit_code == 2 and len(result.stderr.strip().splitlines()[-1:]) == 1
    assert all(word in result.stderr for word in words), result.stderr


@pytest.mark.sample(3)
@pytest.mark.parametrize("base", ["0x40000000", "1GiB", "1073741824"])
def test_verilog(run, base):
    result = run("verilog", "-o", "core.v", "--memory", "1MiB", "--memory-base", base)
    assert result.exit_code == 0
    with open("core.v") as file:
        assert '"memory":1048576,"memory_width":64,"memory_base":1073741824,' in file.read()


def test_a_named_configuration(run):
    result = run("measure", "--config", "recorder", "--sectors", "40")
    assert result.exit_code == 0 and "of 8,192" in result.stdout
