"""Registers on a bus of 32 bits. Offsets are in bytes."""

import enum
from dataclasses import dataclass, replace

__all__ = ["Access", "Field", "Register", "Word"]

_WORD_BITS = 32


class Access(enum.Enum):
    """What the bus may do with a field."""

    RO = "ro"       # read
    RW = "rw"       # read what was written
    W1P = "w1p"     # a written 1 is a pulse of one clock; reads 0
    W1C = "w1c"     # a written 1 clears it

    @property
    def writable(self) -> bool:
        return self is not Access.RO


@dataclass(frozen=True)
class Field:
    """Bits ``low`` to ``low + width - 1`` of a register.

    ``port`` names the port of the core that the field shows or sets, or the two ports, address and
    data, of a window; ``value`` is given where the field is a constant. A field with neither
    belongs to the register bank itself. Fields that are written are 0 after reset.
    """

    name: str
    low: int
    width: int
    access: Access
    meaning: str
    unit: str = ""
    value: int | None = None
    port: str | tuple | None = None

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1 << self.low


@dataclass(frozen=True)
class Register:
    """``count`` registers of the same kind, one after the other from byte ``offset`` on.

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
    def width(self) -> int:
        """Bits up to the highest field."""
        return max(field.low + field.width for field in self.fields)

    @property
    def wide(self) -> bool:
        return self.width > _WORD_BITS

    @property
    def latched(self) -> bool:
        return self.wide and not self.writable

    @property
    def writable(self) -> bool:
        return any(field.access.writable for field in self.fields)

    @property
    def stride(self) -> int:
        """Bytes of one register."""
        return 8 if self.wide else 4

    @property
    def words(self) -> list["Word"]:
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
    def offset(self) -> int:
        return self.register.offset + self.start // 8

    @property
    def writable(self) -> bool:
        return self.register.writable

    @property
    def meaning(self) -> str:
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
    def reset(self) -> tuple[int, int]:
        """The value after reset, as far as it does not depend on the drive: value, mask."""
        known = [field for field in self.fields
                 if field.value is not None or field.access.writable]
        return (sum((field.value or 0) << field.low for field in known),
                sum(field.mask for field in known))
