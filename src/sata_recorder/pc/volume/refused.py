"""Why something is refused: a mistake of the user, before anything is done."""

__all__ = ["Refused"]


class Refused(Exception):
    """What is refused, reported in one line; ``overwrite`` states whether `overwrite` would permit it, and
    ``damaged`` that a drive was prepared but cannot be read as such."""

    def __init__(self, text: str, *, overwrite: bool = False, damaged: bool = False) -> None:
        super().__init__(text)
        self.overwrite, self.damaged = overwrite, damaged
