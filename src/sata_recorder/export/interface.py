"""What other programs need to know of an exported core, as plain data."""

from amaranth.hdl._ir import PortDirection

from .. import __version__
from ..core import SataRecorder, ports
from .netlist import TOP

__all__ = ["MEANINGS", "description"]

#: Every port and what it means, in one line.
MEANINGS = {
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
    "s_axis_tdata": "word to record; bits 7:0 are the first byte on the disk",
    "s_axis_tvalid": "s_axis_tdata is valid",
    "s_axis_tready": "the core takes s_axis_tdata in this clock",
    "m_axis_tdata": "word played back; bits 7:0 are the first byte on the disk",
    "m_axis_tvalid": "m_axis_tdata is valid",
    "m_axis_tlast": "last word of the operation",
    "m_axis_tready": "the user takes m_axis_tdata in this clock",
    "start": "one clock: starts an operation; ignored while busy",
    "operation": "what start starts, see operations",
    "lba": "first sector of the operation",
    "sectors": "length of the operation in sectors of 512 bytes",
    "stop": "one clock: ends a recording or play-back early",
    "ready": "link up, drive identified, no operation running",
    "busy": "an operation runs: from the clock after start to the clock of done",
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
    "held_cycles": "clocks in which a valid word of the stream was not taken in this operation",
    "ledger_address": "cycle account to read, see ledger",
    "ledger_data": "the account in clocks, two clocks after the address",
}
