"""Both engines do the same, again and again, and say so when something is wrong."""

import random
import re
import resource
import signal
import struct

import pytest
from integration import scenarios
from integration.benches import MEASURED, drive_port
from sata_drive_model import Behaviour
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, EngineError, Event, Hold, Stuck, Waves, icarus
from sata_recorder.simulation.engine import UnwrittenFile, fold

CONFIGURATION = Configuration(clock_hz=1e6, buffer_words=128, max_command_sectors=2)


def silent(*_):
    pass


def on_cxxrtl(function, *arguments):
    return function(Compiled, *arguments, silent)


def on_icarus(function, *arguments):
    return icarus.simulate(CONFIGURATION, function, *arguments, progress=silent)


@pytest.mark.wide
@pytest.mark.parametrize("seed, hostile", short([(1, False), (2, True), (3, True)],
                                               [(3, True)]))
def test_engines_agree(seed, hostile):
    arguments = scenarios.record_and_play, CONFIGURATION, seed, hostile
    compiled, interpreted = on_cxxrtl(*arguments), on_icarus(*arguments)
    assert compiled == interpreted
    assert compiled[4:7] == (True, 1, 5 * 128 - 1)


@pytest.mark.wide
def test_engines_agree_on_gaps():
    arguments = scenarios.gaps, CONFIGURATION, 5
    compiled, interpreted = on_cxxrtl(*arguments), on_icarus(*arguments)
    assert compiled == interpreted
    assert compiled[1]


def test_a_seed_repeats():
    hashes = [on_cxxrtl(scenarios.record_and_play, CONFIGURATION, seed, True)[0]
              for seed in (7, 7, 8)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.sample(2)
@pytest.mark.parametrize("engine", [on_cxxrtl, on_icarus])
def test_drive_raises(engine):
    with pytest.raises(ZeroDivisionError, match="the drive broke"):
        engine(scenarios.failing_drive, CONFIGURATION)


@pytest.mark.wide
def test_unknown_bits_are_an_error(monkeypatch):
    cut = re.sub(r"\.high_water\([^)]*\)", ".high_water()", icarus.wrapper(CONFIGURATION))
    monkeypatch.setattr(icarus, "wrapper", lambda _: cut)
    with pytest.raises(EngineError, match="clock 4: unknown bits .* on high_water"):
        on_icarus(scenarios.idle, CONFIGURATION, 10)


@pytest.mark.wide
def test_icarus_writes_waves(tmp_path):
    path = tmp_path / "waves.vcd"
    icarus.simulate(CONFIGURATION, scenarios.idle, CONFIGURATION, 20, waves=Waves(path), progress=silent)
    assert "phy_tx_data" in path.read_text()


@pytest.mark.wide
def test_icarus_ends_early_where_the_waves_have_no_room(tmp_path):
    """A run of hours whose waves do not fit is not gone through to its end."""
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    told = []
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 23, most))
    try:
        with pytest.raises(UnwrittenFile, match="^the VCD file .*waves.vcd cannot be written: File"):
            icarus.simulate(CONFIGURATION, scenarios.counting, CONFIGURATION, 10_000_000,
                            waves=Waves(tmp_path / "waves.vcd"),
                            progress=lambda phase, done, total: told.append(done))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))
    assert max(told) < 10_000_000


def test_trace_file(bench, tmp_path):
    path = tmp_path / "trace"
    b = bench(trace=path)
    b.engine.close()
    data = path.read_bytes()
    assert len(data) == 16 * b.port.now
    core, inputs = struct.unpack_from("<QQ", data, len(data) - 16)
    assert core >> 37 == 0 and inputs >> 36 & 7 == 7
    again = bench()
    assert again.engine.state().hash == fold(0, *struct.unpack(f"<{len(data) // 8}Q", data))


@pytest.mark.wide
def test_waves(bench, tmp_path):
    plain, path = bench(configuration=MEASURED), tmp_path / "waves.vcd"
    waved = bench(configuration=MEASURED, vcd=path, window=range(100, 200))
    assert waved.engine.state() == plain.engine.state()
    waved.engine.close()
    text = path.read_text()
    assert " phy_tx_data " in text and " busy " in text
    times = [int(line[1:]) for line in text.splitlines() if line.startswith("#")]
    assert (times[0], times[-1], len(times)) == (1000, 1995, 200)


def test_runs_end_with_their_event(bench):
    b = bench()
    assert b.engine.run(5) == 0
    before = b.engine.state().cycle
    assert b.engine.run(5, Event.DONE) == 0
    assert b.engine.state().cycle == before + 5
    assert b.engine.run(5, Event.READY | Event.DONE) == Event.READY
    assert b.engine.state().cycle == before + 6
    assert b.engine.run(5, Event.IDLE) == Event.IDLE


def test_stalled_streams(bench, seed):
    b = bench()
    data = random.Random(seed).randbytes(20 * 512)
    assert b.record(data, 0, hold=Hold(1, 3)).clocks > 4 * 20 * 128 - 8
    assert b.image.read_sectors(0, 20) == data
    assert b.play(0, 20, hold=Hold(1, 4)).clocks > 5 * (20 * 128 - b.outputs()["high_water"] - 64)
    played = b.play(0, 20, hold=Hold(2, 1))
    assert played.data == data
    assert played.received == 20 * 128
    b.check()


def test_stop(bench, seed):
    b = bench(configuration=CONFIGURATION)
    data = random.Random(seed).randbytes(30 * 512)
    stopped = b.record(data, 10, 30, stop_after=700)
    words = stopped.outputs["words"]
    assert stopped.error == 0 and stopped.taken == words >= 700
    assert stopped.outputs["sectors_done"] % 2 == 0
    stored = b.image.read_sectors(10, 30)
    assert stored == data[:4 * words] + bytes(30 * 512 - 4 * words)
    b.check()


def test_words_or_bytes(bench):
    b = bench()
    b.record(range(256), 5)
    assert b.image.read_sectors(5, 2) == struct.pack("<256I", *range(256))
    with pytest.raises(ValueError, match="7 bytes"):
        b.record(bytes(7), 5)


def test_controls_that_do_not_fit(bench):
    b = bench()
    with pytest.raises(ValueError, match="operation = 4 does not fit 2 bits"):
        b.engine.set(operation=4)
    with pytest.raises(ValueError, match="hold pattern 0/1"):
        Hold(0, 1)


def test_stuck(bench):
    b = bench(up=False, limit=10_000, behaviour=Behaviour(mute=frozenset({"signature"})))
    with pytest.raises(Stuck, match="no progress for 10000 clocks"):
        b.bring_up()


def test_interrupt(interruptible):
    """Ctrl-C ends a run within some thousand clocks."""
    port = drive_port()

    def clock(core):
        if port.now == 100:
            signal.raise_signal(signal.SIGINT)
        return port.clock(core)

    with Compiled(CONFIGURATION, clock) as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.run(1_000_000)
    assert port.now < 10_000
