"""Drives with logical sectors of 4096 bytes: the core counts sectors of 512 bytes, the drive's commands
count its own (ATA8-ACS, Long Logical Sector feature set)."""

import pytest
from integration.drives import HeardDrive
from integration.small import RETRY, SMALL, commands, connect, content, works
from sata_drive_model.faults import Fault
from short import short

from sata_recorder.lab.campaign import CORES
from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.core.drive_port import Error, JournalKind
from sata_recorder.simulation import Hold

LONG = {"unit": {"logical_sector": 4096}}
#: One core for nearly all tests, so that it is compiled once.
CORE = SMALL | {"long_logical_sectors": True, "pacing": "programmable"}
#: The same for those in which commands fail and are tried again.
RETRIES = RETRY | {"long_logical_sectors": True}


def entries(b):
    """(kind, position, length) of the journal."""
    return [(JournalKind(one.kind), one.position, one.length) for one in read_journal(b)[0]]


@pytest.mark.parametrize("lba48", [True, False])
def test_commands_count_logical_sectors(bench, lba48):
    b = bench(connect(HeardDrive, sectors=4096, unit={"logical_sector": 4096, "lba48": lba48}), **CORE)
    outputs = b.outputs()
    assert (outputs["capacity"], outputs["long_sectors"]) == (4096, 1)
    data = content(1, 40)
    assert b.record(data, 80, flush=True).error == 0
    assert b.image.read_sectors(80, 40) == data
    assert b.play(80, 40).data == data
    b.check()
    write, read = (0x35, 0x25) if lba48 else (0xCA, 0xC8)
    assert [(one.command, one.lba if lba48 else one.lba28, one.count) for one in b.drive.heard
            if one.command in (write, read)] == [
        (command, 10 + lba, count) for command in (write, read) for lba, count in ((0, 2), (2, 2), (4, 1))]
    # What the analyser keeps is in sectors of 512 bytes again.
    assert [(one.lba, one.sectors) for one in b.analyser.commands] == [(80, 16), (96, 16), (112, 8)]


def test_a_core_with_the_option_uses_short_sectors_too(bench):
    b = bench(**CORE)
    assert b.outputs()["long_sectors"] == 0
    works(b, lba=1001, sectors=21)


@pytest.mark.parametrize("operation", ["record", "play"])
@pytest.mark.parametrize("lba, sectors", [(81, 16), (80, 17), (84, 12), (80, 1), (4096, 15)])
def test_an_extent_that_splits_a_logical_sector_is_refused(bench, operation, lba, sectors):
    """Before anything is sent, and before a word is taken."""
    b = bench(connect(HeardDrive, sectors=4096, **LONG), **CORE)
    before = len(b.drive.heard)
    outcome = b.record(content(1, sectors), lba) if operation == "record" else b.play(lba, sectors)
    assert outcome.error == Error.SECTOR_SIZE
    assert outcome.taken == outcome.received == outcome.outputs["sectors_done"] == 0
    assert len(b.drive.heard) == before
    works(b, lba=1000, sectors=24)


def test_a_refused_extent_is_shown_while_its_drive_is_brought_up_again(bench):
    """So a program that waits for a drive must not take it for what is wrong with that one."""
    b = bench(connect(sectors=4096, **LONG), **CORE)
    assert b.play(81, 16).error == Error.SECTOR_SIZE
    b.port.drop_link(2000)
    b.run(1000)
    outputs = b.outputs()
    assert not outputs["ready"] and outputs["error"] == Error.SECTOR_SIZE
    works(b, lba=1000, sectors=24)


@pytest.mark.parametrize("lba, sectors, error", [(80, 0, Error.ZERO_SECTORS), (81, 0, Error.ZERO_SECTORS),
                                                 (4096, 8, Error.OUT_OF_RANGE),
                                                 (4088, 16, Error.OUT_OF_RANGE), (4088, 8, Error.NONE)])
def test_the_other_limits_are_as_before(bench, lba, sectors, error):
    b = bench(connect(sectors=4096, **LONG), **CORE)
    assert b.play(lba, sectors).error == error


def test_a_rest_of_the_image_is_no_sector(bench):
    b = bench(connect(sectors=4095, **LONG), **CORE)
    assert b.outputs()["capacity"] == 4088
    assert b.play(4088, 8).error == Error.OUT_OF_RANGE
    works(b, lba=4064, sectors=24)


@pytest.mark.parametrize("after", short(
    [1, 128, 129, 1023, 1024, 1025, 2048, 2049, 3072, 3073, 5000], [1, 1023, 1024, 2049]))
