"""Accesses through the core: what is counted, what is left out of long waits, and what is found to be wrong."""

import pytest
from sata_drive_model.medium.medium import Instant

from sata_recorder.lab.access import AccessOptions, as_data, execute, make_job
from sata_recorder.lab.access.image import AccessImage
from sata_recorder.lab.access.stream import AccessStream
from sata_recorder.lab.access.waits import ShortWaits
from sata_recorder.simulation import Profile

#: A drive with a wait of each kind; `{}` is how it shows that its RAM is full.
SLOW = """
name = "slow"
model = "SLOW"
description = "a drive that waits in every place"
capacity_sectors = 4_000_000
generation = 2
source = "a test"
physical_sector = 4096

[write]
mb_per_s = 30
command_us = 90
access_us = 300
completion_us = 40
misaligned_us = 400
buffer_bytes = 16384
stall_shows = "{}"
stalls = [{{ every_bytes = 50_000, ms = 0.7 }}]

[read]
mb_per_s = 20
command_us = 80
access_us = 200
completion_us = 60
stall_shows = "{}"
"""


def slow(tmp_path, write, read="hold"):
    path = tmp_path / "slow.toml"
    path.write_text(SLOW.format(write, read))
    return Profile.from_toml(path)


@pytest.mark.sample(5)
@pytest.mark.parametrize("options, shows", [
    ({"write": True}, ("hold", "hold")), ({"write": True, "size": "64KiB"}, ("hold", "hold")),
    ({"write": True, "size": 512}, ("activate", "hold")), ({"write": True, "lba": 63}, ("status", "hold")),
    ({"size": "32KiB"}, ("hold", "hold")), ({"size": "8KiB", "pattern": "sequential"}, ("hold", "data"))])
def test_waits_that_are_left_out_change_nothing(tmp_path, options, shows):
    """Each access begins and ends in the same clock, and each account is the same, as if every clock were simulated."""
    job = make_job(AccessOptions(drive=slow(tmp_path, *shows), commands=8, **options))
    short, whole = execute(job), execute(job, shorten=False)
    assert not short.problems and not whole.problems
    assert short.skipped > 0 and whole.skipped == 0 and short.clocks < whole.clocks
    assert (short.starts, short.latencies, short.between) == (whole.starts, whole.latencies, whole.between)
    assert short.ledger == whole.ledger
    assert short.total == sum(short.ledger.values()) + short.between


@pytest.mark.wide
def test_waits_for_a_disk_inside_are_left_out_as_well():
    job = make_job(AccessOptions(drive="wd20ears", medium="disk", commands=3, span="64GiB"))
    short, whole = execute(job), execute(job, shorten=False)
    assert not short.problems and not whole.problems
    assert short.skipped > 0 and whole.skipped == 0
    assert (short.starts, short.latencies, short.ledger) == (whole.starts, whole.latencies, whole.ledger)


def test_a_disk_seeks_and_turns():
    """Reads within a track wait for the platters alone; anywhere on the disk the arm moves, too."""
    of = {span: execute(make_job(AccessOptions(drive="wd20ears", medium="disk", span=span, commands=60)))
          for span in ("256KiB", "1TB")}
    assert not any(result.problems or result.doubts for result in of.values())
    # 5,400 turns a minute.
    assert max(of["256KiB"].latencies) / of["256KiB"].clock_hz < 60 / 5400 + 0.002
    assert of["1TB"].statistics.mean > 1.5 * of["256KiB"].statistics.mean
    assert as_data(of["1TB"])["inside"]["medium"] == "disk"


@pytest.mark.wide
def test_unaligned_writes_of_a_disk_cost_a_turn():
    """Once its RAM of 32 MiB is full; 5,400 turns a minute."""
    late = {lba: execute(make_job(AccessOptions(drive="wd20ears", medium="disk", write=True, lba=lba, span="64GB",
                                                commands=12_000))) for lba in (0, 1)}
    assert all(not result.problems and "took the first accesses" in result.caveats[-1] for result in late.values())
    assert 1 / late[1].late_iops - 1 / late[0].late_iops == pytest.approx(60 / 5400, rel=0.1)


@pytest.mark.wide
@pytest.mark.parametrize("state, room", [(None, "270,582,939,648"), ("filled", "14,522,425,344")])
def test_flash_that_had_room_for_it_all_is_limited(state, room):
    """All of a new one, and what is spare of one that is full."""
    options = {"drive": "c300-256gb", "medium": "flash", "medium_state": state, "commands": 4}
    result = execute(make_job(AccessOptions(write=True, **options)))
    assert result.verdict == "limited" and not result.doubts
    assert any(f"its flash had {room} bytes free" in text for text in result.caveats)
    assert not any("free" in text for text in execute(make_job(AccessOptions(**options))).caveats)


@pytest.mark.wide
def test_random_writes_in_the_steady_state_wait_for_garbage_collection():
    """A block of 256 units is written, then room is made for the next: about 9 of each 10 units written are copies."""
    asked = AccessOptions(drive="c300-256gb", medium="flash", medium_state="steady", write=True, span="250GB",
                          commands=1000)
    result = execute(make_job(asked))
    assert result.verdict == "limited" and 8_000 < result.iops < 16_000
    assert 2 <= sum(latency > 5e-3 * result.clock_hz for latency in result.latencies) <= 5
    assert any("a slice of its flash stands for all of it" in text for text in result.caveats)
    assert not any("free" in text for text in result.caveats)


