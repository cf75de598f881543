"""The interface users rely on, written out: it changes with a new major version only."""

PORTS = [
    ("input", "clk", 1),
    ("input", "rst", 1),
    ("output", "phy_tx_data", 32),
    ("output", "phy_tx_k", 4),
    ("input", "phy_tx_ready", 1),
    ("input", "phy_rx_data", 32),
    ("input", "phy_rx_k", 4),
    ("input", "phy_rx_valid", 1),
    ("input", "phy_rx_error", 1),
    ("input", "phy_link_up", 1),
    ("input", "phy_generation", 2),
    ("output", "phy_reset", 1),
    ("input", "s_axis_tdata", 32),
    ("input", "s_axis_tvalid", 1),
    ("output", "s_axis_tready", 1),
    ("output", "m_axis_tdata", 32),
    ("output", "m_axis_tvalid", 1),
    ("output", "m_axis_tlast", 1),
    ("input", "m_axis_tready", 1),
    ("input", "start", 1),
    ("input", "operation", 2),
    ("input", "lba", 48),
    ("input", "sectors", 48),
    ("input", "stop", 1),
    ("output", "ready", 1),
    ("output", "busy", 1),
    ("output", "done", 1),
    ("output", "error", 4),
    ("output", "drive_status", 8),
    ("output", "drive_error", 8),
    ("output", "capacity", 48),
    ("output", "lba48", 1),
    ("input", "identify_address", 7),
    ("output", "identify_data", 32),
    ("output", "sectors_done", 48),
    ("output", "words", 48),
    ("output", "high_water", 16),
    ("output", "held_cycles", 48),
    ("input", "ledger_address", 5),
    ("output", "ledger_data", 48),
]

LEDGER = {
    "payload": 0, "framing": 1, "align": 2, "phy_wait": 3, "handshake": 4, "device_hold": 5,
    "host_hold": 6, "activate_wait": 7, "data_wait": 8, "completion_wait": 9, "command": 10,
    "turnaround": 11, "recovery": 12, "flush": 13, "turnaround_min": 16, "turnaround_max": 17,
    "overhead_min": 18, "overhead_max": 19, "commands": 20,
}

ERRORS = {
    "NONE": 0, "NOT_READY": 1, "ZERO_SECTORS": 2, "OUT_OF_RANGE": 3, "NO_DMA_LBA": 4,
    "TIMEOUT": 5, "LINK_LOST": 6, "DRIVE_ERROR": 7, "SHORT_DATA": 8, "PROTOCOL": 9,
    "DATA_CRC": 10, "IDENTIFY_FAILED": 11, "SECTOR_SIZE": 12, "NOT_ATA": 13,
}

OPERATIONS = {"PLAY": 0, "RECORD": 1, "FLUSH": 2, "RECORD_FLUSH": 3}
