"""Objects that options of the command line fill, or callers in Python."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ..interface.faults import conversions, faults_of


@dataclass(frozen=True)
class OptionText:
    """How a field is written as an option: its ``metavar``; ``kind``, the type of its text if a caller in Python
    may pass something else; its ``flags``, if they are not its name; whether it is ``required``, and whether the
    help ``shows`` its default. A ``hidden`` field has no option."""

    metavar: str | None = None
    kind: Any = None
    flags: tuple[str, ...] = ()
    required: bool = False
    shows: bool = False
    hidden: bool = False


class OptionsError(ValueError):
    """Options that are refused, for all their ``faults``; the text has a line for each."""

    def __init__(self, faults):
        self.faults = tuple(faults)
        super().__init__("\n".join(one.told() for one in self.faults))

    def __reduce__(self):
        return type(self), (self.faults,)


class Options(BaseModel):
    """Fields that are options, ``input_rate`` as ``--input-rate``; the docstring of a field is its help.

    What cannot be raises :exc:`OptionsError`. Nothing is converted: true is no number, and "no" is not false.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, arbitrary_types_allowed=True)

    if not TYPE_CHECKING:       # mypy knows the fields from pydantic
        def __init__(self, **values):
            faults = {one.field: one for one in conversions(type(self), values)}
            try:
                super().__init__(**{name: value for name, value in values.items() if name not in faults})
            except ValidationError as error:
                faults |= {one.field: one for one in faults_of(type(self), error)}
            if faults:
                raise OptionsError(faults.values())

    @classmethod
    def text(cls, name):
        """The :class:`OptionText` of the field ``name``."""
        return next((one for one in cls.model_fields[name].metadata if isinstance(one, OptionText)), OptionText())

    @classmethod
    def flag(cls, name):
        """The option of the field ``name``, as the user writes it."""
        return next(iter(cls.text(name).flags), "--" + name.replace("_", "-"))
