"""The registers of the core: the one description of them.

The gateware, the JSON, SVD and C descriptions and the table in docs/registers.md follow it.
Offsets are in bytes; a register is 32 bits, or 48 bits in two words of the bus.
"""

import enum
import re
from dataclasses import dataclass, replace

from .. import __version__
from . import meanings

__all__ = ["ADDRESS_BITS", "REGISTERS", "Access", "Field", "Register", "Word"]

#: 4 KiB, the smallest space that AXI gives a peripheral.
ADDRESS_BITS = 12

_WORD_BITS = 32


class Access(enum.Enum):
    """What the bus may do with a field."""

    RO = "ro"       # read
    RW = "rw"       # read what was written
    W1P = "w1p"     # a written 1 is a pulse of one clock; reads 0
    W1C = "w1c"     # a written 1 clears it

    @property
    def writable(self):
        return self is not Access.RO


@dataclass(frozen=True)
class Field:
    """Bits ``low`` to ``low + width - 1`` of a register.

    ``value`` is given where the field is a constant. Fields that are written are 0 after reset.
    """

    name: str
    low: int
    width: int
    access: Access
    meaning: str
    unit: str = ""
    value: int | None = None

    @property
    def mask(self):
        return (1 << self.width) - 1 << self.low


@dataclass(frozen=True)
class Register:
    """``count`` registers of the same kind, one behind the other from byte ``offset`` on.

    More than one are a window into a memory; their number is a power of two, and ``offset`` a
    multiple of their size. A register of more than 32 bits has two words and one field, VALUE.
    Where it is only read, a read of the low word keeps the high word for a read of that.
    """

    name: str
    offset: int
    meaning: str
    fields: tuple[Field, ...]
    count: int = 1

    @property
    def width(self):
        """Bits up to the highest field."""
        return max(field.low + field.width for field in self.fields)

    @property
    def wide(self):
        return self.width > _WORD_BITS

    @property
    def latched(self):
        return self.wide and not self.writable

    @property
    def writable(self):
        return any(field.access.writable for field in self.fields)

    @property
    def stride(self):
        """Bytes of one register."""
        return 8 if self.wide else 4

    def path(self, field):
        """The name of ``field`` in gateware; VALUE, the only field, has its register's name."""
        return "_".join([self.name, *([field.name] if field.name != "VALUE" else [])]).lower()

    @property
    def words(self):
        """The words of the bus of which it is made, low to high."""
        if not self.wide:
            return [Word(self, self.name, "", 0, self.fields)]
        value, = self.fields
        low = replace(value, width=_WORD_BITS)
        high = replace(value, width=value.width - _WORD_BITS)
        return [Word(self, f"{self.name}_LOW", "LOW", 0, (low,)),
                Word(self, f"{self.name}_HIGH", "HIGH", _WORD_BITS, (high,))]


@dataclass(frozen=True)
class Word:
    """32 bits of the bus: bits ``start`` to ``start + 31`` of ``register``."""

    register: Register
    name: str
    half: str
    start: int
    fields: tuple[Field, ...]

    @property
    def offset(self):
        return self.register.offset + self.start // 8

    @property
    def writable(self):
        return self.register.writable

    @property
    def meaning(self):
        if not self.half:
            return self.register.meaning
        if not self.register.latched:
            kept = ""
        elif self.half == "LOW":
            kept = "; reading it keeps the high word"
        else:
            kept = ", as they were kept"
        high = self.start + self.fields[0].width - 1
        return f"{self.register.meaning}; bits {high}:{self.start}{kept}"

    @property
    def reset(self):
        """The value after reset, as far as it does not depend on the drive: value, mask."""
        known = [field for field in self.fields
                 if field.value is not None or field.access.writable]
        return (sum((field.value or 0) << field.low for field in known),
                sum(field.mask for field in known))


RO, RW, W1P, W1C = Access

_PORTS = meanings.PINS | meanings.SURROUNDINGS


def _value(name, offset, access, width, meaning, unit="", *, value=None, count=1):
    """A register of one field."""
    return Register(name, offset, meaning,
                    (Field("VALUE", 0, width, access, meaning, unit, value),), count)


