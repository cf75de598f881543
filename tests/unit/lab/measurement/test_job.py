"""A job refuses what cannot be measured, and names the field; what is left out is filled in."""

from dataclasses import replace

import pytest

from sata_recorder.interface.configuration import Configuration
from sata_recorder.firmware import Controller
from sata_recorder.lab.measurement import Job, JobError, check_files, turnaround_clocks
from sata_recorder.simulation import ENDLESS, File, Hold, Pattern, Rate, load_profile

CORE = Configuration(clock_hz=75e6)
PROGRAMMABLE = Configuration(clock_hz=75e6, pacing="programmable")
COMMANDS = Configuration(clock_hz=75e6, commands=True)
WAITLESS = Configuration(source_width=16, source_clock=True, source_waits=False)
DRIVE = load_profile("x25-e")
SHORT_ADDRESSES = load_profile("shd-nsum30g")


def job(**fields):
    """A recording of two sectors, with these fields."""
    return Job(**{"configuration": CORE, "operation": "record", "lba": 0, "sectors": 2,
                  "data": Pattern("random", 0, ENDLESS)} | fields)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "file").write_bytes(bytes(1000))
    (tmp_path / "folder").mkdir()
    (tmp_path / "disk.img").write_bytes(bytes(10 * 512))
    (tmp_path / "tiny.img").write_bytes(bytes(100))
    return tmp_path


