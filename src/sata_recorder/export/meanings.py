"""What the names of an exported core mean, one line each."""

__all__ = ["ACCOUNTS", "ERRORS", "EXTREMES", "OPERATIONS", "PINS", "SURROUNDINGS", "ports"]

#: Clock, PHY and streams: the ports that every core has, in the order of the Verilog.
SURROUNDINGS = {
    "clk": "clock of everything, at least the dword rate",
    "rst": "synchronous reset, active high",
    "phy_tx_data": "dword to send, bits 7:0 go first",
    "phy_tx_k": "which bytes of phy_tx_data are control characters; byte 0 or none",
    "phy_tx_ready": "the PHY takes phy_tx_data in this clock; while low it stands still",
    "phy_rx_data": "received dword, aligned: a control character is in bits 7:0",
    "phy_rx_k": "which bytes of phy_rx_data are control characters",
    "phy_rx_valid": "a dword arrives in this clock",
    "phy_rx_error": "this dword had a code or disparity error",
    "phy_link_up": "communication is established; a fall aborts everything in flight",
    "phy_generation": "generation of the link: 1, 2 or 3",
    "phy_reset": "asks the PHY for a COMRESET while high",
    "phy_limit": "highest generation to be negotiated from the next COMRESET on; 0: any",
    "s_axis_tdata": "word to record; bits 7:0 are the first byte on the disk",
    "s_axis_tvalid": "s_axis_tdata is valid",
    "s_axis_tready": "the core takes s_axis_tdata in this clock",
    "m_axis_tdata": "word played back; bits 7:0 are the first byte on the disk",
    "m_axis_tvalid": "m_axis_tdata is valid",
    "m_axis_tlast": "last word of the operation",
    "m_axis_tready": "the user takes m_axis_tdata in this clock",
}

#: The control as plain pins.
PINS = {
    "start": "one clock: starts an operation; ignored while busy",
    "operation": "what start starts, see operations",
    "lba": "first sector of the operation",
    "sectors": "length of the operation in sectors of 512 bytes",
    "stop": "one clock: ends a recording or play-back early",
    "ready": "link up, drive identified, no operation running",
    "busy": "an operation runs: from the clock after start to the clock before done",
    "done": "one clock, at the end of every operation, a failed or refused one too",
    "error": "result of the last operation or of bring-up, see errors; valid from done on",
    "drive_status": "Status register of the last status the drive sent",
    "drive_error": "Error register of the last status the drive sent",
    "capacity": "capacity of the drive in sectors",
    "lba48": "the drive takes 48-bit commands",
    "identify_address": "dword of the IDENTIFY DEVICE data to read",
    "identify_data": "words 2a+1 and 2a of the IDENTIFY DEVICE data, one clock after the address",
    "sectors_done": "sectors of this operation in commands that ended without error",
    "words": "words accepted (record) or delivered (play) in this operation",
    "high_water": "highest fill of the buffer in this operation, in words",
    "held_cycles": "clocks in which a word waited: for room in the buffer (record), for the user (play)",
    "ledger_address": "cycle account to read, see ledger",
    "ledger_data": "the account in clocks, two clocks after the address",
    "recovering": "a command has failed, and the next one has not been issued",
    "cause": "error that began the last recovery of this operation, see errors; 0: there was none",
    "retries": "commands issued again in this operation; saturates",
    "error_lba": "sector named by the last status with ERR or DF",
    "skipped_sectors": "sectors of this operation that were passed over",
    "dropped": "words of this recording that were lost because the buffer was full",
    "longest_stall": "longest time in clocks for which the drive took no word while there were some",
    "journal_address": "4 x entry + field of the journal to read, see journal",
    "journal_data": "the field, two clocks after the address",
    "journal_count": "entries of the journal; 33: there were more than could be entered",
}

#: With them, where the configuration makes the pacing programmable.
PACING = {
    "command_limit": "longest command in sectors, stable while busy; 0: max_command_sectors",
    "turnaround": "clocks by which a command that follows another is delayed, stable while busy",
}

#: The control as a register bank.
AXI_LITE = {
    "s_axil_awaddr": "write address in bytes; bits 1:0 are ignored",
    "s_axil_awprot": "ignored",
    "s_axil_awvalid": "s_axil_awaddr is valid",
    "s_axil_awready": "the bank takes s_axil_awaddr in this clock",
    "s_axil_wdata": "data to write",
    "s_axil_wstrb": "which bytes of s_axil_wdata are written",
    "s_axil_wvalid": "s_axil_wdata and s_axil_wstrb are valid",
    "s_axil_wready": "the bank takes s_axil_wdata in this clock",
    "s_axil_bresp": "response to a write: OKAY, or SLVERR where nothing can be written",
    "s_axil_bvalid": "s_axil_bresp is valid",
    "s_axil_bready": "the manager takes s_axil_bresp in this clock",
    "s_axil_araddr": "read address in bytes; bits 1:0 are ignored",
    "s_axil_arprot": "ignored",
    "s_axil_arvalid": "s_axil_araddr is valid",
    "s_axil_arready": "the bank takes s_axil_araddr in this clock",
    "s_axil_rdata": "data read",
    "s_axil_rresp": "response to a read: OKAY, or SLVERR where there is no register",
    "s_axil_rvalid": "s_axil_rdata and s_axil_rresp are valid",
    "s_axil_rready": "the manager takes s_axil_rdata in this clock",
    "irq": "interrupt, a level: an operation has ended, and its interrupt is enabled",
}

_CONTROL = {"pins": PINS, "axi-lite": AXI_LITE}


def ports(configuration):
    """Name to meaning of all ports, in the order of the Verilog."""
    return (SURROUNDINGS | _CONTROL[configuration.control]
            | (PACING if configuration.pacing == "programmable" else {}))


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

#: The accounts of the ledger, by the name of `sata_recorder.command.Account`: clocks.
ACCOUNTS = {
    "PAYLOAD": "a payload dword crossed",
    "FRAMING": "SOF, FIS header, CRC, EOF of a Data FIS",
    "ALIGN": "ALIGN in a data frame",
    "PHY_WAIT": "in a data frame the PHY took or delivered nothing",
    "HANDSHAKE": "X_RDY, R_RDY, WTRM, R_OK and SYNC around Data FISes",
    "DEVICE_HOLD": "the drive throttles",
    "HOST_HOLD": "the user's stream throttles",
    "ACTIVATE_WAIT": "write: waiting for DMA Activate",
    "DATA_WAIT": "read: waiting for the drive's next Data FIS",
    "COMPLETION_WAIT": "from the last data to the status",
    "COMMAND": "the frame of the command",
    "TURNAROUND": "from a status to the next command's X_RDY",
    "RECOVERY": "from a refused command FIS, or a failed command, to the next X_RDY of a command",
    "FLUSH": "FLUSH CACHE after the last data command",
}

#: The other entries of the ledger, by the name of `sata_recorder.sequencer.Entry`.
EXTREMES = {
    "TURNAROUND_MIN": "fewest clocks from a status to the next X_RDY; 2^48 - 1 if there is none",
    "TURNAROUND_MAX": "most clocks from a status to the next X_RDY; 0 if there is none",
    "OVERHEAD_MIN": "fewest clocks between two commands' payload; 2^48 - 1 if there is none",
    "OVERHEAD_MAX": "most clocks between two commands' payload; 0 if there is none",
    "COMMANDS": "data commands completed",
}