def _pin(name, offset, access, width, unit):
    """A value that is a pin of the core, too."""
    return _value(name, offset, access, width, _PORTS[name.lower()], unit)


_MAJOR, _MINOR, _PATCH = (int(number) for number in re.match(r"(\d+)\.(\d+)\.(\d+)",
                                                            __version__).groups())

#: All registers, by offset.
REGISTERS = (
    _value("ID", 0x000, RO, 32, "SATA in ASCII, S in bits 7:0",
           value=int.from_bytes(b"SATA", "little")),
    Register("VERSION", 0x004, "version of the core", (
        Field("PATCH", 0, 8, RO, "third number", value=_PATCH),
        Field("MINOR", 8, 8, RO, "second number", value=_MINOR),
        Field("MAJOR", 16, 8, RO, "first number", value=_MAJOR),
    )),
    Register("CONTROL", 0x008, "starts and ends operations", (
        Field("START", 0, 1, W1P, "starts OPERATION on LBA and SECTORS and clears STATUS.DONE; "
                                  "ignored while STATUS.BUSY"),
        Field("STOP", 1, 1, W1P, "ends a recording or play-back early; not together with START"),
        Field("OPERATION", 8, 2, RW, "what START starts"),
    )),
    Register("STATUS", 0x00C, "state of the core and of its link", (
        Field("DONE", 0, 1, W1C, "an operation has ended, a failed or refused one too"),
        Field("READY", 1, 1, RO, _PORTS["ready"]),
        Field("BUSY", 2, 1, RO, "an operation runs"),
        Field("LINK_UP", 3, 1, RO, "the PHY communicates with a drive"),
        Field("LBA48", 4, 1, RO, _PORTS["lba48"]),
        Field("RECOVERING", 5, 1, RO, _PORTS["recovering"]),
        Field("GENERATION", 8, 2, RO, _PORTS["phy_generation"]),
    )),
    Register("INTERRUPT_ENABLE", 0x010, "bits of STATUS that raise irq", (
        Field("DONE", 0, 1, RW, "irq is high while STATUS.DONE"),
    )),
    Register("ERROR", 0x014, "how the last operation ended", (
        Field("CODE", 0, 4, RO, "result of the last operation or of bring-up; valid from "
                                "STATUS.DONE on"),
        Field("CAUSE", 8, 4, RO, _PORTS["cause"]),
    )),
    Register("DRIVE", 0x018, "the last status the drive sent", (
        Field("STATUS", 0, 8, RO, _PORTS["drive_status"]),
        Field("ERROR", 8, 8, RO, _PORTS["drive_error"]),
    )),
    _pin("HIGH_WATER", 0x01C, RO, 16, "words"),
    _pin("LBA", 0x020, RW, 48, "sectors"),
    _pin("SECTORS", 0x028, RW, 48, "sectors"),
    _pin("CAPACITY", 0x030, RO, 48, "sectors"),
    _pin("SECTORS_DONE", 0x038, RO, 48, "sectors"),
    _pin("WORDS", 0x040, RO, 48, "words"),
    _pin("HELD_CYCLES", 0x048, RO, 48, "clocks"),
    _pin("RETRIES", 0x050, RO, 16, ""),
    _pin("JOURNAL_COUNT", 0x054, RO, 6, ""),
    _pin("ERROR_LBA", 0x058, RO, 48, "sectors"),
    _pin("SKIPPED_SECTORS", 0x060, RO, 48, "sectors"),
    _pin("DROPPED", 0x068, RO, 48, "words"),
    _pin("LONGEST_STALL", 0x070, RO, 48, "clocks"),
    _value("LEDGER", 0x100, RO, 48, "cycle account n of the last operation", "clocks", count=32),
    _value("IDENTIFY", 0x200, RO, 32, "words 2n+1 and 2n of the IDENTIFY DEVICE data", count=128),
    _value("JOURNAL", 0x400, RO, 48, "field n % 4 of entry n / 4 of the journal", count=128),
)
