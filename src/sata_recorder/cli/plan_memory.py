"""What a plan states of a memory as the core's buffer: whether it is enough, and which key gives it."""

from ..facts.units import WORD_BYTES
from ..lab.plan import BUFFER_WORDS, fifo_words, least_memory

#: Where nobody knows how deep the FIFO must be.
WHICH = ('can be in place of the FIFO: memory = "256MiB" in the configuration; plan --memory 256MiB states how long a '
         "stall it covers")
_UNITS = {"GiB": 1 << 30, "MiB": 1 << 20, "B": 1}


def memory_lines(one, duration):
    """The lines of the plan of one profile, in which ``duration`` writes seconds."""
    memory, needed = one.requirement.memory, one.memory_bytes
    if memory is None:
        if needed is not None:
            size = size_text(needed)
            yield f"memory {needed:,} bytes as the core's own buffer do in place of the FIFO: verilog --memory {size}"
            yield f'       memory = "{size}" in the configuration; measure --memory {size} simulates it'
        elif one.drives == 1 and not one.stalls_known:
            yield f"memory {WHICH}"
        return
    empty = f"it is full after {duration(memory / one.requirement.rate)} in which the drive takes no word"
    if one.memory_enough is None:
        yield f"memory unknown whether it is enough; {empty}"
        return
    if one.memory_enough:
        used = WORD_BYTES * (one.lane_fifo_words + BUFFER_WORDS)
        each = "" if one.drives == 1 else f" for each of {one.drives} drives"
        yield (f"memory enough{each}{'' if one.stalls_known else ' if it never stalls'}: at most {used:,} of its "
               f"{memory:,} bytes are used; it covers one stall of up to {duration(one.covered_seconds)}")
    if one.drives == 1:
        size = size_text(memory)
        yield (f'       memory = "{size}" in the configuration, or verilog --memory {size}; measure --memory {size} '
               "simulates it")
    elif one.fifo_words is None:
        enough = least_memory(fifo_words(one.requirement, one.profile))
        yield f"memory not enough for one drive: {empty}" + ("" if enough is None else f"; {enough:,} bytes would do")


def with_memory(one, duration):
    """How an answer names the memory."""
    each = "this memory each" if one.drives > 1 else "this memory"
    return f"with {each}" if one.stalls_known else \
        f"with {each} if no stall is longer than {duration(one.covered_seconds)}"


def size_text(size):
    """The ``size`` in bytes as an option takes it."""
    unit = next(unit for unit, many in _UNITS.items() if size % many == 0)
    return f"{size // _UNITS[unit]}{unit}"
