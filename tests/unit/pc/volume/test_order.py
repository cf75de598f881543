"""A ring and segments on the PC: from the places of a file to the order of the recording."""

import random
from dataclasses import replace

import pytest
from unit.pc.volume.conftest import Disk

from sata_recorder.pc.volume import (Drive, Log, LogEntry, Refused, SectorRange, SegmentEntry,
                                      finalise, verify)
from sata_recorder.pc.volume.exfat import Malformed
from sata_recorder.pc.volume.order import RING, TRIGGERED, SectorOrder, segments_of

ENTRY = SegmentEntry(128 * 3, 1000, 1500, 7, 1 << 40, 9, 1 << 63, 3 | 5 << 16)


def entry(first, end, trigger=None):
    return SegmentEntry(128 * first, trigger or 0, end, flags=3 * (trigger is not None))


def test_log_as_documented():
    """Fields where docs/files.md has them; version 1 stays without an order."""
    order = SectorOrder(TRIGGERED, 77, 10 ** 12, 10 ** 10, 10 ** 9, 18, (ENTRY,) * 16, 3)
    content = Log(2, 512, 4096, order=order, journal=(LogEntry(2, 3, 4096, 1),)).pack()
    assert len(content) == 5 * 512 and content[8:12] == b"\x02\0\0\0"
    assert content[136:140] == bytes((3, 3, 18, 0)) and content[140:144] == bytes(4)
    for place, number in ((144, 77), (152, 10 ** 12), (160, 10 ** 10), (168, 10 ** 9),
                          (1536, 128 * 3), (1536 + 56, 3 | 5 << 16), (2496 + 32, 1 << 40)):
        assert int.from_bytes(content[place:place + 8], "little") == number, place
    assert not any(content[176:508])
    assert Log.parse(content).order == order
    plain = Log(2, 512, 4096).pack()
    assert len(plain) == 3 * 512 and plain[8] == 1 and not any(plain[132:508])


@pytest.mark.parametrize("count, known", [(1, 1), (3, 3), (16, 16), (17, 16), (40, 16)])
def test_the_table_goes_round(count, known):
    """Entry n is that of segment n modulo 16."""
    table = tuple(entry(number, 128 * number + 5) for number in range(count - known, count))
    order = SectorOrder(TRIGGERED, 1, 1, 1, 0, count, table)
    fields, content = order.pack()
    place = 64 * ((count - 1) % 16)
    assert int.from_bytes(content[place:place + 8], "little") == 128 * (count - 1)
    assert SectorOrder.parse(fields, content) == order
    assert SectorOrder.parse(fields, None).table == ()
    with pytest.raises(ValueError, match="at most 16"):
        SectorOrder(TRIGGERED, 1, 1, 1, 0, count, (ENTRY,) * 17).pack()


