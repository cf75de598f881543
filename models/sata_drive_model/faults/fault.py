"""Faults as data: what goes wrong, where, and when; written to and read from JSON or TOML."""

from typing import Literal, NamedTuple, Optional

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..protocol.fis import NAMES as FIS_NAMES
from ..protocol.primitives import NAMES as PRIMITIVE_NAMES

#: Levels of faults, from the line up.
LEVELS = ("line", "frame", "fis", "status", "link")
PRIMITIVES = tuple(sorted(PRIMITIVE_NAMES.values()))
#: FIS types by the names that faults use for them.
FISES = {name.lower(): number for number, name in FIS_NAMES.items()}
#: What a fault of the line may wait for: any dword, a dword of a frame, or a primitive.
SYMBOLS = ("any", "data", *PRIMITIVES)
_HOST = ("any", "register h2d", "data")
_DRIVE = ("any", *(name for name in FISES if name != "register h2d"))
_COUNT = 1 << 40


class Kind(NamedTuple):
    """A kind of fault: its ``level``, what it does, and the ``fields`` it has besides ``clock``."""

    level: str
    meaning: str
    fields: tuple


_LINE = ("direction", "symbol", "nth", "count")
_SENT = ("fis", "nth")
KINDS = {
    "bits": Kind("line", "bits of `value` of a dword are inverted; with `code_error` the PHY of "
                         "the host sees a code error in it", (*_LINE, "value", "code_error")),
    "primitive": Kind("line", "`primitive` in the place of a dword", (*_LINE, "primitive")),
    "data": Kind("line", "the data dword `value` in the place of a dword", (*_LINE, "value")),
    "lost": Kind("line", "a dword is lost", _LINE),
    "doubled": Kind("line", "a dword comes twice; the next ALIGN is left out for it", _LINE),

    "bad_crc": Kind("frame", "a FIS of the drive with a bad CRC", _SENT),
    "truncated": Kind("frame", "a frame of the drive ends after `dword` dwords, with no CRC",
                      (*_SENT, "dword")),
    "overlong": Kind("frame", "a FIS of the drive with `count` dwords too many and a good CRC",
                     (*_SENT, "count")),
    "escape": Kind("frame", "the drive leaves its own frame with SYNC before dword `dword`",
                   (*_SENT, "dword")),
    "stuck": Kind("frame", "HOLD for ever in the drive's frame, from dword `dword` on",
                  (*_SENT, "dword")),
    "refused": Kind("frame", "`count` frames of the host are answered by R_ERR",
                    (*_SENT, "count")),
    "escaped": Kind("frame", "the drive sends SYNC into a frame of the host, after `dword` dwords",
                    (*_SENT, "dword")),
    "held": Kind("frame", "HOLD for ever against a frame of the host, after `dword` dwords",
                 (*_SENT, "dword")),
    "dmat": Kind("frame", "DMAT into a frame of the host, after `dword` dwords", (*_SENT, "dword")),
    "unready": Kind("frame", "X_RDY of the host gets no R_RDY", ("nth",)),
    "unanswered": Kind("frame", "a frame of the host gets neither R_OK nor R_ERR", _SENT),

    "wrong_type": Kind("fis", "before a FIS of the drive the same one of type `value`",
                       (*_SENT, "value")),
    "repeated": Kind("fis", "a FIS of the drive is sent `count` times more", (*_SENT, "count")),
    "missing": Kind("fis", "a FIS of the drive is not sent, and the drive waits", _SENT),
    "storm": Kind("fis", "in the place of a FIS of the drive Set Device Bits without end, with BSY in "
                         "`value` Register D2H, and the drive waits", (*_SENT, "value")),
    "unsolicited": Kind("fis", "the drive sends a FIS that nobody requested; a Register D2H or Set "
                               "Device Bits has the status `value`", ("fis", "value")),

    "status": Kind("status", "the final status of a command is `value`, with `error`",
                   ("nth", "value", "error")),
    "abort": Kind("status", "`count` data commands end at once with the status `value` and `error`",
                  ("nth", "count", "value", "error")),
    "media": Kind("status", "`count` commands that touch the sector `lba` end there, with `value` "
                            "and `error`", ("lba", "count", "value", "error")),
    "delay": Kind("status", "a FIS of the drive comes `clocks` dwords later", (*_SENT, "clocks")),
    "dead": Kind("status", "the drive sends nothing but SYNC, through the next `count` - 1 resets",
                 ("count",)),

    "link_loss": Kind("link", "the link falls for `clocks` clocks", ("clocks",)),
    "cominit": Kind("link", "the drive starts over with a COMINIT of its own", ()),
    "unplug": Kind("link", "the drive is pulled and back after `clocks` clocks, with `power_lost` "
                           "without what its cache had not written", ("clocks", "power_lost")),
    "exchange": Kind("link", "another drive, of another serial number, is there after `clocks` "
                             "clocks", ("clocks",)),
    "altered": Kind("link", "another drive is there after `clocks` clocks; of what IDENTIFY DEVICE "
                            "reports `identity` alone differs", ("clocks", "identity")),
    "blackout": Kind("link", "the drive loses its power, and what its cache had not written, for "
                             "`clocks` clocks; a campaign lets it happen after an operation",
                     ("clocks",)),
}
#: What another drive may report about itself.
IDENTITIES = ("serial", "model", "wwn", "smaller", "larger", "lba48", "sector")
#: Kinds whose frame is the host's.
RECEIVED = ("refused", "escaped", "held", "dmat", "unanswered")


