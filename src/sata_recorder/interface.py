"""The interface of the core on one page: every signal at its ports, once.

Pins and registers, their descriptions (JSON, CMSIS-SVD, C header, tables of the documentation), the
Signatures that wire the core, and what the simulation engines can reach are made from this table.
A signal that is added here appears in all of them; docs/adding.md shows how.
"""

import re
from functools import partial

from amaranth.hdl._ir import PortDirection
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from . import __version__
from .alignment_interface import ALIGNMENT_PORTS, ALIGNMENT_REGISTERS
from .file_interface import FILE_PORTS, FILE_REGISTERS
from .frame_interface import FRAME_PORTS, FRAME_REGISTERS
from .health_interface import HEALTH_PORTS, HEALTH_REGISTERS
from .histogram_interface import HISTOGRAM_PORTS, HISTOGRAM_REGISTERS
from .interface_rows import ALIGNMENT_GROUP, FILE_GROUP, FRAME_GROUP, HEALTH_GROUP, HISTOGRAM_GROUP
from .interface_rows import LOOK_GROUP, PACING_GROUP, PHY_GROUP, POWER_GROUP, QUEUE_GROUP, RECORDING_GROUP
from .interface_rows import SECTOR_GROUP, TASK_GROUP, TEMPERATURE_GROUP, TRIM_GROUP
from .interface_rows import SUM as _SUM, WORD as _WORD, Port
from .interface_rows import by_offset, input_row as _in, output_row as _out, port_field
from .look_interface import LOOK_PORTS, LOOK_REGISTERS
from .power_interface import POWER_PORTS, POWER_REGISTERS
from .recording_interface import RECORDING_PORTS, RECORDING_REGISTERS
from .registers import Access, Field, Register
from .sector_interface import SECTOR_PORTS, SECTOR_REGISTERS
from .task_interface import TASK_PORTS, TASK_REGISTERS
from .temperature_interface import TEMPERATURE_PORTS, TEMPERATURE_REGISTERS
from .trim_interface import TRIM_PORTS, TRIM_REGISTERS

__all__ = ["ADDRESS_BITS", "ALIGNMENT_GROUP", "ALIGNMENT_PORTS", "ALIGNMENT_REGISTERS", "ALL_PORTS",
           "FILE_GROUP", "FILE_PORTS", "FILE_REGISTERS", "FRAME_GROUP", "FRAME_PORTS", "FRAME_REGISTERS",
           "GROUPS", "HEALTH_GROUP", "HEALTH_PORTS", "HEALTH_REGISTERS", "HISTOGRAM_GROUP",
           "HISTOGRAM_PORTS", "HISTOGRAM_REGISTERS", "LOOK_GROUP", "LOOK_PORTS", "LOOK_REGISTERS",
           "PACING_GROUP", "PHY_GROUP", "PHY_PORTS", "PHY_REGISTERS", "PORTS", "POWER_GROUP", "POWER_PORTS",
           "POWER_REGISTERS", "QUEUE_GROUP", "RECORDING_GROUP", "RECORDING_PORTS", "RECORDING_REGISTERS",
           "REGISTERS", "SECTOR_GROUP", "SECTOR_PORTS", "SECTOR_REGISTERS", "TASK_GROUP", "TASK_PORTS",
           "TASK_REGISTERS", "TEMPERATURE_GROUP", "TEMPERATURE_PORTS", "TEMPERATURE_REGISTERS", "TRIM_GROUP",
           "TRIM_PORTS", "TRIM_REGISTERS", "Port", "StreamsSignature", "UserSignature", "group", "named_ports",
           "registers_with", "user_groups"]

#: Bits of a register's address in bytes: 4 KiB, the smallest space that AXI gives a peripheral.
ADDRESS_BITS = 12

# The rows of the table. A row is a port, and where the port is a register, or a field of one, too.