@pytest.mark.parametrize("words", [(1 << 48) + 5, (5 << 48) - 3, 1 << 50])
def test_more_words_than_the_core_counts(words):
    """Words are counted modulo 2^48, sectors are not."""
    written = -(-words // 128)
    order = SectorOrder(RING, 64, words % (1 << 48), written, written - 64)
    assert SectorOrder.parse(*order.pack()).words == words


@pytest.mark.parametrize("place, value", [(0, 1), (0, 4), (1, 4), (8, 0)])
def test_fields_that_cannot_be(place, value):
    fields, table = SectorOrder(RING, 1, 1, 1, 0, 1, (ENTRY,)).pack()
    fields = bytearray(fields)
    fields[place] = value
    with pytest.raises(Malformed, match="impossible fields"):
        SectorOrder.parse(bytes(fields), table)


@pytest.mark.parametrize("order", [
    SectorOrder(TRIGGERED, 11, 1, 1, 0, 1, (ENTRY,)),
    SectorOrder(TRIGGERED, 4, 1, 1, 0, 3, (ENTRY,) * 3),
    SectorOrder(RING, 11, 1, 1, 0, 1, (ENTRY,))])
def test_more_than_the_slot(order):
    with pytest.raises(Malformed, match="in a slot of 10"):
        segments_of(0, 10, order, failed=False)


@pytest.mark.parametrize("words, first", [(1279, 0), (1280, 0), (1281, 1), (1408, 1), (1409, 2),
                                          (2560, 10), (9 * 1280 + 700, 86)])
def test_a_ring(words, first):
    """10 sectors; what is there begins with the oldest sector, and ends with the last word."""
    sectors = -(-words // 128)
    order = SectorOrder(RING, 10, words, sectors, max(0, sectors - 10), spare=words % 4)
    one, = segments_of(1000, 10, order, failed=False)
    assert (one.first_word, one.bytes) == (128 * first, 4 * (words - 128 * first) - words % 4)
    assert order.is_recorded == (first == 0) != order.has_wrapped
    places = [part.lba - 1000 + n for part in one.extents for n in range(part.sectors)]
    assert places == [sector % 10 for sector in range(first, sectors)]


def test_a_ring_that_has_failed():
    """The command in flight had begun with sector 10: 0 and 1 are neither old nor new."""
    order = SectorOrder(RING, 10, 2000, 10, 2)
    one, = segments_of(1000, 10, order, failed=True)
    assert one.extents == (SectorRange(1002, 8),) and one.bytes == 8 * 512
    # And with less than it states, there is nothing.
    one, = segments_of(1000, 10, SectorOrder(RING, 10, 2000, 10, 10), failed=True)
    assert (one.extents, one.bytes) == ((), 0)


def test_segments():
    """Three in parts of 8 sectors: wrapped; not wrapped; stopped in the middle of a sector."""
    table = (entry(0, 128 * 20 - 3, 2000), entry(22, 128 * 25, 128 * 24), entry(27, 128 * 31 + 9))
    order = SectorOrder(TRIGGERED, 8, 128 * 31 + 9, 32, 27, 3, table, 2)
    first, second, third = segments_of(1000, 30, order, failed=False)
    # To sector 22 the part was written on: 14 is the oldest one.
    assert first.first_word == 128 * 14 == first.overwritten_words
    assert first.extents == (SectorRange(1006, 2), SectorRange(1000, 4))
    assert first.bytes == 4 * (128 * 6 - 3)
    assert first.trigger_offset == 4 * (2000 - 128 * 14)
    assert second.extents == (SectorRange(1008, 3),) and second.bytes == 3 * 512
    assert second.trigger_offset == 2 * 512 and second.overwritten_words == 0
    assert third.extents == (SectorRange(1016, 5),) and third.bytes == 4 * 512 + 36 - 2
    assert third.trigger_offset is None


def test_a_trigger_that_was_overwritten():
    order = SectorOrder(TRIGGERED, 4, 1000, 8, 4, 1, (entry(0, 1000, 300),))
    one, = segments_of(0, 4, order, False)
    assert one.overwritten_words == 512 and one.trigger_offset is None


def test_segments_of_a_failure():
    """Sector 20 was the last one that is written; the words have come to the next part already."""
    table = (entry(0, 128 * 19, 2000), entry(26, 128 * 28))
    order = SectorOrder(TRIGGERED, 8, 128 * 28, 21, 26, 2, table)
    first, second = segments_of(0, 16, order, failed=True)
    # How far the command that failed had come, nobody knows: at most to the end of what is there.
    assert first.first_word == 128 * 18 and first.bytes == 512
    assert (second.bytes, second.extents) == (0, ())
    # It was stopped there, and nothing failed.
    first, _ = segments_of(0, 16, order, failed=False)
    assert first.first_word == 128 * 13


@pytest.fixture
def recorded_order(image, recorded):
    """``recorded_order(order, size)``: slot 1 has a file with that order; its bytes."""
    def recorded_order(order, size, error=0):
        data = recorded(1, size)
        with Drive(image) as drive:
            slot = drive.slots[0]
            sector = drive.source.read(512 * slot.directory_lba, 512)
            cluster = drive.cluster_bytes
        log = Log(1, size, slot.lba, error=error, order=order, serial="S", model="M")
        with open(image, "r+b") as file:
            for step in finalise(slot, sector, cluster, log):
                if not isinstance(step, str):
                    file.seek(512 * step.lba)
                    file.write(step.content)
        return data
    return recorded_order


def test_a_ring_is_read_in_order(image, recorded_order):
    with Drive(image) as drive:
        sectors = drive.slots[0].sectors
    words = 128 * (3 * sectors + 5) - 7
    order = SectorOrder(RING, sectors, words, 3 * sectors + 5, 2 * sectors + 5, 1,
                        (entry(0, words),), 3)
    data = recorded_order(order, 512 * sectors)
    with Drive(image) as drive:
        one, = drive.recordings
        assert drive.problems == [] and one.order == order
        wanted = data[5 * 512:] + data[:5 * 512 - 31]
        assert drive.read(one).tobytes() == wanted
        assert b"".join(bytes(view) for view in drive.blocks(one)) == wanted
        assert drive.memmap(one, raw=True).tobytes() == data
        with pytest.raises(Refused, match="wraps round: read"):
            drive.memmap(one)
        with pytest.raises(Refused, match="segment 1: .* has no such segment; it has none"):
            drive.read(one, segment=1)


def test_segments_are_read_in_order(image, recorded_order):
    table = (entry(0, 128 * 20 - 3, 2000), entry(22, 128 * 25, 128 * 24))
    order = SectorOrder(TRIGGERED, 8, 128 * 25, 25, 22, 2, table)
    data = recorded_order(order, 11 * 512)
    with Drive(image) as drive:
        one, = drive.recordings
        assert drive.read(one, segment=1).tobytes() == (data[6 * 512:8 * 512]
                                                        + data[:4 * 512 - 12])
        assert drive.memmap(one, "<u4", segment=2).tobytes() == data[8 * 512:11 * 512]
        with pytest.raises(Refused, match="wraps round"):
            drive.memmap(one, segment=1)
        with pytest.raises(Refused, match="2 segments, of which one must be named"):
            drive.read(one)
        with pytest.raises(Refused, match="no such segment; it has 1, 2"):
            drive.read(one, segment=3)


@pytest.mark.parametrize("order, is_known", [
    (SectorOrder(RING, 12, 128 * 30, 30, 18, 1, (ENTRY,)), True),
    (SectorOrder(TRIGGERED, 6, 128 * 30, 30, 24, 2, (entry(0, 1000), entry(24, 128 * 30))), False)])
def test_a_damaged_table(image, recorded_order, order, is_known):
    """Of a ring all is in the first sector of the log; of segments nothing is known."""
    data = recorded_order(order, 12 * 512)
    with Drive(image) as drive:
        place = 512 * drive.slots[0].log_lba
    for offset in (600, 1600):
        content = bytearray(image.read_bytes())
        content[place + offset] ^= 1
        image.write_bytes(content)
        with Drive(image) as drive:
            one, = drive.recordings
            assert one.is_file and len(drive.problems) == 1 and "log of slot 1" in drive.problems[0]
            if is_known:
                assert drive.read(one).tobytes() == data[6 * 512:] + data[:6 * 512]
            else:
                with pytest.raises(Refused, match="order of its sectors cannot be read"):
                    drive.read(one)
            assert drive.memmap(one, raw=True).tobytes() == data


def test_a_sector_that_cannot_be_read(image, recorded_order, monkeypatch):
    recorded_order(SectorOrder(RING, 12, 128 * 30, 30, 18, 1, (ENTRY,)), 12 * 512)
    with Drive(image) as drive:
        one, = drive.recordings

        def failing(offset, view):
            raise OSError(5, "bad")

        monkeypatch.setattr(drive.source, "read_into", failing)
        with pytest.raises(OSError, match="byte 0 of REC00001.dat cannot be read"):
            drive.read(one)


def test_any_ring_and_segments():
    """Against a disk on which each sector is written where docs/recording.md states."""
    for seed in range(200):
        rng = random.Random(seed)
        part, count = rng.randrange(1, 20), rng.randrange(1, 6)
        firsts, sector = [0], 0
        for _ in range(count - 1):
            sector += rng.randrange(1, 60)
            firsts.append(sector)
        words = 128 * sector + rng.randrange(1, 5000)
        written = -(-words // 128)
        disk = Disk(bytes(512 * part * count))
        for n in range(written):
            k = max(k for k in range(count) if firsts[k] <= n)
            disk.write(part * k + (n - firsts[k]) % part, n.to_bytes(4, "little") * 128)
        ends = [*(128 * next_ - rng.randrange(200) for next_ in firsts[1:]), words]
        table = tuple(entry(first, end) for first, end in zip(firsts, ends))
        order = SectorOrder(TRIGGERED, part, words, written, max(firsts[-1], written - part), count,
                      table)
        for one, first, end in zip(segments_of(0, part * count, order, False), firsts, ends):
            data = b"".join(disk.read(512 * extent.lba, 512 * extent.sectors)
                            for extent in one.extents)[:one.bytes]
            last = [*firsts, written][firsts.index(first) + 1]
            oldest = max(first, last - part)
            wanted = b"".join((word // 128).to_bytes(4, "little")
                              for word in range(128 * oldest, max(end, 128 * oldest)))
            assert data == wanted, (seed, one)


def test_a_log_that_has_not_ended():
    """Its first sector stands by itself; entries of later segments after it are left out."""
    table = tuple(entry(10 * number, 1280 * number + 5) for number in range(4, 20))
    order = SectorOrder(TRIGGERED, 8, 1280 * 20, 200, 192, 20, table)
    content = bytearray(Log(2, 512, 4096, order=order, ended=False).pack())
    assert content[8] == 3
    log = Log.parse(bytes(content))
    assert (log.order, log.ended, log.journal, log.journal_full) == (order, False, (), True)
    # The segments 20 and 21 have ended since, and stand in the place of 4 and 5.
    later = SectorOrder(TRIGGERED, 8, 1280 * 22, 220, 212, 22, (*table[2:], entry(200, 25700),
                                                              entry(210, 27000)))
    content[1536:] = later.pack()[1]
    assert Log.parse(bytes(content)).order.table == table[2:]
    assert Log.parse(bytes(content[:512]), whole=False).order.table == ()


def test_a_log_that_is_newer_than_its_file(image, recorded_order):
    """The power failed between both: the segments of the file are what they were."""
    table = entry(0, 128 * 10, 5), entry(12, 128 * 20, 1600), entry(22, 128 * 25)
    order = SectorOrder(TRIGGERED, 4, 128 * 25, 25, 22, 3, table)
    data = recorded_order(order, 512 * 8)
    with Drive(image) as drive:
        slot = drive.slots[0]
    log = Log(1, 512 * 11, slot.lba, order=order).pack()
    content = bytearray(image.read_bytes())
    content[512 * slot.log_lba:512 * slot.log_lba + len(log)] = log
    image.write_bytes(content)
    with Drive(image) as drive:
        one, = drive.recordings
        assert [part.number for part in one.segments] == [1, 2] and not one.log.ended
        assert one.order.segments == 2
        # Sectors 8 to 11 of the first part, 18 to 21 of the second.
        assert [part.first_word for part in one.segments] == [128 * 8, 128 * 18]
        assert drive.read(one, segment=2).tobytes() == data[512 * 6:512 * 8]


def write_log(image, log):
    with Drive(image) as drive:
        place = 512 * drive.slots[0].log_lba
    content = bytearray(image.read_bytes())
    packed = log.pack()
    content[place:place + len(packed)] = packed
    image.write_bytes(content)


def whole(image):
    with Drive(image) as drive:
        return drive.slots[0].lba, drive.slots[0].sectors


def test_a_ring_whose_log_is_ahead_of_its_file(image, recorded_order):
    """The power failed between both, at the end: the file is that of the latest update."""
    data = recorded_order(SectorOrder(RING, 40, 128 * 10, 10, 0), 512 * 10)
    lba, _ = whole(image)
    write_log(image, Log(1, 4 * 2000, lba, order=SectorOrder(RING, 40, 2000, 16, 0, 1), crc32=7))
    with Drive(image) as drive:
        one, = drive.recordings
        assert (one.bytes, one.log.ended, one.log.crc32) == (512 * 10, False, None)
        assert (one.order.words, one.order.written, one.order.oldest) == (128 * 10, 10, 0)
        assert (one.order.table, one.old_bytes) == ((), 0)
        assert drive.read(one).tobytes() == data


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("lacks", [1, 1000])
def test_a_wrapped_ring_whose_file_was_cut(image, recorded_order, ended, lacks):
    """Another system has: no update has made such a file, and its first sector is not that of the recording."""
    lba, sectors = whole(image)
    order = SectorOrder(RING, sectors, 128 * (sectors + 5), sectors + 5, 5)
    data = recorded_order(order, 512 * sectors)
    write_log(image, Log(1, 512 * sectors, lba, order=order, ended=ended))
    with Drive(image) as drive:
        file, = (node for node in drive.volume.walk() if node.path == "RECORDINGS/REC00001.dat")
        size = 512 * (sectors - lacks)
        cut = replace(file.set, size=size, valid=size).pack()
    with open(image, "r+b") as changed:
        changed.seek(file.place)
        changed.write(cut)
    with Drive(image) as drive:
        one, = drive.recordings
        if lacks == 1:      # it has all its clusters
            assert one.is_file and one.order_is_unknown and one.bytes == size
            with pytest.raises(Refused, match="nothing shows in which order its sectors were recorded"):
                drive.read(one)
            return
        assert not one.is_file and one.others == ("RECORDINGS/REC00001.dat",)
        assert "some of its sectors are those of RECORDINGS/REC00001.dat now" in one.doubts
        assert drive.read(one).tobytes() == data[5 * 512:] + data[:5 * 512]


def test_a_ring_that_is_shorter_than_its_file(image, recorded_order):
    """An update took the whole slot, and the ring never wrapped: what comes after it is old."""
    lba, sectors = whole(image)
    data = recorded_order(SectorOrder(RING, sectors, 128 * sectors, sectors, 0), 512 * sectors)
    words = 128 * (sectors - 9) + 5
    write_log(image, Log(1, 4 * words, lba,
                         order=SectorOrder(RING, sectors, words, sectors - 8, 0, 1)))
    with Drive(image) as drive:
        one, = drive.recordings
        assert one.log is not None and one.log.ended
        assert (one.bytes, one.valid_bytes) == (4 * words, 4 * words)
        assert drive.read(one).tobytes() == data[:4 * words]
        assert drive.memmap(one).nbytes == 4 * words
        assert one.old_bytes == 512 * sectors - 4 * words
        assert verify(drive).notes == [f"REC00001.dat: the power failed at its end: its file has "
                                       f"{one.old_bytes} bytes more, which are old"]


def test_an_update_of_a_ring_that_says_what_may_go(image, recorded_order):
    """The log of an update counts what the next quarter may write over as gone; the file, which is
    older, has all of it."""
    data = recorded_order(SectorOrder(RING, 40, 128 * 20, 20, 0), 512 * 20)
    lba, _ = whole(image)
    write_log(image, Log(1, 512 * 40, lba, order=SectorOrder(RING, 40, 128 * 35, 35, 5, 1), ended=False))
    with Drive(image) as drive:
        one, = drive.recordings
        assert (one.bytes, one.order.oldest, one.log.ended) == (512 * 20, 0, False)
        assert drive.read(one).tobytes() == data


def test_segments_of_which_no_entry_is_left():
    """This many have ended since that the table has none of those before: nobody knows their words."""
    table = tuple(entry(10 * number, 1280 * number + 5) for number in range(4, 20))
    order = SectorOrder(TRIGGERED, 8, 1280 * 20, 200, 192, 20, table)
    assert order.until(20) is order and order.until(21) is order
    assert order.until(5).table == table[:1] and order.until(5).words == 128 * 50
    assert (order.until(3).segments, order.until(3).words, order.until(3).table) == (3, None, ())
    assert segments_of(0, 999, order.until(3), failed=False) == ()


def test_the_log_of_another_file(image, recorded_order):
    lba, _ = whole(image)
    recorded_order(SectorOrder(RING, 40, 128 * 10, 10, 0), 512 * 10)
    write_log(image, Log(1, 512 * 8, lba, order=SectorOrder(RING, 40, 128 * 8, 8, 0, 1)))
    with Drive(image) as drive:
        assert drive.recordings[0].log is None


def test_a_ring_that_goes_on_tells_nothing_of_its_segment():
    """Its table is not written before the end: zeros are no figures."""
    log = Log(1, 512 * 10, 4096, order=SectorOrder(RING, 40, 128 * 10, 10, 0, 1, (entry(0, 9),)),
              ended=False)
    content = bytearray(log.pack())
    content[1536:] = bytes(len(content) - 1536)
    assert Log.parse(bytes(content)).order.table == ()