@pytest.mark.parametrize("fields, text", [
    ({"sectors": 0}, "sectors = 0: must be at least 1"),
    ({"sectors": 62_533_297}, "sectors = 62533297: are more than the drive's capacity of 62533296"),
    ({"samples": -1}, "samples = -1: must be at least 0"),
    ({"seed": -1}, "seed = -1: must be 0 to 18446744073709551615"),
    ({"drive_hold": Hold(1, 1_000_001)}, "drive_hold = 1/1000001: must be ON/OFF with ON 1 to "
                                         "1000000000 and OFF 0 to 1000000"),
    ({"host_hold": Hold(1_000_000_001, 1)}, "host_hold = 1000000001/1: must be ON/OFF with ON 1 to "
                                            "1000000000 and OFF 0 to 1000000"),
    ({"data": None}, "data: is missing, there is nothing to record"),
    ({"data": Pattern("random", 0, 255)}, "data: 255 words are less than the 256 of 2 sectors"),
    ({"operation": "play", "flush": True}, "flush: nothing is recorded with operation = play"),
    ({"controller": Controller("z80", 75e6)},
     "controller = z80: must be one of picorv32, serv, vexriscv"),
    ({"controller": Controller("serv", 75e6, "sleeping")},
     "controller_wait = sleeping: must be one of polling, interrupt"),
    ({"controller": Controller("serv", 75e6, "polling", "half")},
     "controller_extent = half: must be one of command, whole"),
    ({"controller": Controller("serv", 75.1e6)},
     "controller_hz = 7.51e+07: must be 75000 to 7.5e+07, the clock of the core"),
    ({"controller": Controller("serv", 74_999)},
     "controller_hz = 74999: must be 75000 to 7.5e+07, the clock of the core"),
    ({"controller": Controller("serv", 75e6), "configuration": PROGRAMMABLE},
     "pacing = programmable: not together with controller = serv, which sets the pace itself"),
    ({"controller": Controller("serv", 75e6), "command_limit": 65537},
     "command_limit = 65537: must be 0 to 65536, the core's longest command"),
    ({"controller": Controller("serv", 75e6, "polling", "whole"), "command_limit": 1},
     "command_limit = 1: not together with controller_extent = whole"),
    ({"profile": DRIVE, "hostile": True}, "hostile: not together with profile = x25-e, which states "
                                          "when the drive holds"),
    ({"profile": DRIVE, "drive_hold": Hold(5, 5)}, "drive_hold: not together with profile = x25-e, "
                                                   "which states when the drive holds"),
    ({"profile": DRIVE, "generation": 3}, "generation = 3: the drive x25-e is of generation 2"),
    ({"configuration": Configuration(clock_hz=37.5e6)},
     "clock_hz = 3.75e+07: generation 2 needs at least 7.5e+07"),
    ({"configuration": Configuration(clock_hz=75e6, on_overflow="drop")},
     "on_overflow = drop: a measurement needs stall; for a stream that cannot wait there are "
     "input_rate and fifo_words"),
    ({"configuration": Configuration(clock_hz=75e6, journal=False)},
     "journal = false: a measurement reads the journal"),
    ({"configuration": Configuration(clock_hz=75e6, ledger=False)},
     "ledger = false: a measurement reads the ledger"),
    ({"configuration": Configuration(playback_width=8)},
     "playback_width = 8: a measurement takes words of 32 bits in the core's clock"),
    ({"configuration": Configuration(source_clock=True)},
     "source_hz: is missing, and the core has source_clock = true: its frequency"),
    ({"source_hz": 1e8}, "source_hz = 1e+08: needs source_clock = true of the core"),
    ({"configuration": Configuration(source_clock=True), "source_hz": 9999.0},
     "source_hz = 9999: must be 10 kHz to 1 GHz"),
    ({"configuration": Configuration(source_width=64), "operation": "play"},
     "source_width = 64: not together with operation = play"),
    ({"configuration": Configuration(source_clock=True), "source_hz": 1e8, "controller": Controller("serv", 75e6)},
     "source_hz = 1e+08: not together with controller = serv"),
    ({"configuration": Configuration(source_width=16, source_clock=True), "source_hz": 1e7, "input_rate": Rate(1, 10)},
     "input_rate = 30 MB/s: beats of 16 bits at 10 MHz carry 20 MB/s"),
    ({"configuration": Configuration(source_width=8), "input_rate": Rate(1, 3)},
     "input_rate = 100 MB/s: beats of 8 bits at 75 MHz carry 75 MB/s"),
    ({"configuration": Configuration(source_width=128), "input_rate": Rate(1, 9), "fifo_words": 6},
     "fifo_words = 6: must be a multiple of 4, the words of a beat"),
    ({"configuration": WAITLESS, "source_hz": 1e8},
     "input_rate: is missing, and the core has source_waits = false: what comes whether there is room or not has a "
     "rate"),
    ({"configuration": WAITLESS, "source_hz": 1e8, "input_rate": Rate(1, 9), "fifo_words": None},
     "fifo_words = endless: not together with source_waits = false: what finds the core's own FIFO of source_depth = "
     "16 full is lost"),
    ({"configuration": PROGRAMMABLE, "turnaround_clocks": -1},
     "turnaround_clocks = -1: must be 0 to 4294967295"),
    ({"configuration": PROGRAMMABLE, "turnaround_clocks": 1 << 32},
     "turnaround_clocks = 4294967296: must be 0 to 4294967295"),
    ({"turnaround_clocks": 1}, "turnaround_clocks = 1: needs pacing = programmable"),
    ({"configuration": Configuration(clock_hz=75e6, files=True)},
     "files = true: must be false: a measurement names its sectors itself"),
    ({"configuration": Configuration(clock_hz=75e6, extents="queued")},
     "extents = queued: must be single: a measurement moves one extent an operation"),
    ({"configuration": PROGRAMMABLE, "command_limit": 65537},
     "command_limit = 65537: must be 0 to 65536"),
    ({"smart": True}, "smart: needs commands = true"),
    ({"smart": True, "controller": Controller("serv", 75e6)},
     "smart: not together with controller = serv, whose firmware issues no command but those of an "
     "operation"),
    ({"written_bytes": 5}, "written_bytes = 5: needs smart"),
    ({"configuration": COMMANDS, "smart": True, "written_bytes": -1},
     "written_bytes = -1: must be 0 to 72057594037927936"),
    ({"input_rate": Rate(1, 9), "operation": "play"},
     "input_rate = 1/9 words a clock: not together with operation = play"),
    ({"input_rate": Rate(1, 9), "host_hold": Hold(1, 1)},
     "input_rate = 1/9 words a clock: not together with host_hold"),
    ({"input_rate": Rate(3, 2)}, "input_rate = 3/2 words a clock: the stream takes a word a clock"),
    ({"input_rate": Rate(1, 9), "fifo_words": 0},
     "fifo_words = 0: must be 1 to 1099511627776, or endless"),
    ({"fifo_words": 10}, "fifo_words = 10: needs input_rate"),
    ({"fifo_words": None}, "fifo_words = endless: needs input_rate"),
    ({"lba": -1}, "lba = -1: must be 0 to 62533295, the drive has 62533296 sectors"),
    ({"lba": 100, "capacity": 100}, "lba = 100: must be 0 to 99, the drive has 100 sectors"),
    ({"lba": 99, "capacity": 100}, "lba = 99: 2 sectors from there end beyond the drive's capacity "
                                   "of 100"),
    ({"capacity": 0}, "capacity = 0: must be 1 to 281474976710655 sectors"),
    ({"capacity": 1 << 28, "lba48": False},
     "capacity = 268435456: must be 1 to 268435455 sectors with lba48 = False"),
    ({"capacity": 1 << 28, "profile": SHORT_ADDRESSES},
     "capacity = 268435456: must be 1 to 268435455 sectors with lba48 = False"),
])
def test_refuses(fields, text):
    with pytest.raises(JobError) as caught:
        job(**fields)
    assert str(caught.value) == text
    assert text.startswith(caught.value.field)