_TABLE = (
    # The PHY: the members of phy.DwordPort.
    _out("phy_tx_data", 32, "dword to send, bits 7:0 go first", "phy"),
    _out("phy_tx_k", 4, "which bytes of phy_tx_data are control characters; byte 0 or none", "phy"),
    _in("phy_tx_ready", 1, "the PHY takes phy_tx_data in this clock; while low it stands still",
        "phy"),
    _in("phy_rx_data", 32, "received dword, aligned: a control character is in bits 7:0", "phy"),
    _in("phy_rx_k", 4, "which bytes of phy_rx_data are control characters", "phy"),
    _in("phy_rx_valid", 1, "a dword arrives in this clock", "phy"),
    _in("phy_rx_error", 1, "this dword had a code or disparity error", "phy"),
    _in("phy_link_up", 1, "communication is established; a fall aborts everything in flight",
        "phy"),
    _in("phy_generation", 2, "generation of the link: 1, 2 or 3", "phy"),
    _out("phy_reset", 1, "asks the PHY for a COMRESET while high", "phy"),
    _out("phy_limit", 2, "highest generation to be negotiated from the next COMRESET on; 0: any",
         "phy"),
    # The user's streams.
    _in("s_axis_tdata", _WORD, "word to record; bits 7:0 are the first byte on the disk", "i",
        member="payload"),
    _in("s_axis_tvalid", 1, "s_axis_tdata is valid", "i", member="valid"),
    _out("s_axis_tready", 1, "the core takes s_axis_tdata in this clock", "i", member="ready"),
    _out("m_axis_tdata", _WORD, "word played back; bits 7:0 are the first byte on the disk", "o",
         member="payload"),
    _out("m_axis_tvalid", 1, "m_axis_tdata is valid", "o", member="valid"),
    _out("m_axis_tlast", 1, "last word of the operation", "last"),
    _in("m_axis_tready", 1, "the user takes m_axis_tdata in this clock", "o", member="ready"),
    # Control and status.
    _in("start", 1, "one clock: starts an operation, which ends with one done; ignored in a clock in "
        "which busy is high, and in no other", "control"),
    _in("operation", 2, "what start starts, see operations", "control"),
    _in("lba", _SUM, "first sector of the operation", "control", at=0x020, unit="sectors"),
    _in("sectors", _SUM, "length of the operation in sectors of 512 bytes", "control", at=0x028,
        unit="sectors"),
    _in("stop", 1, "one clock: ends a recording or play-back early", "control"),
    _out("ready", 1, "link up, drive identified, no operation running", "status"),
    _out("busy", 1, "an operation runs: from the clock after start to the clock before done",
         "status"),
    _out("done", 1, "one clock, at the end of every operation, a failed or refused one too",
         "status"),
    _out("error", 4, "result of the last operation or of bring-up, see errors; valid from done on",
         "status"),
    _out("drive_status", 8, "Status register of the last status the drive sent", "status"),
    _out("drive_error", 8, "Error register of the last status the drive sent", "status"),
    _out("capacity", _SUM, "capacity of the drive in sectors", "status", at=0x030, unit="sectors"),
    _out("lba48", 1, "the drive takes 48-bit commands", "status"),
    _in("identify_address", 7, "dword of the IDENTIFY DEVICE data to read", "identify"),
    _out("identify_data", 32,
         "words 2a+1 and 2a of the IDENTIFY DEVICE data, one clock after the address", "identify"),
    _out("sectors_done", _SUM, "sectors of this operation in commands that ended without error",
         "status", at=0x038, unit="sectors"),
    _out("words", _SUM, "words accepted (record) or delivered (play) in this operation", "counters",
         at=0x040, unit="words"),
    _out("high_water", 16, "highest fill of the buffer in this operation, in words", "counters",
         at=0x01C, unit="words"),
    _out("held_cycles", _SUM,
         "clocks in which a word waited: for room in the buffer (record), for the user (play)",
         "counters", at=0x048, unit="clocks"),
    _in("ledger_address", 5, "cycle account to read, see ledger", "ledger"),
    _out("ledger_data", _SUM, "the account in clocks, two clocks after the address", "ledger"),
    _out("recovering", 1, "a command has failed, and the next one has not been issued", "status"),
    _out("cause", 4,
         "error that began the last recovery of this operation, see errors; 0: there was none",
         "status"),
    _out("retries", 16, "commands issued again in this operation; saturates", "status", at=0x050),
    _out("error_lba", _SUM, "sector named by the last status with ERR or DF", "status", at=0x058,
         unit="sectors"),
    _out("skipped_sectors", _SUM, "sectors of this operation that were passed over", "status",
         at=0x060, unit="sectors"),
    _out("unflushed", 1, "sectors that were recorded and not flushed may be lost with the drive's "
         "write cache: it was brought up again since, or FLUSH CACHE failed; stays until "
         "clear_unflushed, and FLUSH ends with LINK_LOST meanwhile", "status"),
    _out("unflushed_lba", _SUM, "first sector that may be lost, while unflushed", "status",
         at=0x080, unit="sectors"),
    _out("unflushed_sectors", _SUM, "sectors from unflushed_lba to the last one that may be lost or "
         "was recorded since, while unflushed", "status", at=0x088, unit="sectors"),
    _in("clear_unflushed", 1, "one clock: takes unflushed away", "status"),
    _out("dropped", _SUM, "words of this recording that were lost because the buffer was full",
         "counters", at=0x068, unit="words"),
    _out("longest_stall", _SUM,
         "longest time in clocks for which the drive took no word while there were some",
         "counters", at=0x070, unit="clocks"),
    _in("journal_address", 7, "4 x entry + field of the journal to read, see journal", "journal"),
    _out("journal_data", _SUM, "the field, two clocks after the address", "journal"),
    _out("journal_count", 6, "entries of the journal; 33: there were more than could be entered",
         "journal", at=0x054),
    # How commands follow each other, where the configuration makes that programmable.
    _in("command_limit", 17, "longest command in sectors, stable while busy; 0: "
        "max_command_sectors", PACING_GROUP),
    _in("turnaround", 32, "clocks by which a command that follows another is delayed, stable while "
        "busy", PACING_GROUP),
    # With what a recording goes on, where the configuration has a queue of extents.
    _in("queue_valid", 1, "queue_lba and queue_sectors are an extent with which the recording goes "
        "on; until it is taken it may be changed or withdrawn", QUEUE_GROUP),
    _out("queue_ready", 1, "the core takes the extent in this clock", QUEUE_GROUP),
    _in("queue_lba", _SUM, "first sector of the extent", QUEUE_GROUP),
    _in("queue_sectors", _SUM, "length of the extent in sectors", QUEUE_GROUP),
    _in("queue_ahead", 17, "sectors by which a command of a recording may be longer than what is "
        "in the buffer, stable while busy; 65536 or more: any number", QUEUE_GROUP),
    _out("queue_begun", _SUM, "sectors of this operation that a command has been begun for, or "
         "that were passed over", QUEUE_GROUP),
)

