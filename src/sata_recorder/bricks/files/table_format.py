"""Where the numbers of the recording table are: words of 32 bits in a sector (docs/files.md)."""

from enum import IntEnum

from amaranth.lib import data

__all__ = ["BLOCK_BITS", "HEADER_LBA", "HeaderWord", "LOG_MAGIC", "HEADER_MAGIC", "LOG_SECTORS", "MOST_BLOCK",
           "MOST_SLOTS", "LINE_RUNS",
           "LogFlag", "LogVersion", "LogWord", "LONG_LOG_SECTORS", "LONG_VERSION", "MAGIC", "PROOFS", "PROOF_WORDS",
           "ProofWord", "SECTORS_BITS", "SLOT_MAGIC", "SlotPlace", "SlotWord", "UNUSED_OFFSET", "VERSION"]


def _text(four):
    return int.from_bytes(four, "little")


#: Of header and slots, and of the header of a drive with logical sectors of 4096 bytes; that of a log is of its own.
VERSION, LONG_VERSION = 2, 3
#: Where the header is; slot n follows it by n logical sectors.
HEADER_LBA = 1024
#: The first word of each sector of the table, and the second one of each kind.
MAGIC = _text(b"SATA")
HEADER_MAGIC, SLOT_MAGIC, LOG_MAGIC = _text(b" REC"), _text(b" SLT"), _text(b" LOG")
#: Sectors of a log with the journal only, and of one that has the table of segments, too.
LOG_SECTORS, LONG_LOG_SECTORS = 3, 5
#: Runs of lines of equal length for which the first sector of a log has room.
LINE_RUNS = 31
#: Byte of the directory sector where the entry set of the unused part begins.
UNUSED_OFFSET = 96


class HeaderWord(IntEnum):
    """The header."""

    SLOTS = 3
    SLOTS_LBA = 4
    CLUSTER_SHIFT = 8
    BLOCK_SECTORS = 9
    PROOFS = 20
    FOLDER_LBA = 32


#: How many proofs the header has, and words of each; bits of the number of sectors of a block of
#: the folder, at most 256, and of a proof.
PROOFS, PROOF_WORDS, BLOCK_BITS, SECTORS_BITS = 3, 4, 9, 9
MOST_SLOTS, MOST_BLOCK = 4096, 256


class ProofWord(IntEnum):
    """A proof in the header; LBA is two words."""

    LBA = 0
    #: Bits 15:0 how many, 31:16 the first word that counts.
    SECTORS = 2
    CRC = 3


class SlotWord(IntEnum):
    """A slot; what has 8 bytes is two words, the lower one first."""

    NUMBER = 3
    LBA = 4
    SECTORS = 6
    FIRST_CLUSTER = 8
    CLUSTERS = 9
    DIRECTORY_LBA = 10
    RECORDING_OFFSET = 12
    UNUSED_OFFSET = 13
    LOG_LBA = 14
    UNUSED_CRC = 16


class LogVersion(IntEnum):
    """What there is in a log."""

    PLAIN = 1
    #: The order of the file's sectors, and the table of segments.
    ORDER = 2
    #: As ORDER, of a recording that had not ended: the first sector is complete by itself.
    UPDATE = 3


class LogWord(IntEnum):
    """A log; MODE to OLDEST are in one of the version ORDER."""

    NUMBER = 3
    BYTES = 4
    LBA = 6
    FLAGS = 8
    CRC = 9
    SECONDS = 10
    TIME_REST = 11
    CLOCK_HZ = 12
    ERROR = 13
    LOST_WORDS = 14
    ENTRIES = 16
    JOURNAL_CRC = 17
    MODEL = 18
    SERIAL = 28
    HIGH_WATER = 33
    #: Bits 7:0 the mode, 15:8 bytes of the last word that do not count, 31:16 segments.
    MODE = 34
    PART = 36
    WORDS = 38
    WRITTEN = 40
    OLDEST = 42
    #: In each version.
    SKIPPED = 44
    #: With the flag LINES.
    LINES = 46
    #: How many, and two words for each: bytes of a line, lines.
    LINE_RUNS = 48
    RUNS = 64


class LogFlag(IntEnum):
    """Bits of the flags of a log."""

    CRC = 0
    TIME = 1
    DRIVE = 2
    JOURNAL_FULL = 3
    #: The file has, or is to have, the name of its day: for the files stage only.
    DATED = 4
    #: What was in the drive's cache may be lost.
    IN_DOUBT = 5
    #: It has the lengths of lines.
    LINES = 6


class SlotPlace(data.Struct):
    """Where the recording of a slot goes, and all that belongs to it."""

    #: The first sector of the data.
    lba: 48
    #: How many sectors there are for them.
    sectors: 48
    #: The first of the clusters that they are.
    first_cluster: 32
    #: The first of the three sectors of the log.
    log_lba: 48
