"""The memory that is the recorder's buffer: its bus, and what it reports."""

import enum
from typing import Any

from ..facts.array import MOST_DRIVES
from .group import SUM, Group, PortRow, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["BUS_NAMES", "LANE_BUSES", "MEMORY", "MEMORY_ADDRESS_BITS", "MEMORY_BUSES", "MEMORY_WIDTHS", "MemoryFailure"]

#: Bits of a beat of the bus, and of a byte address on it.
MEMORY_WIDTHS = (64, 128)
MEMORY_ADDRESS_BITS = 40


class MemoryFailure(enum.IntEnum):
    """Values of ``memory_failure``."""

    NONE = 0
    ERROR = 1
    SILENCE = 2
    GIVEN_UP = 3


#: What the ports of the memories of the lanes begin with.
BUS_NAMES = tuple(f"m_axi{lane or ''}" for lane in range(MOST_DRIVES))


def _addresses(bus: str, channel: str, kind: str) -> tuple[PortRow, ...]:
    """The channel of addresses AW or AR, of bursts of this ``kind``."""
    name = f"{bus}_{channel}"
    return (
        output_row(f"{name}id", 1, "0"),
        output_row(f"{name}addr", MEMORY_ADDRESS_BITS,
                   f"address of the first byte of a burst of {kind}; a multiple of a beat"),
        output_row(f"{name}len", 8,
                   "beats of the burst, less one; no burst crosses an address that is a multiple of 4096"),
        output_row(f"{name}size", 3,
                   f"a constant: a beat has all bytes of {bus}_{'wdata' if channel == 'aw' else 'rdata'}"),
        output_row(f"{name}burst", 2, "1, INCR"),
        output_row(f"{name}cache", 4, "3, Normal Non-cacheable Bufferable"),
        output_row(f"{name}prot", 3, "0"),
        output_row(f"{name}valid", 1, f"the address of a burst of {kind} is valid"),
        input_row(f"{name}ready", 1, "the memory takes it in this clock"),
    )


def _bus(width: int, lane: int = 0) -> Group:
    """An AXI4 manager of ``width`` bits (AMBA AXI, IHI 0022), that of a ``lane``."""
    def exists(configuration: Any) -> bool:
        return bool(configuration.memory) and configuration.memory_width == width and configuration.drives > lane
    bus = BUS_NAMES[lane]
    return Group(bus, (
        *_addresses(bus, "aw", "writes"),
        output_row(f"{bus}_wdata", width, "data to write; the lowest bytes are the first ones of the stream"),
        output_row(f"{bus}_wstrb", width // 8, f"which bytes of {bus}_wdata are written"),
        output_row(f"{bus}_wlast", 1, "the beat is the last one of its burst"),
        output_row(f"{bus}_wvalid", 1, f"{bus}_wdata is valid"),
        input_row(f"{bus}_wready", 1, "the memory takes it in this clock"),
        input_row(f"{bus}_bid", 1, "ignored"),
        input_row(f"{bus}_bresp", 2, "response to a burst of writes; bit 1 is an error"),
        input_row(f"{bus}_bvalid", 1, f"{bus}_bresp is valid"),
        output_row(f"{bus}_bready", 1, "1"),
        *_addresses(bus, "ar", "reads"),
        input_row(f"{bus}_rid", 1, "ignored"),
        input_row(f"{bus}_rdata", width, "data read"),
        input_row(f"{bus}_rresp", 2, "response to the beat; bit 1 is an error"),
        input_row(f"{bus}_rlast", 1, "the beat is the last one of its burst"),
        input_row(f"{bus}_rvalid", 1, f"{bus}_rdata is valid"),
        output_row(f"{bus}_rready", 1, "1: there is room for all that was asked for"),
    ), exists=exists)


#: By width.
MEMORY_BUSES = {width: _bus(width) for width in MEMORY_WIDTHS}
#: By width and lane, from the second lane of an array on.
LANE_BUSES = {(width, lane): _bus(width, lane) for lane in range(1, MOST_DRIVES) for width in MEMORY_WIDTHS}

_TABLE = (
    output_row("memory_level", SUM, "words that have entered the buffer and not left it", at=0x9D0, unit="words"),
    output_row("memory_high_water", SUM, "most words in the buffer during this or the latest operation, with those "
               "that are kept for a replay", at=0x9D8, unit="words"),
    output_row("memory_waits", SUM, "clocks of this or the latest operation in which the memory was too slow: a word "
               "could not enter though there was room for it, or one of a recording did not come though a whole burst "
               "of them was in the memory", at=0x9E0, unit="clocks"),
    output_row("memory_failure", 2, "why the memory ended this or the latest operation, with error 9: 0: it did not, "
               "1: it answered with an error, 2: it did not answer; 3: memory_abandon has given up the words of "
               "memory_lost, with error 9 or that of a command that failed", at=0x9E8),
    input_row("memory_abandon", 1, "while high, ends a recording even if words for the drive are in the memory: none "
              "is accepted any more, no write command begins, and the one in flight runs to its end; keep it high "
              "until busy falls; a playback is stopped"),
    output_row("memory_lost", SUM, "words that a recording has left in the memory when it ended, 0 from the next start "
               "of any operation on; they are not on the drive", at=0xAD8, unit="words"),
)

_BANK = (
    Register("MEMORY_CONTROL", 0xAC8, "control of the memory", (
        port_field(_TABLE, "ABANDON", 0, "memory_abandon", access=Access.RW),
    )),
)

MEMORY = Group("memory", _TABLE, _BANK, exists=lambda configuration: bool(configuration.memory))
