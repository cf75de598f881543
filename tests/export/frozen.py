"""The interface users rely on, written out: it changes with a new major version only."""

SURROUNDINGS = [
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
    ("output", "phy_limit", 2),
    ("input", "s_axis_tdata", 32),
    ("input", "s_axis_tvalid", 1),
    ("output", "s_axis_tready", 1),
    ("output", "m_axis_tdata", 32),
    ("output", "m_axis_tvalid", 1),
    ("output", "m_axis_tlast", 1),
    ("input", "m_axis_tready", 1),
]

_PINS = [
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
    ("output", "recovering", 1),
    ("output", "cause", 4),
    ("output", "retries", 16),
    ("output", "error_lba", 48),
    ("output", "skipped_sectors", 48),
    ("output", "unflushed", 1),
    ("output", "unflushed_lba", 48),
    ("output", "unflushed_sectors", 48),
    ("input", "clear_unflushed", 1),
    ("output", "dropped", 48),
    ("output", "longest_stall", 48),
    ("input", "journal_address", 7),
    ("output", "journal_data", 48),
    ("output", "journal_count", 6),
]

_AXI_LITE = [
    ("input", "s_axil_awaddr", 12),
    ("input", "s_axil_awprot", 3),
    ("input", "s_axil_awvalid", 1),
    ("output", "s_axil_awready", 1),
    ("input", "s_axil_wdata", 32),
    ("input", "s_axil_wstrb", 4),
    ("input", "s_axil_wvalid", 1),
    ("output", "s_axil_wready", 1),
    ("output", "s_axil_bresp", 2),
    ("output", "s_axil_bvalid", 1),
    ("input", "s_axil_bready", 1),
    ("input", "s_axil_araddr", 12),
    ("input", "s_axil_arprot", 3),
    ("input", "s_axil_arvalid", 1),
    ("output", "s_axil_arready", 1),
    ("output", "s_axil_rdata", 32),
    ("output", "s_axil_rresp", 2),
    ("output", "s_axil_rvalid", 1),
    ("input", "s_axil_rready", 1),
    ("output", "irq", 1),
]

#: By the kind of control.
PORTS = {"pins": SURROUNDINGS + _PINS, "axi-lite": SURROUNDINGS + _AXI_LITE}

#: After the others, where the pacing is programmable.
PACING = [("input", "command_limit", 17), ("input", "turnaround", 32)]

#: After the others, where the extents are queued.
QUEUE = [("input", "queue_valid", 1), ("output", "queue_ready", 1), ("input", "queue_lba", 48),
         ("input", "queue_sectors", 48), ("input", "queue_ahead", 17),
         ("output", "queue_begun", 48)]

#: After the others, where the source has a clock of its own; a stop, with that or a width of its own; with modes, too;
#: where it does not wait.
SOURCE_CLOCK = [("input", "s_axis_aclk", 1)]
SOURCE = [("input", "source_stop", 1)]
SOURCE_TRIGGER = [("input", "source_trigger", 1), ("input", "source_pps", 1)]
SOURCE_LOSS = [("output", "source_lost", 48), ("output", "source_intact", 48)]
#: After the others, where m_axis has a clock or a width of its own.
PLAYBACK_CLOCK = [("input", "m_axis_aclk", 1)]
PLAYBACK = [("output", "m_axis_tkeep", 4), ("output", "m_axis_tuser", 1), ("output", "playback_underrun", 1),
            ("output", "playback_level", 16), ("output", "playback_underruns", 48), ("output", "playback_intact", 48)]
#: Of these, the pins that stay beside registers.
PLAYBACK_PINS = PLAYBACK[:3]
PLAYBACK_REGISTERS = {
    "PLAYBACK_LEVEL": (0xAB0, "ro", {"VALUE": (0, 16, "ro")}),
    "PLAYBACK_UNDERRUNS_LOW": (0xAB8, "ro", {"VALUE": (0, 32, "ro")}),
    "PLAYBACK_UNDERRUNS_HIGH": (0xABC, "ro", {"VALUE": (0, 16, "ro")}),
    "PLAYBACK_INTACT_LOW": (0xAC0, "ro", {"VALUE": (0, 32, "ro")}),
    "PLAYBACK_INTACT_HIGH": (0xAC4, "ro", {"VALUE": (0, 16, "ro")}),
}

def channel_stream(number, width):
    """The stream of a channel."""
    return [("input", f"s{number}_axis_tdata", width), ("input", f"s{number}_axis_tvalid", 1),
            ("output", f"s{number}_axis_tready", 1)]


