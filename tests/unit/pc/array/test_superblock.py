"""The superblock of md: its fields, its checksum, and what is refused."""

import struct
import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.facts.array import CHUNKS, CLEAN, LINEAR, RAID0, RAID1, mirror_superblock_lba
from sata_recorder.pc.array import Superblock, SuperblockError, remarked

ONE = Superblock(uuid.UUID(int=1), uuid.UUID(int=2), RAID0, 128, 3, 2, 4096, 1_764_323_000, "recorder",
                 1_764_323_000, 7)
#: Lane 1 of two mirrors on drives of 5000 sectors.
MIRROR = Superblock(uuid.UUID(int=1), uuid.UUID(int=2), RAID1, 0, 2, 1, 4984, 1_764_323_000, "recorder", 1_764_323_000,
                    7, lba=4984)
#: Lane 1 of a RAID 0 that mdadm 4.2 made in Linux 6.1, of drives of 64, 64 and 80 MiB:
#: mdadm --create /dev/md0 --level=0 --raid-devices=3 --chunk=64 --data-offset=1M /dev/sda /dev/sdb /dev/sdc
MADE_BY_MDADM = bytes.fromhex(
    "fc4e2ba9010000000010000000000000a6184815a5a95b5ec1782e764df89fae286e6f6e65293a7265636f726465720000000000"
    "000000000000000000000000bfaa0a6b000000000000000001000000000000000000000080000000030000000000000000000000"
    "000000000000000000000000000000000000000000000000000800000000000000f8010000000000080000000000000000000000"
    "0000000001000000000000008fa0a5f04af71b8be90763cd32ed3e030000080008000000bfaa0a6b000000000000000000000000"
    "ffffffffffffffff3cd6abb780000000000000000000000000000000000000000000000000000000000000000000000000000100"
    "0200").ljust(512, b"\xff")


_WORDS = st.integers(0, (1 << 64) - 1)
_COMMON = {"array": st.uuids(), "member": st.uuids(), "created": _WORDS, "name": st.text("abc:-", max_size=32),
           "updated": _WORDS, "events": _WORDS, "resync": st.one_of(st.sampled_from([0, CLEAN]), _WORDS)}
STRIPES = st.builds(Superblock, **_COMMON, level=st.sampled_from([RAID0, LINEAR]), drives=st.just(8),
                    chunk_sectors=st.sampled_from(CHUNKS), lane=st.integers(0, 7),
                    data_sectors=st.integers(1, 1 << 40).map(lambda chunks: 128 * chunks))
MIRRORS = st.integers(32, 1 << 40).map(mirror_superblock_lba).flatmap(lambda lba: st.integers(0, 1).flatmap(
    lambda lane: st.builds(Superblock, **_COMMON, level=st.just(RAID1), chunk_sectors=st.just(0), drives=st.just(2),
                           lane=st.just(lane), data_sectors=st.integers(1, lba), lba=st.just(lba),
                           missing=st.sampled_from([(), (1 - lane,)]))))


@given(st.one_of(STRIPES, MIRRORS))
def test_what_is_packed_is_parsed(one):
    assert len(one.pack()) == 512
    assert Superblock.parse(one.pack().ljust(4096, b"\0"), one.lba) == one == Superblock.parse(one.pack(), one.lba)


@given(MIRRORS, st.booleans(), _WORDS, st.sampled_from([0, CLEAN, None]))
def test_what_is_remarked(one, drops, events, resync):
    """As if it had been packed with these fields; all other bytes stay, also those that only Linux writes."""
    content = bytearray(one.pack().ljust(4096, b"\xa5"))
    content[100:124] = bytes(range(24))
    changed = remarked(bytes(content), events=events, resync=resync, dropped=1 - one.lane if drops else None)
    assert Superblock.parse(changed, one.lba) == replace(
        one, events=events, resync=one.resync if resync is None else resync,
        missing=(1 - one.lane,) if drops else one.missing)
    other = 256 + 2 * (1 - one.lane)
    kept = [place for place in range(4096) if not (200 <= place < 220 or other <= place < other + 2)]
    assert [changed[place] for place in kept] == [content[place] for place in kept]
    assert remarked(one.pack(), events=one.events) == one.pack()


