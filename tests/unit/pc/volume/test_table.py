"""The sectors of the recording table and of the logs: fields where docs/files.md has them."""

import struct
import zlib
from dataclasses import replace

import pytest

from sata_recorder.pc.volume import Log, LogEntry, RecordingTable, SectorOrder, SegmentEntry, Slot, Timestamp
from sata_recorder.pc.volume.exfat import Malformed
from sata_recorder.pc.volume.table import Proof

PROOFS = (Proof(0, 34, 112, 0x11), Proof(1152, 12, 0, 0x22), Proof(4120, 1, 24, 0xFFFFFFFF))
TABLE = RecordingTable(3, 1025, 1032, 3, 8, 16384, 1152, 15192, bytes(range(16)), 4128, PROOFS)
SLOT = Slot(2, 47104, 40960, 5378, 5120, 4136, 0, 96, 1040, 0xC0FFEE)
JOURNAL = (LogEntry(1, 0, 100, 7, 1234), LogEntry(2, 9, 47110, 8), LogEntry(3, 15, 50000, 2))
LOG = Log(2, 123456, 47104, 75_000_000, 4, 7, 0xDEADBEEF, Timestamp(0x5D000001, 99, 0x84), "MODEL",
          "S1", JOURNAL, True)


def crc(sector):
    return struct.unpack_from("<I", sector, 508)[0] == zlib.crc32(sector[:508])


def test_header():
    sector = TABLE.pack()
    assert len(sector) == 512 and sector[:8] == b"SATA REC" and crc(sector)
    assert struct.unpack_from("<IIQQIIQQQ16s", sector, 8) == (
        2, 3, 1025, 1032, 3, 8, 16384, 1152, 15192, bytes(range(16)))
    assert struct.unpack_from("<QHHIQHHIQHHIQ", sector, 80) == (
        0, 34, 112, 0x11, 1152, 12, 0, 0x22, 4120, 1, 24, 0xFFFFFFFF, 4128)
    assert RecordingTable.parse(sector) == TABLE


def test_slot():
    sector = SLOT.pack()
    assert sector[:8] == b"SATA SLT" and crc(sector)
    assert struct.unpack_from("<IIQQIIQIIQI", sector, 8) == (
        2, 2, 47104, 40960, 5378, 5120, 4136, 0, 96, 1040, 0xC0FFEE)
    assert Slot.parse(sector, 2) == SLOT
    with pytest.raises(Malformed, match="slot 2 in the place of slot 3"):
        Slot.parse(sector, 3)


def test_log():
    content = LOG.pack()
    assert len(content) == 3 * 512 and content[:8] == b"SATA LOG" and crc(content[:512])
    assert struct.unpack_from("<IIQQIIIBB2xIIQII", content, 8) == (
        1, 2, 123456, 47104, 15, 0xDEADBEEF, 0x5D000001, 99, 0x84, 75_000_000, 4, 7, 3,
        zlib.crc32(content[512:]))
    assert content[72:132] == b"MODEL".ljust(40) + b"S1".ljust(20)
    assert struct.unpack_from("<12Q", content, 512) == (
        1, 100, 7, 1234, 2 | 9 << 4, 47110, 8, 0, 3 | 15 << 4, 50000, 2, 0)
    assert Log.parse(content) == LOG
    bare = Log(1, 1, 0)
    assert Log.parse(bare.pack()) == bare


@pytest.mark.parametrize("order", [None, SectorOrder(2, 40960, 1000, 8, 0, table=(SegmentEntry(0, 0, 1000),))])
def test_sectors_that_were_passed_over(order):
    """In a log of any version; one that was written before there was this field has 0 there."""
    log = replace(LOG, skipped=(1 << 40) + 5, order=order)
    content = log.pack()
    assert struct.unpack_from("<Q", content, 176) == ((1 << 40) + 5,)
    assert Log.parse(content) == log and log.passed_over == ((1 << 40) + 5, 8)
    assert LOG.pack()[136:508] == bytes(372) and LOG.passed_over == (8, 8) and Log(1, 1, 0).passed_over == (0, 0)


def test_too_long_a_journal():
    with pytest.raises(ValueError, match="at most 32 entries, not 33"):
        Log(1, 1, 0, journal=(JOURNAL[0],) * 33).pack()


@pytest.mark.parametrize("place, words", [(0, "no log"), (20, "CRC-32 differs"),
                                          (511, "CRC-32 differs"), (600, "journal has another"),
                                          (1535, "journal has another")])
def test_damaged_log(place, words):
    content = bytearray(LOG.pack())
    content[place] ^= 0x10
    with pytest.raises(Malformed, match=words):
        Log.parse(bytes(content))


def versioned(sector, version):
    sector = bytearray(sector)
    sector[8] = version
    sector[508:] = struct.pack("<I", zlib.crc32(sector[:508]))
    return bytes(sector)


def test_other_version():
    with pytest.raises(Malformed, match="version 4, only 1 and 2 and 3 are known"):
        RecordingTable.parse(versioned(TABLE.pack(), 4))


def test_the_version_without_proofs():
    """Its fields are where they were; what came later is not there, whatever stands in its place."""
    assert RecordingTable.parse(versioned(TABLE.pack(), 1)) == replace(TABLE, proofs=(), folder_lba=0)
    assert Slot.parse(versioned(SLOT.pack(), 1), 2) == replace(SLOT, unused_crc=None)


def test_fields_that_cannot_be():
    for wrong in ({"slots": 0}, {"cluster_shift": 17}, {"block_sectors": 0}, {"block_sectors": 257},
                  {"folder_lba": 1 << 48}, {"proofs": (Proof(1 << 48, 1, 0, 0),) * 3},
                  {"proofs": (Proof(0, 0, 0, 0),) * 3}, {"proofs": (Proof(0, 512, 0, 0),) * 3}):
        with pytest.raises(Malformed, match="impossible fields"):
            RecordingTable.parse(replace(TABLE, **wrong).pack())
