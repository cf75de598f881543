"""The ports and registers of the operation COMMAND: any ATA command, by its task file."""

from functools import partial

from .group import SUM, Group, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["TASK"]

_TABLE = (
    input_row("task_operation", 1, "with start: the operation is COMMAND, the one ATA command whose "
              "registers are lba and task_*, stable until done; operation selects where its data go, and "
              "sectors how many blocks of 512 bytes they are: PLAY to m_axis, RECORD from s_axis, "
              "FLUSH nowhere"),
    input_row("task_pio", 1, "the data of COMMAND move by PIO, not by DMA"),
    input_row("task_command", 8, "Command register of COMMAND"),
    input_row("task_features", 16, "Features register of COMMAND"),
    input_row("task_count", 16, "Count register of COMMAND"),
    input_row("task_device", 8, "Device register of COMMAND"),
    output_row("task_result_lba", SUM, "LBA registers of the last Register D2H or PIO Setup FIS", member="result_lba",
               at=0x0E8),
    output_row("task_result_count", 16, "Count register of the same FIS",
               member="result_count"),
    output_row("task_result_device", 8, "Device register of the same FIS",
               member="result_device"),
)

_field = partial(port_field, _TABLE)

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

TASK = Group("task", _TABLE, _BANK, exists=lambda configuration: configuration.commands)
