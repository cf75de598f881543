"""What the numbers that an exported core carries mean, one line each."""

__all__ = ["ERRORS", "MARKS", "OPERATIONS"]

#: The operations, by the name of `sata_recorder.sequencer.Operation`.
OPERATIONS = {
    "PLAY": "read the extent to m_axis",
    "RECORD": "write s_axis to the extent",
    "FLUSH": "FLUSH CACHE alone",
    "RECORD_FLUSH": "write s_axis to the extent, then FLUSH CACHE",
}

#: The codes on `error`, by the name of `sata_recorder.sequencer.Error`.
ERRORS = {
    "NONE": "success",
    "NOT_READY": "start without an identified drive",
    "ZERO_SECTORS": "start with sectors = 0",
    "OUT_OF_RANGE": "the extent ends beyond the drive's capacity",
    "NO_DMA_LBA": "the drive has no DMA or no LBA",
    "TIMEOUT": "the drive was silent for too long; a COMRESET was asked for",
    "LINK_LOST": "phy_link_up fell",
    "DRIVE_ERROR": "the drive's status has ERR or DF, or lacks DRDY",
    "SHORT_DATA": "the drive ended a command before all data had moved",
    "PROTOCOL": "a FIS that was not expected, or too much data",
    "DATA_CRC": "a Data FIS was answered by R_ERR, in either direction",
    "IDENTIFY_FAILED": "IDENTIFY DEVICE failed",
    "SECTOR_SIZE": "the drive's logical sector is not 512 bytes",
    "NOT_ATA": "the signature of another kind of device",
    "OTHER_DRIVE": "after a failure a drive with another serial number came back",
    "COMMAND_REFUSED": "the drive did not acknowledge a command FIS sent 16 times",
}

#: The kinds of entries of the journal, by the name of `sata_recorder.sequencer.Mark`.
MARKS = {
    "GAP": "words of the recording that were lost because the buffer was full",
    "SKIPPED": "sectors that were passed over: old data, new data, or a mixture",
    "IN_DOUBT": "sectors of the command at which the operation ended: the same",
    "UNFLUSHED": "sectors completed before the drive was brought up anew, or before a FLUSH CACHE "
                 "that failed: as recorded, but for what was lost with its write cache",
}
