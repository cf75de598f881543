"""Each structure of exFAT, against the words and the figures of its specification."""

import struct
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.pc.volume.exfat import (Bitmap, BootSector, FileSet, Malformed, Timestamp,
                                            UPCASE_TABLE, boot_region, chain_entries, check_name,
                                            name_hash, parse_boot_region, set_checksum,
                                            table_checksum)
from sata_recorder.pc.volume.exfat.fat import follow
from sata_recorder.pc.volume.exfat.upcase import expanded

BOOT = BootSector(2048, 128984, 64, 128, 2048, 15867, 4, 0x12345678, 3)


def test_boot_sector_fields():
    """Section 3.1, Table 4: offsets of the fields."""
    sector = BOOT.pack()
    assert len(sector) == 512 and sector[:11] == b"\xeb\x76\x90EXFAT   " and not any(sector[11:64])
    assert struct.unpack_from("<QQIIIIII", sector, 64) == (2048, 128984, 64, 128, 2048, 15867, 4,
                                                           0x12345678)
    assert sector[104:113] == bytes([0, 1, 0, 0, 9, 3, 1, 0x80, 0xFF])
    assert sector[510:] == b"\x55\xaa"


def test_boot_checksum():
    """Section 3.4, Figure 1: a rotation to the right, without VolumeFlags and PercentInUse. The
    figure for this region was computed with the C code there."""
    region = bytearray(boot_region(BOOT))
    total = 0
    for place, byte in enumerate(region[:11 * 512]):
        if place in (106, 107, 112):
            continue
        total = (0x80000000 if total & 1 else 0) + (total >> 1) + byte & 0xFFFFFFFF
    assert struct.unpack("<128I", region[11 * 512:]) == 128 * (total,)
    assert [region[512 * n + 508:512 * n + 512] for n in range(1, 9)] == 8 * [b"\0\0\x55\xaa"]
    region[106], region[112] = 2, 7         # what a system changes while it writes
    assert parse_boot_region(bytes(region)).flags == 2


@pytest.mark.parametrize("place, value", [(3, 0), (20, 1), (510, 0), (108, 12), (105, 2), (110, 2),
                                          (109, 30), (92, 0xFF), (96, 1), (82, 9), (200, 0)])
def test_damaged_boot_region(place, value):
    region = bytearray(boot_region(BOOT))
    region[place] = value
    with pytest.raises(Malformed):
        parse_boot_region(bytes(region))


def test_upcase_table():
    """Section 7.2.5.1, Table 24: the mandatory first 128 entries; all others are themselves."""
    codes = expanded(UPCASE_TABLE)
    assert len(codes) == 65536 and codes[128:] == list(range(128, 65536))
    assert [chr(code) for code in codes[:128]] == [chr(n).upper() for n in range(128)]
    total = 0
    for byte in UPCASE_TABLE:
        total = (0x80000000 if total & 1 else 0) + (total >> 1) + byte & 0xFFFFFFFF
    assert table_checksum(UPCASE_TABLE) == total
    for wrong in b"", UPCASE_TABLE[:100], UPCASE_TABLE + UPCASE_TABLE:
        with pytest.raises(Malformed):
            expanded(wrong)


@given(st.binary(min_size=96, max_size=96))
def test_set_checksum(entries):
    """Section 6.3.3, Figure 2: bytes 2 and 3 are left out."""
    total = 0
    for place, byte in enumerate(entries):
        if place not in (2, 3):
            total = (0x8000 if total & 1 else 0) + (total >> 1) + byte & 0xFFFF
    assert set_checksum(entries) == total


NAMES = st.text(st.characters(exclude_characters='"*/:<>?\\|', min_codepoint=33,
                              exclude_categories=("Cs",)), min_size=1, max_size=40).filter(
                                  lambda name: name == name.rstrip(" ."))


@given(NAMES)
def test_name_hash(name):
    """Section 7.6.4, Figure 4: over the bytes of the up-cased name."""
    total = 0
    upper = "".join(c.upper() if c.isascii() else c for c in name)
    for byte in upper.encode("utf-16-le"):
        total = (0x8000 if total & 1 else 0) + (total >> 1) + byte & 0xFFFF
    assert name_hash(name) == total == name_hash(name, expanded(UPCASE_TABLE))


