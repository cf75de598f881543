"""Enums whose members state what they mean."""

import enum
from typing import Self

__all__ = ["DescribedEnum"]


class DescribedEnum(enum.IntEnum):
    """An enum whose members are a number and what it means: ``NAME = 3, "the meaning"``.

    A derived class that knows more of a member has an ``__init__`` with all of it.
    """

    def __new__(cls, number: int, *_: object) -> Self:
        member = int.__new__(cls, number)
        member._value_ = number
        return member

    def __init__(self, _number: int, meaning: str = "") -> None:
        self.meaning = meaning