CHANNEL = [("input", "channel_select", 4), ("output", "channel_lost", 32), ("output", "channel_left", 16)]
CHANNEL_REGISTERS = {
    "CHANNEL_SELECT": (0x9B0, "rw", {"VALUE": (0, 4, "rw")}),
    "CHANNEL_LOST": (0x9B4, "ro", {"VALUE": (0, 32, "ro")}),
    "CHANNEL_LEFT": (0x9B8, "ro", {"VALUE": (0, 16, "ro")}),
}

SOURCE_REGISTERS = {
    "SOURCE_LOST_LOW": (0x9A0, "ro", {"VALUE": (0, 32, "ro")}),
    "SOURCE_LOST_HIGH": (0x9A4, "ro", {"VALUE": (0, 16, "ro")}),
    "SOURCE_INTACT_LOW": (0x9A8, "ro", {"VALUE": (0, 32, "ro")}),
    "SOURCE_INTACT_HIGH": (0x9AC, "ro", {"VALUE": (0, 16, "ro")}),
}

#: After the others, where a memory is the buffer; and its port, which has beats of ``bits``.
MEMORY = [("output", "memory_level", 48), ("output", "memory_high_water", 48), ("output", "memory_waits", 48),
          ("output", "memory_failure", 2), ("input", "memory_abandon", 1),
          ("output", "memory_lost", 48)]


