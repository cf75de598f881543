"""Why something is refused: a mistake of the user, before anything is done."""

__all__ = ["Refused"]


class Refused(Exception):
    """What is refused, reported in one line; ``overwrite`` states whether `overwrite` would permit it, and
    ``damaged`` that there is a prepared drive of which that cannot be read."""

    def __init__(self, text: str, *, overwrite: bool = False, damaged: bool = False) -> None:
        super().__init__(text)
        self.overwrite, self.damaged = overwrite, damaged