def test_fields():
    """At the bytes of struct mdp_superblock_1 (Linux, include/uapi/linux/raid/md_p.h)."""
    content = ONE.pack()

    def field(place, form):
        return struct.unpack_from("<" + form, content, place)[0]

    assert {place: field(place, form) for place, form in (
        (0, "I"), (4, "I"), (8, "I"), (64, "Q"), (72, "i"), (76, "I"), (80, "Q"), (88, "I"), (92, "I"), (128, "Q"),
        (136, "Q"), (144, "Q"), (160, "I"), (192, "Q"), (200, "Q"), (208, "Q"), (220, "I"))} == {
            0: 0xA92B4EFC, 4: 1, 8: 0, 64: 1_764_323_000, 72: 0, 76: 0, 80: 0, 88: 128, 92: 3, 128: 2048, 136: 4096,
            144: 8, 160: 2, 192: 1_764_323_000, 200: 7, 208: (1 << 64) - 1, 220: 128}
    assert (content[16:32], content[32:64], content[168:184]) == (
        uuid.UUID(int=1).bytes, b"recorder".ljust(32, b"\0"), uuid.UUID(int=2).bytes)
    assert struct.unpack("<128H", content[256:]) == (0, 1, 2, *125 * [0xFFFF])
    assert struct.unpack_from("<i", replace(ONE, level=LINEAR).pack(), 72) == (-1,)


def test_fields_of_a_mirror():
    """Version 1.0: its own LBA is near the end, data from LBA 0 on, and the same sectors in `size` and `data_size`."""
    content = replace(MIRROR, resync=0, missing=(0,)).pack()
    assert {place: struct.unpack_from("<Q", content, place)[0] for place in (80, 128, 136, 144, 200, 208)} == {
        80: 4984, 128: 0, 136: 4984, 144: 4984, 200: 7, 208: 0}
    assert struct.unpack_from("<iI8xII", content, 72) == (1, 0, 0, 2)
    assert struct.unpack("<128H", content[256:]) == (0xFFFE, 1, *126 * [0xFFFF])


