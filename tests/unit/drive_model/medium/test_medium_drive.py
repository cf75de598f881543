"""A drive with a medium, through its dword port."""

import random

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Medium
from sata_drive_model.medium.profile import load

from sata_recorder.simulation.analyser import PortAnalyser
from unit.drive_model.medium.profiled import FIS, HZ, buffered, medium
from unit.drive_model.scripted_host import ScriptedHost


def connect(one, behaviour=None, seed=0, hold=0.0, **port):
    drive = Drive(DiskImage(sectors=1 << 20), medium=one, behaviour=behaviour)
    host = ScriptedHost(DrivePort(drive, seed=seed, observer=PortAnalyser(True), **port), seed=seed, hold=hold)
    host.drive = drive
    host.bring_up()
    return host


def timed(host, action):
    """(dwords, ledger) of an action of the host."""
    host.port.observer.reset()
    start = host.port.link.now
    action()
    assert not host.port.link.violations
    return host.port.link.now - start, host.port.observer.ledger()


DATA = random.Random(1).randbytes(256 * 1024)


@pytest.mark.sample(4)
@pytest.mark.parametrize("shows, account", [
    ("hold", "device_hold"), ("activate", "activate_wait"), ("status", "completion_wait")])
@pytest.mark.parametrize("generation, hz", [(1, 37.5e6), (2, 75e6), (3, 150e6)])
def test_writing(shows, account, generation, hz):
    one = medium(hz, write={"mb_per_s": 100, "stall_shows": shows, "buffer_bytes": 16384})
    host = connect(one, generation=generation)
    dwords, ledger = timed(host, lambda: host.write(7, DATA))
    assert host.drive.image.read_sectors(7, 512) == DATA
    # With late DMA Activates the last Data FIS begins when only one more fits.
    assert dwords == pytest.approx((len(DATA) - 16384) / 100e6 * hz, abs=FIS + 200)
    waits = {name: ledger[name] for name in ("device_hold", "activate_wait", "completion_wait")}
    assert max(waits, key=waits.get) == account
    assert sum(waits.values()) - waits[account] < 20 * 40


def test_a_hold_lasts_as_long_with_align_as_without():
    def plan(one):
        one.plan_frame = lambda now, dwords: [(100, 100_000)]
        host = connect(one)
        return timed(host, lambda: host.write(0, DATA[:512 * 4]))[0]
    quiet = medium()
    quiet.plan_frame = lambda now, dwords: []
    host = connect(quiet)
    without = timed(host, lambda: host.write(0, DATA[:512 * 4]))[0]
    assert plan(medium()) - without == pytest.approx(100_000, abs=30)


@pytest.mark.parametrize("shows, account", [("hold", "device_hold"), ("data", "data_wait")])
def test_reading(shows, account):
    one = medium(read={"mb_per_s": 100, "stall_shows": shows})
    host = connect(one)
    host.drive.image.write(0, DATA)
    dwords, ledger = timed(host, lambda: host.read(0, 512))
    assert dwords == pytest.approx(len(DATA) / 100e6 * HZ, rel=0.02)
    assert ledger[account] > 0.8 * (ledger["device_hold"] + ledger["data_wait"])
    again, _ = timed(host, lambda: host.read(0, 512))
    assert again == pytest.approx(dwords, rel=0.01)


def test_slower_line():
    # 2 dwords in 3 clocks: the drive's time is that of the line.
    one = medium(write={"mb_per_s": 100, "buffer_bytes": 16384})
    host = connect(one, line_rate=(2, 3))
    dwords, _ = timed(host, lambda: host.write(0, DATA))
    assert dwords == pytest.approx((len(DATA) - 16384) / 100e6 * HZ, rel=0.02)


def test_flush_command():
    one = medium(write={"mb_per_s": 50, "buffer_bytes": 1 << 20, "flush_us": 500})
    host = connect(one)
    host.write(0, DATA)
    left = buffered(one, host.port.link.now)
    dwords, _ = timed(host, lambda: host.command(0xEA))
    assert dwords == pytest.approx((left / 50e6 + 500e-6) * HZ, rel=0.01)


def test_ideal_is_no_medium():
    def log(one):
        host = connect(one)
        host.write(0, DATA[:50 * 512])
        host.read(10, 30)
        host.command(0xEA)
        return host.port.observer.log, host.stream

    assert log(Medium(load("ideal"), HZ)) == log(None)


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(12))
def test_hostile_drive_with_a_medium(seed):
    rng = random.Random(seed)
    one = medium(write={"mb_per_s": rng.choice((50, 150)), "buffer_bytes": 16384,
                        "stall_shows": rng.choice(("hold", "activate", "status")),
                        "command_us": 5, "jitter_us": 5, "cache": {"bytes": 20000,
                                                                   "mb_per_s": 200}},
                 read={"mb_per_s": 100, "stall_shows": rng.choice(("hold", "data"))})
    host = connect(one, Behaviour.random(seed), seed, hold=0.002)
    data = DATA[:40 * 512]
    assert host.write(3, data) == (0x50, 0)
    assert host.read(3, 40) == (0x50, 0, data)
    assert host.command(0xEA) == (0x50, 0)
    assert not host.port.link.violations


def test_faults_with_a_medium():
    one = medium(write={"mb_per_s": 100}, read={"mb_per_s": 100})
    host = connect(one, Behaviour(fail_lba=20, refuse_data=1))
    assert host.write(0, DATA[:60 * 512])[0] == 0x51        # refused
    assert host.write(0, DATA[:60 * 512])[0] == 0x51        # bad sector
    assert host.read(0, 60)[0] == 0x51
    host.drive.behaviour.fail_lba = None
    assert host.write(0, DATA[:60 * 512]) == (0x50, 0)
    assert host.read(0, 60) == (0x50, 0, DATA[:60 * 512])


def test_identify_is_the_profiles():
    host = connect(medium(model="SLOW", lba48=False, generation=2))
    page = host.identify()
    words = [int.from_bytes(page[2 * n:2 * n + 2], "little") for n in range(256)]
    model = b"".join(word.to_bytes(2, "big") for word in words[27:47]).decode().rstrip()
    assert model == "SLOW"
    assert not words[83] >> 10 & 1 and words[76] & 0xE == 0b0110


def test_unplugged_and_plugged_again():
    one = medium(write={"mb_per_s": 100, "buffer_bytes": 16384})
    host = connect(one)
    before, _ = timed(host, lambda: host.write(0, DATA))
    host.port.plug(host.drive)
    for _ in range(200):
        host.cycle()
    host.bring_up()
    start = host.port.link.now
    assert host.write(0, DATA) == (0x50, 0)
    after = host.port.link.now - start
    assert after == pytest.approx(before, rel=0.01)
