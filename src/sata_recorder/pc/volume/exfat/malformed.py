"""What a volume, a partition table or a recording table is not."""

__all__ = ["Malformed"]


class Malformed(ValueError):
    """A structure that breaks its format; the text is the rest of a sentence about the volume."""
