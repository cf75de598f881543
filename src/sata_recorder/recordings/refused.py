"""Why something is refused: a mistake of the user, before anything is done."""

__all__ = ["Refused"]


class Refused(Exception):
    """What is refused, told in one line; ``overwrite`` says whether `overwrite` would permit it."""

    def __init__(self, text, *, overwrite=False):
        super().__init__(text)
        self.overwrite = overwrite
