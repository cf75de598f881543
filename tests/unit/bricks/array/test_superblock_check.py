"""What a sector of a lane's drive is taken for, as its words come."""

import struct
import uuid

import pytest
from unit.bench import Bench

from sata_recorder.bricks.array.superblock_check import SuperblockCheck
from sata_recorder.facts.array import LINEAR, RAID0, RAID1, mirror_superblock_lba
from sata_recorder.interface.array import MemberState
from sata_recorder.pc.array import Superblock

CAPACITY = 100_000
LEVELS = {"raid0": RAID0, "linear": LINEAR, "raid1": RAID1}


def superblock(level, lane):
    place = mirror_superblock_lba(CAPACITY)
    options = {"data_sectors": place, "lba": place} if level == "raid1" else {"data_sectors": 4096}
    return Superblock(uuid.UUID(int=1), uuid.UUID(int=2 + lane), LEVELS[level], drives=2, lane=lane, name="recorder",
                      chunk_sectors=0 if level == "raid1" else 128, created=1_764_323_000, updated=1_764_323_000,
                      events=7, **options)


def taken_for(level, sectors, lane=1):
    """The state after each of some sectors, read one after the other."""
    bench = Bench(SuperblockCheck(2, level=level, **({} if level == "raid1" else {"chunk_shift": 7})))
    found = []

    async def script(bench):
        if level == "raid1":
            bench.set(place=mirror_superblock_lba(CAPACITY))
        bench.set(lane=lane, capacity=CAPACITY)
        await bench.pulse(forget=1)
        for sector in sectors:
            await bench.pulse(begin=1)
            for word in sector:
                await bench.pulse(valid=1, word=word)
            await bench.tick(4)
            found.append(MemberState(bench.get("state")))

    bench.run(script)
    return found


def words_of(one):
    return struct.unpack("<128I", one.pack())


@pytest.mark.parametrize("level", LEVELS)
def test_whose_it_is(level):
    """Further words, of the sectors after it, do not count."""
    own, other, blank = words_of(superblock(level, 1)), words_of(superblock(level, 0)), (0,) * 128
    damaged = (*own[:54], own[54] ^ 1, *own[55:])
    assert taken_for(level, [own, other, blank, damaged, own + blank]) == [
        MemberState.MEMBER, MemberState.OTHER_LANE, MemberState.BLANK, MemberState.OTHER_ARRAY, MemberState.MEMBER]


@pytest.mark.parametrize("level", LEVELS)
def test_a_part_of_a_sector_is_no_verdict(level):
    """Of a drive that is cut off it is not known what it is; and the next sector is judged as a whole."""
    own, blank = words_of(superblock(level, 1)), (0,) * 128
    for count in 0, 1, 36, 127:
        assert taken_for(level, [own[:count], own, blank[:count], blank]) == [
            MemberState.UNREADABLE, MemberState.MEMBER, MemberState.UNREADABLE, MemberState.BLANK]
