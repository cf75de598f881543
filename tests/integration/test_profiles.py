"""The core against drives with a timing profile: rates, and where both ledgers see them."""

import random

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, Medium, Profile
from sata_drive_model.medium.profile import load

from sata_recorder.simulation.drive_package import drive_port

HZ = 75e6
DATA = random.Random(5).randbytes(512 * 1024)
SECTORS = len(DATA) // 512


def profile(**fields):
    return Profile.from_data({"name": "a", "model": "A", "description": "a", "generation": 2,
                              "capacity_sectors": 1 << 20, "source": "a test"} | fields)


def port(profile, **options):
    return drive_port(Drive(DiskImage(sectors=1 << 20), medium=Medium(profile, HZ), **options))


def mb_per_s(bench, size=len(DATA)):
    return size / bench.ledger().total * HZ / 1e6


@pytest.mark.parametrize("shows, account", [
    ("hold", "device_hold"), ("activate", "activate_wait"), ("status", "completion_wait")])
def test_record(bench, shows, account):
    b = bench(port(profile(write={"mb_per_s": 155.0, "buffer_bytes": 16384,
                                  "stall_shows": shows})))
    data = DATA[:131072]
    assert b.record(data, lba=8).error == 0
    assert b.image.read_sectors(8, 256) == data
    # What is still in the RAM counts as written; the last Data FIS may follow a late Activate.
    rate = 155.0 / (1 - 16384 / len(data))
    assert mb_per_s(b, len(data)) == pytest.approx(rate, rel=0.05 if shows == "activate" else 2e-3)
    accounts = b.ledger().accounts
    drive = ("device_hold", "activate_wait", "data_wait", "completion_wait")
    assert max(drive, key=accounts.get) == account
    b.check()


@pytest.mark.parametrize("shows, account", [("hold", "device_hold"), ("data", "data_wait")])
def test_play(bench, shows, account):
    b = bench(port(profile(read={"mb_per_s": 223.25, "stall_shows": shows})))
    b.image.write(0, DATA)
    outcome = b.play(0, SECTORS)
    assert outcome.data == DATA
    # The first Data FIS of "data" comes when all of it is there.
    assert mb_per_s(b) == pytest.approx(223.25, rel=0.015 if shows == "data" else 2e-3)
    accounts = b.ledger().accounts
    assert accounts[account] == max(accounts["device_hold"], accounts["data_wait"])
    b.check()


@pytest.mark.wide
def test_28_bit_commands_follow_each_other(bench):
    # Nothing is lost between commands: the medium continues while the host turns around.
    b = bench(port(profile(lba48=False, write={"mb_per_s": 91, "buffer_bytes": 16384},
                           read={"mb_per_s": 147, "buffer_bytes": 131072})))
    assert b.record(DATA, lba=0).error == 0
    assert b.ledger().commands == len(DATA) // 131072
    assert mb_per_s(b, len(DATA) - 16384) == pytest.approx(91, rel=1e-3)
    b.check()
    b.engine.run(20_000)    # until the write buffer is empty
    assert b.play(0, SECTORS).data == DATA
    assert mb_per_s(b) == pytest.approx(147, rel=2e-3)
    b.check()


def test_overhead_of_a_command(bench):
    # 450 us from the command on are the drive's, in each one.
    b = bench(port(profile(lba48=False, write={"command_us": 450})))
    assert b.record(DATA, lba=0).error == 0
    splits = [record.overhead for record in b.analyser.commands if record.overhead is not None]
    assert len(splits) == 3 and all(33_750 <= clocks < 33_850 for clocks in splits)
    b.check()


def test_flush(bench):
    b = bench(port(profile(write={"mb_per_s": 100, "buffer_bytes": 1 << 20, "flush_us": 100})))
    assert b.record(DATA[:65536], lba=0, flush=True).error == 0
    assert b.ledger().total == pytest.approx((65536 / 100e6 + 100e-6) * HZ, rel=0.01)


def test_ideal_profile_changes_nothing(bench):
    def trace(medium):
        drive = Drive(DiskImage(sectors=1 << 20), medium=medium)
        b = bench(drive_port(drive))
        assert b.record(DATA[:65536], lba=0).error == 0
        assert b.play(0, 128).data == DATA[:65536]
        return b.engine.state().hash

    ideal = profile(model="SATA DRIVE MODEL", generation=3)     # in the IDENTIFY page
    assert trace(Medium(ideal, HZ)) == trace(None)


def test_behaviour_and_profile(bench, seed):
    one = profile(write={"mb_per_s": 120, "buffer_bytes": 16384, "jitter_us": 3},
                  read={"mb_per_s": 130})
    b = bench(port(one, behaviour=Behaviour.random(seed)))
    assert b.record(DATA[:65536], lba=3).error == 0
    assert b.image.read_sectors(3, 128) == DATA[:65536]
    assert b.play(3, 128).data == DATA[:65536]
    b.check()


@pytest.mark.wide
@pytest.mark.parametrize("name, write, read", [("x25-e", 217, 286), ("g-monster-v2", 157, 223)])
def test_application_note_drives(bench, name, write, read):
    # What a command costs is taken off: it counts for 1/64 of its share in a long one.
    b = bench(port(load(name)))
    assert b.record(DATA, lba=0).error == 0
    accounts = b.ledger().accounts
    clocks = b.ledger().total - accounts["activate_wait"]
    assert accounts["device_hold"] > clocks / 10
    b.check()
    assert b.play(0, SECTORS).data == DATA
    assert mb_per_s(b) == pytest.approx(read, rel=0.05)
    assert mb_per_s(b) > write
    b.check()
