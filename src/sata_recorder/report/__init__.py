"""Measurements and profiles for people. This room only shows: no figure is made here.

:mod:`.tables` prints a measurement on a terminal, :mod:`.profiles` the profiles of drives,
:mod:`.figures` the figures of one with where they are from, :mod:`.care` what a drive reports about itself;
:mod:`.page` makes the HTML page, :mod:`.accesses` that of accesses, and :mod:`.plots` the pictures in it, of the
:mod:`.intervals` of a transfer; :mod:`.curves` draws any series, as :mod:`.picture` has them, :mod:`.wear_plots` a
drive's life; :mod:`.session_page` is the page of what the panel has done with a board. :mod:`.colours` has the colours,
:mod:`.drawing` style and formats; :mod:`.files` is the way to all that draws.
"""

from .care import render_readings
from .colours import COLOURS, SERIES, WHO
from .files import (access_page, page_text, session_page, session_picture, wear_picture, write_curves, write_pictures,
                    write_ratios)
from .figures import figure_lines
from .picture import FORMATS, Curves, Ratios
from .inside import inside_lines, render_inside, rests_on
from .profiles import profile_data, render_profile, render_profiles
from .tables import render_measurement

__all__ = ["COLOURS", "Curves", "FORMATS", "Ratios", "SERIES", "WHO", "access_page", "figure_lines", "inside_lines",
           "page_text", "profile_data", "render_inside", "render_measurement", "render_profile", "render_profiles",
           "render_readings", "rests_on", "session_page", "session_picture", "wear_picture", "write_curves",
           "write_pictures", "write_ratios"]
