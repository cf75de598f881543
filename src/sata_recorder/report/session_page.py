"""What the panel has done with a board, as one HTML page that needs nothing else."""

import base64
import json
from pathlib import Path

import jinja2
from markupsafe import Markup

from .session_plots import picture

_HERE = Path(__file__).parent


def render(data):
    """The page of ``data``, the dictionary that the panel saves, as text."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters["told"] = _told
    text = json.dumps(data)
    return environment.get_template("session.html").render(
        data=data, style=Markup((_HERE / "page.css").read_text(encoding="utf-8")),
        picture=base64.b64encode(picture(data)).decode(),
        download=base64.b64encode(text.encode()).decode())


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
