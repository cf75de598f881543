"""What the panel has done with a board, as one HTML page that needs nothing else."""

import base64
import json

from .page import filled
from .session_plots import picture


def render(data):
    """The page of ``data``, the dictionary that the panel saves, as text."""
    return filled("session.html", json.dumps(data), {"told": _told}, data=data,
                  picture=base64.b64encode(picture(data)).decode())


def _told(value):
    """A value of any kind as text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.10g}"
    text = str(value)
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}"
                   for letter in text)