@given(NAMES, st.integers(0, 2**32 - 1), st.integers(0, 2**63), st.data())
def test_entry_set(name, first, size, data):
    valid = data.draw(st.integers(0, size))
    time = Timestamp(data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(0, 199)), 0x88)
    file = FileSet(name, first, size, valid, 0x21, bool(first), time, time,
                   Timestamp(time.seconds, 0, 0x88))
    entries = file.pack()
    length = len(name.encode("utf-16-le")) // 2
    assert len(entries) == 32 * (2 + -(-length // 15)) and entries[1] == len(entries) // 32 - 1
    assert entries[::32] == b"\x85\xc0" + b"\xc1" * (len(entries) // 32 - 2)
    assert FileSet.parse(entries) == file
    assert file.pack(used=False)[::32] == b"\x05\x40" + b"\x41" * (len(entries) // 32 - 2)
    damaged = bytearray(entries)
    damaged[data.draw(st.integers(4, len(entries) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(Malformed):
        FileSet.parse(bytes(damaged))


def test_entry_set_bytes():
    """Sections 7.4, 7.6, 7.7: where each field stands."""
    file = FileSet("a.b", 7, 1000, 600, created=Timestamp(0x11223344, 5, 0x84),
                   modified=Timestamp(0x55667788, 6, 0x85), accessed=Timestamp(0x99AABBCC, 0, 0x86))
    entries = file.pack()
    assert struct.unpack_from("<BB2xHHIII5B7s", entries) == (
        0x85, 2, 0x20, 0, 0x11223344, 0x55667788, 0x99AABBCC, 5, 6, 0x84, 0x85, 0x86, bytes(7))
    assert struct.unpack_from("<BBBB2xHQIIQ", entries, 32) == (0xC0, 3, 0, 3, 0, 600, 0, 7, 1000)
    assert entries[64:] == b"\xc1\0a\0.\0b\0" + bytes(24)
    assert FileSet("a", 0, 0, 0).pack()[33] == 1        # no cluster, no chain


@given(st.datetimes(datetime(1980, 1, 2), datetime(2107, 12, 30)), st.integers(-48, 56))
def test_timestamp(time, quarters):
    """Section 7.4.8: 10 ms, and the offset from UTC in quarters of an hour."""
    time = time.replace(tzinfo=timezone(timedelta(minutes=15 * quarters)))
    made = Timestamp.of(time)
    found = made.datetime()
    assert timedelta(0) <= time - found < timedelta(milliseconds=10)
    assert found.utcoffset() == time.utcoffset() and made.ten_ms < 200


@pytest.mark.parametrize("hours, told", [
    (15.75, 15.75), (16, 15.75), (23, 15.75), (-16, -16), (-16.25, -16), (-23, -16)])
def test_a_time_further_from_utc_than_an_offset_can_state(hours, told):
    """Section 7.4.10: 7 bits, signed. The offset is another one then, and the time the same."""
    time = datetime(2026, 11, 22, 14, 30, tzinfo=timezone(timedelta(hours=hours)))
    found = Timestamp.of(time).datetime()
    assert found == time and found.utcoffset() == timedelta(hours=told)


@pytest.mark.parametrize("time, hours", [(datetime.min, 10), (datetime.max, -10)])
def test_a_time_that_python_has_in_no_other_zone(time, hours):
    with pytest.raises(ValueError, match=f"the year {time.year} is not in 1980 to 2107"):
        Timestamp.of(time.replace(tzinfo=timezone(timedelta(hours=hours))))


def test_timestamp_fields():
    made = Timestamp.of(datetime(2026, 11, 22, 13, 14, 15, 160_000, UTC))
    assert made == Timestamp(46 << 25 | 11 << 21 | 22 << 16 | 13 << 11 | 14 << 5 | 7, 116, 0x80)
    assert Timestamp(0, 0, 0).datetime() is None
    with pytest.raises(ValueError, match="1979"):
        Timestamp.of(datetime(1979, 12, 31))


@pytest.mark.parametrize("name, words", [("", "0 characters"), ("x" * 256, "256 characters"),
                                         ("a/b", "'/'"), ("a\n", r"'\\n'"),
                                         ("a ", "space or a dot"), ("..", "space or a dot")])
def test_impossible_names(name, words):
    with pytest.raises(ValueError, match=words):
        check_name(name)


@given(st.lists(st.tuples(st.integers(2, 90), st.integers(0, 40)), max_size=8))
def test_bitmap(runs):
    """Bit 0 of byte 0 is cluster 2 (section 7.1.5)."""
    bitmap, used = Bitmap(100), set()
    for first, count in runs:
        clusters = set(range(first, first + count))
        if max(clusters, default=2) > 101:
            with pytest.raises(Malformed):
                bitmap.set(first, count)
            continue
        assert bitmap.set(first, count) == used.isdisjoint(clusters)
        used |= clusters
    assert {n for n in range(2, 102) if bitmap.used(n)} == used
    assert int.from_bytes(bitmap.content, "little") == sum(1 << n - 2 for n in used)
    assert bitmap.differing(Bitmap(100)) == (len(used), min(used, default=None))


def test_chains():
    entries = dict(zip((5, 6, 7), struct.unpack("<3I", chain_entries(5, 3)), strict=True))
    assert follow(entries.get, 5, None, 10) == follow(entries.get, 5, 3, 10) == [5, 6, 7]
    for first, count, table, words in (
            (5, 4, entries, "ends after 3 of 4"), (5, None, {5: 5}, "never"),
            (5, 2, {5: 99}, "leads to 0x63"), (1, 1, {}, "leads to 0x1")):
        with pytest.raises(Malformed, match=words):
            follow(table.get, first, count, 10)
