"""ATA on one page: command codes, registers, limits, and words of IDENTIFY DEVICE (ATA8-ACS)."""

import enum

__all__ = ["CARDS", "CHECKSUM_SIGNATURE", "CommandCode", "DeviceBit", "ErrorBit", "FIRMWARE_WORDS",
           "IDENTIFY_WORDS", "IdentifyWord", "LBA28_COMMAND_SECTORS", "LBA28_SECTORS",
           "LBA48_COMMAND_SECTORS", "LBA48_SECTORS", "MODEL_WORDS", "SERIAL_WORDS", "SMART_RETURN_STATUS",
           "SPIN_UP", "SmartVerdict", "SpecificConfiguration", "StatusBit", "TRIM", "TRIM_RANGE_SECTORS",
           "TemperatureStatistics", "WWN_WORDS"]


class CommandCode(enum.IntEnum):
    """Command codes (ATA8-ACS, command descriptions)."""

    DATA_SET_MANAGEMENT = 0x06
    READ_DMA_EXT = 0x25
    WRITE_DMA_EXT = 0x35
    WRITE_DMA_FUA_EXT = 0x3D
    READ_LOG_DMA_EXT = 0x47
    SMART = 0xB0
    READ_DMA = 0xC8
    WRITE_DMA = 0xCA
    FLUSH_CACHE = 0xE7
    FLUSH_CACHE_EXT = 0xEA
    IDENTIFY_DEVICE = 0xEC
    SET_FEATURES = 0xEF


class StatusBit(enum.IntEnum):
    """Bits of the Status register (ATA8-ACS, status field)."""

    ERR = 0     # the command ended with an error
    DRQ = 3     # the device is ready to move data
    DF = 5      # device fault
    DRDY = 6    # the device takes commands
    BSY = 7     # the device is busy


class ErrorBit(enum.IntEnum):
    """Bits of the Error register (ATA8-ACS, error field)."""

    ABRT = 2    # the command was aborted
    IDNF = 4    # the address was not found
    UNC = 6     # data could not be corrected
    ICRC = 7    # a CRC error on the interface


class DeviceBit(enum.IntEnum):
    """Bits of the Device register (ATA8-ACS, device field)."""

    LBA = 6     # the address is a block address


class IdentifyWord(enum.IntEnum):
    """Words of IDENTIFY DEVICE data, and what their bits state (ATA8-ACS, IDENTIFY DEVICE)."""

    GENERAL = 0             # bit 15: not an ATA device, except for CARDS; bit 2: the data are incomplete
    SPECIFIC_CONFIGURATION = 2      # see SpecificConfiguration
    CAPABILITIES = 49       # bit 8: DMA, bit 9: LBA
    CAPACITY_28 = 60        # and 61: sectors that 28-bit commands reach
    COMMAND_SETS = 83       # bit 10: 48-bit addresses, bit 13: FLUSH CACHE EXT
    COMMAND_SETS_3 = 84     # bit 8: there is a World Wide Name, bit 6: WRITE DMA FUA EXT
    ENABLED_3 = 87          # bits 8 and 6: the same
    CAPACITY_48 = 100       # to 103: sectors that 48-bit commands reach
    SECTOR_SIZE = 106       # bit 12: logical sectors longer than 512 bytes, bit 13: bits 3:0 state how many
                            # of them are a physical one
    SECTOR_WORDS = 117      # to 118: words of a logical sector that is longer than 512 bytes
    COMMAND_SETS_4 = 119    # bit 3: READ LOG DMA EXT
    ENABLED_4 = 120         # bit 3: the same
    DATA_SET_MANAGEMENT = 169       # bit 0: TRIM
    ALIGNMENT = 209         # bits 13:0: where logical sector 0 is in its physical one
    INTEGRITY = 255         # A5h in bits 7:0: the bytes of all words add up to 0


class SpecificConfiguration(enum.IntEnum):
    """What word 2 of IDENTIFY DEVICE data states (ATA8-ACS, specific configuration): of the drive after
    power-up. Some state it forever, whatever they have done since."""

    INCOMPLETE_SPIN_UP = 0x37C8     # incomplete; the drive spins up after SET FEATURES only
    SPIN_UP = 0x738C                # complete; the same
    INCOMPLETE = 0x8C73             # incomplete; the drive spins up by itself
    READY = 0xC837                  # complete; the same


class SmartVerdict(enum.IntEnum):
    """LBA 23:8 at the end of SMART RETURN STATUS (ATA8-ACS, SMART); the first one begins it, too."""

    GOOD = 0xC24F
    EXCEEDED = 0x2CF4       # a threshold is exceeded


class TemperatureStatistics(enum.IntEnum):
    """The page of temperatures in the Device Statistics log (ATA/ATAPI Command Set - 2, Temperature
    Statistics): numbers of log and page, and the offsets in bytes of what is read of it."""

    LOG = 0x04
    PAGE = 0x05             # also in bits 23:16 of its first dword
    CURRENT = 8             # in degrees Celsius, bits 7:0; bit 63: supported, bit 62: valid
    MAXIMUM = 88            # the specified maximum operating temperature, likewise


#: The Features register of SET FEATURES that spins a drive up which has powered up in standby.
SPIN_UP = 0x07
#: The Features register of SMART RETURN STATUS.
SMART_RETURN_STATUS = 0xDA
#: The Features register of DATA SET MANAGEMENT that means TRIM, and the most sectors of one of its ranges
#: (ATA8-ACS, LBA range entry).
TRIM, TRIM_RANGE_SECTORS = 0x01, 65535

#: What word 0 states for a card, which is a disk, though bit 15 is set (CF+ and CompactFlash Specification,
#: IDENTIFY DEVICE; the second one is an alternative to the first).
CARDS = (0x848A, 0x844A)

#: Bits 7:0 of word 255 where there is a checksum.
CHECKSUM_SIGNATURE = 0xA5


#: Words of IDENTIFY DEVICE data in all, and those that hold a string: two characters a word.
IDENTIFY_WORDS = 256
SERIAL_WORDS = range(10, 20)
FIRMWARE_WORDS = range(23, 27)
MODEL_WORDS = range(27, 47)
#: Words of IDENTIFY DEVICE data with the World Wide Name.
WWN_WORDS = range(108, 112)

#: Most sectors that a drive can have, by the width of its addresses, and that a command can move.
LBA28_SECTORS = (1 << 28) - 1
LBA48_SECTORS = (1 << 48) - 1
LBA28_COMMAND_SECTORS = 256
LBA48_COMMAND_SECTORS = 65536
