"""The memory that is the recorder's buffer: its bus, and what it reports."""

import enum
from typing import Any

from .group import SUM, Group, PortRow, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["MEMORY", "MEMORY_ADDRESS_BITS", "MEMORY_BUSES", "MEMORY_WIDTHS", "MemoryFailure"]

#: Bits of a beat of the bus, and of a byte address on it.
MEMORY_WIDTHS = (64, 128)
MEMORY_ADDRESS_BITS = 40


class MemoryFailure(enum.IntEnum):
    """Values of ``memory_failure``."""

    NONE = 0
    ERROR = 1
    SILENCE = 2
    GIVEN_UP = 3


def _in(name: str, width: int, meaning: str) -> PortRow:
    return input_row(f"m_axi_{name}", width, meaning)


def _out(name: str, width: int, meaning: str) -> PortRow:
    return output_row(f"m_axi_{name}", width, meaning)


def _addresses(channel: str, kind: str) -> tuple[PortRow, ...]:
    """The channel of addresses AW or AR, of bursts of this ``kind``."""
    return (
        _out(f"{channel}id", 1, "0"),
        _out(f"{channel}addr", MEMORY_ADDRESS_BITS,
             f"address of the first byte of a burst of {kind}; a multiple of a beat"),
        _out(f"{channel}len", 8,
             "beats of the burst, less one; no burst crosses an address that is a multiple of 4096"),
        _out(f"{channel}size", 3,
             f"a constant: a beat has all bytes of m_axi_{'wdata' if channel == 'aw' else 'rdata'}"),
        _out(f"{channel}burst", 2, "1, INCR"),
        _out(f"{channel}cache", 4, "3, Normal Non-cacheable Bufferable"),
        _out(f"{channel}prot", 3, "0"),
        _out(f"{channel}valid", 1, f"the address of a burst of {kind} is valid"),
        _in(f"{channel}ready", 1, "the memory takes it in this clock"),
    )


def _bus(width: int) -> Group:
    """An AXI4 manager of ``width`` bits (AMBA AXI, IHI 0022)."""
    def exists(configuration: Any) -> bool:
        return bool(configuration.memory) and configuration.memory_width == width
    return Group("m_axi", (
        *_addresses("aw", "writes"),
        _out("wdata", width, "data to write; the lowest bytes are the first ones of the stream"),
        _out("wstrb", width // 8, "which bytes of m_axi_wdata are written"),
        _out("wlast", 1, "the beat is the last one of its burst"),
        _out("wvalid", 1, "m_axi_wdata is valid"),
        _in("wready", 1, "the memory takes it in this clock"),
        _in("bid", 1, "ignored"),
        _in("bresp", 2, "response to a burst of writes; bit 1 is an error"),
        _in("bvalid", 1, "m_axi_bresp is valid"),
        _out("bready", 1, "1"),
        *_addresses("ar", "reads"),
        _in("rid", 1, "ignored"),
        _in("rdata", width, "data read"),
        _in("rresp", 2, "response to the beat; bit 1 is an error"),
        _in("rlast", 1, "the beat is the last one of its burst"),
        _in("rvalid", 1, "m_axi_rdata is valid"),
        _out("rready", 1, "1: there is room for all that was asked for"),
    ), exists=exists, prefix="m_axi_")


#: By width.
MEMORY_BUSES = {width: _bus(width) for width in MEMORY_WIDTHS}

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
    output_row("memory_lost", SUM, "words that this or the latest recording has left in the memory when it ended; they "
               "are not on the drive", at=0xAD8, unit="words"),
)

_BANK = (
    Register("MEMORY_CONTROL", 0xAC8, "control of the memory", (
        port_field(_TABLE, "ABANDON", 0, "memory_abandon", access=Access.RW),
    )),
)

MEMORY = Group("memory", _TABLE, _BANK, exists=lambda configuration: bool(configuration.memory))
