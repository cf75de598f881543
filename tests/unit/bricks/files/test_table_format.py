"""The places of the table's words, against what the tools of the PC write."""

import struct

from sata_recorder.bricks.files import table_format as format
from sata_recorder.bricks.files.table_format import HeaderWord, LogFlag, LogWord, SlotWord
from sata_recorder.pc.volume import LineLengths, Log, RecordingTable, Slot, Timestamp
from sata_recorder.pc.volume.layout import RECORDING_OFFSET, UNUSED_OFFSET
from sata_recorder.pc.volume.table import HEADER_LBA, MOST_SLOTS, VERSION
from sata_recorder.bricks.files.signature import SLOT_BITS

WIDE = 0x123456789ABC


def words(sector):
    return struct.unpack(f"<{len(sector) // 4}I", sector)


def wide(found, place):
    return found[place] | found[place + 1] << 32


def test_header():
    found = words(RecordingTable(77, 1025, WIDE, 5, 8, 99, 1000, 2000, bytes(16)).pack())
    assert found[:3] == (format.MAGIC, format.HEADER_MAGIC, format.VERSION)
    assert (found[HeaderWord.SLOTS], wide(found, HeaderWord.SLOTS_LBA),
            found[HeaderWord.CLUSTER_SHIFT]) == (77, 1025, 5)
    assert (format.HEADER_LBA, format.VERSION) == (HEADER_LBA, VERSION)
    assert MOST_SLOTS < 1 << SLOT_BITS


def test_slot():
    found = words(Slot(7, WIDE, WIDE + 1, 11, 12, WIDE + 2, RECORDING_OFFSET, UNUSED_OFFSET,
                       WIDE + 3).pack())
    assert found[:3] == (format.MAGIC, format.SLOT_MAGIC, format.VERSION)
    assert (found[SlotWord.NUMBER], wide(found, SlotWord.LBA), wide(found, SlotWord.SECTORS),
            found[SlotWord.FIRST_CLUSTER], found[SlotWord.CLUSTERS],
            wide(found, SlotWord.DIRECTORY_LBA), found[SlotWord.RECORDING_OFFSET],
            found[SlotWord.UNUSED_OFFSET], wide(found, SlotWord.LOG_LBA)
            ) == (7, WIDE, WIDE + 1, 11, 12, WIDE + 2, 0, format.UNUSED_OFFSET, WIDE + 3)


def test_log():
    packed = Log(7, WIDE, WIDE + 1, 75_000_000, 5, WIDE + 2, 0xC0C0, Timestamp(1, 2, 3), "MODEL",
                 "SERIAL", (), True, high_water=4096, in_doubt=True, lines=LineLengths(0)).pack()
    found = words(packed)
    assert found[:3] == (format.MAGIC, format.LOG_MAGIC, format.LogVersion.PLAIN)
    assert (found[LogWord.NUMBER], wide(found, LogWord.BYTES), wide(found, LogWord.LBA),
            found[LogWord.CRC], found[LogWord.SECONDS], found[LogWord.TIME_REST],
            found[LogWord.CLOCK_HZ], found[LogWord.ERROR], wide(found, LogWord.LOST_WORDS),
            found[LogWord.ENTRIES]) == (7, WIDE, WIDE + 1, 0xC0C0, 1, 2 | 3 << 8, 75_000_000, 5,
                                        WIDE + 2, 0)
    assert found[LogWord.FLAGS] == sum(1 << flag for flag in LogFlag if flag != LogFlag.DATED)
    assert packed[4 * LogWord.MODEL:].startswith(b"MODEL ")
    assert packed[4 * LogWord.SERIAL:].startswith(b"SERIAL ")
    assert found[LogWord.HIGH_WATER] == 4096
    assert wide(words(Log(7, 1, 1, skipped=WIDE).pack()), LogWord.SKIPPED) == WIDE
    found = words(Log(7, 1, 1, lines=LineLengths(WIDE, ((5, 6), (7, 8)))).pack())
    assert (wide(found, LogWord.LINES), found[LogWord.LINE_RUNS], found[LogWord.RUNS:LogWord.RUNS + 5]) == (
        WIDE, 2, (5, 6, 7, 8, 0))
    Log(7, 1, 1, lines=LineLengths(WIDE, ((1, 1),) * format.LINE_RUNS)).pack()
    end = 4 * LogWord.HIGH_WATER + 4
    assert packed[end:508] == bytes(508 - end)
