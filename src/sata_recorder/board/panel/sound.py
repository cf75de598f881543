"""Whether an answer is sound: noise on a serial line may have spoilt it."""

#: Accounts of the ledger, as the console names them in `counters`.
ACCOUNTS = ("payload", "framing", "align", "phy_wait", "handshake", "device_hold", "host_hold",
            "activate_wait", "data_wait", "completion_wait", "command", "turnaround", "recovery",
            "flush")


class SpoiltAnswer(ValueError):
    """An answer whose lines are not those of the console; the text is one line."""


_STATUS = ("generation", "capacity", "retries", "sectors_done", "words", "clocks")
_NUMBERS = {*_STATUS, *ACCOUNTS, "lba", "sectors", "mismatches", "skipped_sectors", "high_water",
            "held_cycles", "longest_stall", "commands", "bytes", "mb_per_s", "error_lba",
            "journal_entries", "drive_status", "drive_error", "overhead_min", "overhead_max",
            "turnaround_min", "turnaround_max", "size", "count", "align", "seed", "accesses",
            "latency_least", "latency_sum", "latency_most",
            "lane", "lanes", "lane_payload"}
_NEEDED = {
    "link": (*_STATUS, "link", "ready", "operation", "recovering"),
    "clocks": (*ACCOUNTS, "high_water", "held_cycles"),
    "model": ("serial", "firmware", "capacity"),
    "entries": ("entries",),
    "lane": ("lane", "lanes", "link", "ready", "member", "failed", "failed_first"),
    "record": ("words", "clocks"), "play": ("words", "clocks"), "file": ("bytes", "clocks"),
    "access": ("lba", "sectors", "size", "count", "way", "align", "seed", "sequential", "accesses", "words", "clocks",
               "latency_least", "latency_sum", "latency_most", "stopped"),
}


def sound_fields(answer):
    """The fields of an answer. Raises :class:`SpoiltAnswer` if one that is needed is missing, or a number is none."""
    try:
        fields = answer.fields()
    except (ValueError, KeyError, IndexError) as error:
        raise SpoiltAnswer(str(error)) from None
    for name, value in fields.items():
        if name in _NUMBERS and not isinstance(value, (int, float, type(None))):
            raise SpoiltAnswer(f"{name} is {value!r}")
    missing = [name for name in _NEEDED.get(answer.verb, ()) if name not in fields]
    if missing:
        raise SpoiltAnswer(f"{missing[0]} is missing")
    return fields
