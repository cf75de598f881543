"""The ports of the queue of extents with which a recording continues."""

from .group import SUM, Group, input_row, output_row

__all__ = ["QUEUE"]

_TABLE = (
    input_row("queue_valid", 1, "queue_lba and queue_sectors are an extent in which the recording "
        "continues; until it is taken it may be changed or withdrawn"),
    output_row("queue_ready", 1, "the core takes the extent in this clock"),
    input_row("queue_lba", SUM, "first sector of the extent"),
    input_row("queue_sectors", SUM, "length of the extent in sectors"),
    input_row("queue_ahead", 17, "sectors by which a command of a recording may be longer than what is "
        "in the buffer, stable while busy; 65536 or more: any number"),
    output_row("queue_begun", SUM, "sectors of this operation for which a command has begun, or "
         "that were passed over"),
)

QUEUE = Group("queue", _TABLE, exists=lambda configuration: configuration.extents == "queued")