#: What the PHY tells about itself, beside the core. All counts saturate; "since" means since
#: phy_clear, or since reset.
_PHY_TABLE = (
    _in("phy_clear", 1, "one clock: all counts of the PHY become 0, all that was seen is forgotten",
        PHY_GROUP),
    _in("phy_bist_start", 1, "one clock: begins the loop-back test, which ends the link; ignored "
        "while it runs", PHY_GROUP),
    _out("phy_state", 4, "state of the PHY, see phy_states", PHY_GROUP),
    _out("phy_reached", 4, "furthest state since phy_clear or since the link was up", PHY_GROUP),
    _out("phy_last_fall", 4, "why the latest try or the latest link ended, see phy_falls",
         PHY_GROUP),
    _out("phy_line_rate", 2, "line rate of the SERDES: 1, 2 or 3; 0: its transmitter is not ready",
         PHY_GROUP),
    _out("phy_rx_active", 1, "the signal detector says that there is a signal", PHY_GROUP),
    _out("phy_rx_locked", 1, "the clock recovery is locked, to the drive or to its reference",
         PHY_GROUP),
    _out("phy_rx_inverted", 1, "P and N of the pair from the drive are taken for swapped",
         PHY_GROUP),
    _out("phy_tx_inverted", 1, "P and N of the pair to the drive are taken for swapped; a link "
         "proves it", PHY_GROUP),
    _out("phy_comresets", 8, "COMRESETs sent", PHY_GROUP),
    _out("phy_cominits", 8, "COMINITs answered with COMWAKE", PHY_GROUP),
    _out("phy_links", 8, "times that the link came up", PHY_GROUP),
    _out("phy_lock_losses", 8,
         "times that the clock recovery lost its lock while data was expected", PHY_GROUP),
    _out("phy_signal_losses", 8, "times that the signal detector fell while data was expected",
         PHY_GROUP),
    _out("phy_code_errors", 16, "received dwords with a character that is not in the code, while "
         "the link was up", PHY_GROUP),
    _out("phy_disparity_errors", 16, "received dwords with a wrong disparity and no code error, "
         "while the link was up", PHY_GROUP),
    _out("phy_shortest_burst", 8, "shortest OOB burst from the drive; 255: there was none",
         PHY_GROUP),
    _out("phy_longest_burst", 8, "longest OOB burst from the drive; 0: there was none", PHY_GROUP),
    _out("phy_shortest_gap", 8, "shortest gap between OOB bursts; 255: there was none", PHY_GROUP),
    _out("phy_longest_gap", 8, "longest gap between OOB bursts; 0: there was none", PHY_GROUP),
    _out("phy_training", 20, "time from the end of the drive's COMWAKE to the link, or to the end "
         "of the try", PHY_GROUP, at=0x818, unit="clocks"),
    _out("phy_recent_errors", 16, "dwords with an error among the latest 65,536 complete ones that "
         "arrived while data was expected", PHY_GROUP, at=0x81C),
    _out("phy_bist", 3, "result of the loop-back test, see phy_bist_states", PHY_GROUP),
    _out("phy_bist_errors", 16, "dwords of the loop-back test that were wrong or missing",
         PHY_GROUP, at=0x820),
)