def sealed(content, *changes):
    """``content`` with (place, form, value) changed and the checksum made right, by a sum of its own."""
    content = bytearray(content)
    for place, form, value in changes:
        struct.pack_into("<" + form, content, place, value)
    struct.pack_into("<I", content, 216, 0)
    total = sum(struct.unpack("<128I", content))
    struct.pack_into("<I", content, 216, (total % (1 << 32) + total // (1 << 32)) % (1 << 32))
    return bytes(content)


def test_checksum():
    assert sealed(ONE.pack()) == ONE.pack()


def test_roles_that_end_in_half_a_word():
    content = bytearray(ONE.pack() + b"\xff\xff")
    struct.pack_into("<I", content, 220, 129)
    struct.pack_into("<I", content, 216, 0)
    total = sum(struct.unpack("<128I", content[:512])) + 0xFFFF
    struct.pack_into("<I", content, 216, (total % (1 << 32) + total // (1 << 32)) % (1 << 32))
    assert Superblock.parse(bytes(content)) == ONE == Superblock.parse(bytes(content) + b"other")


def test_a_sum_beyond_32_bits():
    one = replace(ONE, array=uuid.UUID(int=(1 << 128) - 1), member=uuid.UUID(int=(1 << 128) - 1))
    assert sealed(one.pack()) == one.pack()


@pytest.mark.parametrize("changes, words", [
    ([(4, "I", 0)], "an md superblock of version 0 for LBA 8, not of version 1.2"),
    ([(144, "Q", 0)], "an md superblock of version 1 for LBA 0, not of version 1.2 for LBA 8"),
    ([(72, "i", 1)], "an array of RAID 1; only RAID 0 and linear are known$"),
    ([(72, "i", 10)], "an array of RAID 10"), ([(72, "i", -4)], "an array of md level -4"),
    ([(8, "I", 0x1000)], "`prepare` has not made: features 4096, known is 0"),
    ([(76, "I", 1)], "a layout 1, known is 0"), ([(128, "Q", 4096)], "data from sector 4096, known is 2048"),
    ([(88, "I", 256)], "chunks of 256, known is 8 to 128"), ([(88, "I", 24)], "chunks of 24"),
    ([(92, "I", 1)], "drives, 1, known is 2 to 8"), ([(92, "I", 9)], "drives, 9"),
    ([(256 + 2 * 2, "H", 0xFFFF)], "no place in its array: its role is spare"),
    ([(256 + 2 * 2, "H", 0xFFFE)], "its role is faulty"), ([(256 + 2 * 2, "H", 3)], "its role is 3 of 3"),
    ([(160, "I", 200)], "its role is spare"), ([(136, "Q", 4097)], "impossible: 4097 sectors of data in chunks of 128"),
    ([(136, "Q", 0)], "impossible: 0 sectors")])
def test_refused(changes, words):
    with pytest.raises(SuperblockError, match=words):
        Superblock.parse(sealed(ONE.pack(), *changes))


@pytest.mark.parametrize("changes, words", [
    ([(72, "i", 0)], "an array of RAID 0; only RAID 1 is known near the end of a drive$"),
    ([(144, "Q", 8)], "of version 1 for LBA 8, not of version 1.0 for LBA 4984"),
    ([(8, "I", 1)], "features 1, known is 0"),
    ([(128, "Q", 2048)], "data from sector 2048, known is 0"), ([(88, "I", 128)], "chunks of 128, known is 0"),
    ([(92, "I", 3)], "drives, 3, known is 2"), ([(256 + 2, "H", 0xFFFE)], "its role is faulty"),
    ([(256 + 2, "H", 2)], "its role is 2 of 2"), ([(80, "Q", 0)], "impossible: 0 sectors of the 4984"),
    ([(80, "Q", 4985)], "impossible: 4985 sectors of the 4984 before")])
def test_mirrors_refused(changes, words):
    with pytest.raises(SuperblockError, match=words):
        Superblock.parse(sealed(MIRROR.pack(), *changes), 4984)


def test_a_mirror_that_linux_has_rebuilt():
    """A drive that was added later has a number after those of all lanes, and a larger one has more data."""
    content = sealed(MIRROR.pack(), (160, "I", 2), (256 + 2, "H", 0xFFFF), (256 + 4, "H", 1), (136, "Q", 8000))
    assert Superblock.parse(content, 4984) == MIRROR
    assert Superblock.parse(sealed(content, (256, "H", 0xFFFF)), 4984) == replace(MIRROR, missing=(0,))


@pytest.mark.parametrize("content, words", [
    (b"", "no md superblock"), (bytes(4096), "no md superblock at LBA 8"), (ONE.pack()[:200], "no md superblock"),
    (ONE.pack()[:300], "damaged"), (ONE.pack()[:220] + b"\xff\xff\0\0" + ONE.pack()[224:], "damaged")])
def test_none(content, words):
    with pytest.raises(SuperblockError, match=words):
        Superblock.parse(content)


@given(st.integers(0, 8 * 512 - 1))
def test_any_bit_is_noticed(bit):
    content = bytearray(ONE.pack())
    content[bit // 8] ^= 1 << bit % 8
    with pytest.raises(SuperblockError):
        Superblock.parse(bytes(content))


def test_one_that_mdadm_has_made():
    """Its checksum is right. It has a layout, because its third drive has more data, and is refused for that."""
    with pytest.raises(SuperblockError, match="`prepare` has not made: features 4096"):
        Superblock.parse(MADE_BY_MDADM)
    found = Superblock.parse(sealed(MADE_BY_MDADM, (8, "I", 0), (76, "I", 0)))
    assert (found.level, found.chunk_sectors, found.drives, found.lane, found.data_sectors, found.name) == (
        RAID0, 128, 3, 1, 129_024, "(none):recorder")
    assert found.events == 0 and found.created == found.updated
