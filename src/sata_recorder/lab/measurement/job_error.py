"""Why a measurement is refused: the field, its value, and the limit."""

from collections.abc import Callable
from typing import Any


class JobError(ValueError):
    """A measurement that cannot be made, reported in one line.

    Parameters: ``field`` is the name of a field of a :class:`.job.Job`, or of an argument of the
    function that raises this. ``value`` is what was given for it; None if the name states all.
    ``limit`` is what must hold: texts, and among them tuples ``(field,)`` or ``(field, value)``
    for the other fields that have a part in it.

    A caller who knows the fields by other names, such as the options of a command line, reports the
    error by :meth:`told`.
    """

    def __init__(self, field: str, value: object, *limit: Any) -> None:
        super().__init__(field, value, *limit)
        self.field = field
        self.value = value
        self.limit = limit

    def told(self, name: Callable[..., str]) -> str:
        """The line, in which ``name(field, value=None)`` stands for a field and its value."""
        limit = "".join(part if isinstance(part, str) else name(*part) for part in self.limit)
        return f"{name(self.field, self.value)}: {limit}"

    def __str__(self):
        return self.told(lambda field, value=None: field if value is None else f"{field} = {value}")
