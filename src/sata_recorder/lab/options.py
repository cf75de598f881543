"""Objects that options of the command line fill, and callers in Python."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True)
class OptionText:
    """How a field is written as an option: its ``metavar``; ``kind``, the type of its text where a caller in Python
    may have something else; its ``flags``, where they are not its name; whether it is ``required``, and whether the
    help ``shows`` its default. One that is ``hidden`` has no option."""

    metavar: str | None = None
    kind: Any = None
    flags: tuple[str, ...] = ()
    required: bool = False
    shows: bool = False
    hidden: bool = False


class Options(BaseModel):
    """Fields that are options, ``input_rate`` as ``--input-rate``; the docstring of a field is its help."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, arbitrary_types_allowed=True)

    @classmethod
    def text(cls, name):
        """The :class:`OptionText` of the field ``name``."""
        return next((one for one in cls.model_fields[name].metadata if isinstance(one, OptionText)), OptionText())

    @classmethod
    def flag(cls, name):
        """The option of the field ``name``, as the user writes it."""
        return next(iter(cls.text(name).flags), "--" + name.replace("_", "-"))
