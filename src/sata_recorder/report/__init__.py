"""Measurements and drive profiles for people. This package only presents them: it measures nothing.

On a terminal, :mod:`.tables` prints a measurement, :mod:`.profiles` drive profiles, :mod:`.figures` the figures of one
with their origins, :mod:`.inside` the model inside a drive, :mod:`.care` what a drive reports about itself.
:mod:`.page` makes the HTML page of a measurement, :mod:`.accesses` that of accesses, :mod:`.session_page` that of what
the panel has done with a board. :mod:`.plots` draws a measurement, by the :mod:`.intervals` of each transfer,
:mod:`.curves` any series that :mod:`.picture` describes, :mod:`.wear_plots` a drive's life. :mod:`.colours` has the
colours, :mod:`.drawing` the style and formats; :mod:`.files` is the way to all that draws.
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
