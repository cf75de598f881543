"""`sata-recorder station --pty`: a simulated board that any serial program can talk to."""

import json
import subprocess
import sys

import pytest

from sata_recorder.pc.console.client import Client

_MAIN = ("import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
         "from sata_recorder.cli.main import main; main()")


class Running:
    """A station in a process of its own: ``port`` is its name, ``order`` types a line."""

    def __init__(self, *options):
        self._process = subprocess.Popen(
            [sys.executable, "-c", _MAIN, "station", "--pty", *options], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.first = self._process.stdout.readline()
        self.port = self.first.split()[6].rstrip(";")
        self.order("attended", answered=False)

    def order(self, line, answered=True):
        self._process.stdin.write(f"{line}\n")
        return self._process.stdout.readline().strip() if answered else None

    def end(self):
        self._process.stdin.close()
        return self._process.wait(60)


@pytest.fixture(scope="module")
def station():
    running = Running("--capacity", "100000")
    yield running
    assert running.end() == 0


@pytest.fixture
def ask(station, run):
    return lambda *words: run("console", "--port", station.port, *words)


@pytest.mark.wide
def test_says_where_it_is(station):
    assert station.first == (f"the simulated console recorder is at {station.port}; "
                             "Ctrl-C ends it\n")


def test_records_plays_and_says_simulated(ask):
    told = json.loads(ask("record", 0, 4000, "--json").stdout)
    assert told["ok"] and told["sectors_done"] == 4000
    # The clock is the board's, so the rate is Gen2's and not that of the simulation.
    assert 280e6 < told["bytes_per_second"] < 300e6
    played = json.loads(ask("play", 0, 4000, "--json").stdout)
    assert played["ok"] and played["mismatches"] == 0
    found = json.loads(ask("identify", "--json").stdout)
    assert found["serial"] == "SIMULATED" and found["capacity"] == 100000


@pytest.mark.wide
def test_breaking_and_healing(ask, station):
    assert ask("record", 0, 2000).exit_code == 0
    assert station.order("flip 1234") == "one bit of sector 1234 has changed"
    found = json.loads(ask("play", 0, 2000, "--json").stdout)
    assert found["error"] == "mismatch" and found["mismatches"] == 1
    assert found["first_mismatch"]["word"] == 1234 * 128
    assert station.order("bad-sector 700") == "sector 700 is bad"
    found = json.loads(ask("play", 0, 1000, "--json").stdout)
    assert found["error"] == "drive-error" and found["error_lba"] == 700
    assert station.order("nonsense").startswith("error: nonsense: no such order")
    assert station.order("heal") == "the drive is good, and connected"
    assert ask("play", 0, 1000).exit_code == 0


def test_taken_away(ask, station):
    """Without a drive the station answers, and reports it."""
    station.order("unplug")
    found = json.loads(ask("status", "--json").stdout)
    assert found["link"] == "down" and found["ready"] is False
    assert ask("play", 0, 8).exit_code == 1
    station.order("plug")
    for _ in range(3000):        # of the board as much time as a busy machine leaves it
        if json.loads(ask("status", "--json").stdout)["ready"]:
            break
    assert ask("play", 0, 8).exit_code == 0


@pytest.mark.wide
def test_runs_a_command():
    reply = subprocess.run(
        [sys.executable, "-c", _MAIN, "station", "--pty", "--capacity", "100000", "--baud",
         "115200", "--run", f"{sys.executable} -c '{_MAIN}' console --port {{port}} identify"],
        capture_output=True, text=True)
    assert reply.returncode == 0 and "SIMULATED" in reply.stdout, reply.stderr


@pytest.mark.parametrize("options, told", [
    ([], "give --pty"), (["--pty", "--drive", "nothing"], "--drive nothing: no drive profile 'nothing'"),
    (["--pty", "--capacity", "0"], "--capacity 0: must be 1 to"),
    (["--pty", "--smart-temperature"], "--smart-temperature: needs --smart-commands"),
    (["--pty", "--written", "5"], "--written 5: the drive counts it with --commands or --smart-commands"),
    (["--pty", "--written", "nan"], "--written nan: must be a number"),
    (["--pty", "--memory", "100KiB"], "--memory 100KiB: must be 0 or a multiple of 4096"),
    (["--pty", "--source-clock", "5kHz"], "--source-clock 5kHz: must be 10 kHz to 1 GHz"),
    (["--pty", "--source-clock", "fast"], "--source-clock fast: must be a number and a unit"),
    (["--pty", "--width", "16", "--commands"], "--width 16: not together with --commands"),
    (["--pty", "--source-clock", "1MHz", "--accesses"], "--source-clock 1MHz: not together with --accesses"),
    (["--pty", "--memory", "much"], "--memory much: must be a number of bytes"),
    (["--pty", "--drive", "x25-e", "--generation", "3"], "--generation 3: at most 2"),
    (["--pty", "--drives", "2", "--image", "x"], "--image x: not with 2 drives, which are in memory"),
    (["--pty", "--drives", "2", "--commands"], "--drives 2, and commands = true: the requests of the console"),
    (["--pty", "--drives", "2", "--accesses"], "--drives 2, and extents = queued: the console recorder times accesses"),
])
def test_refusals(run, options, told):
    result = run("station", *options)
    assert result.exit_code == 2 and told in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.wide
def test_a_source(run):
    running = Running("--capacity", "100000", "--width", "16", "--source-clock", "61.44MHz")
    told = json.loads(run("console", "--port", running.port, "record", 0, 4000, "--json").stdout)
    assert told["ok"] and 121e6 < told["bytes_per_second"] < 122.88e6
    assert json.loads(run("console", "--port", running.port, "play", 0, 4000, "--json").stdout)["mismatches"] == 0
    assert running.end() == 0


def test_a_configuration_without_its_clock(run, tmp_path):
    path = tmp_path / "core.toml"
    path.write_text("source_clock = true\n")
    result = run("station", "--pty", "--config", path)
    assert result.exit_code == 2
    assert f"--config {path}: source_clock = true: needs --source-clock HZ" in result.stderr


@pytest.mark.wide
def test_a_memory(run):
    """It is the buffer, and fills further than the counter of block RAM counts, while the drive takes its time."""
    running = Running("--capacity", "100000", "--memory", "1MiB", "--drive", "x25-e")
    try:
        with Client(running.port) as client:
            client.connect()
            assert client.version["buffer_words"] == 262_144
            told = client.operate("record 0 8192")
            assert told.error is None and told.fields()["sectors_done"] == 8192
            assert client.request("counters").fields()["high_water"] > 65_535
    finally:
        assert running.end() == 0


@pytest.mark.wide
def test_modes_and_commands_go_together(run):
    """A ring, COMMAND after it, and what the ring left."""
    running = Running("--capacity", "100000", "--commands", "--modes")
    try:
        with Client(running.port) as client:
            client.connect()
            client.send("ring-at 0 64")
            told = client.stop()
            assert told.error is None and told.fields()["stopped"]
        for words in ["command", "smart-return-status"], ["record", 0, 64], ["play", 0, 64]:
            found = run("console", "--port", running.port, *words)
            assert found.exit_code == 0, found.output
    finally:
        assert running.end() == 0


@pytest.mark.wide
@pytest.mark.parametrize("words, told", [
    (["--flash", "onyx"], "--flash onyx: the drive reports it with --commands"),
    (["--flash", "c300", "--commands"], "--flash c300: c300-256gb: nobody has entered the attributes of its family"),
    (["--flash", "nothing", "--commands"], "--flash nothing: no flash parameters of a drive")])
def test_a_flash_drive_that_cannot_report(run, words, told):
    result = run("station", "--pty", *words)
    assert result.exit_code == 2 and told in result.stderr, result.output


@pytest.mark.wide
def test_an_array_has_lanes():
    """Each lane has its own ledger, which `counters` gives; a drive that is taken away is that of its lane."""
    running = Running("--drives", "2", "--capacity", "4096")
    try:
        with Client(running.port) as client:
            client.connect()
            assert client.request("lane first").fields() == {
                "lane": 0, "lanes": 2, "link": "up", "ready": True, "member": "blank", "failed": False,
                "failed_first": False, "ledger": "lane"}
            assert client.operate("record 0 96").error is None
            words = []
            for line in "lane first", "lane next":
                client.request(line)
                words.append(client.request("counters").fields()["payload"])
            assert words == [64 * 128, 32 * 128]        # chunks of 32 sectors, in turn
            assert client.request("lane whole").fields()["ledger"] == "whole"
            whole = client.request("counters").fields()
            assert (whole["payload"], whole["commands"]) == (96 * 128, 2) and whole["lane_payload"]
            assert client.request("lane").fields()["ledger"] == "whole"
            for line in "lane next", "lane next":
                assert client.request(line).fields()["ledger"] == "lane"
                assert client.request("counters").fields()["lane_payload"] == 0
            assert running.order("lane 1").endswith("lane 1") and running.order("unplug") == "the drive is taken away"
            links = [client.request(line).fields()["link"] for line in ("lane next", "lane next")]
            assert links == ["up", "down"] and client.request("lane").fields()["lane"] == 1
            assert client.request("lane last").error == "arguments"
    finally:
        assert running.end() == 0


@pytest.mark.wide
def test_a_ring_on_an_array():
    """Its words are on both lanes, and the next recording is as if there had been none."""
    running = Running("--drives", "2", "--capacity", "100000", "--modes")
    try:
        with Client(running.port) as client:
            client.connect()
            client.send("ring-at 0 64")
            while client.request("status").fields()["sectors_done"] < 200:
                pass
            told = client.stop()
            assert told.error is None and told.fields()["stopped"]
            for line in "lane first", "lane next":
                client.request(line)
                assert client.request("counters").fields()["payload"] > 0
            assert client.operate("record 0 96").error is None
            assert client.operate("play 0 96").fields()["mismatches"] == 0
    finally:
        assert running.end() == 0


def test_one_drive_has_no_lanes(ask):
    result = ask("lane")
    assert result.exit_code == 1 and "unknown" in result.output
