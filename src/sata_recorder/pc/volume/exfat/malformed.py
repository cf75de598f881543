"""The error for a volume, a partition table or a recording table that is none."""

__all__ = ["Malformed"]


class Malformed(ValueError):
    """A structure that breaks its format; the text is the rest of a sentence about the volume."""