#: All ports of a core but clock and reset, by name, in the order of the Verilog.
PORTS = {port.name: port for port, _ in _TABLE}
#: The same of the PHY's status.
PHY_PORTS = {port.name: port for port, _ in _PHY_TABLE}
ALL_PORTS = (PORTS | SECTOR_PORTS | TASK_PORTS | HISTOGRAM_PORTS | ALIGNMENT_PORTS | HEALTH_PORTS
             | TEMPERATURE_PORTS | RECORDING_PORTS | TRIM_PORTS | LOOK_PORTS
             | FILE_PORTS | FRAME_PORTS | POWER_PORTS | PHY_PORTS)


# The registers that are more than one port: several fields, a window into a memory, a constant.

_field = partial(port_field, PORTS | PHY_PORTS)


def _constant(name, low, width, value, meaning):
    return Field(name, low, width, Access.RO, meaning, value=value)


def _window(name, offset, meaning, unit=""):
    """A memory behind the ports ``<name>_address`` and ``<name>_data``."""
    ports = f"{name}_address", f"{name}_data"
    address, data = (PORTS[port] for port in ports)
    return Register(name.upper(), offset, meaning, (
        Field("VALUE", 0, data.width, Access.RO, meaning, unit, port=ports),), 1 << address.width)


_MAJOR, _MINOR, _PATCH = (int(number) for number in re.match(r"(\d+)\.(\d+)\.(\d+)",
                                                            __version__).groups())

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
        _field("STOP", 1, "stop", "ends a recording or play-back early; not together with START",
               access=Access.W1P),
        _field("CLEAR_UNFLUSHED", 2, "clear_unflushed", "takes STATUS.UNFLUSHED away",
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

_PHY_BANK = (
    Register("PHY_CONTROL", 0x800, "control of what the PHY tells about itself", (
        _field("CLEAR", 0, "phy_clear", access=Access.W1P),
        _field("BIST_START", 1, "phy_bist_start", access=Access.W1P),
    )),
    Register("PHY_STATE", 0x804, "what the PHY does, and sees of the line", (
        _field("STATE", 0, "phy_state"),
        _field("REACHED", 4, "phy_reached"),
        _field("LAST_FALL", 8, "phy_last_fall"),
        _field("LINE_RATE", 12, "phy_line_rate"),
        _field("RX_ACTIVE", 16, "phy_rx_active"),
        _field("RX_LOCKED", 17, "phy_rx_locked"),
        _field("RX_INVERTED", 18, "phy_rx_inverted"),
        _field("TX_INVERTED", 19, "phy_tx_inverted"),
        _field("BIST", 24, "phy_bist"),
    )),
    Register("PHY_TRIES", 0x808, "tries to bring the link up", (
        _field("COMRESETS", 0, "phy_comresets"),
        _field("COMINITS", 8, "phy_cominits"),
        _field("LINKS", 16, "phy_links"),
    )),
    Register("PHY_LOSSES", 0x80C, "what was lost while data was expected", (
        _field("LOCK", 0, "phy_lock_losses"),
        _field("SIGNAL", 8, "phy_signal_losses"),
    )),
    Register("PHY_ERRORS", 0x810, "dwords that arrived with an error while the link was up", (
        _field("CODE", 0, "phy_code_errors"),
        _field("DISPARITY", 16, "phy_disparity_errors"),
    )),
    Register("PHY_OOB", 0x814, "OOB signals of the drive, in clocks", (
        _field("SHORTEST_BURST", 0, "phy_shortest_burst"),
        _field("LONGEST_BURST", 8, "phy_longest_burst"),
        _field("SHORTEST_GAP", 16, "phy_shortest_gap"),
        _field("LONGEST_GAP", 24, "phy_longest_gap"),
    )),
)


#: All registers, by offset.
REGISTERS = by_offset(_BANK, _TABLE)
#: Those of the PHY's status.
PHY_REGISTERS = by_offset(_PHY_BANK, _PHY_TABLE)


#: The groups that a recorder has where its configuration says so, with the registers of each, in
#: their order.
_OPTIONAL = {PACING_GROUP: (), QUEUE_GROUP: (), SECTOR_GROUP: SECTOR_REGISTERS,
             TASK_GROUP: TASK_REGISTERS, HISTOGRAM_GROUP: HISTOGRAM_REGISTERS,
             ALIGNMENT_GROUP: ALIGNMENT_REGISTERS, HEALTH_GROUP: HEALTH_REGISTERS,
             TEMPERATURE_GROUP: TEMPERATURE_REGISTERS, PHY_GROUP: PHY_REGISTERS, FILE_GROUP: FILE_REGISTERS,
             RECORDING_GROUP: RECORDING_REGISTERS, TRIM_GROUP: TRIM_REGISTERS, LOOK_GROUP: LOOK_REGISTERS,
             FRAME_GROUP: FRAME_REGISTERS, POWER_GROUP: POWER_REGISTERS}


def registers_with(*groups):
    """All registers of a bank that has these ``groups`` beside :data:`GROUPS`."""
    return sum((registers for name, registers in _OPTIONAL.items() if name in groups), REGISTERS)


# The Signatures.

#: What every recorder has; each belongs to one layer of the core.
GROUPS = ("control", "status", "counters", "identify", "ledger", "journal")


def group(name):
    """The Signature of a group of the table, as the core's user sees it. ``name`` is one of
    :data:`GROUPS`, or of those that are there where the configuration says so: see
    :mod:`.interface_rows`."""
    return wiring.Signature({
        port.path[-1]: (Out if port.direction == "input" else In)(port.width)
        for port in ALL_PORTS.values()
        if port.path[:-1] in (("user", name), (name,) * (name == PHY_GROUP))})


def user_groups(*groups):
    """Names of what the user of a recorder has: :data:`GROUPS`, and ``groups`` but for the PHY's
    status, in their order."""
    return *GROUPS, *(name for name in _OPTIONAL if name in groups and name != PHY_GROUP)


class StreamsSignature(wiring.Signature):
    """The streams of a recorder, as its user sees them.

    Members
    -------
    i : Out(stream 32)      Words to be recorded. Bits 7:0 are the first byte on the disk.
    o : In(stream 32)       Words played back.
    last : In(1)            With ``o.valid``: the word is the last one of the operation.
    """

    def __init__(self, members={}):
        super().__init__({"i": Out(stream.Signature(_WORD)), "o": In(stream.Signature(_WORD)),
                          "last": In(1), **members})


class UserSignature(StreamsSignature):
    """All that a recorder offers, as its user sees it: the streams and the groups of the table.

    What is built around a core has this face on both sides, so that such parts can be stacked.

    Parameters
    ----------
    groups : str    What there is beside :data:`GROUPS`, see :mod:`.interface_rows`. The PHY's status
                    is not its user's, and left out.

    Members
    -------
    i, o, last      The streams, see :class:`StreamsSignature`.
    control, status, counters, identify, ledger, journal, and the ``groups`` : Out
                    The groups of the table.
    away : In(1)    The drive is absent or is being brought up, also in the midst of an operation:
                    what is on it may not be what it was. For what stands round the core; no port.
    """

    def __init__(self, *groups):
        super().__init__({"away": In(1), **{name: Out(group(name)) for name in user_groups(*groups)}})


def named_ports(component):
    """Those ports of the table that ``component`` has: name to (value, direction), as Amaranth's
    back ends want them."""
    places = {path: value for path, _, value in component.signature.flatten(component)}
    return {port.name: (places[port.path], PortDirection(port.direction))
            for port in ALL_PORTS.values() if port.path in places}
