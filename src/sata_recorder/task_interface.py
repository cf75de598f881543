"""The ports and registers of the operation COMMAND: any ATA command, by its task file.

They are there where the configuration has ``commands``.
"""

from functools import partial

from .interface_rows import SUM, TASK_GROUP, by_offset, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["TASK_GROUP", "TASK_PORTS", "TASK_REGISTERS"]

_TABLE = (
    input_row("task_operation", 1, "with start: the operation is COMMAND, the one ATA command whose "
              "registers are lba and task_*, stable until done; operation says where its data go, and "
              "sectors how many blocks of 512 bytes they are: PLAY to m_axis, RECORD from s_axis, "
              "FLUSH nowhere", TASK_GROUP),
    input_row("task_pio", 1, "the data of COMMAND move by PIO, not by DMA", TASK_GROUP),
    input_row("task_command", 8, "Command register of COMMAND", TASK_GROUP),
    input_row("task_features", 16, "Features register of COMMAND", TASK_GROUP),
    input_row("task_count", 16, "Count register of COMMAND", TASK_GROUP),
    input_row("task_device", 8, "Device register of COMMAND", TASK_GROUP),
    output_row("task_result_lba", SUM, "LBA registers of the last Register D2H or PIO Setup FIS",
               TASK_GROUP, member="result_lba", at=0x0E8),
    output_row("task_result_count", 16, "Count register of the same FIS", TASK_GROUP,
               member="result_count"),
    output_row("task_result_device", 8, "Device register of the same FIS", TASK_GROUP,
               member="result_device"),
)

#: The ports by name, in the order of the Verilog.
TASK_PORTS = {port.name: port for port, _ in _TABLE}


_field = partial(port_field, TASK_PORTS)

_BANK = (
    Register("TASK", 0x0E0, "what the next START starts, if it is COMMAND", (
        _field("COMMAND", 0, "task_command", access=Access.RW),
        _field("DEVICE", 8, "task_device", access=Access.RW),
        _field("PIO", 16, "task_pio", access=Access.RW),
        _field("OPERATION", 24, "task_operation", access=Access.RW),
    )),
    Register("TASK_PARAMETERS", 0x0E4, "more registers of COMMAND", (
        _field("FEATURES", 0, "task_features", access=Access.RW),
        _field("COUNT", 16, "task_count", access=Access.RW),
    )),
    Register("TASK_RESULT", 0x0F0, "registers that the drive sent last", (
        _field("COUNT", 0, "task_result_count", access=Access.RO),
        _field("DEVICE", 16, "task_result_device", access=Access.RO),
    )),
)

#: The registers, by offset.
TASK_REGISTERS = by_offset(_BANK, _TABLE)