@pytest.mark.parametrize("hold", [Hold(), Hold(100, 300)])
def test_a_stop_fills_the_logical_sector(bench, after, hold):
    b = bench(connect(**LONG), **CORE)
    data = content(1, 200)
    b.image.write(512 * 800, b"\xFF" * 512 * 200)
    outcome = b.record(data, 800, 200, stop_after=after, hold=hold)
    done = outcome.outputs["sectors_done"]
    assert outcome.error == 0 and outcome.outputs["words"] == outcome.taken
    assert done % 8 == 0 and -(-outcome.taken // 1024) * 8 <= done <= -(-outcome.taken // 2048) * 16
    assert b.image.read_sectors(800, 200) == (
        data[:4 * outcome.taken] + bytes(512 * done - 4 * outcome.taken) + b"\xFF" * 512 * (200 - done))
    b.check()


@pytest.mark.parametrize("sector", short([0, 5, 8, 15], [5, 8]))
@pytest.mark.parametrize("operation", ["record", "play"])
def test_a_bad_sector_is_told_in_sectors_of_512_bytes(bench, operation, sector):
    """The drive names a logical sector; the core its first sector of 512 bytes."""
    b = bench(connect(fail_lba=80 + 16 + sector, **LONG), **CORE)
    data = content(2, 40)
    if operation == "record":
        outcome = b.record(data, 80)
    else:
        b.image.write(80 * 512, data)
        outcome = b.play(80, 40)
        assert outcome.data == data[:len(outcome.data)]
    assert outcome.error == Error.DRIVE_ERROR
    assert outcome.outputs["error_lba"] == 80 + 16 + sector - sector % 8
    assert outcome.outputs["sectors_done"] % 8 == 0
    found = entries(b)
    assert all(position % 8 == 0 and length % 8 == 0 for _, position, length in found)
    # All that is not in doubt is as it was said.
    if operation == "record":
        assert (JournalKind.IN_DOUBT, 96, 16) in found
        assert b.image.read_sectors(80, 16) == data[:16 * 512]
    b.behaviour.fail_lba = None
    works(b, lba=1000, sectors=24)


@pytest.mark.wide
@pytest.mark.parametrize("fail_times", [1, 3])
@pytest.mark.parametrize("operation", ["record", "play"])
def test_a_command_is_tried_again(bench, operation, fail_times):
    b = bench(connect(fail_lba=80 + 20, fail_times=fail_times, **LONG), **RETRIES)
    data = content(2, 40)
    if operation == "record":
        assert b.record(data, 80).error == 0
        assert b.image.read_sectors(80, 40) == data
    else:
        b.image.write(80 * 512, data)
        outcome = b.play(80, 40)
        assert (outcome.error, outcome.data) == (0, data)
    assert b.outputs()["retries"] == fail_times and not entries(b)
    assert b.violations() == []


@pytest.mark.wide
@pytest.mark.parametrize("operation", ["record", "play"])
@pytest.mark.parametrize("sector", short((0, 3, 8, 15), (0, 15)))
@pytest.mark.parametrize("words, retained", short(
    [(256, 0), (1024, 0), (1024, 8), (4096, 16), (4096, 0)], [(1024, 8)]))
def test_a_bad_logical_sector_is_passed_over(bench, operation, sector, words, retained):
    """Whole logical sectors: where the words of one are gone, the others of it are dropped."""
    b = bench(connect(fail_lba=80 + sector, data_fis_dwords=(1, 300), **LONG),
              configuration=CORES["4k-skip"].model_copy(update={
                  "buffer_words": words, "retain_sectors": retained}))
    old, data = content(3, 80), content(2, 80)
    b.image.write(80 * 512, old)
    outcome = b.record(data, 80) if operation == "record" else b.play(80, 80)
    assert outcome.error == 0 and outcome.outputs["skipped_sectors"] > 0
    skipped = set()
    for kind, position, length in entries(b):
        assert kind == JournalKind.SKIPPED and position % 8 == 0 and length % 8 == 0 and length
        skipped |= set(range(position - 80, position - 80 + length))
    assert sector in skipped and len(skipped) == outcome.outputs["skipped_sectors"]
    got = b.image.read_sectors(80, 80) if operation == "record" else outcome.data
    wanted = data if operation == "record" else old
    for index in set(range(80)) - skipped:
        assert got[512 * index:512 * index + 512] == wanted[512 * index:512 * index + 512], index
    if operation == "play":
        bad = sector - sector % 8
        assert got[512 * bad:512 * bad + 4096] == bytes(4096)
    b.behaviour.fail_lba = None
    works(b, lba=1000, sectors=24)


@pytest.mark.wide
@pytest.mark.parametrize("after", [2, 900, 1100, 2500])
@pytest.mark.parametrize("operation", ["record", "play"])
def test_the_link_is_lost_in_a_command(bench, operation, after):
    b = bench(connect(**LONG), **RETRIES)
    data = content(2, 64)
    b.image.write(160 * 512, data if operation == "play" else bytes(len(data)))
    b.port.inject([Fault(kind="link_loss", clock=after, clocks=400)])
    outcome = b.record(data, 160) if operation == "record" else b.play(160, 64)
    assert outcome.error == 0 and outcome.outputs["sectors_done"] == 64
    assert (b.image.read_sectors(160, 64) if operation == "record" else outcome.data) == data
    assert b.port.collect()
    works(b, lba=1000, sectors=24, clean=False)


@pytest.mark.wide
@pytest.mark.parametrize("identity", ["sector", "larger"])
def test_a_drive_that_comes_back_with_other_sectors_is_another_one(bench, identity):
    b = bench(connect(**LONG), **RETRIES)
    b.port.inject([Fault(kind="altered", clock=900, clocks=400, identity=identity)])
    outcome = b.record(content(2, 64), 160)
    assert outcome.error == Error.OTHER_DRIVE
    assert not any(b.port.drive.image.read_sectors(160, 64))


@pytest.mark.parametrize("size", [1024, 8192, 1 << 20])
def test_other_lengths_are_refused(bench, size):
    b = bench(connect(unit={"logical_sector": size}), up=False, **CORE)
    b.engine.run(30_000)
    outputs = b.outputs()
    assert not outputs["ready"] and outputs["error"] == Error.SECTOR_SIZE and not outputs["long_sectors"]


def test_the_limit_of_a_command_is_a_logical_sector_at_least(bench):
    b = bench(connect(**LONG), **CORE)
    for limit, size in ((1, 8), (7, 8), (8, 8), (15, 8), (16, 16), (17, 16), (0, 16)):
        b.drive.completed.clear()
        b.engine.set(command_limit=limit)
        assert b.record(content(3, 48), 80).error == 0
        assert [one[2] for one in commands(b)] == [size] * (48 // size), limit
    b.check()