@pytest.mark.parametrize("fields, text", [
    ({"image": "folder"}, "image = folder: is a directory"),
    ({"image": "nowhere/disk.img"}, "image = nowhere/disk.img: there is no folder {}/nowhere"),
    ({"trace": "a", "vcd": "a"}, "vcd = a: the same file as trace"),
    ({"image": "new", "trace": "folder/../new"}, "trace = folder/../new: the same file as image"),
    ({"vcd": "folder"}, "vcd = folder: is a directory"),
    ({"vcd_scope": "ports"}, "vcd_scope = ports: needs vcd"),
    ({"operation": "play", "image": "missing.img", "data": None},
     "image = missing.img: no such file to play from"),
    ({"operation": "play", "image": "tiny.img", "data": None},
     "image = tiny.img: holds no whole sector, 100 bytes"),
    ({"image": "disk.img", "capacity": 9},
     "capacity = 9: is less than the 10 sectors of image = disk.img"),
    ({"operation": "play", "image": "disk.img", "data": None, "lba": 9},
     "lba = 9: 2 sectors from there end beyond the drive's capacity of 10"),
])
def test_refuses_files(folder, fields, text):
    before = sorted(folder.iterdir())
    with pytest.raises(JobError) as caught:
        job(**fields)
    assert str(caught.value) == text.format(folder)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("path, fields, text", [
    ("empty", {}, "data = empty: is empty, there is nothing to record"),
    ("file", {"sectors": 1}, "sectors = 1: data = file has 1000 bytes and needs 2"),
    ("file", {"image": "file"}, "image = file: the same file as data"),
    ("file", {"input_rate": Rate(1, 9)},
     "input_rate = 1/9 words a clock: not together with data = file"),
])
def test_refuses_an_input_file(folder, path, fields, text):
    with pytest.raises(JobError) as caught:
        job(data=File(path, 256), **fields)
    assert str(caught.value) == text


def test_refuses_an_image_without_room(folder):
    with pytest.raises(JobError, match="image = new.img: 51200000000000 bytes are to be written"):
        job(image="new.img", sectors=10 ** 11, capacity=1 << 40)
    assert not (folder / "new.img").exists()


@pytest.mark.parametrize("microseconds", [-1, float("nan"), 1e12])
def test_refuses_a_turnaround(microseconds):
    with pytest.raises(JobError, match="^turnaround_us = .*: must be 0 to 57266231$"):
        turnaround_clocks(microseconds, 75e6)
    assert turnaround_clocks(2.0, 75e6) == 150


def test_files_of_others_are_told_by_their_names(folder):
    with pytest.raises(JobError, match="^--plots = file: is no folder$"):
        check_files({}, {"--plots": "file"}, folders=("--plots",))
    with pytest.raises(JobError, match="^--config = missing: no such file$"):
        check_files({"--config": "missing"}, {})
    check_files({}, {"--plots": "folder", "--json": None}, folders=("--plots",))


def test_another_may_tell_it_with_names_of_his_own():
    with pytest.raises(JobError) as caught:
        job(profile=DRIVE, hostile=True)
    assert caught.value.told(lambda field, value=None: f"<{field}>") == \
        "<hostile>: not together with <profile>, which states when the drive holds"
    assert (caught.value.field, caught.value.value) == ("hostile", None)


def test_what_is_left_out(folder):
    assert (job().generation, job().capacity) == (2, 62_533_296)
    assert (job(profile=DRIVE).generation, job(profile=DRIVE).capacity) == (
        2, DRIVE.capacity_sectors)
    slow = job(profile=SHORT_ADDRESSES)
    assert (slow.generation, slow.lba48) == (1, False)
    assert job(image="disk.img").capacity == 62_533_296
    assert job(image="disk.img", capacity=10).capacity == 10
    assert job(operation="play", image="disk.img", data=None).capacity == 10


def test_conditions_tell_what_matters(folder):
    one = job(configuration=PROGRAMMABLE, input_rate=Rate(1, 2), fifo_words=64, profile=DRIVE)
    told = DRIVE.model_copy(update={"description": "another", "source": "", "notes": ""})
    for same in (replace(one, image="a.img"), replace(one, trace="a"), replace(one, profile=told)):
        assert same.conditions() == one.conditions()
    for other in ({"fifo_words": 65}, {"turnaround_clocks": 1}, {"samples": 5}, {"seed": 1},
                  {"configuration": Configuration(clock_hz=75e6, buffer_words=128)},
                  {"data": Pattern("random", 1, ENDLESS)}, {"generation": 1},
                  {"profile": DRIVE.model_copy(update={"scale": 0.5})}):
        assert replace(one, **other).conditions() != one.conditions()


def test_smart_is_a_condition():
    one = job(configuration=COMMANDS)
    asked = replace(one, smart=True)
    assert asked.conditions() != one.conditions()
    assert replace(asked, written_bytes=1).conditions() != asked.conditions()
