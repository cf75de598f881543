"""What a board has found different from what it recorded, for people."""

from collections.abc import Iterator
from typing import Any

__all__ = ["mismatch_rows"]


def mismatch_rows(fields: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Rows of a name, a number and more; none for an operation that compares nothing."""
    if "mismatches" in fields:
        yield "mismatches", f"{fields['mismatches']:,}", "words"
    if "first_mismatch" in fields:
        first = fields["first_mismatch"]
        yield "first", f"{first['word']:,}", (f"of the words: expected 0x{first['expected']:08x}, "
                                              f"got 0x{first['got']:08x}")
