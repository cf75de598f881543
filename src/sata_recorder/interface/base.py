"""What every core has: its streams, the dword port of its PHY, and the groups of one recorder."""

import re
from functools import partial
from typing import Any

from .. import __version__
from .group import SUM, WORD, Group, PortRow, by_offset, input_row, output_row, port_field, row
from .registers import Access, Field, Register

__all__ = ["ADDRESS_BITS", "BASE", "CONTROL", "COUNTERS", "IDENTIFY", "JOURNAL", "LEDGER", "PORTS",
           "REGISTERS", "STATUS"]

#: Bits of a register's address in bytes: 4 KiB, the smallest space that AXI gives a peripheral.
ADDRESS_BITS = 12


def _in(name: str, width: int, meaning: str, group: str, **keywords: Any) -> tuple[str, PortRow]:
    return group, input_row(name, width, meaning, **keywords)


def _out(name: str, width: int, meaning: str, group: str, **keywords: Any) -> tuple[str, PortRow]:
    return group, output_row(name, width, meaning, **keywords)


# The rows, in the order of the Verilog. A row is a port, and the register, or the field of one, that
# the port is, if any.
_TABLE = (
    # The PHY: the members of phy.DwordPort.
    _out("phy_tx_data", 32, "dword to send, bits 7:0 go first", "phy"),
    _out("phy_tx_k", 4, "which bytes of phy_tx_data are control characters; byte 0 or none", "phy"),
    _in("phy_tx_ready", 1, "the PHY takes phy_tx_data in this clock; while low, phy_tx_data stays",
        "phy"),
    _in("phy_rx_data", 32, "received dword, aligned: a control character is in bits 7:0", "phy"),
    _in("phy_rx_k", 4, "which bytes of phy_rx_data are control characters", "phy"),
    _in("phy_rx_valid", 1, "a dword arrives in this clock", "phy"),
    _in("phy_rx_error", 1, "this dword had a code or disparity error", "phy"),
    _in("phy_link_up", 1, "communication is established; a fall aborts everything in flight",
        "phy"),
    _in("phy_generation", 2, "generation of the link: 1, 2 or 3", "phy"),
    _out("phy_reset", 1, "requests a COMRESET from the PHY while high", "phy"),
    _out("phy_limit", 2, "highest generation to be negotiated from the next COMRESET on; 0: any",
         "phy"),
    # The user's streams.
    _in("s_axis_tdata", WORD, "word to record; bits 7:0 are the first byte on the disk", "i",
        member="payload"),
    _in("s_axis_tvalid", 1, "s_axis_tdata is valid", "i", member="valid"),
    _out("s_axis_tready", 1, "the core takes s_axis_tdata in this clock", "i", member="ready"),
    _out("m_axis_tdata", WORD, "word played back; bits 7:0 are the first byte on the disk", "o",
         member="payload"),
    _out("m_axis_tvalid", 1, "m_axis_tdata is valid", "o", member="valid"),
    _out("m_axis_tlast", 1, "last word of the operation", "last", member="last"),
    _in("m_axis_tready", 1, "the user takes m_axis_tdata in this clock", "o", member="ready"),
    # Control and status.
    _in("start", 1, "one clock: starts an operation, which ends with one done; ignored in a clock in "
        "which busy is high, and in no other", "control"),
    _in("operation", 2, "what start starts, see operations", "control"),
    _in("lba", SUM, "first sector of the operation", "control", at=0x020, unit="sectors"),
    _in("sectors", SUM, "length of the operation in sectors of 512 bytes", "control", at=0x028,
        unit="sectors"),
    _in("stop", 1, "one clock: ends a recording or playback early", "control"),
    _out("ready", 1, "link up, drive identified, no operation running", "status"),
    _out("busy", 1, "an operation runs: from the clock after start to the clock before done",
         "status"),
    _out("done", 1, "one clock, at the end of every operation, a failed or refused one too",
         "status"),
    _out("error", 4, "result of the last operation or of bring-up, see errors; valid from done on",
         "status"),
    _out("drive_status", 8, "Status register of the last status the drive sent", "status"),
    _out("drive_error", 8, "Error register of the last status the drive sent", "status"),
    _out("capacity", SUM, "capacity of the drive in sectors", "status", at=0x030, unit="sectors"),
    _out("lba48", 1, "the drive takes 48-bit commands", "status"),
    _in("identify_address", 7, "dword of the IDENTIFY DEVICE data to read", "identify"),
    _out("identify_data", 32,
         "words 2a+1 and 2a of the IDENTIFY DEVICE data, one clock after the address", "identify"),
    _out("sectors_done", SUM, "sectors of this operation in commands that ended without error",
         "status", at=0x038, unit="sectors"),
    _out("words", SUM, "words accepted (record) or delivered (play) in this operation", "counters",
         at=0x040, unit="words"),
    _out("high_water", 16, "highest fill of the buffer in this operation, in words", "counters",
         at=0x01C, unit="words"),
    _out("held_cycles", SUM,
         "clocks in which a word waited: for room in the buffer (record), for the user (play)",
         "counters", at=0x048, unit="clocks"),
    _in("ledger_address", 5, "cycle account to read, see ledger", "ledger"),
    _out("ledger_data", SUM, "the account in clocks, two clocks after the address", "ledger"),
    _out("recovering", 1, "a command has failed, and the next one has not been issued", "status"),
    _out("cause", 4,
         "error that began the last recovery of this operation, see errors; 0: there was none",
         "status"),
    _out("retries", 16, "commands issued again in this operation; saturates", "status", at=0x050),
    _out("error_lba", SUM, "sector named by the last status with ERR or DF", "status", at=0x058,
         unit="sectors"),
    _out("skipped_sectors", SUM, "sectors of this operation that were passed over", "status",
         at=0x060, unit="sectors"),
    _out("unflushed", 1, "sectors that were recorded and not flushed may be lost with the drive's "
         "write cache: it was brought up again since, or FLUSH CACHE failed; stays until "
         "clear_unflushed, and FLUSH ends with LINK_LOST meanwhile", "status"),
    _out("unflushed_lba", SUM, "first sector that may be lost, while unflushed", "status",
         at=0x080, unit="sectors"),
    _out("unflushed_sectors", SUM, "sectors from unflushed_lba to the last one that may be lost or "
         "was recorded since, while unflushed", "status", at=0x088, unit="sectors"),
    _in("clear_unflushed", 1, "one clock: clears unflushed", "status"),
    _out("dropped", SUM, "words of this recording that were lost because the buffer was full",
         "counters", at=0x068, unit="words"),
    _out("longest_stall", SUM,
         "longest time in clocks for which the drive took no word while there were some",
         "counters", at=0x070, unit="clocks"),
    _in("journal_address", 7, "4 x entry + field of the journal to read, see journal", "journal"),
    _out("journal_data", SUM, "the field, two clocks after the address", "journal"),
    _out("journal_count", 6, "entries of the journal; 33: there were more than could be entered",
         "journal", at=0x054),
)