def test_all_that_a_medium_is_asked_for_is_passed_on():
    assert {name for name in dir(Instant) if not name.startswith("_")} <= {*dir(ShortWaits)}


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("size, align", [(512, 512), (4096, 4096), (65536, 512)])
def test_all_accesses_are_made(write, size, align):
    result = execute(make_job(AccessOptions(write=write, size=size, align=align, span="3MiB", commands=7)))
    assert result.problems == [] and result.verdict == "good"
    assert result.count == len(result.lbas) == result.commands == 7
    assert result.ledger["payload"] == result.bytes // 4
    assert all(latency > result.job.size * 128 for latency in result.latencies)
    assert result.iops == pytest.approx(7 * result.clock_hz / result.total)
    assert 0 < result.percent < 100


@pytest.mark.wide
def test_a_drive_with_short_commands_only():
    """28-bit commands move 128 KiB: eight of them are an access of 1 MiB."""
    result = execute(make_job(AccessOptions(drive="ts32gssd25s", write=True, size="1MiB", span="4MiB", commands=2)))
    assert result.problems == []
    assert (result.count, result.commands) == (2, 16)


def test_accesses_for_a_time():
    """None begins later than half a millisecond after the first one; the queue has one more."""
    result = execute(make_job(AccessOptions(write=True, seconds=5e-4)))
    assert result.problems == []
    assert result.starts[-3] / result.clock_hz < 5e-4 <= result.seconds < 6e-4
    limited = execute(make_job(AccessOptions(seconds=5e-4, commands=3)))
    assert limited.count == 3


@pytest.mark.long
def test_another_opinion():
    """The core by CXXRTL with the drive in Python: the same trace."""
    job = make_job(AccessOptions(write=True, commands=5))
    first, second = execute(job, "compiled"), execute(job, "cxxrtl")
    assert first.hash == second.hash and first.ledger == second.ledger and not second.problems


@pytest.mark.wide
def test_the_published_time_of_an_access_decides(tmp_path):
    """Writes of random places one at a time: 300 us each, 700 where they split physical sectors."""
    drive = slow(tmp_path, "hold")
    of = {lba: execute(make_job(AccessOptions(drive=drive, write=True, lba=lba, commands=100))) for lba in (0, 63)}
    assert [of[lba].unaligned for lba in (0, 63)] == [0, 100]
    stall = 700 * 4096 / 50_000
    for lba, each in (0, 300), (63, 700):
        assert 1e6 / of[lba].late_iops == pytest.approx(each + 4096 / 30 + stall, rel=0.05)


@pytest.mark.parametrize("options, words", [
    ({"drive": "870-evo-1tb", "write": True}, ["write.access_us"]),
    ({"drive": "870-evo-1tb", "write": True, "lba": 63}, ["write.access_us", "write.misaligned_us"]),
    ({"drive": "870-evo-1tb", "pattern": "sequential"}, []),
    ({"drive": "mg10-20tb", "write": True, "size": 512, "assume_rate": "200MB/s"}, ["write.misaligned_us"]),
    ({"drive": "hds721050cla362"}, []), ({}, [])])
def test_what_is_unknown_is_said(options, words):
    result = execute(make_job(AccessOptions(commands=3, **options)))
    assert not result.problems
    assert [word for word in ("write.access_us", "write.misaligned_us") if word in " ".join(result.doubts)] == words
    assert (result.verdict == "unknown") == bool(words)
    assert as_data(result)["verdict"] == result.verdict


def test_a_disk_in_ram_is_limited():
    result = execute(make_job(AccessOptions(drive="hds721050cla362", write=True, commands=4)))
    assert result.verdict == "limited"
    assert any("fits into the drive's RAM" in text for text in result.caveats)


def test_data_in_the_wrong_place_are_found():
    image = AccessImage(1000, 10, 20, _Words())
    image.write(512 * 12, image.content(512 * 12, 512))
    assert image.problems == []
    image.write(512 * 12, image.content(512 * 13, 512))
    assert "belong elsewhere" in image.problems[0]
    other = AccessImage(1000, 10, 20, _Words())
    other.write(512 * 30, bytes(512))
    assert "outside the span" in other.problems[0]
    assert other.read(0, 512) == bytes(512) and any(other.read(512 * 10, 512))


class _Words:
    def read(self, first, count):
        return b"".join((word + 1).to_bytes(4, "little") for word in range(first, first + count))


@pytest.mark.parametrize("write", [True, False])
def test_a_drive_that_moves_other_data_is_found(monkeypatch, write):
    """One bit of one sector of the drive's."""
    if write:
        real = AccessImage.write
        monkeypatch.setattr(AccessImage, "write",
                            lambda self, offset, data: real(self, offset, bytes([data[0] ^ 1]) + bytes(data[1:])))
    else:
        real = AccessImage.read
        monkeypatch.setattr(AccessImage, "read",
                            lambda self, offset, size: bytes(size) if offset < 1 << 31 else real(self, offset, size))
    result = execute(make_job(AccessOptions(write=write, commands=3)))
    assert result.verdict == "wrong"
    assert ("belong elsewhere" if write else "differs from what it must be") in result.problems[0]


@pytest.mark.wide
def test_an_access_at_another_place_is_found(monkeypatch):
    real = AccessStream.lba
    monkeypatch.setattr(AccessStream, "lba", lambda self, number: real(self, number) + 8 * (number == 2))
    result = execute(make_job(AccessOptions(write=True, commands=5)))
    assert "not the accesses that were asked for" in result.problems[0]