def memory_bus(bits):
    address = [("id", 1), ("addr", 40), ("len", 8), ("size", 3), ("burst", 2), ("cache", 4), ("prot", 3), ("valid", 1)]
    return [*(("output", f"m_axi_aw{name}", width) for name, width in address), ("input", "m_axi_awready", 1),
            ("output", "m_axi_wdata", bits), ("output", "m_axi_wstrb", bits // 8), ("output", "m_axi_wlast", 1),
            ("output", "m_axi_wvalid", 1), ("input", "m_axi_wready", 1),
            ("input", "m_axi_bid", 1), ("input", "m_axi_bresp", 2), ("input", "m_axi_bvalid", 1),
            ("output", "m_axi_bready", 1),
            *(("output", f"m_axi_ar{name}", width) for name, width in address), ("input", "m_axi_arready", 1),
            ("input", "m_axi_rid", 1), ("input", "m_axi_rdata", bits), ("input", "m_axi_rresp", 2),
            ("input", "m_axi_rlast", 1), ("input", "m_axi_rvalid", 1), ("output", "m_axi_rready", 1)]


MEMORY_REGISTERS = {
    "MEMORY_LEVEL_LOW": (0x9D0, "ro", {"VALUE": (0, 32, "ro")}),
    "MEMORY_LEVEL_HIGH": (0x9D4, "ro", {"VALUE": (0, 16, "ro")}),
    "MEMORY_HIGH_WATER_LOW": (0x9D8, "ro", {"VALUE": (0, 32, "ro")}),
    "MEMORY_HIGH_WATER_HIGH": (0x9DC, "ro", {"VALUE": (0, 16, "ro")}),
    "MEMORY_WAITS_LOW": (0x9E0, "ro", {"VALUE": (0, 32, "ro")}),
    "MEMORY_WAITS_HIGH": (0x9E4, "ro", {"VALUE": (0, 16, "ro")}),
    "MEMORY_FAILURE": (0x9E8, "ro", {"VALUE": (0, 2, "ro")}),
    "MEMORY_CONTROL": (0xAC8, "rw", {"ABANDON": (0, 1, "rw")}),
    "MEMORY_LOST_LOW": (0xAD8, "ro", {"VALUE": (0, 32, "ro")}),
    "MEMORY_LOST_HIGH": (0xADC, "ro", {"VALUE": (0, 16, "ro")}),
}
#: With a memory and power_fail.
POWER_LOST = [("output", "power_lost", 48)]
POWER_LOST_REGISTERS = {
    "POWER_LOST_LOW": (0xAD0, "ro", {"VALUE": (0, 32, "ro")}),
    "POWER_LOST_HIGH": (0xAD4, "ro", {"VALUE": (0, 16, "ro")}),
}

#: After the others, where there is the operation COMMAND.
TASK = [
    ("input", "task_operation", 1),
    ("input", "task_pio", 1),
    ("input", "task_command", 8),
    ("input", "task_features", 16),
    ("input", "task_count", 16),
    ("input", "task_device", 8),
    ("output", "task_result_lba", 48),
    ("output", "task_result_count", 16),
    ("output", "task_result_device", 8),
]

#: Offset, access, and of each field its lowest bit, width and access.
REGISTERS = {
    "ID": (0x000, "ro", {"VALUE": (0, 32, "ro")}),
    "VERSION": (0x004, "ro", {"PATCH": (0, 8, "ro"), "MINOR": (8, 8, "ro"),
                              "MAJOR": (16, 8, "ro")}),
    "CONTROL": (0x008, "rw", {"START": (0, 1, "w1p"), "STOP": (1, 1, "w1p"),
                              "CLEAR_UNFLUSHED": (2, 1, "w1p"), "OPERATION": (8, 2, "rw")}),
    "STATUS": (0x00C, "rw", {"DONE": (0, 1, "w1c"), "READY": (1, 1, "ro"), "BUSY": (2, 1, "ro"),
                             "LINK_UP": (3, 1, "ro"), "LBA48": (4, 1, "ro"),
                             "RECOVERING": (5, 1, "ro"), "UNFLUSHED": (6, 1, "ro"),
                             "GENERATION": (8, 2, "ro")}),
    "INTERRUPT_ENABLE": (0x010, "rw", {"DONE": (0, 1, "rw")}),
    "ERROR": (0x014, "ro", {"CODE": (0, 4, "ro"), "CAUSE": (8, 4, "ro")}),
    "DRIVE": (0x018, "ro", {"STATUS": (0, 8, "ro"), "ERROR": (8, 8, "ro")}),
    "HIGH_WATER": (0x01C, "ro", {"VALUE": (0, 16, "ro")}),
    "LBA_LOW": (0x020, "rw", {"VALUE": (0, 32, "rw")}),
    "LBA_HIGH": (0x024, "rw", {"VALUE": (0, 16, "rw")}),
    "SECTORS_LOW": (0x028, "rw", {"VALUE": (0, 32, "rw")}),
    "SECTORS_HIGH": (0x02C, "rw", {"VALUE": (0, 16, "rw")}),
    "CAPACITY_LOW": (0x030, "ro", {"VALUE": (0, 32, "ro")}),
    "CAPACITY_HIGH": (0x034, "ro", {"VALUE": (0, 16, "ro")}),
    "SECTORS_DONE_LOW": (0x038, "ro", {"VALUE": (0, 32, "ro")}),
    "SECTORS_DONE_HIGH": (0x03C, "ro", {"VALUE": (0, 16, "ro")}),
    "WORDS_LOW": (0x040, "ro", {"VALUE": (0, 32, "ro")}),
    "WORDS_HIGH": (0x044, "ro", {"VALUE": (0, 16, "ro")}),
    "HELD_CYCLES_LOW": (0x048, "ro", {"VALUE": (0, 32, "ro")}),
    "HELD_CYCLES_HIGH": (0x04C, "ro", {"VALUE": (0, 16, "ro")}),
    "RETRIES": (0x050, "ro", {"VALUE": (0, 16, "ro")}),
    "JOURNAL_COUNT": (0x054, "ro", {"VALUE": (0, 6, "ro")}),
    "ERROR_LBA_LOW": (0x058, "ro", {"VALUE": (0, 32, "ro")}),
    "ERROR_LBA_HIGH": (0x05C, "ro", {"VALUE": (0, 16, "ro")}),
    "SKIPPED_SECTORS_LOW": (0x060, "ro", {"VALUE": (0, 32, "ro")}),
    "SKIPPED_SECTORS_HIGH": (0x064, "ro", {"VALUE": (0, 16, "ro")}),
    "DROPPED_LOW": (0x068, "ro", {"VALUE": (0, 32, "ro")}),
    "DROPPED_HIGH": (0x06C, "ro", {"VALUE": (0, 16, "ro")}),
    "LONGEST_STALL_LOW": (0x070, "ro", {"VALUE": (0, 32, "ro")}),
    "LONGEST_STALL_HIGH": (0x074, "ro", {"VALUE": (0, 16, "ro")}),
    "UNFLUSHED_LBA_LOW": (0x080, "ro", {"VALUE": (0, 32, "ro")}),
    "UNFLUSHED_LBA_HIGH": (0x084, "ro", {"VALUE": (0, 16, "ro")}),
    "UNFLUSHED_SECTORS_LOW": (0x088, "ro", {"VALUE": (0, 32, "ro")}),
    "UNFLUSHED_SECTORS_HIGH": (0x08C, "ro", {"VALUE": (0, 16, "ro")}),
    "LEDGER_LOW": (0x100, "ro", {"VALUE": (0, 32, "ro")}),
    "LEDGER_HIGH": (0x104, "ro", {"VALUE": (0, 16, "ro")}),
    "IDENTIFY": (0x200, "ro", {"VALUE": (0, 32, "ro")}),
    "JOURNAL_LOW": (0x400, "ro", {"VALUE": (0, 32, "ro")}),
    "JOURNAL_HIGH": (0x404, "ro", {"VALUE": (0, 16, "ro")}),
}

#: More of them, where there is the operation COMMAND.
TASK_REGISTERS = {
    "TASK": (0x0E0, "rw", {"COMMAND": (0, 8, "rw"), "DEVICE": (8, 8, "rw"), "PIO": (16, 1, "rw"),
                           "OPERATION": (24, 1, "rw")}),
    "TASK_PARAMETERS": (0x0E4, "rw", {"FEATURES": (0, 16, "rw"), "COUNT": (16, 16, "rw")}),
    "TASK_RESULT_LBA_LOW": (0x0E8, "ro", {"VALUE": (0, 32, "ro")}),
    "TASK_RESULT_LBA_HIGH": (0x0EC, "ro", {"VALUE": (0, 16, "ro")}),
    "TASK_RESULT": (0x0F0, "ro", {"COUNT": (0, 16, "ro"), "DEVICE": (16, 8, "ro")}),
}

#: Those of which there are several: how many, and the bytes from one to the next.
#: Of the histograms.
HISTOGRAM = [("input", "histogram_clear", 1), ("input", "histogram_address", 6),
             ("output", "histogram_data", 32)]
HISTOGRAM_REGISTERS = {
    "HISTOGRAM_CONTROL": (0x0F8, "rw", {"CLEAR": (0, 1, "w1p")}),
    "HISTOGRAM": (0xB00, "ro", {"VALUE": (0, 32, "ro")}),
}
HISTOGRAM_WINDOWS = {"HISTOGRAM": (64, 4)}

#: Of the physical sectors.
ALIGNMENT = [("input", "alignment_clear", 1), ("input", "alignment_override", 8),
             ("output", "alignment_sectors", 8), ("output", "alignment_offset", 7), ("output", "misaligned", 32)]
ALIGNMENT_REGISTERS = {
    "ALIGNMENT": (0x0A0, "rw", {"OVERRIDE": (0, 8, "rw"), "SECTORS": (8, 8, "ro"),
                                "OFFSET": (16, 7, "ro"), "CLEAR": (31, 1, "w1p")}),
    "MISALIGNED": (0x0A4, "ro", {"VALUE": (0, 32, "ro")}),
}

#: Of the logical sectors.
SECTOR = [("output", "long_sectors", 1)]
SECTOR_REGISTERS = {"LONG_SECTORS": (0x090, "ro", {"VALUE": (0, 1, "ro")})}

#: Of the drive's health.
HEALTH = [("output", "drive_health", 2), ("output", "drive_health_clocks", 48)]
HEALTH_REGISTERS = {
    "DRIVE_HEALTH": (0x0A8, "ro", {"VERDICT": (0, 2, "ro")}),
    "DRIVE_HEALTH_CLOCKS_LOW": (0x0B0, "ro", {"VALUE": (0, 32, "ro")}),
    "DRIVE_HEALTH_CLOCKS_HIGH": (0x0B4, "ro", {"VALUE": (0, 16, "ro")}),
}

#: Of its temperature.
TEMPERATURE = [("output", "drive_heat", 2), ("output", "drive_temperature", 8)]
TEMPERATURE_REGISTERS = {"DRIVE_TEMPERATURE": (0x0AC, "ro", {"CELSIUS": (0, 8, "ro"), "HEAT": (8, 2, "ro")})}

#: Of TRIM ahead of a ring.
TRIM = [("input", "trim_ahead", 20), ("output", "trim_state", 2), ("output", "trim_sectors", 48),
        ("output", "trim_clocks", 48)]
TRIM_REGISTERS = {
    "TRIM_AHEAD": (0xA60, "rw", {"VALUE": (0, 20, "rw")}),
    "TRIM_STATE": (0xA64, "ro", {"STATE": (0, 2, "ro")}),
    "TRIM_SECTORS_LOW": (0xA68, "ro", {"VALUE": (0, 32, "ro")}),
    "TRIM_SECTORS_HIGH": (0xA6C, "ro", {"VALUE": (0, 16, "ro")}),
    "TRIM_CLOCKS_LOW": (0xA70, "ro", {"VALUE": (0, 32, "ro")}),
    "TRIM_CLOCKS_HIGH": (0xA74, "ro", {"VALUE": (0, 16, "ro")}),
}

#: Of reading back while recording.
LOOK = [("input", "look_start", 1), ("input", "look_stop", 1), ("input", "look_sector", 48), ("input", "look_count", 7),
        ("input", "look_room", 16), ("input", "look_address", 13), ("output", "look_data", 32),
        ("output", "look_state", 3), ("output", "looks", 32), ("output", "look_clocks", 48)]
LOOK_REGISTERS = {
    "LOOK_CONTROL": (0xA80, "rw", {"START": (0, 1, "w1p"), "STOP": (1, 1, "w1p"), "COUNT": (8, 7, "rw")}),
    "LOOK_STATE": (0xA84, "ro", {"STATE": (0, 3, "ro")}),
    "LOOK_SECTOR_LOW": (0xA88, "rw", {"VALUE": (0, 32, "rw")}),
    "LOOK_SECTOR_HIGH": (0xA8C, "rw", {"VALUE": (0, 16, "rw")}),
    "LOOK_ROOM": (0xA90, "rw", {"VALUE": (0, 16, "rw")}), "LOOK_ADDRESS": (0xA94, "rw", {"VALUE": (0, 13, "rw")}),
    "LOOK_DATA": (0xA98, "ro", {"VALUE": (0, 32, "ro")}), "LOOKS": (0xA9C, "ro", {"VALUE": (0, 32, "ro")}),
    "LOOK_CLOCKS_LOW": (0xAA0, "ro", {"VALUE": (0, 32, "ro")}),
    "LOOK_CLOCKS_HIGH": (0xAA4, "ro", {"VALUE": (0, 16, "ro")}),
}

#: Of the frames.
FRAME = [("input", "frame_enable", 1), ("input", "frame_stream_id", 32), ("output", "frame_offered", 48),
         ("output", "frame_lost", 48), ("output", "frame_kept", 48)]
FRAME_REGISTERS = {
    "FRAME_CONTROL": (0x980, "rw", {"ENABLE": (0, 1, "rw")}),
    "FRAME_STREAM_ID": (0x984, "rw", {"VALUE": (0, 32, "rw")}),
    "FRAME_OFFERED_LOW": (0x988, "ro", {"VALUE": (0, 32, "ro")}),
    "FRAME_OFFERED_HIGH": (0x98C, "ro", {"VALUE": (0, 16, "ro")}),
    "FRAME_LOST_LOW": (0x990, "ro", {"VALUE": (0, 32, "ro")}),
    "FRAME_LOST_HIGH": (0x994, "ro", {"VALUE": (0, 16, "ro")}),
    "FRAME_KEPT_LOW": (0x998, "ro", {"VALUE": (0, 32, "ro")}),
    "FRAME_KEPT_HIGH": (0x99C, "ro", {"VALUE": (0, 16, "ro")}),
}

#: Of what happens when power fails; the pins that are beside the registers.
POWER = [("input", "power_fail", 1), ("output", "power_safe", 1), ("output", "power_failed", 1),
         ("output", "power_error", 4), ("output", "power_sectors", 48)]
POWER_PINS = ["power_fail", "power_safe", "power_failed"]
POWER_REGISTERS = {
    "POWER_CONTROL": (0x9C0, "rw", {"FAIL": (0, 1, "rw")}),
    "POWER_STATUS": (0x9C4, "ro", {"SAFE": (0, 1, "ro"), "FAILED": (1, 1, "ro"), "ERROR": (8, 4, "ro")}),
    "POWER_SECTORS_LOW": (0x9C8, "ro", {"VALUE": (0, 32, "ro")}),
    "POWER_SECTORS_HIGH": (0x9CC, "ro", {"VALUE": (0, 16, "ro")}),
}

WINDOWS = {"LEDGER_LOW": (32, 8), "LEDGER_HIGH": (32, 8), "IDENTIFY": (128, 4),
           "JOURNAL_LOW": (128, 8), "JOURNAL_HIGH": (128, 8)}

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
    "OTHER_DRIVE": 14, "COMMAND_REFUSED": 15,
}

OPERATIONS = {"PLAY": 0, "RECORD": 1, "FLUSH": 2, "RECORD_FLUSH": 3}