#: Where the streams and the PHY are among the members of a core.
_PLACES = {"phy": ("phy",), "last": ("user",)}
#: All ports of a core but clock and reset, by name, in the order of the Verilog.
PORTS = {row.name: row.port(_PLACES.get(group, ("user", group)), f"{group}_") for group, row in _TABLE}


# The registers that are more than one port: several fields, a window into a memory, a constant.

_ROWS = tuple(row for _, row in _TABLE)
_field = partial(port_field, _ROWS)


def _constant(name: str, low: int, width: int, value: int, meaning: str) -> Field:
    return Field(name, low, width, Access.RO, meaning, value=value)


def _window(name: str, offset: int, meaning: str, unit: str = "") -> Register:
    """A memory at the ports ``<name>_address`` and ``<name>_data``."""
    ports = f"{name}_address", f"{name}_data"
    address, data = (row(_ROWS, port) for port in ports)
    return Register(name.upper(), offset, meaning, (
        Field("VALUE", 0, data.width, Access.RO, meaning, unit, port=ports),), 1 << address.width)


_MAJOR, _MINOR, _PATCH = map(int, re.findall(r"\d+", __version__)[:3])

_BANK = (
    Register("ID", 0x000, "SATA in ASCII, S in bits 7:0", (
        _constant("VALUE", 0, 32, int.from_bytes(b"SATA", "little"),
                  "SATA in ASCII, S in bits 7:0"),)),
    Register("VERSION", 0x004, "version of the core", (
        _constant("PATCH", 0, 8, _PATCH, "third number"),
        _constant("MINOR", 8, 8, _MINOR, "second number"),
        _constant("MAJOR", 16, 8, _MAJOR, "first number"),
    )),
    Register("CONTROL", 0x008, "starts and ends operations", (
        _field("START", 0, "start", "starts OPERATION on LBA and SECTORS and clears STATUS.DONE; "
                                    "ignored while STATUS.BUSY", access=Access.W1P),
        _field("STOP", 1, "stop", "ends a recording or playback early; not together with START",
               access=Access.W1P),
        _field("CLEAR_UNFLUSHED", 2, "clear_unflushed", "clears STATUS.UNFLUSHED",
               access=Access.W1P),
        _field("OPERATION", 8, "operation", "what START starts", access=Access.RW),
    )),
    Register("STATUS", 0x00C, "state of the core and of its link", (
        # `done` is high for one clock only: the bank keeps it.
        Field("DONE", 0, 1, Access.W1C, "an operation has ended, a failed or refused one too"),
        _field("READY", 1, "ready"),
        _field("BUSY", 2, "busy", "an operation runs"),
        _field("LINK_UP", 3, "phy_link_up", "the PHY communicates with a drive"),
        _field("LBA48", 4, "lba48"),
        _field("RECOVERING", 5, "recovering"),
        _field("UNFLUSHED", 6, "unflushed"),
        _field("GENERATION", 8, "phy_generation"),
    )),
    Register("INTERRUPT_ENABLE", 0x010, "bits of STATUS that raise irq", (
        Field("DONE", 0, 1, Access.RW, "irq is high while STATUS.DONE"),
    )),
    Register("ERROR", 0x014, "how the last operation ended", (
        _field("CODE", 0, "error", "result of the last operation or of bring-up; valid from "
                                   "STATUS.DONE on"),
        _field("CAUSE", 8, "cause"),
    )),
    Register("DRIVE", 0x018, "the last status the drive sent", (
        _field("STATUS", 0, "drive_status"),
        _field("ERROR", 8, "drive_error"),
    )),
    _window("ledger", 0x100, "cycle account n of the last operation", "clocks"),
    _window("identify", 0x200, "words 2n+1 and 2n of the IDENTIFY DEVICE data"),
    _window("journal", 0x400, "field n % 4 of entry n / 4 of the journal"),
)


def _group(name: str) -> Group:
    return Group(name, [row for group, row in _TABLE if group == name])


CONTROL = _group("control")
STATUS = _group("status")
COUNTERS = _group("counters")
IDENTIFY = _group("identify")
LEDGER = _group("ledger")
JOURNAL = _group("journal")
#: What every recorder has; each belongs to one layer of the core.
BASE = (CONTROL, STATUS, COUNTERS, IDENTIFY, LEDGER, JOURNAL)

#: All registers of a bank, by offset, except those of the groups that only some configurations have.
REGISTERS = by_offset(_BANK, _ROWS)
