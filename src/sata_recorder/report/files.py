"""All pages and pictures that can be written: of measurements, accesses, panel sessions, wear and any results.

Matplotlib is slow to load: it is loaded where something is drawn, and not before.
"""

from .picture import FORMATS


def page_text(data):
    """The HTML page of ``data``, which :func:`..lab.measurement.as_data` gives, as text."""
    from .page import render
    return render(data)


def access_page(data):
    """The HTML page of ``data``, which :func:`..lab.access.as_data` gives, as text."""
    from .accesses import render
    return render(data)


def write_pictures(data, folder, formats=FORMATS, *, overwrite=False):
    """Writes the pictures of ``data``, which :func:`..lab.measurement.as_data` gives: :func:`.plots.write`."""
    from .plots import write
    return write(data, folder, formats, overwrite=overwrite)


def write_curves(curves, path_stem, formats=FORMATS, *, overwrite=False):
    """Draws the :class:`.picture.Curves`: :func:`.curves.lines`."""
    from .curves import lines
    return lines(curves, path_stem, formats, overwrite=overwrite)


def write_ratios(ratios, path_stem, formats=FORMATS, *, overwrite=False):
    """Draws the :class:`.picture.Ratios`: :func:`.curves.dots`."""
    from .curves import dots
    return dots(ratios, path_stem, formats, overwrite=overwrite)


def session_page(data):
    """The HTML page of ``data``, what the panel has done with a board, as text."""
    from .session_page import render
    return render(data)


def session_picture(data):
    """All plots of ``data``, what the panel has done with a board, as the bytes of one PNG."""
    from .session_plots import picture
    return picture(data)


def wear_picture(data, form):
    """All plots of ``data``, a drive's life (:meth:`..lab.wear.Wear.as_data`), as the bytes of one picture."""
    from .wear_plots import picture
    return picture(data, form)