class Fault(BaseModel):
    """One fault, armed at a clock; it strikes at the place that its other fields give, once.

    A value outside its limits, or a field that the kind has no use for, raises
    :class:`pydantic.ValidationError`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal[tuple(KINDS)]      # type: ignore[valid-type]
    #: From when on: clocks of the port after it was given to `DrivePort.inject`.
    clock: int = Field(0, ge=0, le=_COUNT)
    #: Line: "in" is from drive to host, "out" from host to drive.
    direction: Literal["in", "out"] = "in"
    #: Line: the dword that is hit. "data" is one inside a frame.
    symbol: Literal[SYMBOLS] = "any"      # type: ignore[valid-type]
    #: The FIS that is hit.
    fis: Literal[("any", *FISES)] = "any"      # type: ignore[valid-type]
    #: How many such dwords, frames or commands pass before it.
    nth: int = Field(0, ge=0, le=_COUNT)
    #: Dwords (line: those that follow), frames, commands or resets.
    count: int = Field(1, ge=1, le=_COUNT)
    #: Place in the frame, SOF being 0.
    dword: int = Field(1, ge=1, le=2050)
    #: What the kind states: bits of a dword (36), a data dword (32), a FIS type or an ATA status (8).
    value: int = Field(0, ge=0, lt=1 << 36)
    #: The ATA error register, 8 bits.
    error: int = Field(0, ge=0, lt=256)
    #: The sector of 512 bytes that is hit.
    lba: int = Field(0, ge=0, lt=1 << 48)
    #: How long it lasts: clocks of the port; of a delay, dwords.
    clocks: int = Field(0, ge=0, le=_COUNT)
    primitive: Literal[PRIMITIVES] = "SYNC"      # type: ignore[valid-type]
    identity: Literal[IDENTITIES] = "serial"      # type: ignore[valid-type]
    code_error: bool = False
    power_lost: bool = False

    @model_validator(mode="after")
    def _fields_of_kind(self):
        kind = KINDS[self.kind]
        for name in sorted(self.model_fields_set - {"kind", "clock", *kind.fields}):
            raise ValueError(f"a fault of kind {self.kind} has no field {name}")
        if self.code_error and self.direction == "out":
            raise ValueError("code_error is seen by the host's PHY only: direction must be in")
        limit = 36 if self.kind == "bits" else 32 if self.kind == "data" else 8
        if self.value >> limit:
            raise ValueError(f"the value of a fault of kind {self.kind} has {limit} bits at most")
        if "fis" in kind.fields:
            known = _HOST if self.kind in RECEIVED else _DRIVE
            if self.fis not in known or self.kind == "unsolicited" and self.fis == "any":
                raise ValueError(f"a fault of kind {self.kind} cannot be of the FIS {self.fis}")
        return self

    def brief(self) -> dict:
        """The fields that are not as their defaults, for a file."""
        return self.model_dump(exclude_defaults=True)


def level(kind: str) -> str:
    """The level of a kind."""
    return KINDS[kind].level


def kinds(names: Optional[str]) -> tuple:
    """The kinds that a text of kinds and levels with commas between them names, None: all.

    Raises ``ValueError`` for a name that is neither.
    """
    if names is None:
        return tuple(KINDS)
    found = []
    for part in names.split(","):
        part = part.strip()
        if part in KINDS:
            found.append(part)
        elif part in LEVELS:
            found += [kind for kind in KINDS if level(kind) == part]
        else:
            raise ValueError(f"{part!r} is no kind of fault and no level of them; levels: "
                             f"{', '.join(LEVELS)}; kinds: {', '.join(KINDS)}")
    return tuple(dict.fromkeys(found))
